//! Whether any other thread can ever disturb the next step of the thread that runs. If not, running that
//! thread alone loses no error: the step is a persistent set of its own (Godefroid 1996). What the others may
//! do is read off the program's text, what the step does off the state; accesses under a common mutex do not
//! meet (locksets), and objects that only this thread can reach are its own.

use super::followed::Followed;
use super::future::{CREATES, ENDS, FREES, FutureTouches, JOINS, ends_objects};
use super::partition::Partitions;
use super::state::{GlobalState, StoredThread};
use super::touch::{OWN, POINTED, Touch, TouchColumns, touches, way};
use super::unread::unread_stores;
use super::waiting::may_wait_in_sections;
use base::{Budget, Id, Stop};
use c::{
    AccessKind, Control, Effects, InstanceId, Live, Loc, Locksets, Machine, Memory, ObjectId, ObjectScope,
    Program, Region, Reuse, ThreadEffect, Unchosen, Value, Wait,
};
use std::sync::Arc;

/// What is known about the program's text.
#[derive(Debug)]
pub struct Analysis {
    /// Live registers.
    pub live: Live,
    /// Choices of which little matters.
    pub partitions: Partitions,
    /// Where the numbers of other choices go.
    pub followed: Followed,
    columns: TouchColumns,
    locksets: Locksets,
    futures: FutureTouches,
    steps: Vec<StepFacts>,
    /// Which values of loads need not be chosen.
    pub unchosen: Unchosen,
    /// By location: whether it stores into objects that nobody reads.
    pub unread: Vec<bool>,
    /// Whether a thread may wait inside an atomic section: then every step of another thread that others do
    /// not touch may still be one that it would have needed.
    pub waits_in_sections: bool,
}

/// What a search asks about the step at a location again and again.
#[derive(Debug)]
struct StepFacts {
    kind: StepKind,
    touches: Vec<Touch>,
    /// The objects that it ends.
    ends: Option<Region>,
    /// Whether it calls a procedure.
    calls: bool,
    /// Whether it gives away a handle.
    names: Naming,
    /// Whether it depends on registers alone: if it waits now, it waits for ever.
    local: bool,
    /// Whether it may have choices although it may also go on without.
    open: bool,
    /// Whether it may change what leaks when the program ends.
    shows: bool,
}

/// Whose handle a step needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// Nobody's.
    Nobody,
    /// A new thread's.
    Child,
    /// The thread's own.
    Itself,
}

/// What kind of step there is at a location, as far as others are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// Touches registers only, or what no other thread can reach.
    Private,
    /// Touches memory.
    Touches,
    /// Ends objects of the activation or the thread.
    EndsObjects,
    /// Makes an object that may get the address of a freed one.
    Reuses,
    /// Creates a thread.
    Creates,
    /// Joins or detaches a thread.
    Joins,
    /// Enters an atomic section.
    Section,
    /// Ends the program.
    Halts,
}

impl Analysis {
    /// Looks at a program.
    pub fn new(program: &Program, spurious_wakeups: bool, budget: &Budget) -> Result<Analysis, Stop> {
        let columns = TouchColumns::new(program);
        let locksets = Locksets::new(program, budget)?;
        let futures = FutureTouches::new(program, &columns, &locksets, spurious_wakeups, budget)?;
        let live = Live::new(program, budget)?;
        let reuse = Reuse::new(program, budget)?;
        let partitions = Partitions::new(program, &columns, budget)?;
        let followed = Followed::new(program, &columns, budget)?;
        let steps = program
            .locations()
            .ids()
            .map(|loc| StepFacts::of(program, &reuse, loc, spurious_wakeups))
            .collect();
        let waits_in_sections = may_wait_in_sections(program);
        let unchosen = Unchosen::new(program);
        let unread = unread_stores(program, budget)?;
        Ok(Analysis {
            live,
            partitions,
            followed,
            columns,
            locksets,
            futures,
            steps,
            unchosen,
            unread,
            waits_in_sections,
        })
    }

    /// Whether the step at a location calls a procedure.
    pub fn calls(&self, loc: Loc) -> bool {
        self.steps[loc.index()].calls
    }

    /// Whose handle the step at a location needs.
    pub fn names(&self, loc: Loc) -> Naming {
        self.steps[loc.index()].names
    }

    /// Whether a step depends on registers alone: if it waits now, it waits for ever.
    pub fn is_local(&self, loc: Loc) -> bool {
        self.steps[loc.index()].local
    }

    /// Whether a step may have choices although it may also go on without.
    pub fn is_open(&self, loc: Loc) -> bool {
        self.steps[loc.index()].open
    }

    /// What kind of step there is at a location.
    pub fn kind(&self, loc: Loc) -> StepKind {
        self.steps[loc.index()].kind
    }

    /// Whether the next step may change what leaks if another thread ends the program: then it makes a
    /// difference whether that happens before the step or after it. An allocation comes, goes, or is led to
    /// by other objects that are still there then; a section keeps the end off.
    pub fn shows_at_the_end(&self, machine: &Machine<'_>, run: &GlobalState) -> bool {
        if !machine.options().leaks.matter() || run.thread.section {
            return false;
        }
        let ends = |other: &StoredThread| {
            let stands = machine.end(&other.thread).is_some();
            stands || other.locations().any(|loc| self.futures.threads(loc) & ENDS != 0)
        };
        self.steps[run.thread.loc().index()].shows && run.others().any(ends)
    }

