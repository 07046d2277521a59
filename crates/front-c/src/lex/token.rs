//! The tokens of C. Keywords and punctuation are numbers into one table of spellings, so that the parser can
//! ask for them by their text; the spellings of GNU C (`__const__`, `__inline`) are read as the plain ones.

use base::Span;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An identifier.
    Name,
    /// A keyword or punctuation: an index into the table of spellings.
    Fixed(u8),
    /// A number, integer or floating.
    Number,
    /// A character constant.
    Character,
    /// A string literal.
    String,
    /// The end of the file.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its first byte in the text that was lexed.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
    /// Its place in the user's own file.
    pub span: Span,
}

/// The spellings of punctuation, longest first, then those of keywords.
const FIXED: &[&str] = &[
    "...",
    "<<=",
    ">>=",
    "->",
    "++",
    "--",
    "<<",
    ">>",
    "<=",
    ">=",
    "==",
    "!=",
    "&&",
    "||",
    "*=",
    "/=",
    "%=",
    "+=",
    "-=",
    "&=",
    "^=",
    "|=",
    "##",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ".",
    "&",
    "*",
    "+",
    "-",
    "~",
    "!",
    "/",
    "%",
    "<",
    ">",
    "^",
    "|",
    "?",
    ":",
    ";",
    "=",
    ",",
    "#", // keywords
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "asm",
    "typeof",
    "__attribute__",
    "__extension__",
    "__auto_type",
    "__int128",
    "__float128",
    "__label__",
    "__builtin_va_arg",
    "__builtin_offsetof",
    "__builtin_choose_expr",
    "__builtin_types_compatible_p",
    "__real__",
    "__imag__",
    "__float80",
    "_Float16",
    "_Float32",
    "_Float64",
    "_Float32x",
    "_Float64x",
    "_Decimal32",
    "_Decimal64",
    "_Decimal128",
    "__seg_fs",
    "__seg_gs",
];

/// Where the keywords start in the table.
const FIRST_KEYWORD: usize = 48;

/// Other spellings of keywords.
const ALIASES: &[(&str, &str)] = &[
    ("__const", "const"),
    ("__const__", "const"),
    ("__volatile", "volatile"),
    ("__volatile__", "volatile"),
    ("__restrict", "restrict"),
    ("__restrict__", "restrict"),
    ("__inline", "inline"),
    ("__inline__", "inline"),
    ("__signed", "signed"),
    ("__signed__", "signed"),
    ("__thread", "_Thread_local"),
    ("__asm", "asm"),
    ("__asm__", "asm"),
    ("__typeof", "typeof"),
    ("__typeof__", "typeof"),
    ("__attribute", "__attribute__"),
    ("__alignof", "_Alignof"),
    ("__alignof__", "_Alignof"),
    ("__complex", "_Complex"),
    ("__complex__", "_Complex"),
    ("__real", "__real__"),
    ("__imag", "__imag__"),
    ("_Float128", "__float128"),
    ("__Float128", "__float128"),
];

/// The spelling of a keyword or punctuation.
pub fn spelling(index: u8) -> &'static str {
    FIXED.get(usize::from(index)).copied().unwrap_or("")
}

/// The punctuation that a text starts with, and its length. Digraphs are read as what they stand for.
pub fn punctuation(text: &[u8]) -> Option<(u8, usize)> {
    const DIGRAPHS: &[(&[u8], &str)] = &[(b"<:", "["), (b":>", "]"), (b"<%", "{"), (b"%>", "}")];
    let index = |spelling: &str| FIXED.iter().position(|fixed| *fixed == spelling);
    if let Some((digraph, plain)) = DIGRAPHS.iter().find(|(digraph, _)| text.starts_with(digraph)) {
        return Some((index(plain)? as u8, digraph.len()));
    }
    let found = FIXED[..FIRST_KEYWORD].iter().position(|fixed| text.starts_with(fixed.as_bytes()))?;
    Some((found as u8, FIXED[found].len()))
}

/// The keywords by their spellings.
pub fn keywords() -> std::collections::HashMap<&'static str, u8> {
    let plain = FIXED.iter().enumerate().skip(FIRST_KEYWORD).map(|(index, text)| (*text, index as u8));
    let mut table: std::collections::HashMap<_, _> = plain.collect();
    for (alias, keyword) in ALIASES {
        let index = table[keyword];
        table.insert(alias, index);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert_eq!(FIXED[FIRST_KEYWORD], "auto");
        assert!(FIXED.len() < 256);
        for (index, fixed) in FIXED[..FIRST_KEYWORD].iter().enumerate() {
            let (found, length) = punctuation(fixed.as_bytes()).expect("its own spelling");
            assert_eq!((usize::from(found), length), (index, fixed.len()), "{fixed}");
        }
    }
}
