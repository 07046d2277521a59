//! The options of C compilers, so that a compile line can be given as it is: those that say what the program
//! is are honoured, those that say how to compile it are passed over, and those that give C another meaning
//! than the one that is verified are refused.

/// What an option is to us.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flag {
    /// It does not matter.
    Ignored,
    /// Words for the preprocessor; a path may stand in the last one.
    Preprocessor {
        /// What comes first.
        words: Vec<String>,
        /// The path, if it has one.
        path: Option<String>,
    },
    /// Whether `long` and pointers have 32 bits.
    Bits32(bool),
    /// Whether `char` has no negative values.
    UnsignedChar(bool),
    /// It cannot be honoured, and why.
    Refused(String),
}

/// Where the value of an option stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// There is none.
    Alone,
    /// Whatever follows in the same word belongs to it.
    Start,
    /// In the same word or in the next one.
    Joined,
    /// In the next word.
    Next,
}

use Form::{Alone, Joined, Next, Start};

/// What is done with an option.
#[derive(Clone, Copy)]
enum Use {
    Ignore,
    /// It is handed to the preprocessor.
    Tell,
    /// The same, and its value is a path.
    TellPath,
    Bits32(bool),
    UnsignedChar(bool),
    Refuse(&'static str),
    /// `-std`.
    Standard,
    /// `-x`.
    Language,
    /// `-Wp,`.
    ForPreprocessor,
}

use Use::{Ignore, Refuse, Tell, TellPath};

const OPENMP: &str = "directives of OpenMP and OpenACC make threads that are not seen here";
const LAYOUT: &str = "it changes how objects are laid out or what characters are";
const LANGUAGE: &str = "it changes the language";
const C_ONLY: &str = "only C is read";

/// The options, by name. Of several that fit the longest counts.
const OPTIONS: &[(&str, Form, Use)] = &[
    ("-D", Joined, Tell),
    ("-U", Joined, Tell),
    ("-I", Joined, TellPath),
    ("-A", Joined, Tell),
    ("-isystem", Joined, TellPath),
    ("-iquote", Joined, TellPath),
    ("-idirafter", Joined, TellPath),
    ("-include", Joined, TellPath),
    ("-imacros", Joined, TellPath),
    ("-isysroot", Joined, TellPath),
    ("--sysroot", Next, TellPath),
    ("--sysroot=", Start, Tell),
    ("-std=", Start, Use::Standard),
    ("--std=", Start, Use::Standard),
    ("-ansi", Alone, Tell),
    ("-trigraphs", Alone, Tell),
    ("-undef", Alone, Tell),
    ("-nostdinc", Alone, Tell),
    ("-pthread", Alone, Tell),
    ("-ffreestanding", Alone, Tell),
    ("-fhosted", Alone, Tell),
    ("-finput-charset=", Start, Tell),
    ("-Wp,", Start, Use::ForPreprocessor),
    ("-x", Joined, Use::Language),
    ("-m32", Alone, Use::Bits32(true)),
    ("-m64", Alone, Use::Bits32(false)),
    ("-funsigned-char", Alone, Use::UnsignedChar(true)),
    ("-fno-signed-char", Alone, Use::UnsignedChar(true)),
    ("-fsigned-char", Alone, Use::UnsignedChar(false)),
    ("-fno-unsigned-char", Alone, Use::UnsignedChar(false)),
    ("-fopenmp", Start, Refuse(OPENMP)),
    ("-fopenacc", Start, Refuse(OPENMP)),
    ("-fgnu-tm", Alone, Refuse(LANGUAGE)),
    ("-fms-extensions", Alone, Refuse(LANGUAGE)),
    ("-fplan9-extensions", Alone, Refuse(LANGUAGE)),
    ("-fshort-enums", Alone, Refuse(LAYOUT)),
    ("-fshort-wchar", Alone, Refuse(LAYOUT)),
    ("-fpack-struct", Start, Refuse(LAYOUT)),
    ("-funsigned-bitfields", Alone, Refuse(LAYOUT)),
    ("-fno-signed-bitfields", Alone, Refuse(LAYOUT)),
    ("-fexec-charset=", Start, Refuse(LAYOUT)),
    ("-fwide-exec-charset=", Start, Refuse(LAYOUT)),
    ("-fsingle-precision-constant", Alone, Refuse(LANGUAGE)),
    ("-m16", Alone, Refuse(LAYOUT)),
    ("-mx32", Alone, Refuse(LAYOUT)),
    ("-malign-double", Alone, Refuse(LAYOUT)),
    ("-mms-bitfields", Alone, Refuse(LAYOUT)),
    ("-mlong-double-64", Alone, Refuse(LAYOUT)),
    ("-mlong-double-128", Alone, Refuse(LAYOUT)),
    ("-c", Alone, Ignore),
    ("-S", Alone, Ignore),
    ("-E", Alone, Ignore),
    ("-C", Alone, Ignore),
    ("-CC", Alone, Ignore),
    ("-P", Alone, Ignore),
    ("-H", Alone, Ignore),
    ("-Q", Alone, Ignore),
    ("-p", Alone, Ignore),
    ("-pg", Alone, Ignore),
    ("-s", Alone, Ignore),
    ("-w", Alone, Ignore),
    ("-r", Alone, Ignore),
    ("-o", Joined, Ignore),
    ("-l", Joined, Ignore),
    ("-L", Joined, Ignore),
    ("-T", Joined, Ignore),
    ("-B", Joined, Ignore),
    ("-u", Joined, Ignore),
    ("-z", Joined, Ignore),
    ("-O", Start, Ignore),
    ("-g", Start, Ignore),
    ("-W", Start, Ignore),
    ("-f", Start, Ignore),
    ("-m", Start, Ignore),
    ("-M", Alone, Ignore),
    ("-MM", Alone, Ignore),
    ("-MD", Alone, Ignore),
    ("-MMD", Alone, Ignore),
    ("-MP", Alone, Ignore),
    ("-MG", Alone, Ignore),
    ("-MF", Joined, Ignore),
    ("-MT", Joined, Ignore),
    ("-MQ", Joined, Ignore),
    ("-MJ", Joined, Ignore),
    ("-Xlinker", Next, Ignore),
    ("-Xassembler", Next, Ignore),
    ("-Xclang", Next, Ignore),
    ("-mllvm", Next, Ignore),
    ("-framework", Next, Ignore),
    ("-arch", Next, Ignore),
    ("-aux-info", Next, Ignore),
    ("-dumpbase", Next, Ignore),
    ("-pipe", Alone, Ignore),
    ("-pedantic", Start, Ignore),
    ("-pie", Alone, Ignore),
    ("-no-pie", Alone, Ignore),
    ("-nostdlib", Alone, Ignore),
    ("-nolibc", Alone, Ignore),
    ("-nostartfiles", Alone, Ignore),
    ("-nodefaultlibs", Alone, Ignore),
    ("-rdynamic", Alone, Ignore),
    ("-shared", Start, Ignore),
    ("-static", Start, Ignore),
    ("-symbolic", Alone, Ignore),
    ("-save-temps", Start, Ignore),
    ("-specs=", Start, Ignore),
    ("-dumpdir", Next, Ignore),
    ("-time", Alone, Ignore),
    ("-coverage", Alone, Ignore),
    ("--coverage", Alone, Ignore),
    ("--param", Next, Ignore),
    ("--param=", Start, Ignore),
];

/// The standards that are read as C11 and GNU C are.
const STANDARDS: &[&str] = &[
    "c89",
    "c90",
    "gnu89",
    "gnu90",
    "iso9899:1990",
    "iso9899:199409",
    "c99",
    "c9x",
    "gnu99",
    "gnu9x",
    "iso9899:1999",
    "iso9899:199x",
    "c11",
    "c1x",
    "gnu11",
    "gnu1x",
    "iso9899:2011",
    "c17",
    "c18",
    "gnu17",
    "gnu18",
    "iso9899:2017",
    "iso9899:2018",
];

/// The option that stands in the first word, and how many words it takes; none if compilers know none of
/// this name.
pub fn flag(words: &[String]) -> Option<(Flag, usize)> {
    let word = words.first()?;
    let fits = |&(name, form, _): &(&str, Form, Use)| match form {
        Alone | Next => word == name,
        Start | Joined => word.starts_with(name),
    };
    let found = OPTIONS.iter().filter(|it| fits(it)).max_by_key(|it| it.0.len())?;
    let &(name, form, how) = found;
    let rest = &word[name.len()..];
    let (value, taken) = match form {
        Alone => (None, 1),
        Start => (Some(rest), 1),
        Joined if !rest.is_empty() => (Some(rest), 1),
        Joined | Next => (words.get(1).map(String::as_str), 2),
    };
    if taken > words.len() {
        return Some((Flag::Refused("its value is missing".to_string()), 1));
    }
    Some((meaning(how, word, name, value), taken))
}

/// The names of options, for hints.
pub fn names<'n>() -> impl Iterator<Item = &'n str> {
    OPTIONS.iter().map(|it| it.0).filter(|name| name.len() > 2)
}

fn meaning(how: Use, word: &str, name: &str, value: Option<&str>) -> Flag {
    let tell = |words: &[&str]| Flag::Preprocessor {
        words: words.iter().map(|it| it.to_string()).collect(),
        path: None,
    };
    match (how, value) {
        (Ignore, _) => Flag::Ignored,
        (Tell, Some(value)) if word == name => tell(&[name, value]),
        (Tell, _) => tell(&[word]),
        (TellPath, value) => {
            let path = value.map(str::to_string);
            Flag::Preprocessor { words: vec![name.to_string()], path }
        }
        (Use::Bits32(bits), _) => Flag::Bits32(bits),
        (Use::UnsignedChar(unsigned), _) => Flag::UnsignedChar(unsigned),
        (Refuse(why), _) => Flag::Refused(why.to_string()),
        (Use::Standard, value) => standard(value.unwrap_or_default()),
        (Use::Language, value) => match value.unwrap_or_default() {
            "c" | "cpp-output" | "c-header" | "none" => Flag::Ignored,
            _ => Flag::Refused(C_ONLY.to_string()),
        },
        (Use::ForPreprocessor, value) => {
            let matters = |it: &&str| ["-D", "-U", "-I"].iter().any(|start| it.starts_with(start));
            tell(&value.unwrap_or_default().split(',').filter(matters).collect::<Vec<_>>())
        }
    }
}

fn standard(name: &str) -> Flag {
    if STANDARDS.contains(&name) {
        return Flag::Preprocessor { words: vec![format!("-std={name}")], path: None };
    }
    Flag::Refused(match name {
        _ if name.contains("++") => C_ONLY.to_string(),
        "c23" | "c2x" | "gnu23" | "gnu2x" | "c2y" | "gnu2y" | "iso9899:2024" => {
            "C23 is not read, where some words mean something else; `-std=gnu17` is".to_string()
        }
        _ => "there is no such standard of C".to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<(Flag, usize)> {
        flag(&line.split(' ').map(str::to_string).collect::<Vec<_>>())
    }

    fn given(words: &[&str], path: Option<&str>) -> Flag {
        let words = words.iter().map(|it| it.to_string()).collect();
        Flag::Preprocessor { words, path: path.map(str::to_string) }
    }

    #[test]
    fn the_longest_name_counts() {
        assert_eq!(of("-Wall"), Some((Flag::Ignored, 1)));
        assert_eq!(of("-MF x.d"), Some((Flag::Ignored, 2)));
        assert_eq!(of("-ox"), Some((Flag::Ignored, 1)));
        assert_eq!(of("-o x"), Some((Flag::Ignored, 2)));
        assert_eq!(of("-std=c99"), Some((given(&["-std=c99"], None), 1)));
        assert_eq!(of("-isystem inc"), Some((given(&["-isystem"], Some("inc")), 2)));
        assert_eq!(of("-Iinc"), Some((given(&["-I"], Some("inc")), 1)));
        assert_eq!(of("-DX=1"), Some((given(&["-DX=1"], None), 1)));
        assert_eq!(of("-D X"), Some((given(&["-D", "X"], None), 2)));
        assert_eq!(of("-Wp,-MD,x.d,-DX"), Some((given(&["-DX"], None), 1)));
        assert_eq!(of("-fopenmp-simd").map(|it| matches!(it.0, Flag::Refused(_))), Some(true));
        assert_eq!(of("-std=c++11"), Some((Flag::Refused(C_ONLY.to_string()), 1)));
        assert_eq!(of("-m32"), Some((Flag::Bits32(true), 1)));
        assert_eq!(of("--no-such-flag"), None);
        assert!(of("-o").is_some_and(|it| matches!(it.0, Flag::Refused(_))));
    }

    #[test]
    fn no_option_is_there_twice() {
        let mut names: Vec<&str> = OPTIONS.iter().map(|it| it.0).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
