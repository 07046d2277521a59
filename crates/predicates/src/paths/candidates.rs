//! Predicates that may rule a path out, in tiers, the most general first: weakest preconditions that the
//! program itself writes, those that compare variables, relations between the variables of what is to blame,
//! those with numbers, and what the steps say forward. Where the same atom comes back with other numbers
//! round after round, all numbers that follow are taken at once instead (`x < 4`, `x < 8`, `x < 16`, …).

use super::feasibility::Core;
use super::forward::forward;
use super::preconditions::preconditions;
use super::straight::Straight;
use crate::pairs::templates::Templates;
use crate::terms::atoms::{atoms, simplify};
use crate::terms::circuits::of_thread;
use base::{Budget, Stop};
use c::{Binary, ExprId, Exprs, LocalId, Node, TRUTH};
use relation::Relation;
use rustc_hash::{FxHashMap, FxHashSet};

/// Atoms larger than this are no predicates.
const LARGEST: usize = 16;
/// The most relations between variables.
const MOST_RELATIONS: usize = 12;
/// The most predicates of a tier.
const MOST_OF_TIER: usize = 24;
/// The most bounds of a variable of a thread that are few.
const FEW_BOUNDS: usize = 4;
/// A shape with numbers that came so often with new ones is not followed further.
const MOST_ROUNDS: usize = 2;

/// Predicates that are tried together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tier {
    /// What they are.
    pub name: &'static str,
    /// The predicates; none is in an earlier tier, but bounds may be.
    pub conditions: Vec<ExprId>,
    /// Whether they may take the place of all predicates that came on the way here.
    pub instead: bool,
}

/// What is remembered from round to round.
pub struct Candidates<'a> {
    relation: &'a Relation,
    /// The atoms that the program writes.
    own: FxHashSet<ExprId>,
    /// Atoms without their numbers, and how many rounds they brought something new.
    shapes: Exprs,
    rounds: FxHashMap<ExprId, usize>,
}

/// A path and what is to blame for it not being real.
pub struct Blame<'a> {
    /// The path.
    pub straight: &'a mut Straight,
    /// What is to blame.
    pub core: &'a Core,
    /// The predicates that are there.
    pub present: &'a [ExprId],
}

/// Tiers, and the atoms about two threads that were left out.
pub struct Tiers {
    /// The tiers.
    pub tiers: Vec<Tier>,
    /// What is about two threads.
    pub two: Vec<ExprId>,
}

