//! The closure as a certificate: explicit states, activation by activation. What an activation remembers of
//! its entry becomes a number, the record, and a state at a call names the records that its call may enter
//! with.
//!
//! The slot for messages is the engine's own and is shown empty. Nothing is lost: a creator may always leave
//! no message, and then everybody, step by step, does the same with an empty slot. Fixed threads that sleep
//! are different: how many do tells threads apart that the certificate cannot, so that there is none where
//! they are counted; see [`super::model::Model::relaxed`].

use super::equations::{Equations, Kind};
use super::model::Bit;
use super::shown::{Shown, keeps};
use crate::certificate::Proof;
use crate::fixpoint::Calculus;
use base::{Id, Stop};
use ir::bp::{ExprId, Loc, LocalId, Op, ProcId, Var};
use ir::certificate::{Bits, Body, Summaries, SummaryState, Who};
use solve::bdd::{Bdd, Level};
use std::collections::{BTreeMap, BTreeSet};

/// What an activation remembers: the values that its arguments, the thread's locals, the section and the
/// shared variables had.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    who: Who,
    procedure: ProcId,
    /// Parameters, then the thread's locals.
    locals: Bits,
    inside: bool,
    shared: Bits,
}

/// A state before records have numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct UnnumberedState {
    who: Who,
    loc: Loc,
    record: Option<Record>,
    busy: bool,
    inside: bool,
    shared: Bits,
    /// By local; those out of scope are 0.
    locals: Bits,
}

/// Collects states up to a number.
pub struct Collector<'e, 'p, 'b> {
    equations: &'e Equations<'p, 'b>,
    states: BTreeSet<UnnumberedState>,
    most: usize,
}

/// Where a set of states comes from.
#[derive(Clone, Copy)]
pub struct SummarySource {
    /// Whose they are.
    pub kind: Kind,
    /// Whether their activation was called.
    pub called: bool,
    /// Where they stand.
    pub loc: Loc,
}

impl<'e, 'p, 'b> Collector<'e, 'p, 'b> {
    /// Nothing yet; `None` if there is no such certificate for the program.
    pub fn new(equations: &'e Equations<'p, 'b>, most: usize) -> Option<Self> {
        let sleeping = !equations.model.late.is_empty();
        (!sleeping).then_some(Collector { equations, states: BTreeSet::new(), most })
    }

    /// Adds a set; `busy` says where "somebody is inside" is, or that only the thread itself can be. Says
    /// whether they fit.
    pub fn add(
        &mut self,
        calculus: &mut Calculus<'_>,
        position: SummarySource,
        set: Bdd,
        busy: Option<Level>,
    ) -> Result<bool, Stop> {
        let (model, space) = (&self.equations.model, &self.equations.space);
        let program = model.program;
        let procedure = program.at(position.loc).procedure;
        let locals: Vec<LocalId> = model.frame(procedure).into_iter().chain(model.thread_locals()).collect();
        let own: Vec<LocalId> = locals.into_iter().filter(|&it| keeps(program, position.loc, it)).collect();
        let recorded: Vec<Level> = if position.called {
            self.equations.record_of(procedure, 1).iter().map(|copies| copies.entry).collect()
        } else {
            vec![]
        };
        let entry = if position.called { self.shared(space.entry) } else { vec![] };
        let now = self.shared(space.v[0]);
        let parts: [Vec<Level>; 5] = [
            own.iter().map(|&it| space.of(it).now).collect(),
            // One level twice would be two values where the set allows both.
            [space.inside.now].into_iter().chain(busy).collect(),
            now,
            recorded,
            entry,
        ];
        let empty = self.empty_slot(calculus, position.called)?;
        let set = calculus.and(set, empty)?;
        let left = self.most - self.states.len();
        let Some(rows) = calculus.rows(set, &parts.concat(), left)? else { return Ok(false) };
        let who = who(position.kind);
        for row in rows {
            let mut rest = &row[..];
            let [values, flags, shared, mut recorded, entry] = parts.each_ref().map(|part| {
                let (front, back) = rest.split_at(part.len());
                rest = back;
                front.to_vec()
            });
            let record = recorded.pop().map(|inside| Record {
                who,
                procedure,
                locals: recorded,
                inside,
                shared: entry,
            });
            let mut locals = vec![false; program.locals().len()];
            own.iter().zip(values).for_each(|(&local, value)| locals[local.index()] = value);
            let (inside, busy) = (flags[0], flags.get(1).copied().unwrap_or(flags[0]));
            self.states.insert(UnnumberedState {
                who,
                loc: position.loc,
                record,
                busy,
                inside,
                shared,
                locals,
            });
        }
        Ok(true)
    }

