//! What the equations see of a program: one distinguished first thread, if a fixed number of threads starts;
//! any number of others; and shared bits. Threads that come later are *dormant* until woken (S4 §2): a fixed
//! thread beyond the first takes a token, and a child takes the message that its creator left in a slot.
//!
//! The slot holds one message, and a creator may also leave none: a child that nobody wakes never moves, and
//! in a program without broadcasts a thread that never moves makes no difference. So nothing is lost as long
//! as the slot can be emptied before the next message, that is, as long as threads are created outside atomic
//! sections only.

use crate::engine::no_c;
use crate::sections;
use base::Id;
use ir::bp::{Count, Loc, LocalId, LocalScope, Op, ProcId, Program, Role, SharedId, Spawn};
use ir::{Model as TaskModel, Reason, ReasonKind, Task};

/// A bit of the shared state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bit {
    /// A variable of the program.
    Shared(SharedId),
    /// A bit of the number of threads of [`Model::late`] that still sleep.
    Sleeping(usize, usize),
    /// A bit of the message in the slot: 0 for none, else 1 + its index in [`Model::messages`].
    Message(usize),
    /// A value that goes with the message.
    Passed(usize),
}

/// A `start_thread`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartSite {
    /// Where it stands.
    pub loc: Loc,
    /// What it leaves in the slot: an index into [`Model::messages`].
    pub message: usize,
}

/// What creations tell a child; equal messages are one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Where the child begins.
    pub child: Loc,
    /// The child's locals that the message gives, in the order of [`Bit::Passed`].
    pub passed: Vec<LocalId>,
    /// Whether the child is a copy of its creator.
    pub copies: bool,
}

/// Threads that are there from the start, but not the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Late {
    /// Where they begin.
    pub procedure: ProcId,
    /// How many.
    pub count: usize,
}

/// A program as the equations see it.
#[derive(Clone, Debug)]
pub struct Model<'p> {
    pub program: &'p Program,
    /// Where the distinguished first thread begins.
    pub first: Option<ProcId>,
    /// Where any number of threads begins.
    pub unbounded: Vec<ProcId>,
    /// The further fixed threads.
    pub late: Vec<Late>,
    /// Where threads are created.
    pub sites: Vec<StartSite>,
    /// What is left in the slot there.
    pub messages: Vec<Message>,
    /// The shared bits.
    pub bits: Vec<Bit>,
}

/// More fixed threads than this are refused: each needs its turn to wake, so that counting them out in rounds
/// is hopeless anyway.
const MOST_FIXED: u32 = 64;

impl<'p> Model<'p> {
    /// The model, or why the equations do not fit the program.
    pub fn new(program: &'p Program) -> Result<Self, Reason> {
        // Interfaces compose thread by thread: a step may change the active thread and the shared state only.
        if sections::reaches_others(program) {
            let message = "a broadcast changes or asks other threads, which no interface of one thread shows";
            return Err(unsupported(message));
        }
        let (sites, messages) = sites(program);
        let mut model =
            Model { program, first: None, unbounded: vec![], late: vec![], sites, messages, bits: vec![] };
        model.threads()?;
        let inside = sections::may_be_inside(program);
        if model.sites.iter().any(|site| inside[site.loc.index()]) {
            let message =
                "a thread may be created inside an atomic section, where its message cannot be taken";
            return Err(unsupported(message));
        }
        model.bits = model.all_bits();
        Ok(model)
    }

