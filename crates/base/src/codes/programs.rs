//! The codes of Boolean programs (E01, E02, E03) and of nets (E04, E05), with their warnings.

use super::{CodeText, row};

/// The rows.
pub(super) const CODES: &[CodeText] = &[
    row(
        "E0101",
        "unexpected character",
        "The file has a character that no Boolean program has outside of comments. Names are made of letters, digits, `_` and `$`, or stand between `{` and `}`.",
    ),
    row(
        "E0102",
        "comment without an end",
        "A comment begins with `/*` and the file ends before `*/`. Everything behind it would be ignored, so nothing is.",
    ),
    row(
        "E0103",
        "name in braces without an end",
        "A name between `{` and `}` is empty, or it is not closed on its line.",
    ),
    row(
        "E0104",
        "number that cannot stand here",
        "Constants of Boolean programs are 0 and 1, also written F and T. Numbers of results and of threads have limits of their own, which the message names.",
    ),
    row(
        "E0105",
        "reserved word used as a name",
        "`T`, `F` and `_` have a meaning of their own: the constants, and a result that is dropped. Use another name for the variable.",
    ),
    row(
        "E0110",
        "syntax error",
        "Something else was expected here. The message says what; the mistake may stand a little before the place that is shown.",
    ),
    row(
        "E0111",
        "block without an end",
        "A `while` has no `od`, or an `if` has no `fi`. Close the innermost block first.",
    ),
    row(
        "E0112",
        "end of a block that is not open",
        "There is an `od`, `fi`, `else` or `elsif` without the beginning that belongs to it, or inner and outer blocks are closed in the wrong order.",
    ),
    row(
        "E0113",
        "construct that is not supported",
        "Some dialects have constructs that Selvedge does not read, such as `sync` and `dfs`. They are refused, since a program without them would be another one. The hint says how the same can be written.",
    ),
    row(
        "E0114",
        "something that cannot be assigned",
        "On the left of `:=` and in `dead` stand variables of the thread itself: no new values (`'x`), no `_` outside of calls, and passive copies (`x$`) only in broadcasts.",
    ),
    row(
        "E0115",
        "sides of an assignment differ in number",
        "A parallel assignment needs one value on the right for each variable on the left.",
    ),
    row(
        "E0116",
        "call in the wrong place",
        "A call is a statement of its own, not a part of an expression; and a call that starts a thread gives no results.",
    ),
    row(
        "E0117",
        "statements are numbered inconsistently",
        "Either all statements of a procedure are numbered, each once, or none; and a file has either sections or procedures.",
    ),
    row(
        "E0118",
        "`enforce` inside a block",
        "`enforce` restricts a whole procedure, so it stands at its start.",
    ),
    row(
        "E0119",
        "too many variables assigned by `constrain` alone",
        "An assignment whose new values are determined by `constrain` alone is enumerated. Write several assignments, each with a `constrain` that names what it changes.",
    ),
    row(
        "E0199",
        "more errors than are shown",
        "A file with very many errors shows the first ones. Mend those: many of the others often follow from them.",
    ),
    row(
        "E0201",
        "undeclared variable",
        "The name is not declared with `decl`, neither as shared nor in this procedure. If it is spelt almost like one that is, the hint says so.",
    ),
    row(
        "E0202",
        "ambiguous label of a new thread",
        "`start_thread` names a label that several statements have. To start a thread in a procedure write its name with parentheses, `f()`.",
    ),
    row(
        "E0203",
        "unknown procedure",
        "A call, `start_thread` or `start` names a procedure that the file does not define.",
    ),
    row(
        "E0204",
        "declared twice",
        "Two variables, procedures, parameters or `start` lines have one name in one scope. Rename or remove one.",
    ),
    row(
        "E0205",
        "ambiguous label",
        "A jump names a label that several statements of the procedure have. Give the one that is meant a label of its own.",
    ),
    row(
        "E0206",
        "unknown label",
        "No statement has the label that a jump or `--error-label` names. For a jump it must be in the same procedure.",
    ),
    row(
        "E0207",
        "unknown procedure in --entry",
        "`--entry` names a procedure that the file does not define.",
    ),
    row(
        "E0208",
        "lock used as a variable",
        "A lock is named by `lock` and `unlock` alone. Use another variable for data.",
    ),
    row("E0209", "unknown lock", "`lock` or `unlock` names a lock that is not declared."),
    row(
        "E0210",
        "passive copy of a shared variable",
        "`x$` means the copy of `x` that each other thread has. A shared variable exists once and has no such copies.",
    ),
    row(
        "E0211",
        "numbered control leaves the statements",
        "In a numbered procedure control goes from a statement to one with a number that does not exist. Number statements without gaps, or end with a jump.",
    ),
    row(
        "E0212",
        "ambiguous passive copy",
        "Several procedures have a local variable of this name, so it is not clear which copy is meant. Rename all but one.",
    ),
    row(
        "E0213",
        "no such function",
        "`--error-function` names a function that the program neither defines nor declares. Names are those of the source, without parentheses.",
    ),
    row(
        "E0301",
        "no thread is started",
        "The program has no `main` and nothing else says where threads start. Add `void main() begin ... end`, or name a procedure with `--entry`.",
    ),
    row(
        "E0302",
        "thread starts in a procedure with parameters",
        "Nobody gives arguments to a thread that is there from the start. Start it by `start_thread` with arguments.",
    ),
    row(
        "E0303",
        "goto without a target",
        "A `goto` names at least one label of its procedure, where control may go on.",
    ),
    row(
        "E0304",
        "jump out of the procedure",
        "Control leaves a procedure by `return` alone. Jumps and labels of new threads name statements of the same procedure.",
    ),
    row(
        "E0305",
        "variable twice in one statement",
        "A parallel assignment gives each variable one value, so a variable can be on its left side once.",
    ),
    row(
        "E0306",
        "lock is read or assigned",
        "Locks are taken with `lock` and released with `unlock`; their value cannot be read or assigned.",
    ),
    row(
        "E0307",
        "new value outside of `constrain`",
        "`'x` is the value that `x` has after the assignment. Only `constrain` can speak of it.",
    ),
    row(
        "E0308",
        "passive copy that cannot be read here",
        "`x$` can be read on the right of a broadcast, in `constrain` and in `assume`, where it is clear that all other threads are meant.",
    ),
    row(
        "E0309",
        "shared variable as a passive copy",
        "A shared variable exists once, so no thread has a copy of it. Drop the `$` or the brackets.",
    ),
    row(
        "E0310",
        "passive copies of two procedures",
        "One expression reads copies of local variables of two procedures. No thread is in both at once: write two statements.",
    ),
    row(
        "E0311",
        "wrong number of arguments",
        "A call gives one argument for each parameter of the procedure.",
    ),
    row(
        "E0312",
        "wrong number of results",
        "A call takes each result that the procedure returns; `_` drops one.",
    ),
    row(
        "E0313",
        "wrong number of returned values",
        "`return` gives as many values as the head of the procedure declares.",
    ),
    row(
        "E0314",
        "`init` starts threads",
        "The procedure `init` runs alone before everything else. Threads are started in `main` or in a template.",
    ),
    row(
        "E0315",
        "local variable of another procedure",
        "A procedure reads or writes its own local variables and the shared ones. Pass the value as an argument.",
    ),
    row(
        "E0316",
        "passive copies of different lifetimes",
        "A broadcast mixes variables that belong to whole threads with variables of activations of a procedure, and which activation is meant is not clear. Read only shared and thread-local variables here.",
    ),
    row(
        "E0401",
        "the start speaks of unknown places",
        "The initial states of a net name a place or shared state that the net does not have.",
    ),
    row(
        "E0402",
        "the target speaks of unknown states",
        "A target names a shared or local state beyond the numbers that the file declares.",
    ),
    row(
        "E0403",
        "a rule speaks of unknown states",
        "A rule names a shared or local state beyond the numbers that the file declares.",
    ),
    row("E0404", "a rule lists a place twice", "A rule says of each place at most once where its tokens go."),
    row(
        "E0405",
        "a rule moves tokens nowhere",
        "A rule that moves tokens names at least one place where they go.",
    ),
    row(
        "E0501",
        "malformed transition, start or target",
        "A line of a thread transition system cannot be read. A transition is `0 1 -> 2 3`: shared and local state before and after. A target is `1|2,2`: shared state 1 and two threads in local state 2.",
    ),
    row(
        "E0502",
        "no sizes in the first line",
        "The first line of a thread transition system gives the numbers of shared and local states, such as `2 3`.",
    ),
    row(
        "E0503",
        "malformed transition",
        "A transition has more or other parts than it can have. It is written `0 1 -> 2 3`: shared and local state before and after; `+>` creates a thread.",
    ),
    row(
        "E0505",
        "malformed start",
        "The initial states are written `0|0,1/2`: shared state 0, a thread in 0, one in 1, any number in 2. They are given once, in a line `#selvedge start` or with `--start`, with states that exist.",
    ),
    row(
        "E0506",
        "no target",
        "A thread transition system is checked against a target. Give one with `--target 1|2,2`, in a `.prop` file of the same name, or as a line of the file.",
    ),
    row(
        "E0521",
        "syntax error in a net",
        "The `.spec` file cannot be read at this place. The message says what was expected.",
    ),
    row("E0522", "missing section", "A `.spec` file has the sections `vars`, `rules`, `init` and `target`."),
    row(
        "E0523",
        "place twice in one rule",
        "A rule tests each place in one guard and assigns it in one update.",
    ),
    row(
        "E0524",
        "a rule copies tokens",
        "The tokens of one place go to two places, or stay and go. A net moves tokens and cannot copy them, so the rule is refused.",
    ),
    row(
        "E0525",
        "number of tokens out of range",
        "A number is too large, or a place would hold fewer than no tokens: a guard must leave at least what the update takes away.",
    ),
    row(
        "E0526",
        "unclear which tokens are taken away",
        "An update subtracts from a sum of places, and no guard says from which place. Add a guard such as `x >= 1`.",
    ),
    row(
        "E0527",
        "place twice in one conjunction",
        "A conjunction of `init` or `target` mentions each place once. Write two bounds as an interval.",
    ),
    row(
        "E0529",
        "empty target",
        "The section `target` says nothing, so there is nothing that must not be reached. Write, for example, `x >= 2`.",
    ),
    row(
        "W0101",
        "dialects differ on this expression",
        "Without parentheses the dialects of Boolean programs bind these operators differently. The message says as which one it is read. Add parentheses, or name the dialect with `--dialect`: the verdict may depend on it.",
    ),
    row(
        "W0102",
        "one thread runs `main`",
        "The file has `init` but no `start` line, so one thread is taken to run `main`. For any number add `start init init; start main any;`.",
    ),
    row(
        "W0504",
        "target that cannot be covered",
        "A target names a state that does not exist, so nothing covers it and the program is safe in a trivial way. States are numbered from 0.",
    ),
    row(
        "W0507",
        "nothing says where the system starts",
        "`0/0` is taken: any number of threads in local state 0. Say it with `--start S` or in the file with `#selvedge start S`; the verdict depends on it.",
    ),
    row(
        "W0528",
        "`init` does not mention a place",
        "A place that `init` does not mention starts with any number of tokens. Write `x = 0` for a place that starts empty.",
    ),
];
