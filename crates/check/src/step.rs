//! What one thread may do in one valuation, by number. The results depend on the shared variables and the
//! thread alone, so that a step that is possible in a thousand states is worked out once.

use crate::index::{CertificateIndex, Landing, Numbered, SharedNo, ThreadNo};
use crate::interpret::{Interpreter, beginner, ends};
use crate::logic::Plain;
use crate::message::Message;
use crate::passive::Broadcast;
use crate::thread::ThreadState;
use crate::{Refused, Rejected, reject};
use base::{Budget, Stop};
use ir::bp::{Op, ProcId, Program};

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
        children: Vec<Numbered>,
    },
    /// Steps that change the other threads or depend on them.
    Broadcast(Broadcast),
}

/// Works out what threads may do.
pub struct Stepper<'c> {
    /// The certificate.
    pub certificate: &'c CertificateIndex<'c>,
    /// What pays for the work.
    pub budget: &'c Budget,
}

impl Stepper<'_> {
    fn program(&self) -> &Program {
        self.certificate.program
    }

    /// What the statements are executed by.
    pub fn interpreter(&self) -> Interpreter<'_, Plain<'_>> {
        Interpreter { program: self.certificate.program, logic: Plain(self.budget) }
    }

    /// The shared variables and a thread.
    pub fn thread_state(&self, shared: SharedNo, thread: ThreadNo) -> ThreadState {
        ThreadState {
            shared: self.certificate.shared_values(shared),
            me: self.certificate.abstract_thread(thread),
        }
    }

    /// Whether the thread stands at an error label, or may step and fail its assertion.
    pub fn is_error(&self, shared: SharedNo, thread: ThreadNo, may_step: bool) -> Result<bool, Stop> {
        let state = self.thread_state(shared, thread);
        let mut interpreter = self.interpreter();
        let fails = interpreter.failure(&state)?.unwrap_or(false) && interpreter.enforced(state.side())?;
        Ok(self.program().at(state.me.loc()).error || may_step && fails)
    }

    /// All that the thread may do; rejected if that leads out of the certificate whatever the other threads
    /// are.
    pub fn moves(&self, shared: SharedNo, thread: ThreadNo) -> Result<Moves, Refused> {
        let state = self.thread_state(shared, thread);
        let mut interpreter = self.interpreter();
        if !interpreter.enforced(state.side())? {
            return Ok(Moves::Go(vec![]));
        }
        if interpreter.failure(&state)? == Some(true) {
            return Ok(reject("the assertion may fail")?);
        }
        let op = &self.program().at(state.me.loc()).op;
        if ends(self.program(), &state.me) {
            return Ok(Moves::End);
        }
        let after: Vec<ThreadState> = interpreter.executed(&state)?.into_iter().map(|way| way.1).collect();
        if let Op::Start(spawn) = op {
            let child = interpreter.child(&state, spawn)?;
            let children = self.certificate.numbers(&child, self.budget)?;
            return Ok(Moves::Start { me: self.land(after)?, children });
        }
        match Message::of(self.program(), op) {
            Some(message) => Ok(Moves::Broadcast(Broadcast::new(self, state, after, message)?)),
            None => Ok(Moves::Go(self.land(after)?)),
        }
    }

    /// Where the thread is after a step, by number.
    pub fn land(&self, after: Vec<ThreadState>) -> Result<Vec<(SharedNo, ThreadNo)>, Refused> {
        let mut all: Vec<(SharedNo, ThreadNo)> = vec![];
        for state in after {
            let landings = self.landings(&state)?.into_iter().collect::<Result<Vec<_>, Rejected>>()?;
            all.extend(landings);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// Where the thread is after a step, by number where there is one.
    pub fn landings(&self, after: &ThreadState) -> Result<Vec<Landing>, Refused> {
        self.certificate.land(&after.shared, &after.me, self.budget)
    }
}

/// All threads that begin in a procedure.
pub fn newborns(
    certificate: &CertificateIndex<'_>,
    procedure: ProcId,
    budget: &Budget,
) -> Result<Result<Vec<ThreadNo>, Rejected>, Refused> {
    Ok(certificate.numbers(&beginner(certificate.program, procedure), budget)?.into_iter().collect())
}
