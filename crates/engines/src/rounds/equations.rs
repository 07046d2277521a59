//! The fixed-point system of linear interfaces (La Torre, Madhusudan and Parlato, CAV 2010, section 4), as
//! repaired: a turn ends outside atomic sections. It is stratified by rounds, so that the relations of round
//! i are added when those below are complete.
//!
//! In the rules below u, v, w are tuples of shared states; a *path* is the paper's TLI with the program
//! counter explicit and, for procedures that are called, a record of how the current activation was entered.
//! `First` is the distinguished first thread; where there is none, every thread may be the first, and the
//! clauses marked `symmetric` stand in for it.

use super::calls::{Call, calls};
use super::model::{Bit, Model};
use super::moves::{Move, Moves, Position, Reader};
use super::space::RoundSpace;
use crate::fixpoint::{Atom, Calculus, Column, HornRule, RelationId, RuleId, System};
use base::{Budget, Stop};
use ir::bp::{Loc, LocalId, Op, ProcId};
use solve::bdd::Bdd;
use std::collections::{BTreeMap, BTreeSet};

/// Which threads a relation is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The one that runs `init`.
    Init,
    /// The distinguished first thread.
    First,
    /// All others.
    Other,
}

/// Paths of a kind of thread that stand at a position in a round; the current activation was entered in round
/// `entered`, 0 for the activation that the thread began with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PathKey {
    /// Whose.
    pub kind: Kind,
    /// When the current activation was entered.
    pub entered: usize,
    pub round: usize,
    /// Where the thread stands.
    pub position: Position,
}

/// What a rule stands for in a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The thread begins here; another thread's output or the start gives the shared state.
    Begin,
    /// A move, by its index.
    Move(usize),
    /// A call is entered.
    Enter(usize),
    /// A call, by its index, returns from its return, by its index.
    Leave(usize, usize),
    /// The next round begins.
    Resume,
    /// Anything else: no step of a thread.
    Other,
}

/// The system and what is needed to read it.
pub struct Equations<'p, 'b> {
    /// The program.
    pub model: Model<'p>,
    /// The columns.
    pub space: RoundSpace,
    /// The relations and rules.
    pub system: System<'b>,
    /// The steps.
    pub moves: Vec<Move>,
    pub calls: Vec<Call>,
    pub paths: BTreeMap<PathKey, RelationId>,
    /// Which paths a relation holds.
    pub keys: BTreeMap<RelationId, PathKey>,
    /// What the rules stand for.
    pub meanings: BTreeMap<RuleId, Meaning>,
    /// The shared states after `init`.
    pub initial: RelationId,
    /// Whether an error was found.
    pub error: RelationId,
    /// By kind and round: u, v of turns that end outside sections (TLI without the local state).
    pub out: BTreeMap<(Kind, usize), RelationId>,
    /// By round: WRLI.
    pub want: Vec<RelationId>,
    /// By round: RLI.
    pub right: Vec<RelationId>,
    /// Where a thread at a location is in error.
    pub failing: BTreeMap<Loc, Bdd>,
    /// The procedures that each kind of thread may be in.
    pub procedures: BTreeMap<Kind, BTreeSet<ProcId>>,
    /// Whether paths know the inputs of their rounds.
    pub inputs: bool,
    rounds: usize,
}

impl<'p, 'b> Equations<'p, 'b> {
    /// The system before the first round, for up to `most` rounds and `nodes` nodes.
    pub fn new(model: Model<'p>, most: usize, nodes: usize, budget: &'b Budget) -> Result<Self, Stop> {
        Self::with_inputs(model, most, nodes, budget, true)
    }

    /// A system for one round only, in which paths forget what they started from: enough to find errors, and
    /// much smaller.
    pub fn scout(model: Model<'p>, nodes: usize, budget: &'b Budget) -> Result<Self, Stop> {
        Self::with_inputs(model, 1, nodes, budget, false)
    }

