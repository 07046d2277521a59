//! What becomes of predicates, over what is known before a command. Formulas that are connected with the same
//! predicates and facts are asked about together: the valuations of these predicates are listed once for all
//! of them, if there are few; else each formula is asked about over the predicates that read what it or its
//! facts read, and what was listed answers most of that.

use super::super::cubes::{Cube, Joint, MOST, Question, Seen, Solver, Split};
use super::super::formulas::Formed;
use super::{Abstracter, Bit, Cubes, Literal, Value};
use base::Stop;
use solve::aig::Lit;

/// Booleans that are known before a command, with their formulas.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// The Booleans.
    pub bits: Vec<Bit>,
    /// Their formulas.
    pub lits: Vec<Lit>,
}

impl Known {
    /// Adds one.
    pub fn push(&mut self, bit: Bit, lit: Lit) {
        if lit.as_constant().is_none() && self.bits.len() < MOST {
            self.bits.push(bit);
            self.lits.push(lit);
        }
    }

    /// Cubes over them.
    pub fn cubes(&self, cubes: &[Cube]) -> Cubes {
        let literals = |cube: &Cube| {
            let there = self.bits.iter().enumerate().filter(|(at, _)| cube.bits >> at & 1 == 1);
            there.map(|(at, &bit)| Literal { bit, value: cube.values >> at & 1 == 1 }).collect()
        };
        cubes.iter().map(literals).collect()
    }

    /// A split over them as a value.
    fn value(&self, split: &Split) -> Value {
        let (ones, zeros) = (self.cubes(&split.first), self.cubes(&split.second));
        match (split.decided, ones.is_empty(), zeros.is_empty()) {
            (true, true, _) => Value::Fixed(false),
            (true, _, true) => Value::Fixed(true),
            (true, ..) => Value::Cubes(ones),
            _ => Value::Choose(ones, zeros),
        }
    }
}

/// Of so few predicates more valuations are listed. Where these are more than cubes can be made of, no solver
/// is needed to find short cubes.
const FEW_PREDICATES: usize = 16;
const MORE_LISTED: usize = 8;

/// Formulas that are connected with the same facts and predicates.
struct FormulaGroup {
    connected: Vec<bool>,
    members: Vec<usize>,
}

/// A group with what it is asked over.
struct PosedGroup<'a> {
    /// The facts.
    facts: &'a [Lit],
    /// The facts that are connected with it.
    roots: Vec<Lit>,
    /// The predicates that are connected with it.
    far: Known,
    /// All predicates.
    known: &'a Known,
}

impl Abstracter<'_> {
    /// What is known about formulas after the command, from what is known before and the facts: over all
    /// predicates that are connected with them, directly or through others, if few valuations of these are
    /// possible; else over those that read what the formula or its facts read.
    pub(super) fn values(
        &mut self,
        facts: &[Lit],
        after: &[Lit],
        known: &Known,
        solver: &mut Solver,
    ) -> Result<Vec<Value>, Stop> {
        let mut values: Vec<Option<Value>> = after.iter().map(|&it| plain(it, known)).collect();
        let lits: Vec<Lit> = facts.iter().chain(&known.lits).copied().collect();
        let mut groups: Vec<FormulaGroup> = vec![];
        for at in (0..after.len()).filter(|&it| values[it].is_none()) {
            let connected = self.formulas.connected(after[at], &lits);
            match groups.iter_mut().find(|it| it.connected == connected && it.members.len() < MOST) {
                Some(group) => group.members.push(at),
                None => groups.push(FormulaGroup { connected, members: vec![at] }),
            }
        }
        for FormulaGroup { connected, members } in groups {
            let roots = chosen(facts, &connected);
            let far = select(known, &connected[facts.len()..]);
            let requested: Vec<Lit> = members.iter().map(|&it| after[it]).collect();
            let found = self.group(&PosedGroup { facts, roots, far, known }, &requested, solver)?;
            for (at, value) in members.into_iter().zip(found) {
                values[at] = Some(value);
            }
        }
        Ok(values.into_iter().map(|it| it.unwrap_or(Value::Choose(vec![], vec![]))).collect())
    }

    fn group(
        &mut self,
        posed: &PosedGroup<'_>,
        after: &[Lit],
        solver: &mut Solver,
    ) -> Result<Vec<Value>, Stop> {
        let facts = self.formulas.all(&posed.roots);
        let question = Joint { facts, given: posed.far.lits.clone(), after: after.to_vec(), known: vec![] };
        let few = posed.far.bits.len() <= FEW_PREDICATES;
        let most = self.limits.valuations.saturating_mul(if few { MORE_LISTED } else { 2 });
        let listed = solver.joint(&mut self.formulas, &question, most, self.budget)?;
        let mut values = vec![];
        for (number, &after) in after.iter().enumerate() {
            let short = listed.rows.len() <= self.limits.valuations.saturating_mul(2);
            values.push(if listed.complete && short {
                posed.far.value(&listed.split(number, posed.far.bits.len(), self.budget)?)
            } else {
                let seen = listed.sides(number);
                self.near(posed, Requested { facts, after, seen, complete: listed.complete }, solver)?
            });
        }
        Ok(values)
    }

    /// A formula over those predicates alone that read what it or its facts read.
    fn near(
        &mut self,
        posed: &PosedGroup<'_>,
        requested: Requested,
        solver: &mut Solver,
    ) -> Result<Value, Stop> {
        let after = requested.after;
        let direct = self.formulas.connected(after, posed.facts);
        let mut close = chosen(posed.facts, &direct);
        close.push(after);
        let near = select(posed.known, &self.formulas.near(&close, &posed.known.lits));
        let complete = requested.complete && near.bits.iter().all(|it| posed.far.bits.contains(it));
        let [first, second] = [after, !after].map(|it| self.formulas.all(&[requested.facts, it]));
        let seen = requested.seen.map(|it| projected(&it, &posed.far, &near));
        let question = Question { first, second, given: near.lits.clone(), seen, complete };
        let split = solver.split(&mut self.formulas, &question, &self.limits, self.budget)?;
        Ok(near.value(&split))
    }
}