impl<'a> Candidates<'a> {
    /// Nothing remembered yet; `own` are the atoms that the program writes.
    pub fn new(relation: &'a Relation, own: impl IntoIterator<Item = ExprId>) -> Candidates<'a> {
        let shapes = Exprs::new(relation.exprs.pointer_bits());
        Candidates { relation, own: own.into_iter().collect(), shapes, rounds: FxHashMap::default() }
    }

    /// The tiers for a path; `exprs` is the pool of the predicates.
    pub fn tiers(&mut self, blame: Blame<'_>, exprs: &mut Exprs, budget: &Budget) -> Result<Tiers, Stop> {
        let Blame { straight, core, present } = blame;
        let back = preconditions(straight, core, budget)?;
        let steps: Vec<usize> = core.conjuncts.iter().map(|it| it.step).collect();
        let (first, last) = (steps.first().copied().unwrap_or(0), steps.last().copied().unwrap_or(0));
        let near = forward(straight, &steps, budget)?;
        let between = (first..=last).collect::<Vec<_>>();
        let all = forward(straight, if core.start { &between } else { &steps }, budget)?;
        let whole = forward(straight, &(0..straight.steps.len()).collect::<Vec<_>>(), budget)?;
        let mut sorter =
            Sorter { relation: self.relation, exprs, taken: present.iter().copied().collect(), two: vec![] };
        let back = sorter.plain(straight, &back);
        let related = relations(self.relation, sorter.exprs, &back);
        let (own, others): (Vec<ExprId>, Vec<ExprId>) =
            back.into_iter().partition(|it| self.own.contains(it));
        let (numbers, variables): (Vec<ExprId>, Vec<ExprId>) =
            others.into_iter().partition(|&it| has_number(sorter.exprs, it));
        let mut tiers = vec![];
        tiers.push(sorter.tier("preconditions that the program writes", own));
        tiers.push(sorter.tier("preconditions over variables", variables));
        let ends = interval_ends(sorter.exprs, &numbers);
        let few = self.followed(sorter.exprs, numbers);
        let grows = few.is_none();
        tiers.push(sorter.tier("preconditions with numbers", few.unwrap_or_default()));
        tiers.push(sorter.tier("bounds of the intervals of preconditions", ends));
        tiers.push(sorter.tier("relations between variables", related));
        for (name, found) in [
            ("what the blamed steps say forward", &near),
            ("what the steps between say forward", &all),
            ("what all steps say forward", &whole),
        ] {
            let found = sorter.plain(straight, found);
            tiers.push(sorter.tier(name, found));
        }
        let two = std::mem::take(&mut sorter.two);
        if grows {
            let forward = sorter.plain(straight, &whole);
            let closed = self.closed(exprs, budget)?;
            tiers.splice(0..0, self.bounds(exprs, present, closed, forward));
        }
        tiers.retain(|it| !it.conditions.is_empty());
        Ok(Tiers { tiers, two })
    }

    /// Atoms with numbers, if they do not come again and again with other numbers.
    fn followed(&mut self, exprs: &Exprs, atoms: Vec<ExprId>) -> Option<Vec<ExprId>> {
        let mut shapes = vec![];
        for &atom in &atoms {
            shapes.push(self.shapes.import(exprs, atom, |node| match node {
                Node::Const(ty, _) => Node::Const(ty, 0),
                other => other,
            }));
        }
        let again = |it: &ExprId| self.rounds.get(it).is_some_and(|&rounds| rounds >= MOST_ROUNDS);
        if shapes.iter().any(again) {
            return None;
        }
        shapes.sort();
        shapes.dedup();
        for shape in shapes {
            *self.rounds.entry(shape).or_default() += 1;
        }
        Some(atoms)
    }

    /// Two tiers of bounds. A variable of a thread that has many of them is mostly made from a shared one:
    /// what the steps say about the thread's own variables may do in their place.
    fn bounds(
        &self,
        exprs: &mut Exprs,
        present: &[ExprId],
        closed: Vec<ExprId>,
        forward: Vec<ExprId>,
    ) -> [Tier; 2] {
        let own = |exprs: &Exprs, it: ExprId| {
            let read = exprs.locals(it);
            read.into_iter().filter(|&it| of_thread(self.relation, it)).collect::<Vec<LocalId>>()
        };
        let mut count: FxHashMap<Vec<LocalId>, usize> = FxHashMap::default();
        for &it in &closed {
            *count.entry(own(exprs, it)).or_default() += 1;
        }
        let is_few = |it: Vec<LocalId>| count.get(&it).is_some_and(|&it| it <= FEW_BOUNDS);
        let is_local = |exprs: &Exprs, it: ExprId| {
            own(exprs, it).len() == exprs.locals(it).len() && !compares_variables(exprs, it)
        };
        let is_order = |exprs: &Exprs, it: ExprId| {
            matches!(exprs.node(it), Node::Binary(Binary::LtU | Binary::LtS, ..))
                && !compares_variables(exprs, it)
        };
        let wanted = |&it: &ExprId| {
            let own = own(exprs, it);
            own.is_empty() || is_order(exprs, it) && is_few(own)
        };
        let mut few: Vec<ExprId> = closed.iter().copied().filter(wanted).collect();
        few.extend(forward.into_iter().filter(|&it| is_local(exprs, it) && !self.is_first_value(exprs, it)));
        let names =
            ["bounds of shared variables that follow from each other", "bounds that follow from each other"];
        let lists = [(few, &[][..]), (closed, present)];
        let [first, second] = lists.map(|(list, present)| {
            let taken = present.iter().copied().collect();
            let mut sorter = Sorter { relation: self.relation, exprs, taken, two: vec![] };
            let most = list.len();
            sorter.new_ones(list, most)
        });
        [
            Tier { name: names[0], conditions: first, instead: true },
            Tier { name: names[1], conditions: second, instead: false },
        ]
    }

    /// Whether an atom says that a variable has the value that it begins with.
    fn is_first_value(&self, exprs: &Exprs, atom: ExprId) -> bool {
        let Node::Binary(Binary::Eq, a, b) = exprs.node(atom) else { return false };
        let begins = |x: ExprId, value: ExprId| match exprs.node(x) {
            Node::Local(variable, _) => {
                exprs.constant(value).is_some()
                    && self.relation.variables[variable].initial == exprs.constant(value)
            }
            _ => false,
        };
        begins(a, b) || begins(b, a)
    }

    /// All guards, all values of variables that get constants only, and all bounds that follow through
    /// assignments.
    fn closed(&self, exprs: &mut Exprs, budget: &Budget) -> Result<Vec<ExprId>, Stop> {
        let mut templates = Templates::new(self.relation, exprs.clone(), budget);
        templates.guards()?;
        templates.thresholds()?;
        let found = templates.predicates().to_vec();
        *exprs = templates.exprs;
        Ok(found)
    }
}

/// Sorts what is new out of what was found.
struct Sorter<'a> {
    relation: &'a Relation,
    exprs: &'a mut Exprs,
    taken: FxHashSet<ExprId>,
    /// Atoms about two threads.
    two: Vec<ExprId>,
}

