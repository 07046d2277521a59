//! Is a run into undefined behaviour to be told as an error, and in which words? The machine knows less of C
//! than compilers do: sizes of allocations are rounded to elements, and integers may be addresses of devices.
//! An error is told only where the standard without doubt says the same.

use super::rests::Rests;
use ::c::{
    ExprId, FailureKind, Fault, InstanceId, Machine, Node, Op, Origin, Place, Program, State, SyncKind,
    SyncOp, Thread, Trace, Value,
};
use front::CProgram;
use std::collections::BTreeMap;

/// Pointers below this are null with an offset: no system maps the first page.
const FIRST_PAGE: u128 = 4096;

/// Why a run into undefined behaviour is not told as an error; `None` if it is one. This is the one place
/// where such a run is turned down; its step then becomes an assumption, and the search goes on without it.
pub fn why_not(source: &CProgram, trace: &Trace) -> Option<&'static str> {
    let FailureKind::Undefined(fault) = &trace.failure.kind else { return None };
    rests_on_others(source, trace).or_else(|| Last::of(source, trace)?.doubt(fault))
}

/// Whether the run rests on a value that a function outside of the program, or its environment, gives: then
/// nobody knows whether it happens.
fn rests_on_others(source: &CProgram, trace: &Trace) -> Option<&'static str> {
    let refused = Rests::of(source, trace).refusal(&trace.failure.kind).is_some();
    refused.then_some("it depends on a value of a function that is external or approximated")
}

/// The undefined behaviour that a run ends in, in words.
pub fn words(source: &CProgram, trace: &Trace, fault: &Fault) -> String {
    let last = Last::of(source, trace);
    last.and_then(|last| last.words(fault)).unwrap_or_else(|| fault.to_string())
}

/// The state in which a run comes to undefined behaviour.
struct Last<'a> {
    program: &'a Program,
    machine: Machine<'a>,
    trace: &'a Trace,
    state: State,
    /// Where the objects of the run came from, dead ones too.
    origins: BTreeMap<InstanceId, Origin>,
}

