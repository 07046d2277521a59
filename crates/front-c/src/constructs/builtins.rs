//! The built-in functions of gcc: families for the page, and the library functions that have a built-in form,
//! with their types.

use super::Treatment::{self, Harmless, Honoured, Refused};

/// A family of built-in functions.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Their names, in words.
    pub names: &'static str,
    /// What becomes of them.
    pub treatment: Treatment,
    /// What they mean, for the page.
    pub note: &'static str,
}

const fn row(names: &'static str, treatment: Treatment, note: &'static str) -> Family {
    Family { names, treatment, note }
}

/// The families. A name is a built-in's only with its whole prefix.
pub const FAMILIES: &[Family] = &[
    row("`__sync_*`, `__atomic_*`, `__c11_atomic_*`", Honoured, "one step on the object"),
    row("`__builtin_unreachable`", Honoured, "undefined behaviour"),
    row("`__builtin_trap`", Honoured, "ends the program, as a failure of no property"),
    row(
        "`__builtin_{add,sub,mul}_overflow`, `__builtin_{s,u}{add,sub,mul}{,l,ll}_overflow`",
        Honoured,
        "computed",
    ),
    row(
        "`__builtin_{clz,ctz,clrsb,popcount,parity,ffs}{,l,ll}`, `__builtin_bswap{16,32,64,128}`",
        Honoured,
        "computed",
    ),
    row("`__builtin_va_start`, `va_end`, `va_copy`, `va_arg`", Honoured, "lists of arguments"),
    row("`__builtin_alloca`, `__builtin_alloca_with_align`", Honoured, "an allocation"),
    row(
        "`__builtin_offsetof`, `choose_expr`, `types_compatible_p`, `classify_type`, `constant_p`",
        Honoured,
        "decided by the reader",
    ),
    row(
        "`__builtin_expect`, `__builtin_expect_with_probability`, `__builtin_assume_aligned`",
        Honoured,
        "their first argument",
    ),
    row("`__builtin_{inf,huge_val,nan,nans}{,f}`", Honoured, "constants"),
    row("`__builtin_is{greater,greaterequal,less,lessequal}`", Honoured, "comparisons"),
    row(
        "`__builtin_X` where X is a library function below",
        Honoured,
        "as X, unless the program defines an X of its own",
    ),
    row("`__builtin___X_chk`", Honoured, "as X without the sizes that are only there for checks"),
    row(
        "`__builtin_prefetch`, `__builtin_ia32_pause`, `__builtin___clear_cache`",
        Harmless,
        "arguments are evaluated",
    ),
    row("`__builtin_object_size`, `__builtin_dynamic_object_size`", Refused, "what the optimiser knows"),
    row(
        "every other name that begins with `__builtin_`",
        Refused,
        "machine instructions, vectors, stack frames, …",
    ),
];