impl Sorter<'_> {
    /// The atoms about at most one thread, without its index.
    fn plain(&mut self, straight: &Straight, found: &[ExprId]) -> Vec<ExprId> {
        let mut plain = vec![];
        for &atom in found {
            if let Some(made) = straight.plain(atom, self.exprs) {
                plain.extend(atoms(self.exprs, made));
            } else if straight.owners(atom).iter().all(|it| matches!(it, super::straight::Owner::Thread(_)))
                && !self.two.contains(&atom)
            {
                self.two.push(atom);
            }
        }
        plain
    }

    fn tier(&mut self, name: &'static str, found: Vec<ExprId>) -> Tier {
        Tier { name, conditions: self.new_ones(found, MOST_OF_TIER), instead: false }
    }

    fn new_ones(&mut self, found: Vec<ExprId>, most: usize) -> Vec<ExprId> {
        let mut kept = vec![];
        for atom in found {
            let small = self.exprs.below(atom).len() <= LARGEST;
            let fits = self.exprs.ty(atom) == TRUTH && self.exprs.constant(atom).is_none() && small;
            if fits && kept.len() < most && self.of_one_template(atom) && self.taken.insert(atom) {
                kept.push(atom);
            }
        }
        kept
    }

    /// Whether some thread has all the variables that an atom reads.
    fn of_one_template(&self, atom: ExprId) -> bool {
        let homes =
            self.exprs.locals(atom).into_iter().filter_map(|it| match self.relation.variables[it].home {
                relation::Home::Template(template) => Some(template),
                _ => None,
            });
        let homes: Vec<_> = homes.collect();
        homes.windows(2).all(|pair| pair[0] == pair[1])
    }
}

/// Where a number is added to a variable that is compared with a number, the values with which it holds are
/// an interval, which may wrap around: its ends.
fn interval_ends(exprs: &mut Exprs, found: &[ExprId]) -> Vec<ExprId> {
    let mut made = vec![];
    for &atom in found {
        let Node::Binary(Binary::LtU, a, b) = exprs.node(atom) else { continue };
        // `x + c < k`, or `k < x + c`, which is that `x + c < k + 1` does not hold.
        let (sum, limit) = match (exprs.constant(a), exprs.constant(b)) {
            (None, Some(limit)) => (a, limit),
            (Some(below), None) => (b, below.wrapping_add(1)),
            _ => continue,
        };
        let Node::Binary(Binary::Add, x, added) = exprs.node(sum) else { continue };
        let (Node::Local(_, ty), Some(added)) = (exprs.node(x), exprs.constant(added)) else { continue };
        for end in [added.wrapping_neg(), limit.wrapping_sub(added)] {
            let end = exprs.number(ty, end);
            let less = simplify(exprs, Node::Binary(Binary::LtU, x, end));
            made.extend(atoms(exprs, less));
        }
    }
    made
}

/// Whether an atom compares two variables as they are.
fn compares_variables(exprs: &Exprs, atom: ExprId) -> bool {
    let is_variable = |it: ExprId| matches!(exprs.node(it), Node::Local(..));
    matches!(exprs.node(atom), Node::Binary(_, a, b) if is_variable(a) && is_variable(b))
}

fn has_number(exprs: &Exprs, atom: ExprId) -> bool {
    exprs.below(atom).into_iter().any(|it| exprs.constant(it).is_some())
}

/// Equality and order of variables that occur among the atoms and have one type.
fn relations(relation: &Relation, exprs: &mut Exprs, found: &[ExprId]) -> Vec<ExprId> {
    let mut variables: Vec<LocalId> = found.iter().flat_map(|&it| exprs.locals(it)).collect();
    variables.sort();
    variables.dedup();
    let mut made = vec![];
    for (at, &x) in variables.iter().enumerate() {
        for &y in &variables[..at] {
            made.extend(order(relation, exprs, [x, y]));
        }
    }
    made.truncate(MOST_RELATIONS);
    made
}

/// Equality and order of two variables, if they have one type.
pub fn order(relation: &Relation, exprs: &mut Exprs, variables: [LocalId; 2]) -> Vec<ExprId> {
    let [left, right] = variables.map(|it| &relation.variables[it]);
    if left.ty != right.ty || left.ty.is_float() || left.ty.bits(64) < 4 {
        return vec![];
    }
    let [a, b] = variables.map(|it| exprs.add(Node::Local(it, left.ty)));
    let less = if left.signed { Binary::LtS } else { Binary::LtU };
    let mut made = vec![];
    for (op, a, b) in [(Binary::Eq, a, b), (less, a, b), (less, b, a)] {
        let atom = simplify(exprs, Node::Binary(op, a, b));
        made.extend(atoms(exprs, atom));
    }
    made
}