    /// The model in which any number of threads begins where a fixed number of late ones does. It has all
    /// behaviour of this one, and nobody sleeps in it.
    pub fn relaxed(&self) -> Model<'p> {
        let mut model = self.clone();
        model.unbounded.extend(model.late.drain(..).map(|late| late.procedure));
        model.unbounded.sort();
        model.unbounded.dedup();
        model.bits = model.all_bits();
        model
    }

    /// The model in which the first thread sleeps like the others that are fixed, so that it may come at any
    /// position in a round.
    pub fn shuffled(&self) -> Model<'p> {
        let mut model = self.clone();
        if let Some(procedure) = model.first.take() {
            model.late.push(Late { procedure, count: 1 });
        }
        model.bits = model.all_bits();
        model
    }

    fn threads(&mut self) -> Result<(), Reason> {
        for template in &self.program.start().templates {
            match template.count {
                Count::AtLeast(_) => self.unbounded.push(template.procedure),
                Count::Exactly(count) if count > MOST_FIXED => {
                    return Err(unsupported("too many fixed threads to count them"));
                }
                Count::Exactly(0) => {}
                Count::Exactly(count) => {
                    let rest = if self.first.is_none() { count - 1 } else { count };
                    self.first.get_or_insert(template.procedure);
                    if rest > 0 {
                        self.late.push(Late { procedure: template.procedure, count: rest as usize });
                    }
                }
            }
        }
        Ok(())
    }

    fn all_bits(&self) -> Vec<Bit> {
        let shared = self.program.shared().ids().map(Bit::Shared);
        let sleeping = self
            .late
            .iter()
            .enumerate()
            .flat_map(|(index, late)| (0..width(late.count)).map(move |bit| Bit::Sleeping(index, bit)));
        let message = (0..width(self.messages.len())).map(Bit::Message);
        let passed = self.messages.iter().map(|it| it.passed.len()).max().unwrap_or(0);
        sleeping.chain(message).chain((0..passed).map(Bit::Passed)).chain(shared).collect()
    }

    /// The position of a shared bit.
    pub fn bit(&self, bit: Bit) -> usize {
        self.bits.iter().position(|&it| it == bit).expect("every bit of the model is listed")
    }

    /// Whether some thread besides the first may ever step.
    pub fn has_others(&self) -> bool {
        self.has_dormant() || !self.unbounded.is_empty()
    }

    /// Whether threads are woken.
    pub fn has_dormant(&self) -> bool {
        !self.late.is_empty() || !self.sites.is_empty()
    }

    /// The locals of one activation of the procedure: its own, and those of procedures inlined into it.
    pub fn frame(&self, procedure: ProcId) -> Vec<LocalId> {
        let inlined: Vec<ProcId> = self
            .program
            .locations_of(procedure)
            .flat_map(|loc| self.program.at(loc).active.clone())
            .collect();
        let belongs = |scope: LocalScope| match scope {
            LocalScope::Thread => false,
            LocalScope::Procedure(owner) => owner == procedure || inlined.contains(&owner),
        };
        self.locals(belongs)
    }

    /// The locals that live as long as the thread.
    pub fn thread_locals(&self) -> Vec<LocalId> {
        self.locals(|scope| scope == LocalScope::Thread)
    }

    fn locals(&self, belongs: impl Fn(LocalScope) -> bool) -> Vec<LocalId> {
        self.program
            .locals()
            .enumerate()
            .filter(|(_, local)| belongs(local.scope))
            .map(|(id, _)| id)
            .collect()
    }
}

/// The number of bits that hold the numbers up to `most`.
pub fn width(most: usize) -> usize {
    (usize::BITS - most.leading_zeros()) as usize
}

/// Whether the task is one for this engine.
pub fn check(task: &Task) -> Result<(), Reason> {
    match &task.model {
        TaskModel::Program(program) => Model::new(program).map(|_| ()),
        TaskModel::C(_) => Err(no_c()),
        TaskModel::Net(_) => Err(unsupported("linear interfaces are defined for programs, not for nets")),
    }
}

fn unsupported(message: impl Into<String>) -> Reason {
    Reason::new(ReasonKind::Unsupported, message)
}

fn sites(program: &Program) -> (Vec<StartSite>, Vec<Message>) {
    let (mut sites, mut messages) = (vec![], vec![]);
    for (loc, location) in program.locations().enumerate() {
        let Op::Start(spawn) = &location.op else { continue };
        let mut message = match spawn {
            Spawn::Clone(target) => {
                let copied = |&local: &LocalId| {
                    program.in_scope(*target, local) && program.locals()[local].role == Role::Plain
                };
                Message {
                    child: *target,
                    passed: program.locals().ids().filter(copied).collect(),
                    copies: true,
                }
            }
            Spawn::Call(procedure, _) => {
                let callee = &program.procedures()[*procedure];
                Message { child: callee.entry, passed: callee.params.clone(), copies: false }
            }
        };
        // Nobody can ask what is dead where the child begins.
        message.passed.retain(|local| !program.at(message.child).dead.contains(local));
        let message = messages.iter().position(|it| *it == message).unwrap_or_else(|| {
            messages.push(message);
            messages.len() - 1
        });
        sites.push(StartSite { loc, message });
    }
    (sites, messages)
}
