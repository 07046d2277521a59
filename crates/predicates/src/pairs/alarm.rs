//! An alarm in words: the failing command, the abstract state that it begins in, and the commands that led
//! there.

use crate::pairs::basis::Basis;
use crate::pairs::state::{Cause, Single, States};
use base::Id;
use relation::Relation;

/// A step of a derivation, the last one first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The number of the command.
    pub command: usize,
    /// Whether the thread that fails takes it, as far as the derivation follows one thread.
    pub own: bool,
}

/// The commands that led to a state of one thread, the last one first. Where a step takes several threads,
/// the derivation follows the one that the state is about.
pub fn derivation(states: &States, single: usize) -> Vec<Link> {
    let mut links = vec![];
    let mut at = Place::Single(single);
    // Causes are older than what they cause, so this ends.
    loop {
        let cause = match at {
            Place::Single(number) => states.single_causes[number],
            Place::Edge(number) => states.pair_causes[number],
        };
        let (link, next) = match cause {
            Cause::Start => return links,
            Cause::Own { command, before, .. } => (Link { command, own: true }, Place::Single(before)),
            Cause::Environment { command, before, .. } => {
                (Link { command, own: false }, Place::Single(before))
            }
            Cause::Pair { command, before, about } => {
                let own = about != crate::pairs::state::About::Passive
                    && about != crate::pairs::state::About::PassiveChild;
                (Link { command, own }, Place::Edge(before / 2))
            }
            Cause::Third { command, before } => (Link { command, own: false }, Place::Edge(before / 2)),
        };
        links.push(link);
        at = next;
    }
}

#[derive(Clone, Copy)]
enum Place {
    Single(usize),
    Edge(usize),
}

/// The alarm as text, a line for each command.
pub fn describe(
    relation: &Relation,
    basis: &Basis,
    states: &States,
    command: usize,
    single: usize,
) -> String {
    let mut text = format!(
        "an abstract thread reaches `{}` in {}",
        relation.show_command(&relation.commands[command]),
        state(relation, basis, &states.singles[single])
    );
    for link in derivation(states, single) {
        let who = if link.own { "after" } else { "after, by another thread," };
        text += &format!("\n  {who} c{}: ", relation.commands[link.command].from.index());
        text += &relation.show_command(&relation.commands[link.command]);
    }
    text
}

fn state(relation: &Relation, basis: &Basis, single: &Single) -> String {
    let mut parts = vec![];
    let local = basis.local_bits(single.control);
    let shared = basis.shared.iter().enumerate().map(|(at, &id)| (id, single.shared >> at & 1 == 1));
    let own = basis.local.iter().enumerate().filter(|(at, _)| local >> at & 1 == 1);
    let own = own.map(|(at, &id)| (id, single.local >> at & 1 == 1));
    // Predicates live in a pool that begins with that of the relation.
    let shown = Relation { exprs: basis.exprs.clone(), ..relation.clone() };
    for (id, value) in shared.chain(own) {
        parts.push(format!("{}{}", if value { "" } else { "!" }, shown.show(id)));
    }
    if parts.is_empty() { "any state".into() } else { parts.join(", ") }
}
