//! Ghost variables that say which mutexes are locked: for each global mutex that is locked and unlocked by
//! statements that name it, and by nothing else.

use super::places::{Location, Texts};
use super::yaml::{quoted, write_location};
use ::c::{AccessKind, Region, SyncKind, SyncUse};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A ghost variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ghost {
    /// The mutex.
    pub mutex: String,
    /// The name of the variable.
    pub name: String,
    /// Where it changes, and to what.
    updates: BTreeMap<Location, bool>,
}

/// The ghost variables that are right about a program: none, if a mutex is used in another way than by
/// `pthread_mutex_lock(&NAME);` and `pthread_mutex_unlock(&NAME);`, which might mean any of them.
pub fn of(texts: &Texts<'_>) -> Vec<Ghost> {
    let mut ghosts: BTreeMap<String, Ghost> = BTreeMap::new();
    for (at, location) in texts.program.locations().enumerate() {
        let accesses = texts.program.effects(at).accesses;
        let of_mutex = accesses.iter().find_map(|it| match (it.region, it.kind) {
            (Region::Sync { kind: SyncKind::Mutex, .. }, AccessKind::Sync(done)) => Some(done),
            _ => None,
        });
        let Some(done) = of_mutex.filter(|it| !matches!(it, SyncUse::Init | SyncUse::Destroy)) else {
            continue;
        };
        let found = location.span.and_then(|span| {
            let statement = texts.statement(span)?;
            let text = texts.snippet(base::Span { start: statement.start, end: statement.end, ..span });
            let (locks, name) = named(text)?;
            let fits = locks == matches!(done, SyncUse::Acquire(_)) && texts.is_declared_outside(name);
            fits.then(|| (locks, name.to_string(), texts.location(texts.spot(span))))
        });
        let Some((locks, mutex, place)) = found else { return vec![] };
        let name = format!("{mutex}_locked");
        if texts.has_word(&name) {
            return vec![];
        }
        let ghost = Ghost { mutex: mutex.clone(), name, updates: BTreeMap::new() };
        ghosts.entry(mutex).or_insert(ghost).updates.insert(place, locks);
    }
    ghosts.into_values().collect()
}

/// The mutex that a statement locks (or unlocks), if it does nothing else.
fn named(statement: &str) -> Option<(bool, &str)> {
    let call = statement.strip_prefix("pthread_mutex_")?;
    let (locks, rest) = match call.strip_prefix("lock") {
        Some(rest) => (true, rest),
        None => (false, call.strip_prefix("unlock")?),
    };
    let name = rest.trim().strip_prefix('(')?.trim().strip_prefix('&')?.strip_suffix(';')?.trim();
    let name = name.strip_suffix(')')?.trim();
    let plain = !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    plain.then_some((locks, name))
}

/// The content of the entry about ghost variables.
pub fn content(ghosts: &[&Ghost]) -> String {
    let mut out = String::from("    ghost_variables:\n");
    for ghost in ghosts {
        let _ = writeln!(out, "    - name: {}", ghost.name);
        out.push_str("      type: int\n      scope: global\n      initial:\n");
        out.push_str("        value: \"0\"\n        format: c_expression\n");
    }
    out.push_str("    ghost_updates:\n");
    for ghost in ghosts {
        for (place, locks) in &ghost.updates {
            let mut at = String::new();
            write_location(&mut at, "      ", place);
            // The first field stands behind the dash.
            let _ = write!(out, "    - {}", at.trim_start());
            let _ = writeln!(out, "      updates:\n      - variable: {}", ghost.name);
            let value = if *locks { "1" } else { "0" };
            let _ = writeln!(out, "        value: {}\n        format: c_expression", quoted(value));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_names_its_mutex() {
        assert_eq!(named("pthread_mutex_lock(&m);"), Some((true, "m")));
        assert_eq!(named("pthread_mutex_unlock ( &m1 );"), Some((false, "m1")));
        for other in
            ["pthread_mutex_lock(p);", "pthread_mutex_lock(&a[1]);", "pthread_mutex_trylock(&m);", "f();"]
        {
            assert_eq!(named(other), None, "{other}");
        }
    }
}