impl Abstracter<'_> {
    /// What no state has, neither the one before a command nor the one after, as clauses: the active thread,
    /// a passive one and the child see it so.
    pub(super) fn impossible(&self, formed: &Formed) -> Vec<Vec<Lit>> {
        let before = [&self.formulas.active, &self.formulas.passive];
        let after = [&formed.active, &formed.passive, &formed.child];
        let mut clauses = vec![];
        for view in before.into_iter().chain(after).filter(|it| !it.is_empty()) {
            for exclusion in self.exclusions {
                let clause: Vec<Lit> =
                    exclusion.iter().map(|it| view[it.bit.predicate].negate_if(it.value)).collect();
                if !clause.contains(&Lit::TRUE) {
                    clauses.push(clause);
                }
            }
        }
        clauses.sort_unstable();
        clauses.dedup();
        clauses
    }

    /// Whether a formula has a model.
    pub(super) fn possible(&mut self, lit: Lit, solver: &mut Solver) -> Result<bool, Stop> {
        Ok(self.formulas.samples().has(lit) || solver.possible(self.formulas.aig(), lit, self.budget)?)
    }
}

/// A formula, with the valuations in which it is known to be possible, and those in which its negation is.
struct Requested {
    facts: Lit,
    after: Lit,
    seen: [Seen; 2],
    /// Whether these are all.
    complete: bool,
}

/// What needs no solver.
fn plain(after: Lit, known: &Known) -> Option<Value> {
    if let Some(value) = after.as_constant() {
        return Some(Value::Fixed(value));
    }
    let at = known.lits.iter().position(|&it| it == after || it == !after)?;
    let literal = Literal { bit: known.bits[at], value: known.lits[at] == after };
    Some(Value::Cubes(vec![vec![literal]]))
}

/// Valuations of some predicates as valuations of fewer; of those that are not among the first, nothing was
/// seen, and then there are none.
fn projected(seen: &Seen, from: &Known, to: &Known) -> Seen {
    let mut made = Seen::default();
    let places: Option<Vec<usize>> =
        to.bits.iter().map(|bit| from.bits.iter().position(|it| it == bit)).collect();
    let Some(places) = places else { return made };
    for &valuation in &seen.list {
        let bits = places.iter().enumerate();
        made.add(bits.fold(0, |bits, (at, &place)| bits | (valuation >> place & 1) << at));
    }
    made
}

/// Those of the formulas that are chosen.
fn chosen(lits: &[Lit], chosen: &[bool]) -> Vec<Lit> {
    lits.iter().zip(chosen).filter(|it| *it.1).map(|it| *it.0).collect()
}

/// Those of the Booleans that are chosen.
pub fn select(known: &Known, chosen: &[bool]) -> Known {
    let mut part = Known::default();
    for (at, (&bit, &lit)) in known.bits.iter().zip(&known.lits).enumerate() {
        if chosen[at] {
            part.push(bit, lit);
        }
    }
    part
}