    /// Whether no other thread can disturb the next step of the thread that runs, now or later.
    pub fn undisturbed(&self, machine: &Machine<'_>, run: &mut GlobalState) -> bool {
        // In a section nobody else steps; threads that are stuck never do.
        if run.thread.section || run.others().all(|other| other.stuck) {
            return true;
        }
        let loc = run.thread.loc();
        let others_may = |what: u8| {
            run.others().any(|other| other.locations().any(|loc| self.futures.threads(loc) & what != 0))
        };
        match self.kind(loc) {
            StepKind::Private => true,
            StepKind::Section => false,
            // Where it stands the program may end; it may also wait with that for ever.
            StepKind::Halts => true,
            // Another creation may meet the bound on threads.
            StepKind::Creates => !others_may(CREATES),
            StepKind::Joins => !others_may(JOINS),
            // After another thread's `free` there is one address more to choose; the `free` itself can come
            // before every allocation.
            StepKind::Reuses => !others_may(FREES),
            StepKind::EndsObjects => self.ends_unseen(machine.program(), run, loc),
            StepKind::Touches => self.touches_unseen(machine, run, loc),
        }
    }

    fn touches_unseen(&self, machine: &Machine<'_>, run: &mut GlobalState, loc: Loc) -> bool {
        // Released at a barrier, a thread only goes on.
        if matches!(run.thread.wait, Some(Wait::Barrier { released: Some(_), .. })) {
            return true;
        }
        let touches = &self.steps[loc.index()].touches;
        touches.iter().all(|touch| self.touch_unseen(machine, run, *touch))
    }

    fn touch_unseen(&self, machine: &Machine<'_>, run: &mut GlobalState, touch: Touch) -> bool {
        let program = machine.program();
        let object = touch.place.object();
        if let Some(object) = object.filter(|&object| self.columns.of(object) != OWN) {
            let instance = InstanceId::from_index(object.index());
            return self.unseen(run, instance, disturbed_by(machine, run, touch), program, false);
        }
        // Null is freed.
        if let (Region::Pointed(pointer), way::END) = (touch.region, touch.ways)
            && machine.evaluator().value(&run.thread, pointer) == Ok(Value::ZERO)
        {
            return true;
        }
        match instance(machine, run, touch) {
            Some(instance) => {
                let disturbed_by = disturbed_by(machine, run, touch);
                self.unseen(run, instance, disturbed_by, program, object.is_some())
            }
            // It is undefined now; another thread may change that.
            None => false,
        }
    }

    /// Whether no other thread can touch the object in one of these ways.
    fn unseen(
        &self,
        run: &mut GlobalState,
        instance: InstanceId,
        disturbed_by: u8,
        program: &Program,
        named: bool,
    ) -> bool {
        let mine = self.locksets.of(&run.thread);
        let is_static = instance.index() < program.objects().len();
        let (first, second) = if is_static {
            let object = ObjectId::from_index(instance.index());
            let pointed = self.columns.is_pointed(object).then_some(POINTED);
            (self.columns.of(object), pointed)
        } else {
            // Others name only objects of their own, and this may be one unless the thread named it itself.
            (POINTED, (!named).then_some(OWN))
        };
        let touched = |column: usize| {
            run.others().any(|other| {
                other.locations().any(|loc| {
                    let (ways, locks) = self.futures.touches(loc, column);
                    ways & disturbed_by != 0 && locks & mine == 0
                })
            })
        };
        if !touched(first) && !second.is_some_and(touched) {
            return true;
        }
        !is_static && !reached(run, program.objects().len(), instance)
    }

    /// Whether nobody else can see that the step ends objects.
    fn ends_unseen(&self, program: &Program, run: &mut GlobalState, loc: Loc) -> bool {
        let mut ended: Vec<InstanceId> = vec![];
        let frame = run.thread.top();
        match self.steps[loc.index()].ends {
            Some(Region::Declared(object)) => {
                let same = frame.objects.iter().filter(|(id, _)| *id == object);
                ended.extend(same.map(|&(_, instance)| instance));
            }
            Some(Region::Activation) if run.thread.frames.len() > 1 => {
                ended.extend(frame.objects.iter().map(|&(_, instance)| instance));
            }
            _ => {
                let frames = run.thread.frames.iter().flat_map(|frame| &frame.objects);
                ended.extend(frames.chain(&run.thread.objects).map(|&(_, instance)| instance));
            }
        }
        ended.into_iter().all(|instance| self.unseen(run, instance, way::ALL, program, true))
    }
}

/// Whether another thread can reach a dynamic object. Worked out once and kept while the thread publishes
/// nothing.
fn reached(run: &mut GlobalState, declared: usize, instance: InstanceId) -> bool {
    if run.reached.is_none() {
        run.reached = Some(Arc::new(reach(run, declared)));
    }
    run.reached.as_ref().is_some_and(|set| set.get(instance.index()).copied().unwrap_or(false))
}

