//! What steps declare that they do ([`c::Effects`]) against what the reference semantics does, on random
//! programs: every register and cell that decides about a step or changes with it is declared, and so is
//! everything that it waits for or is undefined by. An effect that is left out is found.

#[path = "concrete/random.rs"]
mod random;

use base::{Id, Random, SourceMap};
use c::{
    AccessKind, Blocked, Control, Effects, FailureKind, Fault, Hit, InstanceId, LocalScope, Machine, Memory,
    Options, Program, Refusal, Region, State, Step, SyncUse, Thread, ThreadEffect, Value,
};
use std::collections::BTreeSet;

const NUMBERS: [u128; 4] = [0, 1, 2, 3];

/// A change to the effects of a step: what it leaves out.
type Lie = fn(&mut Effects);

fn honest(_: &mut Effects) {}

/// Compares on programs made from seeds; the number of steps, or the first that does more than it declares.
fn compare(seeds: std::ops::Range<u64>, options: Options, lie: Lie) -> Result<usize, String> {
    let mut number = 0;
    for seed in seeds {
        let mut random = Random::new(seed);
        let text = with_more(&random::program(&mut random, seed % 2 == 0), &mut random);
        let file = SourceMap::new().add("random.cir", &text);
        let program = c::text::parse(&text, file).unwrap_or_else(|found| panic!("{found:?}\n{text}"));
        let observer = Observer::new(&program, options, lie);
        number += observer.walk(&mut random).map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
    }
    Ok(number)
}

/// Steps that the search is not tried on.
const MORE: [&str; 20] = [
    "detach h",
    "h := me",
    "sync semvalue [s 0] code a",
    "sync destroymutex [m 0] code a",
    "sync init mutex errorcheck [n 0]",
    "sync init semaphore (zext b32 a) [s 0]",
    "sync timedwrlock [rw 0] code a",
    "e := sizeof p",
    "a := load atomic [x 0]",
    "store atomic [x 0] := b",
    "reach count e from 0 own 4 * 1 (p)",
    "reach write (zext b32 a) from 0 own 0 * 2 (const p)",
    "reach pick p from 0 own 0 * 1 (p)",
    "p := (add p (zext b64 a))",
    "h := (sub p &x)",
    "p := alloc 4 * (zext b64 b) automatic",
    "free automatic p",
    "a := (shl a b)",
    "sync lock [n 0]\n  sync wait [n 0] [c 0] code a",
    "sync broadcast [c 0]",
];

/// The program with one more step before the first of each of its procedures, some of the time.
fn with_more(text: &str, random: &mut Random) -> String {
    let mut text = text.replace("property \"it\"", "property \"it\"\norigin external \"elsewhere\" stores");
    for label in ["  main1: ", "  main3: ", "  f0: ", "  f2: ", "  g0: ", "  g1: "] {
        let more = random.pick(&MORE);
        text = text.replace(label, &format!("  {more}\n{label}"));
    }
    text
}

struct Observer<'p> {
    program: &'p Program,
    machine: Machine<'p>,
    effects: Vec<Effects>,
}

