//! What the certificate of a Boolean program says about one and about two threads that stand between two
//! commands, as formulas over the predicates. What the certificate does not keep, and what it says of other
//! threads, is left open: that only makes the formulas weaker.

use super::super::build::Built;
use base::{Budget, Id, Stop};
use ir::Certificate;
use ir::bp::{LocalId, SharedId};
use ir::certificate::graph::{Graph, Node, NodeId};
use ir::certificate::{Body, ClassClosure, Closure, ControlLocation, ThreadView, View};
use relation::ControlId;
use rustc_hash::FxHashMap;
use solve::aig::{Aig, Lit};

/// The formulas of all predicates, by number, as a thread sees them; `None` where nothing is known.
pub type Seen = Vec<Option<Lit>>;

/// What is known of threads together.
pub struct Invariant<'a> {
    built: &'a Built,
    /// Without a certificate nothing is known.
    certificate: Option<&'a Certificate>,
    /// The control locations of the certificate at which a thread stands between two commands.
    stands: FxHashMap<ControlId, usize>,
    /// For listed tuples: which of them have a thread at a control location, and which of their threads.
    listed: FxHashMap<usize, Vec<Member>>,
}

/// A thread of a listed tuple.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Member {
    tuple: usize,
    /// Which of the threads of the tuple.
    at: usize,
}

impl<'a> Invariant<'a> {
    /// What the certificate says; it must have been confirmed.
    pub fn new(built: &'a Built, certificate: Option<&'a Certificate>) -> Invariant<'a> {
        let certificate =
            certificate.filter(|it| matches!(it.body, Body::Closure(_) | Body::ClassClosure(_)));
        let mut invariant =
            Invariant { built, certificate, stands: FxHashMap::default(), listed: FxHashMap::default() };
        let Some(certificate) = certificate else { return invariant };
        for (&control, &block) in &built.blocks {
            let is_at = |it: &ControlLocation| !it.inside && it.stack == [block];
            if let Some(location) = certificate.view.controls.iter().position(is_at) {
                invariant.stands.insert(control, location);
            }
        }
        if let Body::Closure(closure) = &certificate.body {
            invariant.list(closure);
        }
        invariant
    }

    fn list(&mut self, closure: &Closure) {
        for (tuple, about) in closure.tuples.iter().enumerate() {
            // Between two commands nobody is inside a section.
            if about.busy || about.initialising {
                continue;
            }
            for (at, &thread) in members(&about.threads).iter().enumerate() {
                let location = closure.threads[thread].control;
                self.listed.entry(location).or_default().push(Member { tuple, at });
            }
        }
    }

    /// What holds of a thread that stands here.
    pub fn single(&self, aig: &mut Aig, at: ControlId, seen: &Seen, budget: &Budget) -> Result<Lit, Stop> {
        self.formula(aig, &[(at, seen)], budget)
    }

    /// What holds of two different threads that stand here.
    pub fn double(
        &self,
        aig: &mut Aig,
        threads: [(ControlId, &Seen); 2],
        budget: &Budget,
    ) -> Result<Lit, Stop> {
        if self.width() > 1 {
            return self.formula(aig, &threads, budget);
        }
        let [first, second] = threads;
        let first = self.formula(aig, &[first], budget)?;
        let second = self.formula(aig, &[second], budget)?;
        Ok(aig.and(first, second))
    }

    fn width(&self) -> u32 {
        match self.certificate.map(|it| &it.body) {
            Some(Body::Closure(closure)) => closure.width,
            Some(Body::ClassClosure(closure)) => closure.width,
            _ => 0,
        }
    }

    fn formula(&self, aig: &mut Aig, threads: &[(ControlId, &Seen)], budget: &Budget) -> Result<Lit, Stop> {
        let Some(certificate) = self.certificate else { return Ok(Lit::TRUE) };
        let mut standing = vec![];
        for &(control, seen) in threads {
            // The certificate has every control location where a thread can stand.
            let Some(&location) = self.stands.get(&control) else { return Ok(Lit::FALSE) };
            standing.push((location, seen));
        }
        let reading = CertificateReading { built: self.built, view: &certificate.view };
        match &certificate.body {
            Body::Closure(closure) => self.of_tuples(aig, &reading, closure, &standing, budget),
            Body::ClassClosure(closure) => of_classes(aig, &reading, closure, &standing, budget),
            _ => Ok(Lit::TRUE),
        }
    }

    /// The tuples that have these threads.
    fn of_tuples(
        &self,
        aig: &mut Aig,
        reading: &CertificateReading<'_>,
        closure: &Closure,
        threads: &[(usize, &Seen)],
        budget: &Budget,
    ) -> Result<Lit, Stop> {
        let none = vec![];
        let first = self.listed.get(&threads[0].0).unwrap_or(&none);
        let mut cubes = vec![];
        for member in first {
            budget.spend(1)?;
            let tuple = &closure.tuples[member.tuple];
            let shared = reading.shared(threads[0].1, &tuple.shared);
            let members = members(&tuple.threads);
            let own = reading.own(threads[0].1, &closure.threads[members[member.at]]);
            let Some(&(location, seen)) = threads.get(1) else {
                cubes.push(shared.chain(own).collect());
                continue;
            };
            let base: Vec<Lit> = shared.chain(own).collect();
            let partners = members.iter().enumerate().filter(|&(at, _)| at != member.at);
            for (_, &thread) in partners.filter(|&(_, &it)| closure.threads[it].control == location) {
                let other = reading.own(seen, &closure.threads[thread]);
                cubes.push(base.iter().copied().chain(other).collect());
            }
        }
        cubes.sort_unstable();
        cubes.dedup();
        let cubes: Vec<Lit> = cubes.into_iter().map(|it: Vec<Lit>| aig.and_all(it)).collect();
        Ok(aig.or_all(cubes))
    }
}

