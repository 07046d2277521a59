//! Who is meant by a name, and who might have been meant.

use super::ast::{Symbol, Symbols};
use ir::bp::{LocalId, LockId, ProcId, SharedId};
use std::collections::HashMap;

/// What a name outside procedures stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A shared variable.
    Shared(SharedId),
    /// A variable that each thread has.
    ThreadLocal(LocalId),
    /// A lock.
    Lock(LockId),
}

/// All declared names.
#[derive(Default)]
pub struct Scopes {
    /// Names outside procedures.
    pub globals: HashMap<Symbol, Meaning>,
    /// The locals of each procedure.
    pub locals: Vec<HashMap<Symbol, LocalId>>,
    /// For a local's name: who has it, if only one procedure does.
    pub owners: HashMap<Symbol, Option<LocalId>>,
    /// The procedures.
    pub procedures: HashMap<Symbol, ProcId>,
}

impl Scopes {
    /// The local of this name whose passive copy a statement of a procedure can mean: its own, or that of the only
    /// procedure that has one. `Err` if several others have one.
    pub fn passive(&self, procedure: usize, symbol: Symbol) -> Result<Option<LocalId>, ()> {
        if let Some(&local) = self.locals[procedure].get(&symbol) {
            return Ok(Some(local));
        }
        match (self.globals.get(&symbol), self.owners.get(&symbol)) {
            (Some(&Meaning::ThreadLocal(local)), _) => Ok(Some(local)),
            (_, Some(None)) => Err(()),
            (_, Some(&owner)) => Ok(owner),
            (_, None) => Ok(None),
        }
    }

    /// A declared variable that is written almost like this.
    pub fn similar_variable(&self, symbols: &Symbols, procedure: usize, name: &str) -> Option<String> {
        let all = self.locals[procedure].keys().chain(self.globals.keys());
        similar(name, all.map(|&symbol| symbols.text(symbol)))
    }

    /// A procedure that is written almost like this.
    pub fn similar_procedure(&self, symbols: &Symbols, name: &str) -> Option<String> {
        similar(name, self.procedures.keys().map(|&symbol| symbols.text(symbol)))
    }
}

/// With more names than this none is compared: a hint is not worth the time.
const MOST_COMPARED: usize = 20_000;

/// `did you mean ..?` for the nearest of the names, if one is near enough. Ties are broken by the alphabet, since the names
/// come in no order.
pub fn similar<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let limit = (name.len() / 3).clamp(1, 3);
    let mut best: Option<(usize, &str)> = None;
    for (count, other) in names.enumerate() {
        if count >= MOST_COMPARED {
            return None;
        }
        if other.len().abs_diff(name.len()) <= limit {
            let scored = (distance(name, other), other);
            best = Some(best.map_or(scored, |best| best.min(scored)));
        }
    }
    best.filter(|&(distance, _)| distance <= limit).map(|(_, other)| format!("did you mean `{other}`?"))
}

/// Levenshtein's distance; long names count as far apart.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 80;
    if a.len() > LONGEST || b.len() > LONGEST {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints() {
        let check = |name: &str, names: &[&str], expected: Option<&str>| {
            let found = similar(name, names.iter().copied());
            assert_eq!(found, expected.map(|it| format!("did you mean `{it}`?")), "{name}");
        };
        check("lokc", &["clock", "lock", "key"], None);
        check("locks", &["clock", "lock", "key"], Some("lock"));
        check("flag_1", &["flag_0", "flag_2", "gap"], Some("flag_0"));
        check("x", &["alpha"], None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