impl<'p> Observer<'p> {
    fn new(program: &'p Program, options: Options, lie: Lie) -> Observer<'p> {
        let declared = |loc| {
            let mut effects = program.effects(loc);
            lie(&mut effects);
            effects
        };
        let effects = program.locations().ids().map(declared).collect();
        Observer { program, machine: Machine::new(program, options), effects }
    }

    /// Goes through some random runs.
    fn walk(&self, random: &mut Random) -> Result<usize, String> {
        let mut number = 0;
        for _ in 0..4 {
            let mut state = self.machine.start();
            for _ in 0..60 {
                let steps = self.machine.candidates(&state, &NUMBERS);
                if steps.is_empty() {
                    break;
                }
                // What waits or fails is compared too.
                let results: Vec<_> = steps.iter().map(|step| self.machine.apply(&state, step)).collect();
                for (step, result) in steps.iter().zip(&results) {
                    number += 1;
                    let op = &self.program.at(step.at).op;
                    self.step(&state, step, result).map_err(|why| format!("{why}: {op:?} in {state:?}"))?;
                }
                let going: Vec<&State> = results.iter().filter_map(|it| it.as_ref().ok()).collect();
                if going.is_empty() {
                    break;
                }
                state = going[random.below(going.len())].clone();
            }
        }
        Ok(number)
    }

    fn step(&self, before: &State, step: &Step, result: &Result<State, Refusal>) -> Result<(), String> {
        let effects = &self.effects[step.at.index()];
        let thread = &before.threads[&step.thread];
        match result {
            Ok(after) => self.change(before, after, step)?,
            Err(refusal) => refused(effects, refusal)?,
        }
        let result = result.as_ref().ok();
        self.registers(before, step, thread, result)?;
        self.cells(before, step, thread, result)
    }

    /// What the step changes is declared.
    fn change(&self, before: &State, after: &State, step: &Step) -> Result<(), String> {
        let effects = &self.effects[step.at.index()];
        let old = &before.threads[&step.thread];
        let new = after.threads.get(&step.thread);
        if let Some(new) = new {
            self.control(effects, step, old, new)?;
            for (id, local) in self.program.locals().enumerate() {
                let same_activation = old.frames.len() == new.frames.len();
                let mine = match local.scope {
                    LocalScope::Thread => true,
                    LocalScope::Procedure(it) => same_activation && it == self.program.at(step.at).procedure,
                };
                if mine
                    && old.get(self.program, id) != new.get(self.program, id)
                    && !effects.writes.contains(&id)
                {
                    return Err(format!("writes {}", local.name));
                }
            }
            let section = [(true, ThreadEffect::SectionBegin), (false, ThreadEffect::SectionEnd)];
            for (begins, wanted) in section {
                if new.section == begins && old.section != begins && effects.threads != Some(wanted) {
                    return Err("changes whether others may step".into());
                }
            }
        } else if !matches!(effects.control, Control::Return | Control::Exit) {
            return Err("ends the thread".into());
        }
        self.threads(before, after, step)?;
        self.memory(before, after, step)
    }

    fn control(&self, effects: &Effects, step: &Step, old: &Thread, new: &Thread) -> Result<(), String> {
        let next = self.program.at(step.at).next;
        let (at, deeper) = (new.loc(), new.frames.len() > old.frames.len());
        let fits = match effects.control {
            _ if new.wait.is_some() => at == step.at,
            Control::Next | Control::Check => at == next && !deeper,
            Control::Branch(target) => at == next || at == target,
            Control::Call(procedure) => at == self.program.procedures()[procedure].entry && deeper,
            Control::Return => new.frames.len() < old.frames.len(),
            Control::Halt => new.halted,
            Control::Exit | Control::Nowhere => false,
        };
        if fits { Ok(()) } else { Err(format!("goes to {at:?}")) }
    }

    /// Other threads, and who has ended.
    fn threads(&self, before: &State, after: &State, step: &Step) -> Result<(), String> {
        let effects = &self.effects[step.at.index()];
        let created = after.threads.keys().filter(|id| !before.threads.contains_key(id)).count();
        if created > 0 && effects.creates().is_none() {
            return Err("creates a thread".into());
        }
        let others = before.threads.keys().filter(|&&id| id != step.thread);
        let touched = others.into_iter().any(|id| before.threads.get(id) != after.threads.get(id));
        let forgets = before.ended.keys().any(|id| !after.ended.contains_key(id));
        let wakes = effects
            .accesses
            .iter()
            .any(|it| matches!(it.kind, AccessKind::Sync(SyncUse::Wake | SyncUse::Meet)));
        let joins = matches!(effects.threads, Some(ThreadEffect::Join(_) | ThreadEffect::Detach(_)));
        if touched && !wakes && !joins || forgets && !joins {
            return Err("changes another thread".into());
        }
        Ok(())
    }

    /// Cells and lives of objects.
    fn memory(&self, before: &State, after: &State, step: &Step) -> Result<(), String> {
        let effects = &self.effects[step.at.index()];
        let allowed = self.allowed(before, step);
        let has = |kind: AccessKind| effects.accesses.iter().any(|access| access.kind == kind);
        let number = before.memory.instances.len().max(after.memory.instances.len());
        for id in (0..number).map(InstanceId::from_index) {
            match (before.memory.get(id), after.memory.get(id)) {
                (None, Some(_)) if has(AccessKind::Begin) || effects.creates().is_some() => {}
                (None, Some(_)) => return Err("begins an object".into()),
                (Some(_), None) if has(AccessKind::End) => {}
                (Some(_), None) => return Err("ends an object".into()),
                (Some(old), Some(new)) => {
                    for cell in 0..old.cells.len() {
                        if old.cells[cell] != new.cells[cell] && !allowed.may(id, cell) {
                            return Err(format!("writes cell {cell} of {id:?}"));
                        }
                    }
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// The cells that the step may read or write.
    fn allowed(&self, state: &State, step: &Step) -> Allowed {
        let thread = &state.threads[&step.thread];
        let mut allowed = Allowed::default();
        for access in &self.effects[step.at.index()].accesses {
            let cell = match access.region {
                Region::Scalar { place, bits } => {
                    match self.machine.hit(&state.memory, thread, place, bits) {
                        Ok(Hit::Cell(cell)) => Ok(cell),
                        Ok(Hit::Bytes(span)) => {
                            let cells = state.memory.get(span.instance).map_or(0, |it| it.cells.len());
                            allowed.cells.extend((0..cells).map(|cell| (span.instance, cell)));
                            continue;
                        }
                        Err(refusal) => Err(refusal),
                    }
                }
                Region::Sync { place, kind } => self.machine.sync_cell(&state.memory, thread, place, kind),
                Region::Reachable { pointer, .. } => {
                    let value = self.machine.evaluator().value(thread, pointer);
                    value.into_iter().for_each(|value| allowed.lead(&state.memory, value));
                    continue;
                }
                _ => continue,
            };
            allowed.cells.extend(cell.map(|cell| (cell.instance, cell.cell as usize)));
        }
        allowed
    }

    /// A register that is not declared to be read does not matter, and one that is overwritten leaves no
    /// trace.
    fn registers(
        &self,
        before: &State,
        step: &Step,
        thread: &Thread,
        result: Option<&State>,
    ) -> Result<(), String> {
        let effects = &self.effects[step.at.index()];
        let procedure = self.program.at(step.at).procedure;
        for (id, local) in self.program.locals().enumerate() {
            let mine = local.scope == LocalScope::Thread || local.scope == LocalScope::Procedure(procedure);
            if !mine || effects.reads.contains(&id) {
                continue;
            }
            let value = thread.get(self.program, id);
            let other = if value == Value::Bits(1) { Value::Bits(2) } else { Value::Bits(1) };
            let mut changed = before.clone();
            let Some(active) = changed.threads.get_mut(&step.thread) else { continue };
            active.set(self.program, id, other);
            let mut again = self.machine.apply(&changed, step).ok();
            let stays = !(effects.overwrites.contains(&id) && goes_on(step, result));
            if stays && let (Some(after), Some(was)) = (&mut again, result) {
                restore(self.program, after, was, step, id);
            }
            if again.as_ref() != result {
                return Err(format!("reads {}", local.name));
            }
        }
        Ok(())
    }

    /// A cell that is not declared to be accessed does not matter.
    fn cells(&self, before: &State, step: &Step, _: &Thread, result: Option<&State>) -> Result<(), String> {
        let allowed = self.allowed(before, step);
        for (at, instance) in before.memory.instances.iter().enumerate() {
            let id = InstanceId::from_index(at);
            for cell in 0..instance.as_ref().map_or(0, |it| it.cells.len()) {
                if allowed.may(id, cell) {
                    continue;
                }
                let (mut changed, target) = (before.clone(), c::CellRef { instance: id, cell: cell as u32 });
                let was = before.memory.read(target);
                changed
                    .memory
                    .write(target, if was == Value::Bits(1) { Value::ZERO } else { Value::Bits(1) });
                let mut again = self.machine.apply(&changed, step).ok();
                if let Some(after) = &mut again {
                    after.memory.write(target, was);
                }
                let mut expected = result.cloned();
                if let Some(after) = &mut expected {
                    after.memory.write(target, was);
                }
                if again != expected {
                    return Err(format!("reads cell {cell} of {id:?}"));
                }
            }
        }
        Ok(())
    }
}

/// Cells that a step may access.
#[derive(Default)]
struct Allowed {
    cells: BTreeSet<(InstanceId, usize)>,
    objects: BTreeSet<InstanceId>,
}

impl Allowed {
    fn may(&self, instance: InstanceId, cell: usize) -> bool {
        self.objects.contains(&instance) || self.cells.contains(&(instance, cell))
    }

    /// All that a value leads to.
    fn lead(&mut self, memory: &Memory, value: Value) {
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            if let Value::Address { instance, .. } = value
                && self.objects.insert(instance)
            {
                work.extend(memory.get(instance).map_or(&[][..], |it| &it.cells));
            }
        }
    }
}

/// Whether control left the step.
fn goes_on(step: &Step, result: Option<&State>) -> bool {
    result.and_then(|state| state.threads.get(&step.thread)).is_some_and(|thread| thread.wait.is_none())
}

/// Gives a register that was changed before the step the value that it has without that change.
fn restore(program: &Program, after: &mut State, was: &State, step: &Step, id: c::LocalId) {
    let (Some(thread), Some(original)) = (after.threads.get_mut(&step.thread), was.threads.get(&step.thread))
    else {
        return;
    };
    let local = &program.locals()[id];
    let slot = local.slot as usize;
    match local.scope {
        LocalScope::Thread => thread.registers[slot] = original.registers[slot],
        LocalScope::Procedure(_) => {
            // After a call the activation is the last but one, after a return it is gone.
            let depth = thread
                .frames
                .iter()
                .zip(&original.frames)
                .rposition(|(frame, _)| program.at(frame.loc).procedure == program.at(step.at).procedure);
            for at in depth.into_iter().flat_map(|last| [Some(last), last.checked_sub(1)]).flatten() {
                let from = original.frames[at].registers.get(slot).copied();
                if let (Some(from), Some(to)) = (from, thread.frames[at].registers.get_mut(slot)) {
                    *to = from;
                }
            }
        }
    }
}

fn refused(effects: &Effects, refusal: &Refusal) -> Result<(), String> {
    let undefined = |fault: &Fault| effects.faults.contains(fault);
    let declared = match refusal {
        Refusal::Blocked(Blocked::Undefined(fault)) => undefined(fault),
        Refusal::Fails(FailureKind::Undefined(fault)) => undefined(fault),
        Refusal::Blocked(Blocked::Section) => true,
        Refusal::Blocked(blocked) => effects.waits.contains(blocked),
        Refusal::Fails(FailureKind::Property(_)) => {
            matches!(effects.control, Control::Check | Control::Nowhere)
        }
        Refusal::Fails(FailureKind::Race(_) | FailureKind::Deadlock(_) | FailureKind::Leak(_)) => false,
        Refusal::Unsupported(_) => effects.unsupported,
        // The choices do not fit.
        Refusal::Mismatch(_) => true,
    };
    if declared { Ok(()) } else { Err(format!("{refusal}")) }
}

const MANY: u64 = 150;

fn options(all: bool, spurious_wakeups: bool) -> Options {
    let faults = if all { c::Faults::ALL } else { c::Faults::NONE };
    Options { faults, spurious_wakeups, threads: Some(3), ..Options::default() }
}

#[test]
fn the_machine_does_what_is_declared() {
    for (memory, spurious) in [(false, true), (true, false)] {
        let number =
            compare(0..MANY, options(memory, spurious), honest).unwrap_or_else(|why| panic!("{why}"));
        assert!(number > 10_000, "{number}");
    }
}

#[test]
fn an_effect_that_is_left_out_is_found() {
    let lies: [(&str, Lie); 16] = [
        ("reads", |it| it.reads.clear()),
        ("writes", |it| it.writes.clear()),
        ("results that a join gives", |it| it.overwrites.clone_from(&it.writes)),
        ("accesses", |it| it.accesses.clear()),
        ("reads of memory", |it| it.accesses.retain(|access| access.kind != AccessKind::Read)),
        ("updates", |it| it.accesses.retain(|access| access.kind != AccessKind::Update)),
        ("ends of objects", |it| it.accesses.retain(|access| access.kind != AccessKind::End)),
        ("begins of objects", |it| it.accesses.retain(|access| access.kind != AccessKind::Begin)),
        ("mutexes of sleepers", |it| {
            it.accesses.retain(|access| access.kind != AccessKind::Sync(SyncUse::Reacquire));
        }),
        ("releases", |it| it.accesses.retain(|access| access.kind != AccessKind::Sync(SyncUse::Release))),
        ("wakes", |it| it.accesses.retain(|access| access.kind != AccessKind::Sync(SyncUse::Wake))),
        ("waits", |it| it.waits.clear()),
        ("locks to wait for", |it| it.waits.retain(|it| *it != Blocked::Lock)),
        ("faults", |it| it.faults.clear()),
        ("control", |it| it.control = Control::Next),
        ("threads", |it| it.threads = None),
    ];
    let missed = |lie: Lie| compare(0..MANY, options(false, false), lie).is_err();
    let unnoticed: Vec<&str> = lies.iter().filter(|(_, lie)| !missed(*lie)).map(|(what, _)| *what).collect();
    assert!(unnoticed.is_empty(), "nobody misses {unnoticed:?}");
}
