//! The settings of the engine `cover`.

use crate::closure;
use base::Setting;
use base::settings::Allowed;

/// How many threads the closure that prunes looks at together.
pub const WIDTH: Setting = Setting {
    name: "cover.width",
    default: "2",
    allowed: Allowed::Number { least: 1, most: closure::MOST_WIDTH as u64 },
    help: "the width of the closure that prunes",
    paper: "",
};

/// How large the explicit closure may grow.
pub const CLOSURE_TUPLES: Setting = Setting {
    name: "cover.closure_tuples",
    default: "20000000",
    allowed: Allowed::Number { least: 0, most: u64::MAX },
    help: "how large the explicit closure may grow before sets are taken, or where that is not allowed a narrower closure",
    paper: "",
};

/// Whether threads run on from silent locations.
pub const CHAINS: Setting = Setting {
    name: "cover.chains",
    default: "on",
    allowed: Allowed::Switch,
    help: "do not store states in which a thread stands at a silent location",
    paper: "",
};

/// How long to go back before looking forward.
pub const ACCELERATE: Setting = Setting {
    name: "cover.accelerate",
    default: "100000",
    allowed: Allowed::Number { least: 0, most: u64::MAX },
    help: "after so many ticks look forward for as many, with acceleration, for errors that need many threads; 0 for never",
    paper: "Karp and Miller, JCSS 1969",
};

/// How large a certificate may be.
pub const CERTIFICATE: Setting = Setting {
    name: "cover.certificate_size",
    default: "2000000",
    allowed: Allowed::Number { least: 0, most: u32::MAX as u64 },
    help: "write no certificate with more tuples and elements than this",
    paper: "",
};

/// How elements are kept.
pub const SETS: Setting = Setting {
    name: "cover.sets",
    default: "auto",
    allowed: Allowed::Word(&["auto", "explicit", "bdd"]),
    help: "list elements one by one, or keep sets of them in decision diagrams; `auto` lists them unless threads have much to choose (`cover.choices`) or the closure grows too large (`cover.closure_tuples`)",
    paper: "",
};

/// Bits that a thread may choose at once before sets are taken.
pub const CHOICES: Setting = Setting {
    name: "cover.choices",
    default: "4",
    allowed: Allowed::Number { least: 0, most: u32::MAX as u64 },
    help: "with `cover.sets=auto`, sets if a thread starts with, or a statement gives, more free bits than this, or the program starts with four times as many",
    paper: "",
};

/// How many threads an element of a set may have.
pub const MEMBERS: Setting = Setting {
    name: "cover.members",
    default: "32",
    allowed: Allowed::Number { least: 1, most: 256 },
    help: "with decision diagrams, the most threads of an element",
    paper: "",
};

/// How many threads an element may have at first.
pub const ROOM: Setting = Setting {
    name: "cover.room",
    default: "8",
    allowed: Allowed::Number { least: 1, most: 256 },
    help: "with decision diagrams, the most threads of an element at first; twice as many when that is not enough",
    paper: "",
};

/// How large decision diagrams may become.
pub const MEMORY: Setting = Setting {
    name: "cover.memory",
    default: "4096",
    allowed: Allowed::Number { least: 1, most: 1_000_000 },
    help: "MiB for decision diagrams",
    paper: "",
};

/// All of them.
pub const SETTINGS: &[Setting] = &[
    WIDTH,
    CLOSURE_TUPLES,
    CHAINS,
    ACCELERATE,
    CERTIFICATE,
    SETS,
    CHOICES,
    MEMBERS,
    ROOM,
    MEMORY,
];
