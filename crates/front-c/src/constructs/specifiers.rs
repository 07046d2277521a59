//! Qualifiers, specifiers and other words of the grammar that say more than a type.

use super::Treatment::{self, Harmless, Honoured, Refused};

/// A word.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// How it is written.
    pub name: &'static str,
    /// What becomes of it.
    pub treatment: Treatment,
    /// What it means, for the page.
    pub note: &'static str,
}

const fn row(name: &'static str, treatment: Treatment, note: &'static str) -> Word {
    Word { name, treatment, note }
}

/// The words.
pub const WORDS: &[Word] = &[
    row("const", Honoured, "for conversions and external functions; nothing is assumed about values"),
    row(
        "volatile",
        Honoured,
        "every access is made, in the order of the text; nobody but the program changes the object",
    ),
    row("restrict", Harmless, "a promise; objects are found by their addresses"),
    row(
        "_Atomic",
        Honoured,
        "one step for an access; structs and unions that are atomic as a whole are refused where accessed",
    ),
    row("_Thread_local, __thread", Honoured, "one object for each thread"),
    row("_Alignas, _Alignof, __alignof__", Honoured, "sizes and offsets"),
    row("_Noreturn", Honoured, "as the attribute `noreturn`"),
    row("register, auto", Harmless, "locals as others; a register that is named by its asm label is refused"),
    row(
        "inline",
        Honoured,
        "definitions for inlining; those of several files that differ are refused where called",
    ),
    row("extern, static", Honoured, "linkage"),
    row("typeof, __auto_type, __extension__, __label__", Honoured, "the grammar of GNU C"),
    row("__int128, _Bool, enumerations, bit-fields", Honoured, "integers of their widths"),
    row("_Float32, _Float64, _Float32x", Honoured, "as `float` and `double`"),
    row("_Float16, _Float64x, _Float128, __float80, long double", Refused, "can be declared"),
    row("_Complex, _Imaginary, __real__, __imag__", Refused, "can be declared"),
    row("_Decimal32, _Decimal64, _Decimal128", Refused, "can be declared"),
    row("__seg_fs, __seg_gs", Refused, "other address spaces"),
    row(
        "asm labels of functions and variables",
        Honoured,
        "the name that the linker sees: equal names are one thing",
    ),
    row("asm labels of locals and `register` variables", Refused, "a register of the machine"),
    row(
        "asm statements without instructions; `nop`, `pause`, `mfence`, `lfence`, `sfence`, `lock addl $0` on the stack",
        Harmless,
        "operands are evaluated",
    ),
    row(
        "asm statements of one `xchg`, `lock cmpxchg` or `lock xadd`, whose operands name a place in memory",
        Honoured,
        "one atomic step",
    ),
    row("other asm statements, asm at file scope", Refused, "assembler"),
    row("functions inside of functions", Refused, "GNU C"),
];

/// Instructions that leave registers and memory alone.
pub const INSTRUCTIONS: &[&str] = &["nop", "pause", "rep nop", "rep", "mfence", "lfence", "sfence"];
