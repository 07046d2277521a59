//! What one thread may do in one valuation, by number. The results depend on the shared variables and the thread alone and are kept,
//! so that a step that is possible in a thousand states is worked out once.

use super::chart::{Chart, Landing, SharedNo, ThreadNo};
use super::passive::Broadcast;
use crate::figure::Scene;
use crate::interpret::{Interpreter, ends};
use crate::logic::Plain;
use crate::message::Message;
use crate::{Refused, Rejected, reject};
use base::{Budget, Stop};
use ir::bp::{Op, Program};

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

/// Works out what threads may do.
pub struct Stepper<'c> {
    pub chart: &'c Chart<'c>,
    pub budget: &'c Budget,
}

impl Stepper<'_> {
    fn program(&self) -> &Program {
        self.chart.program
    }

    /// What the statements are executed by.
    pub fn interpreter(&self) -> Interpreter<'_, Plain<'_>> {
        Interpreter { program: self.chart.program, logic: Plain(self.budget) }
    }

    /// The shared variables and a thread.
    pub fn scene(&self, shared: SharedNo, thread: ThreadNo) -> Scene {
        Scene { shared: self.chart.shared_values(shared), me: self.chart.figure(thread) }
    }

    /// Whether the thread stands at an error label, or may step and fail its assertion.
    pub fn is_error(&self, shared: SharedNo, thread: ThreadNo, may_step: bool) -> Result<bool, Stop> {
        let scene = self.scene(shared, thread);
        let mut interpreter = self.interpreter();
        let fails = interpreter.failure(&scene)?.unwrap_or(false) && interpreter.enforced(scene.side())?;
        Ok(self.program().at(scene.me.loc()).error || may_step && fails)
    }

    /// All that the thread may do; rejected if that leads out of the certificate whatever the other threads are.
    pub fn moves(&self, shared: SharedNo, thread: ThreadNo) -> Result<Moves, Refused> {
        let scene = self.scene(shared, thread);
        let mut interpreter = self.interpreter();
        if !interpreter.enforced(scene.side())? {
            return Ok(Moves::Go(vec![]));
        }
        if interpreter.failure(&scene)? == Some(true) {
            return Ok(reject("the assertion may fail")?);
        }
        let op = &self.program().at(scene.me.loc()).op;
        if ends(self.program(), &scene.me) {
            return Ok(Moves::End);
        }
        let after: Vec<Scene> = interpreter.executed(&scene)?.into_iter().map(|way| way.1).collect();
        if let Op::Start(spawn) = op {
            let child = interpreter.child(&scene, spawn)?;
            let children = self.chart.numbers(&child, self.budget)?;
            return Ok(Moves::Start { me: self.land(after)?, children });
        }
        match Message::of(self.program(), op) {
            Some(message) => Ok(Moves::Broadcast(Broadcast::new(self, scene, after, message)?)),
            None => Ok(Moves::Go(self.land(after)?)),
        }
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
}
