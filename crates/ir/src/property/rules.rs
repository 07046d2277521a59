//! The rules that violated properties of C are told under in results for code scanning (SARIF), with their
//! entries of the Common Weakness Enumeration. `docs/formats/sarif.md` lists them.

use base::class::Rule;

/// Data races.
pub const RACE: Rule = Rule {
    id: "SV-RACE",
    name: "DataRace",
    short: "Data race",
    full: "Two threads access the same memory, one of them writes, at least one access is not atomic, and \
           nothing orders them.",
    cwe: &[362, 366],
};

/// Deadlocks.
pub const DEADLOCK: Rule = Rule {
    id: "SV-DEADLOCK",
    name: "Deadlock",
    short: "Deadlock",
    full: "Threads wait for each other, for ever.",
    cwe: &[833],
};

/// Accesses that are undefined behaviour.
pub const DEREF: Rule = Rule {
    id: "SV-DEREF",
    name: "InvalidAccess",
    short: "Invalid access to memory",
    full: "An access is out of bounds, through a null or invalid pointer, or to an object outside its lifetime.",
    cwe: &[119, 787, 125, 476, 416],
};

/// Calls of `free` that are undefined behaviour.
pub const FREE: Rule = Rule {
    id: "SV-FREE",
    name: "InvalidFree",
    short: "Invalid free",
    full: "What is given to `free` is not the start of an allocation, or was freed before.",
    cwe: &[590, 415],
};

/// Lost allocations.
pub const LEAK: Rule = Rule {
    id: "SV-LEAK",
    name: "MemoryLeak",
    short: "Memory leak",
    full: "Memory was allocated, is not freed, and nothing points to it any more; or it is left when the \
           program ends, where that is wanted.",
    cwe: &[401],
};

/// Signed overflow.
pub const OVERFLOW: Rule = Rule {
    id: "SV-OVERFLOW",
    name: "SignedOverflow",
    short: "Signed overflow",
    full: "An operator on signed numbers gives what does not fit its type.",
    cwe: &[190],
};

/// All other undefined behaviour.
pub const UNDEFINED: Rule = Rule {
    id: "SV-UNDEFINED",
    name: "UndefinedBehaviour",
    short: "Undefined behaviour",
    full: "A run of the program comes to a step that is undefined behaviour, such as a division by zero or \
           unlocking a mutex that the thread does not hold.",
    cwe: &[758, 369, 832],
};

/// The program ends itself.
pub const ABORT: Rule = Rule {
    id: "SV-ABORT",
    name: "Abort",
    short: "The program aborts",
    full: "A run of the program ends in `abort`, in `exit` with a code other than 0, or in a trap.",
    cwe: &[705],
};
