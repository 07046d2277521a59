//! Summaries of activations: every start is in the set; every step, call and return of a thread leads back
//! into it, whatever other threads of the set do to the shared variables meanwhile; nothing in it fails.
//!
//! Why that is a proof. In every state of every run, each thread is a chain of activations: the first has no
//! record, every other one runs under a record that the state of its caller, as it was when it called, names.
//! The set holds the newest activation with the shared variables of now, and each caller with those of its
//! call. A step of a thread keeps this for the thread: a call adds a link, a return joins the callee with a
//! state that named its record. It keeps it for the others as well: they stand outside sections, or the
//! thread could not have stepped; they own none of its locks; there is one first thread. So no run leaves the
//! set.

mod effects;

use base::{Budget, Id};
use check::describe::location;
use check::enumerate::Valuations;
use check::index::{CertificateIndex, SharedNo, ThreadNo};
use check::interpret::start_values;
use check::step::{Moves, Stepper, newborns};
use check::thread::{AbstractThread, ThreadState, slot};
use check::view_index::ViewIndex;
use check::{Refused, reject, within};
use effects::Effects;
use ir::Scope;
use ir::bp::{Count, ExprId, LocalScope, Op, ProcId, Values};
use ir::certificate::{Summaries, SummaryState, Who};
use std::collections::{HashMap, HashSet};

/// Checks the summaries; they prove everything or nothing.
pub fn check(view: ViewIndex<'_>, summaries: &Summaries, budget: &Budget) -> Result<Scope, Refused> {
    let program = view.program;
    let mut certificate = CertificateIndex::new(view, &summaries.threads, budget)?;
    for (index, state) in summaries.states.iter().enumerate() {
        budget.spend(1)?;
        let read =
            certificate.add_valuation(&state.shared).and_then(|_| certificate.multiset(&[(state.thread, 1)]));
        read.map_err(|why| within(&format!("state {index}"), why))?;
    }
    let mut checker = SummaryChecker {
        stepper: Stepper { certificate: &certificate, budget },
        known: HashSet::new(),
        returns: HashMap::new(),
        effects: Effects::default(),
    };
    let keys: Vec<StateKey> = summaries.states.iter().map(|it| checker.read(it)).collect();
    checker.starts().map_err(|it| within("at the start", it))?;
    for (index, (state, &key)) in summaries.states.iter().zip(&keys).enumerate() {
        checker.state(state, key).map_err(|it| {
            let loc = certificate.loc(key.thread as usize);
            within(&format!("state {index}, {}", location(program, loc)), it)
        })?;
    }
    for (index, &key) in keys.iter().enumerate() {
        checker
            .disturbed(key)
            .map_err(|it| within(&format!("state {index}, disturbed by another thread"), it))?;
    }
    Ok(Scope::ANY)
}

/// A state by numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct StateKey {
    who: Who,
    record: Option<u32>,
    busy: bool,
    shared: SharedNo,
    thread: ThreadNo,
}

struct SummaryChecker<'c> {
    stepper: Stepper<'c>,
    known: HashSet<StateKey>,
    /// The states that return to the caller under the record.
    returns: HashMap<(Who, u32), Vec<StateKey>>,
    effects: Effects,
}

