//! What one thread may do: an abstract interpreter of all statements. Its results depend on the shared variables and the thread
//! alone and are kept, so that a step that is possible in a thousand states is worked out once.

use super::chart::{Chart, Landing, SharedNo, ThreadNo, enforced};
use super::figure::{Figure, Side, slot, values, values_between};
use super::passive::Broadcast;
use crate::picks::Picks;
use crate::{Refused, Rejected, reject};
use base::{Budget, Id};
use ir::bp::{
    ExprId, Init, Loc, LocalId, LocalScope, Op, ProcId, Program, Read, Role, Spawn, Values, Var, When, Whose,
};

/// What a thread may do in some valuation of the shared variables.
pub enum Moves {
    /// Steps that change the thread and the shared variables, nothing else.
    Go(Vec<(SharedNo, ThreadNo)>),
    /// It ends.
    End,
    /// It creates a thread, any one of these, unless there are too many.
    Start {
        /// Where it goes on.
        me: Vec<(SharedNo, ThreadNo)>,
        /// What it creates.
        children: Vec<Result<ThreadNo, Rejected>>,
    },
    /// Steps that change the other threads or depend on them.
    Broadcast(Broadcast),
}

/// The shared variables and the active thread, before a step or after it.
#[derive(Clone)]
pub struct Scene {
    /// The shared variables.
    pub shared: Vec<Values>,
    /// The thread that steps.
    pub me: Figure,
}

impl Scene {
    /// What can be read.
    pub fn side(&self) -> Side<'_> {
        Side { shared: &self.shared, me: &self.me, passive: None }
    }

    fn write(&mut self, program: &Program, var: Var, value: Values) {
        match var {
            Var::Shared(id) => self.shared[id.index()] = value,
            Var::Local(local) => self.me.set(slot(program, self.me.depth(), local), value),
        }
    }
}

/// Works out what threads may do.
pub struct Stepper<'c> {
    pub chart: &'c Chart<'c>,
    pub budget: &'c Budget,
}

