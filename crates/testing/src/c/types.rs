//! The integer types of generated programs.

use base::Random;

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    /// As C writes it.
    pub name: &'static str,
    /// The width in bits after integer promotion.
    pub promoted: u32,
}

const fn of(name: &'static str, promoted: u32) -> Type {
    Type { name, promoted }
}

/// All integer types of LP64.
pub(super) const TYPES: &[Type] = &[
    of("char", 32),
    of("signed char", 32),
    of("unsigned char", 32),
    of("short", 32),
    of("unsigned short", 32),
    of("int", 32),
    of("unsigned", 32),
    of("long", 64),
    of("unsigned long", 64),
    of("long long", 64),
    of("unsigned long long", 64),
    of("_Bool", 32),
    of("__int128", 128),
    of("unsigned __int128", 128),
];

/// Values at the borders of types.
const CONSTANTS: &[&str] = &[
    "0",
    "1",
    "(-1)",
    "2",
    "127",
    "(-128)",
    "255",
    "256",
    "32767",
    "65535",
    "'a'",
    "0x7fffffff",
    "(-0x7fffffff - 1)",
    "0x80000000",
    "0xffffffffu",
    "0x7fffffffffffffffLL",
    "(-0x7fffffffffffffffLL - 1)",
    "0xffffffffffffffffULL",
    "1L",
    "3u",
];

impl Type {
    /// Any type.
    pub fn any(random: &mut Random) -> Type {
        *random.pick(TYPES)
    }

    /// The largest shift that has a meaning.
    pub fn shift_mask(self) -> u32 {
        self.promoted - 1
    }
}

/// A constant, often one at the border of a type.
pub(super) fn constant(random: &mut Random) -> String {
    if random.percent(60) {
        return random.pick(CONSTANTS).to_string();
    }
    let bits = random.bits() >> random.below(64);
    let suffix = *random.pick(&["", "u", "L", "ULL"]);
    // Without a suffix a decimal number beyond `long long` would have no type.
    let bits = if matches!(suffix, "" | "L") { bits >> 1 } else { bits };
    format!("{bits}{suffix}")
}