impl<'a> Last<'a> {
    fn of(source: &'a CProgram, trace: &'a Trace) -> Option<Last<'a>> {
        let machine = Machine::new(&source.program, trace.options);
        let mut state = machine.start();
        let mut origins = BTreeMap::new();
        let mut seen = 0;
        for step in &trace.steps {
            state = machine.apply(&state, &step.step).ok()?;
            let new = seen..state.memory.instances.len();
            let new = new.map(<InstanceId as base::Id>::from_index).chain(step.step.choice.reuses);
            for id in new {
                origins.extend(state.memory.get(id).map(|it| (id, it.origin)));
            }
            seen = state.memory.instances.len();
        }
        Some(Last { program: &source.program, machine, trace, state, origins })
    }

    fn thread(&self) -> Option<&Thread> {
        self.state.threads.get(&self.trace.failure.step.thread)
    }

    fn op(&self) -> &'a Op {
        &self.program.at(self.trace.failure.step.at).op
    }

    fn value(&self, e: ExprId) -> Option<Value> {
        self.machine.evaluator().value(self.thread()?, e).ok()
    }

    /// The places that the step goes to.
    fn places(&self) -> Vec<Place> {
        match self.op() {
            Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => vec![*place],
            Op::Sync { op: SyncOp::CondWait { mutex, .. }, place, .. } => vec![*place, *mutex],
            Op::Sync { place, .. } => vec![*place],
            _ => vec![],
        }
    }

    /// The addresses that the step goes through, with their offsets.
    fn pointers(&self) -> Vec<(Value, i64)> {
        let pointed = self.places().into_iter().filter_map(|place| match place {
            Place::Pointer { pointer, offset } => Some((self.value(pointer)?, offset)),
            Place::Object { .. } | Place::Indexed { .. } => None,
        });
        pointed.collect()
    }

    fn doubt(&self, fault: &Fault) -> Option<&'static str> {
        let certain = match fault {
            Fault::BadPointer => {
                let null = |it: &(Value, i64)| matches!(it.0, Value::Bits(bits) if bits < FIRST_PAGE);
                self.pointers().iter().any(null)
            }
            Fault::DeadObject => self.dead().is_some(),
            Fault::OutOfBounds => self.is_outside(),
            Fault::BadFree => {
                matches!(self.op(), Op::Free { pointer, .. } if matches!(self.value(*pointer), Some(Value::Address { .. })))
            }
            // Another value is a handle that was never set.
            Fault::BadHandle => {
                matches!(self.op(), Op::Join { handle, .. } | Op::Detach(handle) if matches!(self.value(*handle), Some(Value::Thread(_))))
            }
            _ => true,
        };
        (!certain).then_some("the address or handle is not known to be wrong")
    }

    /// The dead object that the step goes to.
    fn dead(&self) -> Option<InstanceId> {
        self.pointers().into_iter().find_map(|(value, _)| match value {
            Value::Address { instance, .. } if self.state.memory.get(instance).is_none() => Some(instance),
            _ => None,
        })
    }

    /// Whether an access lies outside of its object, also if that is an allocation of which the last,
    /// incomplete element was cut off.
    fn is_outside(&self) -> bool {
        let bytes = self.access_bytes();
        self.places().into_iter().any(|place| {
            let Some((instance, offset)) = self.target(place) else { return false };
            let Some(object) = self.state.memory.get(instance) else { return false };
            let layout = &self.program.layouts()[object.layout];
            let cut = match object.origin {
                Origin::Allocated(_) => layout.stride.saturating_sub(1),
                Origin::Declared(_) | Origin::Freed => 0,
            };
            let size = layout.stride.saturating_mul(object.count).saturating_add(cut);
            let end = i128::from(offset) + i128::from(bytes);
            // Of functions and of what is only declared the size is not known.
            !layout.cells.is_empty() && (offset < 0 || end > i128::from(size))
        })
    }

    fn target(&self, place: Place) -> Option<(InstanceId, i64)> {
        let declared = |object| match self.value_of_object(object) {
            Some(Value::Address { instance, offset }) => Some((instance, offset)),
            _ => None,
        };
        match place {
            Place::Pointer { pointer, offset } => match self.value(pointer)? {
                Value::Address { instance, offset: start } => Some((instance, start.checked_add(offset)?)),
                _ => None,
            },
            Place::Object { object, offset } => Some((declared(object)?.0, offset)),
            Place::Indexed { object, offset } => {
                let offset = self.value(offset)?.bits()?;
                let offset = ::c::signed(offset, self.program.pointer_bits());
                Some((declared(object)?.0, i64::try_from(offset).ok()?))
            }
        }
    }

    /// The address of a declared object of this thread.
    fn value_of_object(&self, object: ::c::ObjectId) -> Option<Value> {
        let thread = self.thread()?;
        let own = thread.top().objects.iter().chain(&thread.objects);
        let own = own.into_iter().find(|(id, _)| *id == object).map(|it| it.1);
        let instance = own.unwrap_or_else(|| Machine::instance_of(object));
        Some(Value::Address { instance, offset: 0 })
    }

    fn access_bytes(&self) -> u64 {
        let bits = self.program.pointer_bits();
        let width = |local: ::c::LocalId| self.program.locals()[local].ty.bits(bits);
        let bits = match self.op() {
            Op::Load { local, .. } => width(*local),
            Op::Rmw { old, .. } => width(*old),
            Op::Store { value, .. } => self.program.exprs().ty(*value).bits(bits),
            _ => 8,
        };
        u64::from(bits.div_ceil(8))
    }

    fn words(&self, fault: &Fault) -> Option<String> {
        Some(match fault {
            Fault::BadPointer if self.doubt(fault).is_none() => "null pointer".to_string(),
            Fault::DeadObject => match self.origins.get(&self.dead()?)? {
                Origin::Allocated(_) | Origin::Freed => match self.pointer_name() {
                    Some(name) => format!("use after free of `{name}`"),
                    None => "use after free".to_string(),
                },
                Origin::Declared(object) => {
                    format!("use of `{}` outside its lifetime", self.program.objects()[*object].name)
                }
            },
            Fault::BadFree => match self.op() {
                Op::Free { pointer, .. } => self.freed(self.value(*pointer)?)?.to_string(),
                _ => return None,
            },
            Fault::NotHeld => match self.op() {
                Op::Sync { op: SyncOp::RwUnlock, .. } => "unlocking a read-write lock that is not held",
                Op::Sync { op: SyncOp::CondWait { .. }, .. } => "waiting with a mutex that is not held",
                _ => "unlocking a mutex that is not held",
            }
            .to_string(),
            Fault::InUse => match self.op() {
                Op::Sync { op: SyncOp::Destroy(kind), .. } => {
                    format!("destroying a {} that is in use", in_words(*kind))
                }
                Op::Sync { op, .. } => format!("initialising a {} that is in use", in_words(op.kind())),
                _ => return None,
            },
            Fault::BadHandle if self.doubt(fault).is_none() => match self.op() {
                Op::Detach(_) => "detaching a thread that cannot be joined",
                _ => "joining a thread that cannot be joined",
            }
            .to_string(),
            Fault::NotInitialised => match self.op() {
                Op::Sync { op, .. } => format!("use of a {} that is not initialised", in_words(op.kind())),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn freed(&self, value: Value) -> Option<&'static str> {
        let Value::Address { instance, .. } = value else { return None };
        let lives = self.state.memory.get(instance).is_some();
        Some(match self.origins.get(&instance) {
            Some(Origin::Allocated(_)) if !lives => "double free",
            Some(Origin::Allocated(_)) => "free of what is not the start of an allocation",
            _ => "free of what was not allocated",
        })
    }

    /// The variable that holds the pointer which the step follows.
    fn pointer_name(&self) -> Option<String> {
        let pointer = self.places().into_iter().find_map(|place| match place {
            Place::Pointer { pointer, .. } => Some(pointer),
            _ => None,
        })?;
        let exprs = self.program.exprs();
        let locals = exprs.below(pointer).into_iter().filter_map(|e| match exprs.node(e) {
            Node::Local(local, _) => Some(local),
            _ => None,
        });
        let locals: Vec<_> = locals.collect();
        let [local] = locals[..] else { return None };
        let declared = &self.program.locals()[local];
        if !declared.temporary {
            return Some(declared.name.clone());
        }
        let me = self.trace.failure.step.thread;
        let loads = self.trace.steps.iter().rev().filter(|it| it.step.thread == me);
        let load = loads.into_iter().find(|it| it.registers.iter().any(|(written, _)| *written == local))?;
        let cell = load.access.filter(|it| it.read.is_some())?.cell;
        let origin = self.state.memory.get(cell.instance)?.origin;
        matches!(origin, Origin::Declared(_)).then(|| self.program.cell_name(&self.state.memory, cell))
    }
}

fn in_words(kind: SyncKind) -> &'static str {
    match kind {
        SyncKind::Mutex => "mutex",
        SyncKind::RwLock => "read-write lock",
        SyncKind::Cond => "condition variable",
        SyncKind::Barrier => "barrier",
        SyncKind::Semaphore => "semaphore",
        SyncKind::Once => "`pthread_once_t`",
    }
}