/// Library functions that have a built-in form. Types are letters, the result first: `v` void, `i` int, `l`
/// long, `L` long long, `z` size_t, `p` void *, `c` const void *, `t` char *, `s` const char *, `d` the
/// floating type of the name, `I` int *, `D` a pointer to the floating type, `V` va_list; a final `.` says
/// that more may follow.
const LIBRARY: &[(&str, &str)] = &[
    ("_Exit", "vi"),
    ("_exit", "vi"),
    ("abort", "v"),
    ("abs", "ii"),
    ("aligned_alloc", "pzz"),
    ("bcmp", "iccz"),
    ("bcopy", "vcpz"),
    ("bzero", "vpz"),
    ("calloc", "pzz"),
    ("exit", "vi"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iL"),
    ("fprintf", "ips."),
    ("fputc", "iip"),
    ("fputs", "isp"),
    ("free", "vp"),
    ("fscanf", "ips."),
    ("fwrite", "zczzp"),
    ("index", "tsi"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("isascii", "ii"),
    ("isblank", "ii"),
    ("iscntrl", "ii"),
    ("isdigit", "ii"),
    ("isgraph", "ii"),
    ("islower", "ii"),
    ("isprint", "ii"),
    ("ispunct", "ii"),
    ("isspace", "ii"),
    ("isupper", "ii"),
    ("isxdigit", "ii"),
    ("labs", "ll"),
    ("llabs", "LL"),
    ("malloc", "pz"),
    ("memchr", "pciz"),
    ("memcmp", "iccz"),
    ("memcpy", "ppcz"),
    ("memmove", "ppcz"),
    ("mempcpy", "ppcz"),
    ("memset", "ppiz"),
    ("printf", "is."),
    ("putchar", "ii"),
    ("puts", "is"),
    ("realloc", "ppz"),
    ("rindex", "tsi"),
    ("scanf", "is."),
    ("snprintf", "itzs."),
    ("sprintf", "its."),
    ("sscanf", "iss."),
    ("stpcpy", "tts"),
    ("stpncpy", "ttsz"),
    ("strcasecmp", "iss"),
    ("strcat", "tts"),
    ("strchr", "tsi"),
    ("strcmp", "iss"),
    ("strcpy", "tts"),
    ("strcspn", "zss"),
    ("strdup", "ts"),
    ("strlen", "zs"),
    ("strncasecmp", "issz"),
    ("strncat", "ttsz"),
    ("strncmp", "issz"),
    ("strncpy", "ttsz"),
    ("strndup", "tsz"),
    ("strnlen", "zsz"),
    ("strpbrk", "tss"),
    ("strrchr", "tsi"),
    ("strspn", "zss"),
    ("strstr", "tss"),
    ("toascii", "ii"),
    ("tolower", "ii"),
    ("toupper", "ii"),
    ("vfprintf", "ipsV"),
    ("vfscanf", "ipsV"),
    ("vprintf", "isV"),
    ("vscanf", "isV"),
    ("vsnprintf", "itzsV"),
    ("vsprintf", "itsV"),
    ("vsscanf", "issV"),
];

/// Functions on `double`; with `f` on `float`, with `l` on `long double`.
const FLOATING: &[(&str, &str)] = &[
    ("acos", "dd"),
    ("acosh", "dd"),
    ("asin", "dd"),
    ("asinh", "dd"),
    ("atan", "dd"),
    ("atan2", "ddd"),
    ("atanh", "dd"),
    ("cbrt", "dd"),
    ("ceil", "dd"),
    ("copysign", "ddd"),
    ("cos", "dd"),
    ("cosh", "dd"),
    ("erf", "dd"),
    ("erfc", "dd"),
    ("exp", "dd"),
    ("exp2", "dd"),
    ("expm1", "dd"),
    ("fabs", "dd"),
    ("fdim", "ddd"),
    ("floor", "dd"),
    ("fma", "dddd"),
    ("fmax", "ddd"),
    ("fmin", "ddd"),
    ("fmod", "ddd"),
    ("frexp", "ddI"),
    ("hypot", "ddd"),
    ("ilogb", "id"),
    ("ldexp", "ddi"),
    ("lgamma", "dd"),
    ("llrint", "Ld"),
    ("llround", "Ld"),
    ("log", "dd"),
    ("log10", "dd"),
    ("log1p", "dd"),
    ("log2", "dd"),
    ("logb", "dd"),
    ("lrint", "ld"),
    ("lround", "ld"),
    ("modf", "ddD"),
    ("nearbyint", "dd"),
    ("nextafter", "ddd"),
    ("pow", "ddd"),
    ("remainder", "ddd"),
    ("remquo", "dddI"),
    ("rint", "dd"),
    ("round", "dd"),
    ("scalbln", "ddl"),
    ("scalbn", "ddi"),
    ("sin", "dd"),
    ("sinh", "dd"),
    ("sqrt", "dd"),
    ("tan", "dd"),
    ("tanh", "dd"),
    ("tgamma", "dd"),
    ("trunc", "dd"),
];

/// Questions about the class of a floating value; their argument keeps its type.
const CLASSES: &[&str] = &["finite", "isfinite", "isinf", "isinf_sign", "isnan", "isnormal", "signbit"];

/// The floating type that a function's name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Floating {
    Float,
    Double,
    LongDouble,
}

/// The type of a library function that the compiler knows by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The result and the parameters, as letters.
    pub letters: &'static str,
    /// What `d` and `D` stand for.
    pub floating: Floating,
}

/// The type of a library function that has a built-in form.
pub fn signature(name: &str) -> Option<Signature> {
    let find = |table: &'static [(&str, &'static str)], name: &str| {
        table.binary_search_by(|(other, _)| (*other).cmp(name)).ok().map(|at| table[at].1)
    };
    let plain = find(LIBRARY, name).or_else(|| find(FLOATING, name));
    if let Some(letters) = plain {
        return Some(Signature { letters, floating: Floating::Double });
    }
    let suffixed = [("f", Floating::Float), ("l", Floating::LongDouble)];
    suffixed.into_iter().find_map(|(suffix, floating)| {
        let letters = find(FLOATING, name.strip_suffix(suffix)?)?;
        Some(Signature { letters, floating })
    })
}

/// Whether it asks for the class of a floating value.
pub fn is_classification(name: &str) -> bool {
    CLASSES.iter().any(|class| name == *class || name.strip_suffix(['f', 'l']) == Some(*class))
}

/// The library functions, for the page.
pub fn library_names() -> impl Iterator<Item = &'static str> {
    LIBRARY.iter().chain(FLOATING).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(LIBRARY.is_sorted_by_key(|(name, _)| *name));
        assert!(FLOATING.is_sorted_by_key(|(name, _)| *name));
        assert!(signature("memcpy").is_some());
        assert_eq!(signature("sqrtf").map(|it| it.floating), Some(Floating::Float));
        assert_eq!(signature("trap"), None);
    }
}