/// The threads of a tuple, each as often as it is there.
fn members(threads: &[(usize, u32)]) -> Vec<usize> {
    threads.iter().flat_map(|&(thread, count)| (0..count).map(move |_| thread)).collect()
}

/// What the values of a certificate mean.
struct CertificateReading<'a> {
    built: &'a Built,
    view: &'a View,
}

impl CertificateReading<'_> {
    fn shared_lit(&self, seen: &Seen, variable: SharedId) -> Option<Lit> {
        seen[*self.built.shared.get(&variable)?]
    }

    fn own_lit(&self, seen: &Seen, variable: LocalId) -> Option<Lit> {
        seen[*self.built.local.get(&variable)?]
    }

    fn shared<'b>(&'b self, seen: &'b Seen, values: &'b [bool]) -> impl Iterator<Item = Lit> + 'b {
        let variables = self.view.shared.iter().zip(values);
        variables.filter_map(|(&it, &value)| Some(self.shared_lit(seen, it)?.negate_if(!value)))
    }

    fn own<'b>(&'b self, seen: &'b Seen, thread: &'b ThreadView) -> impl Iterator<Item = Lit> + 'b {
        let kept = self.view.controls[thread.control].kept.iter().zip(&thread.values);
        kept.filter_map(|(it, &value)| Some(self.own_lit(seen, it.local)?.negate_if(!value)))
    }
}

/// The formulas of the tuples of classes that have these threads, no matter who else is in them.
fn of_classes(
    aig: &mut Aig,
    reading: &CertificateReading<'_>,
    closure: &ClassClosure,
    threads: &[(usize, &Seen)],
    budget: &Budget,
) -> Result<Lit, Stop> {
    let mut found = vec![];
    for tuple in closure.tuples.iter().filter(|it| !it.busy && !it.initialising) {
        let classes = members(&tuple.classes);
        let holds = |class: usize, location: usize| closure.classes[class].contains(&location);
        for first in (0..classes.len()).filter(|&it| holds(classes[it], threads[0].0)) {
            let others: Vec<Option<usize>> = match threads.get(1) {
                Some(&(location, _)) => (0..classes.len())
                    .filter(|&it| it != first && holds(classes[it], location))
                    .map(Some)
                    .collect(),
                None => vec![None],
            };
            for second in others {
                let positions: Vec<usize> = [first].into_iter().chain(second).collect();
                let inputs = inputs(reading, &positions, threads);
                found.push(embedded(aig, &closure.graph, tuple.formula, &inputs, budget)?);
            }
        }
    }
    Ok(aig.or_all(found))
}

/// Which formula an input of a tuple is, for the threads in these positions.
fn inputs(
    reading: &CertificateReading<'_>,
    positions: &[usize],
    threads: &[(usize, &Seen)],
) -> FxHashMap<u32, Lit> {
    let mut inputs = FxHashMap::default();
    for (number, &variable) in reading.view.shared.iter().enumerate() {
        if let (Some(lit), Ok(number)) = (reading.shared_lit(threads[0].1, variable), u32::try_from(number)) {
            inputs.insert(number, lit);
        }
    }
    for (&position, &(location, seen)) in positions.iter().zip(threads) {
        for (index, kept) in reading.view.controls[location].kept.iter().enumerate() {
            if let (Some(lit), Some(number)) =
                (reading.own_lit(seen, kept.local), reading.view.input(position, index))
            {
                inputs.insert(number, lit);
            }
        }
    }
    inputs
}

/// A formula of a certificate over these formulas for its inputs; the others are inputs of their own.
fn embedded(
    aig: &mut Aig,
    graph: &Graph,
    root: NodeId,
    inputs: &FxHashMap<u32, Lit>,
    budget: &Budget,
) -> Result<Lit, Stop> {
    let mut lits: FxHashMap<NodeId, Lit> = FxHashMap::default();
    let lit = |lits: &FxHashMap<NodeId, Lit>, id: NodeId| match graph.node(id) {
        Node::Constant(value) => Lit::constant(value),
        _ => lits[&id],
    };
    for id in graph.below([root]) {
        budget.spend(1)?;
        let made = match graph.node(id) {
            Node::Constant(value) => Lit::constant(value),
            Node::Input(number) => inputs.get(&number).copied().unwrap_or_else(|| {
                let input = aig.new_input();
                aig.input(input)
            }),
            Node::Ite { test, then, other } => {
                let [test, then, other] = [test, then, other].map(|it| lit(&lits, it));
                aig.ite(test, then, other)
            }
        };
        lits.insert(id, made);
    }
    Ok(if root.index() < 2 { lit(&lits, root) } else { lits[&root] })
}