impl Stepper<'_> {
    fn program(&self) -> &Program {
        self.chart.program
    }

    /// The shared variables and a thread.
    pub fn scene(&self, shared: SharedNo, thread: ThreadNo) -> Scene {
        Scene { shared: self.chart.shared_values(shared), me: self.chart.figure(thread) }
    }

    /// Whether the thread stands at an error label, or may step and fail its assertion.
    pub fn is_error(&self, shared: SharedNo, thread: ThreadNo, may_step: bool) -> bool {
        let scene = self.scene(shared, thread);
        let location = self.program().at(scene.me.loc());
        let fails = match location.op {
            Op::Assert(e) => values(self.program(), e, scene.side()).may_be(false),
            _ => false,
        };
        location.error || may_step && fails && enforced(self.program(), scene.side())
    }

    /// All that the thread may do; rejected if that leads out of the certificate whatever the other threads are.
    pub fn moves(&self, shared: SharedNo, thread: ThreadNo) -> Result<Moves, Refused> {
        let scene = self.scene(shared, thread);
        if !enforced(self.program(), scene.side()) {
            return Ok(Moves::Go(vec![]));
        }
        let next = self.gone(&scene, self.program().at(scene.me.loc()).next);
        match &self.program().at(scene.me.loc()).op {
            Op::End => Ok(Moves::End),
            Op::Return(_) if scene.me.depth() == 0 => Ok(Moves::End),
            Op::Start(spawn) => {
                let mut child = self.child(&scene, spawn);
                child.settle(self.program());
                let children = self.chart.numbers(&child, self.budget)?;
                Ok(Moves::Start { me: self.land(vec![next])?, children })
            }
            Op::Assume(e) if self.program().exprs().mentions_passive(*e) => {
                Ok(Moves::Broadcast(Broadcast::new(self, scene, vec![next], &[], Some(*e))?))
            }
            Op::Assign { targets, broadcast, constrain } => {
                let value = |&(var, e)| (var, values(self.program(), e, scene.side()));
                let writes: Vec<_> = targets.iter().map(value).collect();
                let after = self.written(next, &writes, *constrain)?;
                self.assigned(scene, after, broadcast, *constrain)
            }
            op => Ok(Moves::Go(self.land(self.executed(&scene, next, op)?)?)),
        }
    }

    fn gone(&self, scene: &Scene, to: Loc) -> Scene {
        let mut after = scene.clone();
        after.me.go(to);
        after
    }

    /// The statements that change the thread and the shared variables alone; `next` is what a skip would lead to.
    fn executed(&self, scene: &Scene, mut next: Scene, op: &Op) -> Result<Vec<Scene>, Refused> {
        let may_be = |e: ExprId, value| values(self.program(), e, scene.side()).may_be(value);
        let blocked_unless = |holds: bool, next: Scene| if holds { vec![next] } else { vec![] };
        Ok(match op {
            Op::Assert(e) if may_be(*e, false) => return Ok(reject("the assertion may fail")?),
            Op::Goto(targets) => targets.iter().map(|&to| self.gone(scene, to)).collect(),
            Op::Branch { cond, target } => {
                let ways = [(true, self.gone(scene, *target)), (false, next)].into_iter();
                ways.filter(|(way, _)| may_be(*cond, *way)).map(|it| it.1).collect()
            }
            Op::Assume(e) => blocked_unless(may_be(*e, true), next),
            Op::Call { procedure, args, .. } => vec![self.called(scene, *procedure, args)],
            Op::Return(values) => self.returned(scene, values)?,
            Op::AtomicBegin | Op::AtomicEnd => {
                next.me.inside = *op == Op::AtomicBegin;
                vec![next]
            }
            Op::Lock(id) | Op::Unlock(id) => {
                let lock = &self.program().locks()[*id];
                let take = *op == Op::Lock(*id);
                let owner = slot(self.program(), scene.me.depth(), lock.owner);
                next.shared[lock.taken.index()] = Values::only(take);
                next.me.set(owner, Values::only(take));
                let free = scene.shared[lock.taken.index()].may_be(false);
                blocked_unless(if take { free } else { scene.me.get(owner).may_be(true) }, next)
            }
            Op::Skip | Op::Assert(_) | Op::Assign { .. } | Op::Start(_) | Op::End => vec![next],
        })
    }

    /// An assignment whose values are written: alone, or with what it does to the other threads and asks of them.
    fn assigned(
        &self,
        scene: Scene,
        after: Vec<Scene>,
        broadcast: &[(LocalId, ExprId)],
        constrain: Option<ExprId>,
    ) -> Result<Moves, Refused> {
        let (asked, own): (Option<ExprId>, Option<ExprId>) = match constrain {
            Some(e) if self.program().exprs().mentions_passive(e) => (Some(e), None),
            own => (None, own),
        };
        let after = self.constrained(&scene, after, own);
        if asked.is_none() && broadcast.is_empty() {
            return Ok(Moves::Go(self.land(after)?));
        }
        Ok(Moves::Broadcast(Broadcast::new(self, scene, after, broadcast, asked)?))
    }

    /// Where the thread is after a step, by number.
    pub fn land(&self, after: Vec<Scene>) -> Result<Vec<(SharedNo, ThreadNo)>, Refused> {
        let mut all: Vec<(SharedNo, ThreadNo)> = vec![];
        for scene in after {
            let landings = self.landings(&scene)?.into_iter().collect::<Result<Vec<_>, Rejected>>()?;
            all.extend(landings);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// Where the thread is after a step, by number where there is one.
    pub fn landings(&self, after: &Scene) -> Result<Vec<Landing>, Refused> {
        self.chart.land(&after.shared, &after.me, self.budget)
    }

    /// All ways to write the values. A variable whose new value `constrain` reads, or that opens and closes atomic sections, is
    /// given each of its values in turn; for the others a set will do.
    fn written(
        &self,
        scene: Scene,
        writes: &[(Var, Values)],
        constrain: Option<ExprId>,
    ) -> Result<Vec<Scene>, Refused> {
        let atomic = self.program().atomic_variable().map(Var::Shared);
        let read = constrain.map_or_else(Vec::new, |e| self.program().exprs().reads(e));
        let next = |var| Read { var, whose: Whose::Own, when: When::Next };
        let pinned = |var: Var| Some(var) == atomic || read.contains(&next(var));
        let mut scene = scene;
        writes.iter().for_each(|&(var, value)| scene.write(self.program(), var, value));
        let split: Vec<_> = writes.iter().filter(|write| pinned(write.0)).collect();
        let mut picks = Picks::new(split.iter().map(|write| write.1).collect());
        let mut all = vec![];
        while let Some(pick) = picks.current() {
            self.budget.spend(1)?;
            let mut after = scene.clone();
            for (&&(var, _), &value) in split.iter().zip(pick) {
                after.write(self.program(), var, Values::only(value));
                if Some(var) == atomic {
                    after.me.inside = value;
                }
            }
            all.push(after);
            picks.advance();
        }
        Ok(all)
    }

    fn constrained(&self, now: &Scene, after: Vec<Scene>, constrain: Option<ExprId>) -> Vec<Scene> {
        let holds = |next: &Scene| {
            let may = |e| values_between(self.program(), e, now.side(), next.side()).may_be(true);
            constrain.is_none_or(may)
        };
        after.into_iter().filter(holds).collect()
    }

    /// The caller waits at the call; the callee's locals are fresh.
    pub fn called(&self, scene: &Scene, procedure: ProcId, args: &[ExprId]) -> Scene {
        let mut after = scene.clone();
        after.me.enter(self.program(), self.program().procedures()[procedure].entry);
        let depth = after.me.depth();
        for (local, it) in self.program().locals().enumerate() {
            if it.scope == LocalScope::Procedure(procedure) {
                let value = self.value_at_call(scene, procedure, args, local);
                after.me.set(slot(self.program(), depth, local), value);
            }
        }
        after
    }

    /// What a local may be at a call: its argument if it is a parameter, its initial value otherwise.
    fn value_at_call(&self, scene: &Scene, procedure: ProcId, args: &[ExprId], local: LocalId) -> Values {
        let params = &self.program().procedures()[procedure].params;
        match params.iter().position(|&param| param == local) {
            Some(index) => values(self.program(), args[index], scene.side()),
            None => start_values(self.program().locals()[local].init),
        }
    }

    /// A call seen as an activation of its own: the callee's locals are fresh, those of the whole thread are kept.
    pub fn entered(&self, scene: &Scene, procedure: ProcId, args: &[ExprId]) -> Scene {
        let program = self.program();
        let entry = program.procedures()[procedure].entry;
        let mut me = Figure::newborn(program, entry, |local| match program.locals()[local].scope {
            LocalScope::Thread => scene.me.get(slot(program, 0, local)),
            LocalScope::Procedure(it) if it == procedure => self.value_at_call(scene, procedure, args, local),
            LocalScope::Procedure(_) => Values::FALSE,
        });
        me.inside = scene.me.inside;
        Scene { shared: scene.shared.clone(), me }
    }

    /// The caller goes on behind its call, with the results that it takes.
    fn returned(&self, scene: &Scene, given: &[ExprId]) -> Result<Vec<Scene>, Refused> {
        let mut caller = scene.me.clone();
        caller.leave(self.program());
        self.resumed(caller, scene, given)
    }

    /// The caller, as it was when it called, goes on after the callee's return.
    pub fn resumed(&self, caller: Figure, scene: &Scene, given: &[ExprId]) -> Result<Vec<Scene>, Refused> {
        let mut after = Scene { shared: scene.shared.clone(), me: caller };
        let call = self.program().at(after.me.loc());
        let Op::Call { results, .. } = &call.op else {
            unreachable!("points with other callers are rejected")
        };
        after.me.go(call.next);
        after.me.inside = scene.me.inside;
        let of_thread = |local: &LocalId| self.program().locals()[*local].scope == LocalScope::Thread;
        for local in self.program().locals().ids().filter(of_thread) {
            let slot = slot(self.program(), 0, local);
            after.me.set(slot, scene.me.get(slot));
        }
        let value = |e: &ExprId| values(self.program(), *e, scene.side());
        let possible = |index: usize| given.get(index).map_or(Values::ANY, value);
        let taken = results.iter().enumerate().filter_map(|(index, var)| var.map(|it| (it, possible(index))));
        self.written(after, &taken.collect::<Vec<_>>(), None)
    }

    /// A copy without owner bits, or a thread with fresh locals and arguments.
    fn child(&self, scene: &Scene, spawn: &Spawn) -> Figure {
        let program = self.program();
        match spawn {
            Spawn::Clone(target) => {
                Figure::newborn(program, *target, |local| match program.locals()[local].role {
                    Role::Owner(_) => Values::FALSE,
                    Role::Plain => scene.me.get(slot(program, scene.me.depth(), local)),
                })
            }
            Spawn::Call(procedure, args) => {
                let value = |local| self.value_at_call(scene, *procedure, args, local);
                Figure::newborn(program, program.procedures()[*procedure].entry, value)
            }
        }
    }
}

/// What a variable may start with.
pub fn start_values(init: Init) -> Values {
    match init {
        Init::Fixed(value) => Values::only(value),
        Init::Any => Values::ANY,
    }
}