impl SummaryChecker<'_> {
    fn read(&mut self, state: &SummaryState) -> StateKey {
        let certificate = self.stepper.certificate;
        let shared = certificate.shared_number(&state.shared).expect("all valuations have numbers");
        let (who, record, busy) = (state.who, state.record, state.busy);
        let key = StateKey { who, record, busy, shared, thread: state.thread as ThreadNo };
        let ends = matches!(certificate.program.at(certificate.loc(state.thread)).op, Op::Return(_));
        let new = self.known.insert(key);
        if let Some(record) =
            record.filter(|_| new && ends && certificate.abstract_thread(key.thread).depth() == 0)
        {
            self.returns.entry((who, record)).or_default().push(key);
        }
        key
    }

    fn require(&self, key: StateKey) -> Result<(), Refused> {
        self.stepper.budget.spend(1)?;
        if self.known.contains(&key) {
            return Ok(());
        }
        let StateKey { who, record, busy, shared, thread } = key;
        let values = check::describe::bits(self.stepper.certificate.shared_values_kept(shared));
        let record = record.map_or_else(|| "no record".to_string(), |it| format!("record {it}"));
        let busy = if busy { ", somebody inside a section" } else { "" };
        Ok(reject(format!("thread {thread} of {who:?} with shared {values} and {record}{busy} is missing"))?)
    }

    // ---- the start
    // -------------------------------------------------------------------------------------------------

    fn starts(&mut self) -> Result<(), Refused> {
        let (certificate, budget) = (self.stepper.certificate, self.stepper.budget);
        if certificate.program.start().is_empty() {
            return Ok(());
        }
        let values =
            certificate.view().shared.iter().map(|&id| start_values(certificate.program.shared()[id].init));
        let mut valuations = Valuations::new(values.collect());
        while let Some(valuation) = valuations.current() {
            budget.spend(1)?;
            let Some(shared) = certificate.shared_number(valuation) else {
                return Ok(reject("a start has shared values that no state has")?);
            };
            match certificate.program.start().init {
                Some(init) => self.begins(Who::Init, init, shared)?,
                None => self.threads_begin(shared)?,
            }
            valuations.advance();
        }
        Ok(())
    }

    /// The templates' threads are there.
    fn threads_begin(&self, shared: SharedNo) -> Result<(), Refused> {
        let mut first = true;
        for template in &self.stepper.certificate.program.start().templates {
            let fixed = match template.count {
                Count::Exactly(n) => Some(n),
                Count::AtLeast(_) => None,
            };
            if first && fixed.is_some_and(|n| n > 0) {
                first = false;
                self.begins(Who::First, template.procedure, shared)?;
                if fixed == Some(1) {
                    continue;
                }
            }
            if fixed != Some(0) {
                self.begins(Who::Other, template.procedure, shared)?;
            }
        }
        Ok(())
    }

    fn begins(&self, who: Who, procedure: ProcId, shared: SharedNo) -> Result<(), Refused> {
        for thread in newborns(self.stepper.certificate, procedure, self.stepper.budget)?? {
            self.require(StateKey { who, record: None, busy: false, shared, thread })?;
        }
        Ok(())
    }

    // ---- what a thread does
    // ----------------------------------------------------------------------------------------

    fn state(&mut self, state: &SummaryState, key: StateKey) -> Result<(), Refused> {
        let certificate = self.stepper.certificate;
        let location = certificate.program.at(certificate.loc(key.thread as usize));
        self.stepper.budget.spend(1)?;
        if location.error {
            return Ok(reject("it is at an error label")?);
        }
        if key.busy && !certificate.inside(key.thread as usize) {
            return Ok(());
        }
        let thread_state = self.stepper.thread_state(key.shared, key.thread);
        match &location.op {
            Op::Call { procedure, args, .. } => {
                // The certificate may also follow the callee in the same activation, as an inlined program
                // does.
                let deeper = self.stepper.interpreter().called(&thread_state, *procedure, args)?;
                if certificate.kept(&deeper.me).is_none() {
                    let entered = self.entered(&thread_state, *procedure, args)?;
                    return self.call(state, key, &thread_state, &entered);
                }
            }
            Op::Return(_) if key.record.is_some() && thread_state.me.depth() == 0 => return Ok(()),
            _ => {}
        }
        self.step(key)
    }

    fn step(&mut self, key: StateKey) -> Result<(), Refused> {
        let moves = self.stepper.moves(key.shared, key.thread)?;
        match &moves {
            Moves::Go(landings) => self.go(key, landings),
            Moves::Start { .. } if key.who == Who::Init => Ok(reject("`init` starts a thread")?),
            Moves::Start { me, children } => {
                self.go(key, me)?;
                for &(shared, thread) in me {
                    let busy = self.stepper.certificate.inside(thread as usize);
                    for child in children {
                        let thread = child.clone()?;
                        self.require(StateKey { who: Who::Other, record: None, busy, shared, thread })?;
                    }
                }
                Ok(())
            }
            Moves::End if key.who == Who::Init => self.threads_begin(key.shared),
            Moves::End => {
                self.effects.add(&self.stepper, key, (key.shared, false));
                Ok(())
            }
            Moves::Broadcast(_) => Ok(reject("it changes or asks other threads, which no summary shows")?),
        }
    }

    /// The thread goes on in any one of these ways.
    fn go(&mut self, key: StateKey, landings: &[(SharedNo, ThreadNo)]) -> Result<(), Refused> {
        for &(shared, thread) in landings {
            let busy = self.stepper.certificate.inside(thread as usize);
            self.require(StateKey { busy, shared, thread, ..key })?;
            self.effects.add(&self.stepper, key, (shared, busy));
        }
        Ok(())
    }

    /// A call seen as an activation of its own: the callee's locals are fresh, those of the whole thread are
    /// kept.
    fn entered(
        &self,
        caller: &ThreadState,
        procedure: ProcId,
        args: &[ExprId],
    ) -> Result<ThreadState, Refused> {
        let (program, mut interpreter) = (self.stepper.certificate.program, self.stepper.interpreter());
        let mut values = vec![];
        for (local, it) in program.locals().enumerate() {
            values.push(match it.scope {
                LocalScope::Thread => caller.me.get(slot(program, 0, local)),
                LocalScope::Procedure(it) if it == procedure => {
                    interpreter.value_at_call(caller, procedure, args, local)?
                }
                LocalScope::Procedure(_) => Values::FALSE,
            });
        }
        let entry = program.procedures()[procedure].entry;
        let mut me = AbstractThread::newborn(program, entry, |local| values[local.index()]);
        me.inside = caller.me.inside;
        Ok(ThreadState { shared: caller.shared.clone(), me })
    }

    /// The callee begins under one of the records named, and after every return under one of them the caller
    /// goes on.
    fn call(
        &mut self,
        state: &SummaryState,
        key: StateKey,
        caller: &ThreadState,
        entered: &ThreadState,
    ) -> Result<(), Refused> {
        if !self.stepper.interpreter().enforced(caller.side())? {
            return Ok(());
        }
        for (shared, thread) in self.stepper.land(vec![entered.clone()])? {
            let under = |&record: &u32| StateKey { record: Some(record), shared, thread, ..key };
            self.stepper.budget.spend(state.calls.len() as u64)?;
            if !state.calls.iter().any(|record| self.known.contains(&under(record))) {
                return Ok(reject(format!("the callee, thread {thread}, has no record that is named"))?);
            }
        }
        for &record in &state.calls {
            for end in self.returns.get(&(key.who, record)).cloned().unwrap_or_default() {
                self.come_back(key, caller, end)?;
            }
        }
        Ok(())
    }

    fn come_back(&mut self, key: StateKey, caller: &ThreadState, end: StateKey) -> Result<(), Refused> {
        let certificate = self.stepper.certificate;
        let callee = self.stepper.thread_state(end.shared, end.thread);
        let location = certificate.program.at(callee.me.loc());
        let called = certificate.program.at(caller.me.loc());
        let Op::Return(given) = &location.op else { unreachable!("only returns are listed") };
        if !matches!(called.op, Op::Call { procedure, .. } if procedure == location.procedure) {
            return Ok(reject("a record that is named belongs to another procedure")?);
        }
        let may_step = !end.busy || callee.me.inside;
        if !may_step || !self.stepper.interpreter().enforced(callee.side())? {
            return Ok(());
        }
        let after = self.stepper.interpreter().resumed(caller.me.clone(), &callee, given)?;
        let after = after.into_iter().filter(|way| way.0).map(|way| way.1).collect();
        for (shared, thread) in self.stepper.land(after)? {
            let busy = certificate.inside(thread as usize);
            self.require(StateKey { busy, shared, thread, ..key })?;
            self.effects.add(&self.stepper, end, (shared, busy));
        }
        Ok(())
    }

    // ---- what others do
    // --------------------------------------------------------------------------------------------

    fn disturbed(&self, key: StateKey) -> Result<(), Refused> {
        if key.who == Who::Init || self.stepper.certificate.inside(key.thread as usize) {
            return Ok(());
        }
        for (shared, busy) in self.effects.on(&self.stepper, key)? {
            self.require(StateKey { shared, busy, ..key })?;
        }
        Ok(())
    }
}