/// The objects that can be reached from static ones, from other threads, and from results.
fn reach(run: &GlobalState, declared: usize) -> Vec<bool> {
    let memory: &Memory = &run.memory;
    let mut set = vec![false; memory.instances.len()];
    let mut work: Vec<usize> = (0..declared.min(set.len())).collect();
    let mut roots: Vec<InstanceId> = vec![];
    for other in run.others() {
        other.thread.for_each_instance(|id| roots.push(id));
    }
    for &(_, value) in &run.ended {
        roots.extend(value.instance());
    }
    work.extend(roots.into_iter().map(Id::index));
    while let Some(at) = work.pop() {
        if at >= set.len() || std::mem::replace(&mut set[at], true) {
            continue;
        }
        if let Some(instance) = &memory.instances[at] {
            work.extend(instance.cells.iter().filter_map(|value| value.instance()).map(Id::index));
        }
    }
    set
}

/// Whether a step may have made more reachable for others: it wrote an address to what they reach, or created
/// a thread.
pub fn publishes(run: &GlobalState, done: &c::Done) -> bool {
    let Some(reached) = &run.reached else { return false };
    let wrote = done.access.is_some_and(|access| {
        access.written.is_some_and(|value| value.instance().is_some())
            && reached.get(access.cell.instance.index()).copied().unwrap_or(false)
    });
    wrote || done.created.is_some()
}

/// The object that a step will touch.
fn instance(machine: &Machine<'_>, run: &GlobalState, touch: Touch) -> Option<InstanceId> {
    let hit = match touch.region {
        Region::Pointed(pointer) => match machine.evaluator().value(&run.thread, pointer) {
            // An allocation of another thread may bring a dead one back.
            Ok(Value::Address { instance, .. }) => return run.memory.get(instance).map(|_| instance),
            _ => return None,
        },
        Region::Scalar { place, bits } => {
            machine.hit(&run.memory, &run.thread, place, bits).map(|hit| hit.instance())
        }
        Region::Sync { place, kind } => {
            machine.sync_cell(&run.memory, &run.thread, place, kind).map(|cell| cell.instance)
        }
        _ => return None,
    };
    hit.ok()
}

/// The others' ways that disturb the step. The first read of an undetermined cell fixes it.
fn disturbed_by(machine: &Machine<'_>, run: &GlobalState, touch: Touch) -> u8 {
    let reads = touch.ways == way::READ && matches!(touch.region, Region::Scalar { .. });
    let fixes = reads && machine.needs(&run.memory, &run.thread).number.is_some();
    touch.disturbed_by | if fixes { way::READ } else { 0 }
}

impl StepFacts {
    fn of(program: &Program, reuse: &Reuse, loc: Loc, spurious_wakeups: bool) -> StepFacts {
        let effects = program.effects(loc);
        let ends = effects.accesses.iter().find(|access| access.kind == AccessKind::End);
        StepFacts {
            kind: if reuse.may_reuse(program, loc) { StepKind::Reuses } else { kind(program, loc, &effects) },
            touches: touches(&effects, spurious_wakeups),
            ends: ends.map(|access| access.region),
            calls: matches!(effects.control, Control::Call(_)),
            names: match effects.threads {
                Some(ThreadEffect::Create(_)) => Naming::Child,
                Some(ThreadEffect::Identify) => Naming::Itself,
                _ => Naming::Nobody,
            },
            local: effects.is_local(),
            open: effects.chooses.are_open(),
            shows: shows(program, &effects),
        }
    }
}

/// Whether a step may change what leaks when the program ends: it allocates, frees, may write a pointer to
/// what outlives the thread, or begins a section.
fn shows(program: &Program, effects: &Effects) -> bool {
    let outlives = |access: &c::MemoryAccess| match access.region {
        Region::Scalar { place, bits } => {
            let own = |object: ObjectId| program.objects()[object].scope != ObjectScope::Static;
            access.kind != AccessKind::Read
                && bits >= program.pointer_bits()
                && !place.object().is_some_and(own)
        }
        Region::Pointed(_) => access.kind == AccessKind::End,
        Region::New | Region::Reachable { .. } => true,
        _ => false,
    };
    effects.threads == Some(ThreadEffect::SectionBegin) || effects.accesses.iter().any(outlives)
}

fn kind(program: &Program, loc: Loc, effects: &Effects) -> StepKind {
    if program.at(loc).private {
        return StepKind::Private;
    }
    if effects.accesses.iter().any(|access| access.region.start().is_some()) {
        return StepKind::Touches;
    }
    if ends_objects(program, loc, effects) {
        return StepKind::EndsObjects;
    }
    match (effects.threads, effects.control) {
        (Some(ThreadEffect::Create(_)), _) => StepKind::Creates,
        (Some(ThreadEffect::Join(_) | ThreadEffect::Detach(_)), _) => StepKind::Joins,
        (Some(ThreadEffect::SectionBegin), _) => StepKind::Section,
        (_, Control::Halt) => StepKind::Halts,
        _ => StepKind::Private,
    }
}