    fn with_inputs(
        model: Model<'p>,
        most: usize,
        nodes: usize,
        budget: &'b Budget,
        inputs: bool,
    ) -> Result<Self, Stop> {
        let space = RoundSpace::new(&model, most);
        let mut calculus = Calculus::new(nodes, budget);
        let mut maker = Moves { model: &model, space: &space, calculus: &mut calculus };
        let moves = maker.all()?;
        let calls = calls(&mut maker)?;
        let failing = failing(&mut maker)?;
        let mut system = System::new(calculus);
        let initial = system.relation(space.layout.levels(space.v[0]).to_vec(), 1);
        let error = system.relation(vec![], 0);
        let procedures = reachable(&model);
        let (paths, meanings, out) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut equations = Self {
            model,
            space,
            system,
            moves,
            calls,
            paths,
            keys: BTreeMap::new(),
            meanings,
            initial,
            error,
            out,
            want: vec![],
            right: vec![],
            failing,
            procedures,
            inputs,
            rounds: 0,
        };
        equations.start()?;
        Ok(equations)
    }

    /// Adds one more round and computes its relations; says whether there is an error in it.
    pub fn next_round(&mut self) -> Result<bool, Stop> {
        self.rounds += 1;
        let round = self.rounds;
        let (ins, outs) = (self.space.u[..round].to_vec(), self.space.v[..round].to_vec());
        let levels = |columns: &[&[Column]]| self.space.levels(&columns.concat());
        let both = if self.inputs { levels(&[&ins, &outs]) } else { levels(&[&outs]) };
        let wanted = levels(&[&ins, &outs[..round - 1]]);
        let urgency = |step: u32| urgency(round, step);
        for kind in [Kind::First, Kind::Other] {
            let out = self.system.relation(both.clone(), urgency(1));
            self.out.insert((kind, round), out);
        }
        self.want.push(self.system.relation(wanted, urgency(2)));
        self.right.push(self.system.relation(both, urgency(3)));
        if round == 1 {
            self.begin()?;
        }
        for kind in self.kinds() {
            self.local_steps(kind, round)?;
        }
        if round > 1 {
            self.wants(round)?;
            self.resume(round)?;
        }
        if self.inputs {
            self.rights(round)?;
        }
        self.system.run(self.error)
    }

    /// The rounds computed so far.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// Whether every thread may be the first.
    pub fn symmetric(&self) -> bool {
        self.model.first.is_none()
    }

    /// Whether no thread calls a procedure; `init` may.
    pub fn threads_are_flat(&self) -> bool {
        let calls = |kind: &Kind, call: &Call| {
            *kind != Kind::Init && self.procedures[kind].contains(&self.model.program.at(call.loc).procedure)
        };
        !self.calls.iter().any(|call| self.procedures.keys().any(|kind| calls(kind, call)))
    }

    /// The kinds of threads, `init` apart.
    pub fn kinds(&self) -> Vec<Kind> {
        self.procedures.keys().copied().filter(|&kind| kind != Kind::Init).collect()
    }

    /// Adds a rule with its meaning.
    pub fn add(
        &mut self,
        meaning: Meaning,
        head: RelationId,
        body: Vec<Atom>,
        with: Bdd,
    ) -> Result<(), Stop> {
        let rule = self.system.rule(HornRule { head, body, with })?;
        self.meanings.insert(rule, meaning);
        Ok(())
    }

    // ---- the start
    // -------------------------------------------------------------------------------------------------

    /// initial(v1): as declared, or as `init` may leave it.
    fn start(&mut self) -> Result<(), Stop> {
        let declared = self.declared()?;
        let Some(init) = self.model.program.start().init else {
            return self.add(Meaning::Begin, self.initial, vec![], declared);
        };
        let entry = self.model.program.procedures()[init].entry;
        let fresh = self.fresh(init)?;
        let with = self.system.calculus.and(declared, fresh)?;
        let head =
            self.path(PathKey { kind: Kind::Init, entered: 0, round: 1, position: Position::At(entry) });
        self.add(Meaning::Begin, head, vec![], with)?;
        self.local_steps(Kind::Init, 1)?;
        let ended = self.path(PathKey { kind: Kind::Init, entered: 0, round: 1, position: Position::Ended });
        self.add(Meaning::Other, self.initial, vec![plain(ended)], Bdd::TRUE)
    }

    fn declared(&mut self) -> Result<Bdd, Stop> {
        let program = self.model.program;
        let mut fixed = vec![];
        for (index, &bit) in self.model.bits.iter().enumerate() {
            let value = match bit {
                Bit::Shared(id) => match program.shared()[id].init {
                    ir::bp::Init::Fixed(value) => Some(value),
                    ir::bp::Init::Any => None,
                },
                Bit::Sleeping(late, bit) => Some(self.model.late[late].count >> bit & 1 == 1),
                Bit::Message(_) | Bit::Passed(_) => Some(false),
            };
            fixed.extend(value.map(|value| (self.space.bit(self.space.v[0], index), value)));
        }
        self.system.calculus.manager.cube(&fixed)
    }