    /// The program's own bits of a column, in the order of its shared variables.
    fn shared(&self, column: crate::fixpoint::Column) -> Vec<Level> {
        let Equations { model, space, .. } = self.equations;
        model.program.shared().ids().map(|id| space.bit(column, model.bit(Bit::Shared(id)))).collect()
    }

    fn empty_slot(&self, calculus: &mut Calculus<'_>, called: bool) -> Result<Bdd, Stop> {
        let Equations { model, space, .. } = self.equations;
        let mut empty = vec![];
        for (index, bit) in model.bits.iter().enumerate() {
            if matches!(bit, Bit::Message(_)) {
                empty.push((space.bit(space.v[0], index), false));
                empty.extend(called.then(|| (space.bit(space.entry, index), false)));
            }
        }
        calculus.manager.cube(&empty)
    }

    /// The certificate.
    pub fn finish(self) -> Result<Proof, Stop> {
        let program = self.equations.model.program;
        let budget = self.equations.system.calculus.budget;
        let records: BTreeSet<&Record> = self.states.iter().filter_map(|it| it.record.as_ref()).collect();
        let records: BTreeMap<&Record, u32> = records.into_iter().zip(0..).collect();
        let mut shown = Shown::new(program);
        let mut listed = vec![];
        for state in &self.states {
            budget.spend(1)?;
            let thread = shown.thread(state.loc, state.inside, &state.locals);
            let calls = self.calls(state, &records);
            let record = state.record.as_ref().map(|record| records[record]);
            let (who, busy, shared) = (state.who, state.busy, state.shared.clone());
            listed.push(SummaryState { who, record, busy, shared, thread, calls });
        }
        let (view, threads) = shown.finish();
        Ok(Proof { view, body: Body::Summaries(Summaries { threads, states: listed }) })
    }

    /// The records that a state at a call may enter with.
    fn calls(&self, state: &UnnumberedState, records: &BTreeMap<&Record, u32>) -> Vec<u32> {
        let model = &self.equations.model;
        let Op::Call { procedure, args, .. } = &model.program.at(state.loc).op else { return vec![] };
        let value = |e: ExprId| {
            model.program.exprs().values(e, |read| {
                ir::bp::Values::only(match read.var {
                    Var::Local(id) => state.locals[id.index()],
                    Var::Shared(id) => state.shared[id.index()],
                })
            })
        };
        let mut rows: Vec<Bits> = vec![vec![]];
        for &arg in args {
            let possible = value(arg);
            let longer = |row: Bits| possible.iter().map(move |it| [&row[..], &[it]].concat());
            rows = rows.into_iter().flat_map(longer).collect();
        }
        let thread: Bits = model.thread_locals().iter().map(|&it| state.locals[it.index()]).collect();
        let record = |row: Bits| Record {
            who: state.who,
            procedure: *procedure,
            locals: [row, thread.clone()].concat(),
            inside: state.inside,
            shared: state.shared.clone(),
        };
        rows.into_iter().filter_map(|row| records.get(&record(row)).copied()).collect()
    }
}

fn who(kind: Kind) -> Who {
    match kind {
        Kind::Init => Who::Init,
        Kind::First => Who::First,
        Kind::Other => Who::Other,
    }
}
