//! Which few predicates exclude each other (`x == 0` and `x == 1`; none of `x < y`, `x == y`, `y < x`):
//! contradictory conjunctions of two and three, found once for all statements. Random simulation refutes most
//! of them before the solver is asked.

use super::cubes::{Cube, Joint, Listed, MOST, Solver};
use super::formulas::Formulas;
use super::lemmas::Lemmas;
use super::predicates::{Class, Predicates};
use super::statement::{Barred, Bit, Literal, Statement};
use base::{Budget, Stop};
use relation::{Command, ControlId, Outcome};
use rustc_hash::FxHashSet;
use solve::aig::Lit;

/// With more predicates than this only conjunctions of two are looked for.
const MOST_FOR_THREE: usize = 48;
/// The most valuations of connected predicates that are listed.
const MOST_LISTED: usize = 200;

/// The contradictory conjunctions, each without a contradictory part: those that were known, and those with a
/// predicate of number `from` or above.
pub fn exclusions(
    predicates: &Predicates,
    formulas: &mut Formulas<'_>,
    known: Vec<Vec<Literal>>,
    from: usize,
    budget: &Budget,
) -> Result<Vec<Vec<Literal>>, Stop> {
    let count = predicates.list.len();
    let mut neighbours = vec![vec![false; count]; count];
    for (a, row) in neighbours.iter_mut().enumerate() {
        budget.spend(1)?;
        for (b, cell) in row.iter_mut().enumerate() {
            let [x, y] = [a, b].map(|it| &predicates.list[it]);
            let together = x.template.is_none() || y.template.is_none() || x.template == y.template;
            let common = x.shared.iter().any(|it| y.shared.contains(it))
                || x.local.iter().any(|it| y.local.contains(it));
            *cell = a != b && together && common;
        }
    }
    let (part_of, parts) = parts(&neighbours);
    let pairs = known.iter().filter_map(|it| <[Literal; 2]>::try_from(it.as_slice()).ok()).collect();
    let solver = Solver::default();
    let mut search = ExclusionSearch { formulas, solver, budget, found: known, pairs, part_of, parts };
    let follows = |a: usize, row: &[bool]| (a + 1..count).filter(|&b| row[b]).collect::<Vec<usize>>();
    for (a, row) in neighbours.iter().enumerate() {
        for b in follows(a, row).into_iter().filter(|&b| b >= from) {
            search.try_all(&[a, b])?;
        }
    }
    if count <= MOST_FOR_THREE {
        for (a, row) in neighbours.iter().enumerate() {
            for b in follows(a, row) {
                for c in follows(b, row).into_iter().filter(|&c| c >= from && neighbours[b][c]) {
                    search.try_all(&[a, b, c])?;
                }
            }
        }
    }
    Ok(search.found)
}

/// Excludes what no state after a command has, where that cuts off choices.
pub fn exclude(
    exclusions: &[Vec<Literal>],
    predicates: &Predicates,
    command: &Command,
    statement: &mut Statement,
) {
    let loose: Vec<usize> =
        statement.targets.iter().filter(|it| it.value.is_loose()).map(|it| it.predicate).collect();
    let to = match command.outcome {
        Outcome::Go(to) => Some(to),
        _ => None,
    };
    let has_meaning = |predicate: usize| match (predicates.list[predicate].class, to) {
        (Class::Shared, _) => true,
        (_, Some(to)) => predicates.is_live(to, predicate),
        _ => false,
    };
    statement.excluded.clear();
    for exclusion in exclusions {
        let touched = exclusion.iter().any(|it| loose.contains(&it.bit.predicate));
        if touched && exclusion.iter().all(|it| has_meaning(it.bit.predicate)) {
            statement.excluded.push(exclusion.clone());
        }
    }
}

/// Excludes what no passive thread has after a command, where that cuts off choices: of passive threads that
/// are marked, since only of these it is known that the Booleans have a meaning.
pub fn exclude_passive(
    exclusions: &[Vec<Literal>],
    predicates: &Predicates,
    lemmas: &Lemmas,
    statement: &mut Statement,
) {
    let Some(template) = lemmas.list.first().map(|it| it.template) else { return };
    let loose_shared = statement.targets.iter().filter(|it| it.value.is_loose()).map(|it| it.predicate);
    let mut loose: Vec<usize> = loose_shared.filter(|&it| predicates.list[it].is_shared).collect();
    let broadcasts = statement.broadcasts.iter().filter(|it| it.template == template);
    let notified = broadcasts.map(|it| &it.assignment).filter(|it| it.value.is_loose());
    loose.extend(notified.map(|it| it.predicate));
    for exclusion in exclusions {
        let members = || exclusion.iter().map(|it| it.bit.predicate);
        let is_own = |&it: &usize| !predicates.list[it].is_shared;
        if !members().any(|it| loose.contains(&it)) || !members().any(|it| is_own(&it)) {
            continue;
        }
        let lives = |at: &ControlId| members().filter(is_own).all(|it| predicates.is_live(*at, it));
        let Some(marker) =
            lemmas.markers.iter().filter(|it| it.set.iter().all(lives)).max_by_key(|it| it.set.len())
        else {
            continue;
        };
        let marked = Literal { bit: Bit { predicate: marker.predicate, passive: true }, value: true };
        let as_passive = |it: &Literal| {
            let passive = is_own(&it.bit.predicate);
            Literal { bit: Bit { passive, ..it.bit }, ..*it }
        };
        let cube = exclusion.iter().map(as_passive).chain([marked]).collect();
        statement.barred_after.push(Barred { template, cube });
    }
}