    fn fresh(&mut self, procedure: ProcId) -> Result<Bdd, Stop> {
        let Self { model, space, system, .. } = self;
        Moves { model, space, calculus: &mut system.calculus }.fresh(procedure)
    }

    /// (1.1) path(1, σ, u, v) ← LocInit(σ), u1 = v1, initial(u1) or some thread's output of round 1 is u1.
    fn begin(&mut self) -> Result<(), Stop> {
        let (u, v, w) = (self.space.u[0], self.space.v[0], self.space.w[0]);
        let same =
            if self.inputs { self.system.calculus.equal(&self.space.layout.pairs(u, v))? } else { Bdd::TRUE };
        let from_start = plain(self.initial);
        let after =
            |it: &Self, kind| Atom { relation: it.out[&(kind, 1)], renamed: it.space.layout.pairs(u, w) };
        let mut begins: Vec<(Kind, Option<ProcId>)> =
            self.model.unbounded.iter().map(|&it| (Kind::Other, Some(it))).collect();
        begins.extend(self.model.has_dormant().then_some((Kind::Other, None)));
        begins.extend(self.model.first.map(|it| (Kind::First, Some(it))));
        for (kind, procedure) in begins {
            let (position, fresh) = match procedure {
                Some(it) => (Position::At(self.model.program.procedures()[it].entry), self.fresh(it)?),
                None => (Position::Dormant, Bdd::TRUE),
            };
            let with = self.system.calculus.and(same, fresh)?;
            let head = self.path(PathKey { kind, entered: 0, round: 1, position });
            if kind == Kind::First || self.symmetric() {
                self.add(Meaning::Begin, head, vec![from_start.clone()], with)?;
            }
            if kind == Kind::Other {
                for left in [Kind::First, Kind::Other] {
                    self.add(Meaning::Begin, head, vec![after(self, left)], with)?;
                }
            }
        }
        Ok(())
    }
}

/// Rounds come one after the other; in a round first the paths, then what is made of them.
pub fn urgency(round: usize, step: u32) -> u32 {
    u32::try_from(round).expect("rounds are few") * 8 + step
}

/// The relation as it is.
pub fn plain(relation: RelationId) -> Atom {
    Atom { relation, renamed: vec![] }
}

/// Where a thread at a location is in error, over its local state and the shared state of round 1.
pub fn failing(maker: &mut Moves<'_, '_, '_>) -> Result<BTreeMap<Loc, Bdd>, Stop> {
    let (program, space) = (maker.model.program, maker.space);
    let local = |id: LocalId| space.of(id).now;
    let shared = |bit: usize| space.bit(space.v[0], bit);
    let now = Reader { local: &local, shared: &shared };
    let mut failing = BTreeMap::new();
    for (loc, location) in program.locations().enumerate() {
        let fails = match location.op {
            _ if location.error => Bdd::TRUE,
            Op::Assert(e) => {
                let (zero, enforced) = (maker.truth(e, &now)?.zero, maker.enforced(loc, &now)?);
                maker.calculus.and(zero, enforced)?
            }
            _ => continue,
        };
        failing.insert(loc, maker.calculus.manager.protect(fails));
    }
    Ok(failing)
}

/// The procedures that each kind of thread may be in.
fn reachable(model: &Model<'_>) -> BTreeMap<Kind, BTreeSet<ProcId>> {
    let program = model.program;
    let close = |roots: Vec<ProcId>| {
        let mut seen = BTreeSet::new();
        let mut work = roots;
        while let Some(procedure) = work.pop() {
            if seen.insert(procedure) {
                let callees = program.locations_of(procedure).filter_map(|loc| match program.at(loc).op {
                    Op::Call { procedure, .. } => Some(procedure),
                    _ => None,
                });
                work.extend(callees);
            }
        }
        seen
    };
    let children = model.messages.iter().map(|it| program.at(it.child).procedure);
    let others =
        model.unbounded.iter().copied().chain(model.late.iter().map(|it| it.procedure)).chain(children);
    let mut all = BTreeMap::new();
    all.extend(program.start().init.map(|init| (Kind::Init, close(vec![init]))));
    all.extend(model.first.map(|first| (Kind::First, close(vec![first]))));
    if model.has_others() {
        all.insert(Kind::Other, close(others.collect()));
    }
    all
}
