//! Where a passive thread stands: a broadcast sees its Booleans, not its location, so each set of locations
//! that a lemma needs gets a Boolean of each thread that holds there. It tracks a variable that no command of
//! the relation changes; statements get its values when they are asked for.

use super::super::statement::{Assignment, Statement, Value};
use super::Lemma;
use c::{ExprId, LocalId, Node, TRUTH};
use relation::{Command, ControlId, Home, Outcome, Relation, Variable};

/// The most sets of locations.
const SLOTS: usize = 24;

/// A relation with variables for markers.
pub struct Marked {
    /// The relation, with the same commands.
    pub relation: Relation,
    /// The conditions that markers are tracked by, in the pool of the relation.
    pub slots: Vec<ExprId>,
}

/// The relation with further variables of each thread, which live everywhere and which nothing changes. Its
/// pool continues that of the given one.
pub fn marked(relation: &Relation) -> Marked {
    let mut relation = relation.clone();
    let mut slots = vec![];
    for number in 0..SLOTS {
        let slot: LocalId = relation.variables.push(Variable {
            name: format!("here{number}"),
            ty: TRUTH,
            home: Home::Thread,
            signed: false,
            initial: Some(0),
            ghost: true,
        });
        slots.push(relation.exprs.add(Node::Local(slot, TRUTH)));
        let controls: Vec<ControlId> = relation.controls.ids().collect();
        for control in controls {
            relation.controls[control].live.push(slot);
        }
    }
    Marked { relation, slots }
}

/// A set of control locations with the predicate that holds there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marker {
    /// The number of the predicate.
    pub predicate: usize,
    /// The control locations, in order.
    pub set: Vec<ControlId>,
}

impl Marker {
    /// Whether a thread is marked here.
    pub fn holds(&self, control: ControlId) -> bool {
        self.set.binary_search(&control).is_ok()
    }

    /// Adds to a statement what becomes of the marker.
    pub fn follow(&self, command: &Command, statement: &mut Statement) {
        let assignment =
            |control| Assignment { predicate: self.predicate, value: Value::Fixed(self.holds(control)) };
        if let Outcome::Go(to) = command.outcome
            && self.holds(to) != self.holds(command.from)
        {
            statement.targets.push(assignment(to));
        }
        if let Some(creation) = &command.creates {
            statement.child.retain(|it| it.predicate != self.predicate);
            statement.child.push(assignment(creation.entry));
        }
    }
}

/// The sets of locations that lemmas speak of, and those where their sides have a meaning, each once, as many
/// as are wanted.
pub fn sets(lemmas: &[Lemma], relation: &Relation, most: usize) -> Vec<Vec<ControlId>> {
    let mut sets: Vec<Vec<ControlId>> = vec![];
    for lemma in lemmas {
        for set in &lemma.live {
            if !sets.contains(set) && sets.len() < most {
                sets.push(set.clone());
            }
        }
        for control in relation.controls.ids() {
            for is_first in [true, false] {
                let set = lemma.partners(control, is_first);
                if !set.is_empty() && !sets.contains(&set) && sets.len() < most {
                    sets.push(set);
                }
            }
        }
    }
    sets
}