struct ExclusionSearch<'a, 'b> {
    formulas: &'a mut Formulas<'b>,
    solver: Solver,
    budget: &'a Budget,
    found: Vec<Vec<Literal>>,
    /// The pairs among what was found.
    pairs: FxHashSet<[Literal; 2]>,
    /// Which part of the predicates each one is in; those of different parts have nothing in common.
    part_of: Vec<usize>,
    parts: Vec<Component>,
}

/// Predicates that are connected by common variables.
#[derive(Default)]
struct Component {
    members: Vec<usize>,
    /// The valuations of the members that are known to be possible, once they were listed.
    listed: Option<Listed>,
}

impl ExclusionSearch<'_, '_> {
    /// All values of some predicates.
    fn try_all(&mut self, chosen: &[usize]) -> Result<(), Stop> {
        for values in 0..1u32 << chosen.len() {
            let literals: Vec<Literal> = chosen
                .iter()
                .enumerate()
                .map(|(at, &predicate)| Literal {
                    bit: Bit { predicate, passive: false },
                    value: values >> at & 1 == 1,
                })
                .collect();
            self.budget.spend(1)?;
            if !self.has_pair(&literals) && !self.possible(&literals)? {
                self.add(literals);
            }
        }
        Ok(())
    }

    fn add(&mut self, literals: Vec<Literal>) {
        if let [a, b] = literals[..] {
            self.pairs.insert([a, b]);
        }
        self.found.push(literals);
    }

    /// Whether two of the literals exclude each other already.
    fn has_pair(&self, literals: &[Literal]) -> bool {
        let others = |at: usize| literals[at + 1..].iter();
        literals.iter().enumerate().any(|(at, &a)| others(at).any(|&b| self.pairs.contains(&[a, b])))
    }

    fn possible(&mut self, literals: &[Literal]) -> Result<bool, Stop> {
        let lits: Vec<Lit> =
            literals.iter().map(|it| self.formulas.active[it.bit.predicate].negate_if(!it.value)).collect();
        if self.formulas.samples().has_all(&lits) {
            return Ok(true);
        }
        if let Some(known) = self.known(literals)? {
            return Ok(known);
        }
        let all = self.formulas.all(&lits);
        self.solver.possible(self.formulas.aig(), all, self.budget)
    }

    /// What the valuations of the part say, if they say something.
    fn known(&mut self, literals: &[Literal]) -> Result<Option<bool>, Stop> {
        let Some(first) = literals.first() else { return Ok(Some(true)) };
        let part = &mut self.parts[self.part_of[first.bit.predicate]];
        if part.members.len() > MOST {
            return Ok(None);
        }
        let listed = match part.listed.take() {
            Some(listed) => listed,
            None => {
                let given = part.members.iter().map(|&it| self.formulas.active[it]).collect();
                let question = Joint { facts: Lit::TRUE, given, after: vec![], known: vec![] };
                self.solver.joint(self.formulas, &question, MOST_LISTED, self.budget)?
            }
        };
        let mut cube = Cube::default();
        for literal in literals {
            // The members are in order.
            let Ok(at) = part.members.binary_search(&literal.bit.predicate) else { continue };
            cube.bits |= 1 << at;
            cube.values |= u128::from(literal.value) << at;
        }
        let there = listed.rows.iter().any(|it| cube.has(it.valuation));
        let known = (there || listed.complete).then_some(there);
        part.listed = Some(listed);
        Ok(known)
    }
}

/// The parts of the predicates that are connected by neighbours.
fn parts(neighbours: &[Vec<bool>]) -> (Vec<usize>, Vec<Component>) {
    let mut part_of = vec![usize::MAX; neighbours.len()];
    let mut parts: Vec<Component> = vec![];
    for first in 0..neighbours.len() {
        if part_of[first] != usize::MAX {
            continue;
        }
        let mut part = Component { members: vec![first], listed: None };
        part_of[first] = parts.len();
        let mut next = 0;
        while next < part.members.len() {
            let row = &neighbours[part.members[next]];
            for at in (0..row.len()).filter(|&at| row[at]) {
                if part_of[at] == usize::MAX {
                    part_of[at] = parts.len();
                    part.members.push(at);
                }
            }
            next += 1;
        }
        part.members.sort_unstable();
        parts.push(part);
    }
    (part_of, parts)
}
