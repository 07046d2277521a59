//! A number that tells relations apart, so that a proof of another program is refused with these words and
//! not by its first table that does not fit. Nobody relies on it: what is proved is what the checker proves.

use crate::Relation;
use std::fmt::{self, Write};

/// FNV-1a of 64 bits over all that the relation says.
pub fn digest(relation: &Relation) -> u64 {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    let Relation { exprs, variables, controls, commands, start, accesses } = relation;
    let nodes = exprs.ids().try_for_each(|id| writeln!(hash, "{:?}", exprs.node(id)));
    let rest = writeln!(hash, "{variables:?} {controls:?} {commands:?} {start:?}");
    let rest = rest.and(accesses.iter().try_for_each(|it| writeln!(hash, "{it:?}")));
    nodes.and(rest).expect("a hash takes any text");
    hash.0
}

struct Hash(u64);

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}
