//! The tokens of Boolean programs. All dialects share them; words that only one dialect knows are identifiers
//! here and get their meaning from their place.

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A name, perhaps `{escaped}`.
    Name,
    /// A word of the language.
    Word(Word),
    /// Digits.
    Number,
    /// A text in double quotes, which only `print` takes.
    Text,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `:=`
    Assign,
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `!` or `~`
    Not,
    /// `&` or `&&`
    And,
    /// `|` or `||`
    Or,
    /// `^`
    Xor,
    /// `=>` or `->`
    Implies,
    /// `'`
    Tick,
    /// `*`
    Star,
    /// `?`
    Question,
    /// The end of the file.
    End,
}

/// A token and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its first byte.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
}

macro_rules! words {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// A reserved word.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Word { $(#[doc = $text] $name),* }

        impl Word {
            /// The word that is written like this.
            pub fn of(text: &str) -> Option<Word> {
                match text { $($text => Some(Word::$name),)* _ => None }
            }

            /// How it is written.
            pub fn text(self) -> &'static str {
                match self { $(Word::$name => $text),* }
            }
        }
    };
}

words! {
    AbortIf = "abortif",
    Assert = "assert",
    Assume = "assume",
    AtomicBegin = "atomic_begin",
    AtomicEnd = "atomic_end",
    Begin = "begin",
    Bool = "bool",
    Constrain = "constrain",
    Dead = "dead",
    Decl = "decl",
    Do = "do",
    Else = "else",
    Elsif = "elsif",
    End = "end",
    EndThread = "end_thread",
    Enforce = "enforce",
    Fi = "fi",
    Goto = "goto",
    If = "if",
    Od = "od",
    Return = "return",
    Schoose = "schoose",
    Skip = "skip",
    StartThread = "start_thread",
    Then = "then",
    Void = "void",
    While = "while",
}

impl Kind {
    /// How to speak of it in a message.
    pub fn describe(self) -> &'static str {
        match self {
            Kind::Name => "a name",
            Kind::Word(word) => word.text(),
            Kind::Number => "a number",
            Kind::Text => "a text",
            Kind::Open => "`(`",
            Kind::Close => "`)`",
            Kind::OpenBracket => "`[`",
            Kind::CloseBracket => "`]`",
            Kind::Less => "`<`",
            Kind::Greater => "`>`",
            Kind::Comma => "`,`",
            Kind::Semicolon => "`;`",
            Kind::Colon => "`:`",
            Kind::Assign => "`:=`",
            Kind::Equal => "`=`",
            Kind::Unequal => "`!=`",
            Kind::Not => "`!`",
            Kind::And => "`&`",
            Kind::Or => "`|`",
            Kind::Xor => "`^`",
            Kind::Implies => "`=>`",
            Kind::Tick => "`'`",
            Kind::Star => "`*`",
            Kind::Question => "`?`",
            Kind::End => "the end of the file",
        }
    }
}
