//! The codes of C programs: reading them (E10 to E14), the program as a whole (E18), and normalised C (E19),
//! with their warnings.

use super::{CodeText, row};

/// The rows.
pub(super) const CODES: &[CodeText] = &[
    row(
        "E1000",
        "more errors than are shown",
        "A file with very many errors shows the first ones. Mend those: many of the others often follow from them.",
    ),
    row(
        "E1001",
        "unexpected character",
        "The file has a character, or a byte that is not UTF-8, outside of comments, strings and character constants, where C has none.",
    ),
    row("E1002", "comment without an end", "A comment begins with `/*` and the file ends before `*/`."),
    row("E1003", "literal without an end", "A string or a character constant is not closed on its line."),
    row(
        "E1004",
        "file too long",
        "The file is longer after preprocessing than the reader takes. Split it, or include less.",
    ),
    row(
        "E1005",
        "the file ends too early",
        "The file ends inside a declaration, statement or expression. Close all braces and parentheses.",
    ),
    row(
        "E1006",
        "syntax error",
        "Something else was expected here. The message says what; if that is a `;`, the place that is shown is the end of the statement before.",
    ),
    row(
        "E1007",
        "directive in a preprocessed file",
        "A `.i` file has a directive such as `#define`. Preprocess it with `cc -E`, or give it a name that ends in `.c`.",
    ),
    row(
        "E1010",
        "nested too deeply",
        "An expression, statement or declaration is nested deeper than the reader follows. Split it into smaller ones.",
    ),
    row(
        "E1101",
        "tag of another kind",
        "One name is used as two of `struct`, `union` and `enum`. Use one keyword for it.",
    ),
    row(
        "E1102",
        "type defined twice",
        "A struct, union or enum is defined twice in one scope. Remove one of the definitions.",
    ),
    row(
        "E1103",
        "member declared twice",
        "Two members of one struct or union have the same name, perhaps one of them in an unnamed member.",
    ),
    row(
        "E1104",
        "member of an incomplete type",
        "A member has a type whose size is not known. Define the type first, or use a pointer to it.",
    ),
    row(
        "E1105",
        "declared twice in one scope",
        "Two variables, parameters, types or enumerators of one scope have the same name. Rename one of them.",
    ),
    row(
        "E1106",
        "two storage classes",
        "A declaration has more than one of `static`, `extern`, `typedef`, `auto` and `register`.",
    ),
    row(
        "E1107",
        "length of an array",
        "The length is no integer, negative, too large, or no constant where C wants one.",
    ),
    row("E1108", "function returns an array or a function", "C does not allow it; return a pointer."),
    row(
        "E1109",
        "array of an incomplete type",
        "The elements of an array need a size. Define their type first.",
    ),
    row(
        "E1110",
        "malformed number",
        "A number has wrong digits or a wrong suffix, or is of a kind that is not supported, such as a complex number.",
    ),
    row("E1111", "empty character constant", "There is no character between the quotes."),
    row(
        "E1112",
        "backslash at the end of a literal",
        "A backslash begins an escape sequence. Write two for the character itself.",
    ),
    row("E1113", "wrong bit-field", "A bit-field has an integer type and at most as many bits as that."),
    row(
        "E1114",
        "`__auto_type` without a value",
        "The type is that of the initialiser, so there must be one, and not in braces.",
    ),
    row(
        "E1115",
        "static assertion fails",
        "The condition of a `_Static_assert` is 0, as a compiler would say. If the compiler accepts the file, look whether it uses other options, such as `--ilp32`.",
    ),
    row(
        "E1116",
        "declaration of an unknown parameter",
        "A function in the old style declares a parameter that is not in its list of names.",
    ),
    row(
        "E1117",
        "integer constant needed",
        "This place takes a constant expression: numbers, enumerators, `sizeof`, and operators on them.",
    ),
    row("E1118", "wrong alignment", "An alignment is a power of two."),
    row(
        "E1119",
        "cleanup that is no function",
        "The attribute `cleanup` names a function that takes a pointer to the variable.",
    ),
    row(
        "E1120",
        "declared with two types",
        "Declarations of one name have types that do not agree. Use one type in all of them.",
    ),
    row(
        "E1121",
        "variable of type void",
        "Only functions and pointers can have to do with `void`; a variable needs a type with values.",
    ),
    row(
        "E1122",
        "defined twice",
        "A function has two bodies, or a variable two initialisers. Remove one of them.",
    ),
    row(
        "E1123",
        "initialiser that is no constant",
        "A static object has its first value before the program runs, so the value is a constant. Assign it in a function instead.",
    ),
    row(
        "E1124",
        "object of an incomplete type",
        "A variable or literal has a type whose size is not known. Define the type before it.",
    ),
    row(
        "E1125",
        "alias of nothing",
        "The attribute `alias` names a function or variable that this file does not define.",
    ),
    row("E1130", "designator out of bounds", "An initialiser names an element that the array does not have."),
    row(
        "E1131",
        "index in an initialiser of no array",
        "`[index]` designates an element of an array; members of a struct are designated by `.member`.",
    ),
    row("E1132", "unknown member in an initialiser", "The struct or union has no member of this name."),
    row(
        "E1133",
        "array initialised by a value",
        "An array is initialised by a list in braces, or by a string if its elements are characters.",
    ),
    row(
        "E1134",
        "initialiser too large",
        "The list has more elements than the reader takes. Fill the array in a loop.",
    ),
    row(
        "E1200",
        "undeclared name",
        "The name is not declared here. Declare it or include the header that does; if it is spelt almost like one that is declared, the hint says so.",
    ),
    row("E1201", "type used as a value", "The name is a type, and a value is needed here."),
    row("E1202", "unknown type", "The name is no type here. Include the header that declares it."),
    row("E1210", "dereference of no pointer", "`*`, `->` and `[]` apply to pointers and arrays."),
    row(
        "E1211",
        "address of a value",
        "Only objects and functions have addresses. Put the value into a variable first.",
    ),
    row(
        "E1212",
        "address of a bit-field",
        "Bit-fields have no addresses of their own. Copy it into a variable first.",
    ),
    row("E1213", "index that is no integer", "An index between `[` and `]` is an integer."),
    row(
        "E1214",
        "member of something without members",
        "Only structs and unions have members; through a pointer they are reached by `->`.",
    ),
    row(
        "E1215",
        "unknown member",
        "The struct or union has no member of this name. The hint lists those that it has.",
    ),
    row(
        "E1216",
        "size of an incomplete type",
        "The size of a type must be known where it is used so. Define the type first.",
    ),
    row("E1217", "size of a bit-field", "A bit-field has no size of its own; ask for the size of its type."),
    row(
        "E1218",
        "no branch of _Generic fits",
        "No association of the `_Generic` has the type of its expression, and there is no `default`.",
    ),
    row("E1220", "operands of wrong types", "The operator does not apply to operands of these two types."),
    row("E1221", "operand of a wrong type", "The operator does not apply to an operand of this type."),
    row(
        "E1222",
        "branches of ?: differ",
        "The two branches of `?:` have types that have nothing in common. Convert both to one type.",
    ),
    row("E1223", "something that cannot be counted", "`++` and `--` apply to numbers and pointers."),
    row(
        "E1230",
        "cast that C does not allow",
        "Casts convert between scalars, that is, numbers and pointers. Structs and arrays are converted member by member.",
    ),
    row(
        "E1231",
        "value of a wrong type",
        "The value cannot be converted to the type of where it goes: an assignment, an argument, an initialiser or a result.",
    ),
    row("E1232", "condition that is no truth value", "A condition is a number or a pointer."),
    row(
        "E1240",
        "something that cannot be assigned",
        "On the left of an assignment stands an object: a variable, a member, an element, or what a pointer leads to; not an array as a whole.",
    ),
    row(
        "E1241",
        "const object is assigned",
        "The object is declared `const`. Remove it from the declaration if it is to change.",
    ),
    row(
        "E1250",
        "call of no function",
        "Only functions and pointers to functions can be called. Perhaps a `;` or an operator is missing before the parenthesis.",
    ),
    row(
        "E1251",
        "wrong number of arguments",
        "The call gives more or fewer arguments than the declaration of the function says.",
    ),
    row(
        "E1252",
        "argument without a value",
        "The argument is of type `void`: it calls something that returns nothing.",
    ),
    row(
        "E1253",
        "atomic built-in without a pointer",
        "The first argument of an atomic built-in is the address of the object.",
    ),
    row("E1300", "undefined label", "A `goto` names a label that the function does not define."),
    row("E1301", "label defined twice", "Two statements of one function have the same label."),
    row("E1302", "case twice", "Two cases of one switch have the same value, or it has two defaults."),
    row("E1303", "case outside of a switch", "`case` and `default` belong into the body of a `switch`."),
    row("E1304", "case that is no constant", "The value of a case is an integer constant expression."),
    row(
        "E1305",
        "break or continue outside of a loop",
        "`break` stands in a loop or a switch, `continue` in a loop.",
    ),
    row("E1306", "switch over no integer", "The value of a `switch` is an integer."),
    row(
        "E1310",
        "statement expression outside of a function",
        "`({ ... })` has statements, which only functions have.",
    ),
    row(
        "E1400",
        "no C compiler",
        "A `.c` file goes through a preprocessor, and neither `cc` nor `gcc` nor `clang` is found. Install one, name one with `--cc`, or give a preprocessed `.i` file.",
    ),
    row(
        "E1401",
        "preprocessor cannot be started",
        "The command that `--cc` or `CC` names is not found or cannot be run.",
    ),
    row(
        "E1402",
        "error of the preprocessor",
        "The preprocessor reports an error; its message is shown. Often a header is missing: give its folder with `-I DIR`.",
    ),
    row(
        "E1403",
        "preprocessor took too long",
        "The preprocessor did not end within its time. Check what the file includes, or preprocess it yourself and give the `.i` file.",
    ),
    row(
        "E1404",
        "preprocessor wrote too much",
        "The preprocessed text is longer than the reader takes. Check what the file includes.",
    ),
    row(
        "E1405",
        "no temporary folder",
        "The preprocessor works in a folder of its own in `TMPDIR`, which cannot be made or written. Set `TMPDIR` to a folder that can be, or raise the limit of open files.",
    ),
    row(
        "E1801",
        "no main",
        "The program has no function `main`. Define it, or name the file that does with `--with`.",
    ),
    row(
        "E1901",
        "normalised C: size of pointers",
        "A text of normalised C says how many bits a pointer has: 32 or 64. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1902",
        "normalised C: wrong layout",
        "A scalar has 1 to 128 bits, and the cells of an object are in order and do not overlap. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1903",
        "normalised C: something unknown is named",
        "A shape, object, register or expression is named that is not there. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1904",
        "normalised C: object too large",
        "An object is larger than the addresses of the program can tell. Use a smaller array.",
    ),
    row(
        "E1905",
        "normalised C: wrong first values",
        "First values are in order, each belongs to a cell, and only static objects have them. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1906",
        "normalised C: wrong constant",
        "A constant fits its type, and a constant address is that of a static object. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1907",
        "normalised C: name twice",
        "Two registers, objects or procedures have one name. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1908",
        "normalised C: locations and procedures",
        "Each location belongs to one procedure, and each procedure has a body. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1909",
        "normalised C: wrong parameter",
        "A parameter is a register of its own procedure. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1910",
        "normalised C: wrong main",
        "The program has a `main` without parameters, in which its first thread starts. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1911",
        "normalised C: control leaves the procedure",
        "Each step leads to locations of its procedure, or returns. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1912",
        "normalised C: name that is not known here",
        "A step names a register, object or expression that its procedure does not have. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1913",
        "normalised C: operands of wrong types",
        "An operator has operands whose widths do not fit. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1914",
        "normalised C: step of wrong types",
        "A step stores, passes or returns values whose types do not fit. From a C file this would be a fault of Selvedge.",
    ),
    row(
        "E1920",
        "normalised C: syntax error",
        "A text of normalised C cannot be read at this place. `docs/formats/c-ir.md` is its grammar.",
    ),
    row(
        "W1407",
        "read with 32-bit long and pointers",
        "The preprocessed file says that `size_t` is `unsigned int`, so it was made for a machine with 32 bits and is read so. If that is not meant, preprocess it again on this machine.",
    ),
    row(
        "W1409",
        "attribute without effect",
        "An attribute is not known, or has no effect where it stands; gcc ignores it, too. Attributes that change what a program does are followed or refused.",
    ),
    row(
        "W1410",
        "pragma without effect",
        "A pragma is not known; gcc ignores it, too. Pragmas that change what a program does are followed or refused.",
    ),
    row(
        "W1810",
        "function without a definition",
        "Nobody defines the function. It is taken to return any value and to write any values into what its arguments lead to; verdicts list that as an assumption. Give the file that defines it with `--with FILE.c`.",
    ),
    row(
        "W1811",
        "nothing to check",
        "No assertion, error call or error label can be reached, so there is nothing to prove; undefined behaviour that happens is reported all the same. Ask for properties with `--property`.",
    ),
    row(
        "W1812",
        "arguments that are not known",
        "The program reads `argv`, whose strings nobody has given: what reads them is refused. `--args A B` gives them, and `argc` with them.",
    ),
];
