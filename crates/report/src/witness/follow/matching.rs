//! Which steps of the machine pass which waypoints.

use super::super::condition::{Condition, Number};
use super::super::places::{Spot, Texts};
use super::super::read::{Passage, PassageKind, Place, Segment, ViolationWitness};
use ::c::{
    CellRef, Control, Done, Effects, Failure, FailureKind, InstanceId, Loc, Machine, NumberChoice, State,
    Step, ThreadId, Type, Value, signed,
};
use base::{FileId, Id, Span};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A witness on the program that it is about.
pub struct Guide<'a> {
    /// The segments of the witness.
    pub segments: &'a [Segment],
    texts: &'a Texts<'a>,
    machine: &'a Machine<'a>,
    /// The first step of each statement.
    begins: BTreeSet<Loc>,
    file: FileId,
    unknown: RefCell<BTreeSet<String>>,
}

/// A step with what it did.
pub struct Taken<'a> {
    /// The step.
    pub step: Step,
    /// The state before it.
    pub before: &'a State,
    /// The state after it.
    pub after: &'a State,
    /// What it did.
    pub done: Done,
}

impl<'a> Guide<'a> {
    /// The witness on a program, or why it cannot be about it.
    pub fn new(
        witness: &'a ViolationWitness,
        texts: &'a Texts<'a>,
        machine: &'a Machine<'a>,
        file: FileId,
    ) -> Result<Guide<'a>, String> {
        let mut first: BTreeMap<(usize, Spot), Loc> = BTreeMap::new();
        for (at, location) in machine.program().locations().enumerate() {
            let Some(span) = location.span.filter(|it| texts.statement(*it).is_some()) else { continue };
            first.entry((location.procedure.index(), texts.spot(span))).or_insert(at);
        }
        let begins = first.into_values().collect();
        let guide =
            Guide { segments: &witness.segments, texts, machine, begins, file, unknown: RefCell::default() };
        for passage in witness.segments.iter().flat_map(|it| it.avoid.iter().chain(&it.follow)) {
            let name = passage.place.file.as_deref();
            if guide.file_of(&passage.place).is_none() {
                return Err(format!("the program has no file `{}`", name.unwrap_or_default()));
            }
        }
        Ok(guide)
    }

    /// The names in conditions that were no variables with a number where they were asked for.
    pub fn unknown_names(&self) -> String {
        let names: Vec<String> = self.unknown.borrow().iter().map(|it| format!("`{it}`")).collect();
        if names.is_empty() { String::new() } else { format!("{} had no value", names.join(", ")) }
    }

    /// Where a thread is.
    pub fn span(&self, state: &State, thread: ThreadId) -> Option<Span> {
        let at = state.threads.get(&thread)?.loc();
        self.texts.span(state, thread, at)
    }

    /// Whether a place of the program is the one that a waypoint names: with a column, in the same statement.
    pub fn is_at(&self, place: &Place, span: Span) -> bool {
        if self.file_of(place) != Some(span.file) {
            return false;
        }
        let file = self.texts.sources.file(span.file);
        let spot = self.texts.spot(span);
        let statement = place.column.and_then(|column| {
            let line = file.line(place.line);
            let line_start = line.as_ptr() as usize - file.text().as_ptr() as usize;
            let (byte, _) = line.char_indices().nth(column.saturating_sub(1) as usize)?;
            let start = (line_start + byte) as u32;
            let named = Span { file: span.file, start, end: start };
            self.texts.statement(named).map(|_| self.texts.spot(named))
        });
        match statement {
            Some(named) => named == spot,
            None => [span.start, spot.anchor].iter().any(|&it| file.position(it).line == place.line),
        }
    }

    /// The file that a place names: whole, or by its last name.
    fn file_of(&self, place: &Place) -> Option<FileId> {
        let Some(name) = &place.file else { return Some(self.file) };
        let last = |it: &str| it.rsplit('/').next().map(str::to_string);
        let main = self.texts.sources.file(self.file).name();
        if main == name || last(main) == last(name) {
            return Some(self.file);
        }
        self.texts.sources.find(name)
    }

    /// Whether a step passes a waypoint that is no target; `threads` says who its threads are.
    pub fn passes(&self, passage: &Passage, threads: &[ThreadId], taken: &Taken<'_>) -> bool {
        let thread = taken.step.thread;
        if threads.get(passage.thread as usize) != Some(&thread) {
            return false;
        }
        let Some(span) = self.span(taken.before, thread) else { return false };
        if !self.is_at(&passage.place, span) {
            return false;
        }
        let effects = self.machine.program().effects(taken.step.at);
        match &passage.kind {
            PassageKind::Assumption(condition) => {
                let repeats = self.texts.statement(span).is_none_or(|it| it.repeats);
                let begins = repeats || self.begins.contains(&taken.step.at);
                begins && self.holds(condition, taken.before, thread, None)
            }
            PassageKind::Behind(condition) => {
                self.leaves(taken, span) && self.holds(condition, taken.after, thread, None)
            }
            PassageKind::Branching(expected) => {
                let outcome = self.texts.outcome(span, self.span(taken.after, thread));
                self.leaves(taken, span) && (expected.is_none() || outcome.is_none() || outcome == *expected)
            }
            PassageKind::Enter => effects.begins().is_some(),
            PassageKind::Return(condition) => {
                let result = self.result(&effects, taken);
                result.is_some_and(|it| self.holds(condition, taken.before, thread, Some(it)))
            }
            PassageKind::Target => false,
        }
    }

    /// Whether a step is the last one of a visit of a statement.
    fn leaves(&self, taken: &Taken<'_>, span: Span) -> bool {
        let next = self.span(taken.after, taken.step.thread);
        next.is_none_or(|next| self.texts.spot(next) != self.texts.spot(span))
    }

    /// Whether a step of the thread may pass a waypoint that is still to come.
    pub fn may_pass_later(&self, from: usize, threads: &[ThreadId], thread: ThreadId, span: Span) -> bool {
        let rest = self.segments[from..].iter().flat_map(|it| it.avoid.iter().chain(&it.follow));
        let mut rest = rest.filter(|it| threads.get(it.thread as usize).is_none_or(|it| *it == thread));
        rest.any(|it| self.is_at(&it.place, span))
    }

    /// The number that a call gives: one that is chosen, or what a function returns.
    fn result(&self, effects: &Effects, taken: &Taken<'_>) -> Option<Number> {
        let local = match (effects.chooses.number, effects.control) {
            (NumberChoice::Input(_), _) => effects.writes.first().copied(),
            (_, Control::Return) => taken.done.returned,
            _ => None,
        }?;
        let thread = taken.after.threads.get(&taken.step.thread)?;
        let register = &self.machine.program().locals()[local];
        number(thread.get(self.machine.program(), local), register.ty, register.signed)
    }

    fn holds(&self, condition: &Condition, state: &State, thread: ThreadId, result: Option<Number>) -> bool {
        let value = |name: &str| if name == "\\result" { result } else { self.variable(state, thread, name) };
        condition.holds(value).unwrap_or_else(|name| {
            self.unknown.borrow_mut().insert(name);
            false
        })
    }

    /// The number in a variable that the thread sees: of its innermost call that has one of this name, or a
    /// global one.
    fn variable(&self, state: &State, thread: ThreadId, name: &str) -> Option<Number> {
        let program = self.machine.program();
        let thread = state.threads.get(&thread)?;
        for frame in thread.frames.iter().rev() {
            let procedure = program.at(frame.loc).procedure;
            let scope = ::c::LocalScope::Procedure(procedure);
            if let Some((_, it)) =
                program.locals().enumerate().find(|(_, it)| it.scope == scope && it.name == name)
            {
                return number(*frame.registers.get(it.slot as usize)?, it.ty, it.signed);
            }
            if let Some(found) = frame.objects.iter().find_map(|it| self.cell(state, it.1, name)) {
                return Some(found);
            }
        }
        let own = thread.objects.iter().find_map(|it| self.cell(state, it.1, name));
        own.or_else(|| {
            let ids = (0..program.objects().len()).map(InstanceId::from_index);
            ids.into_iter().find_map(|it| self.cell(state, it, name))
        })
    }

    /// The number in the cell of an object that has this name.
    fn cell(&self, state: &State, instance: InstanceId, name: &str) -> Option<Number> {
        let program = self.machine.program();
        let cells = state.memory.get(instance)?.cells.len();
        let begins = program.cell_name(&state.memory, CellRef { instance, cell: 0 });
        let stem = |it: &str| it.split(['.', '[']).next().map(str::to_string);
        if stem(&begins) != stem(name) {
            return None;
        }
        let mut cells = (0..cells as u32).map(|cell| CellRef { instance, cell });
        let cell = cells.find(|it| program.cell_name(&state.memory, *it) == name)?;
        number(state.memory.read(cell), program.cell_type(&state.memory, cell)?, true)
    }

    /// Whether what fails is the target.
    pub fn is_target(&self, threads: &[ThreadId], state: &State, failure: &Failure) -> bool {
        let Some(last) = self.segments.last() else { return false };
        let at = |passage: &Passage, thread: ThreadId, at: Loc| {
            let span = self.texts.span(state, thread, at).or(self.machine.program().at(at).span);
            let is_its = threads.get(passage.thread as usize) == Some(&thread);
            is_its && span.is_some_and(|it| self.is_at(&passage.place, it))
        };
        match (&failure.kind, &last.follow[..]) {
            (FailureKind::Race(race), [one, two]) => {
                let [a, b] = &race.accesses;
                at(one, a.thread, a.at) && at(two, b.thread, b.at)
                    || at(one, b.thread, b.at) && at(two, a.thread, a.at)
            }
            (FailureKind::Race(race), [only]) => race.accesses.iter().any(|it| at(only, it.thread, it.at)),
            (_, [only]) => at(only, failure.step.thread, failure.step.at),
            _ => false,
        }
    }
}

fn number(value: Value, ty: Type, is_signed: bool) -> Option<Number> {
    let (Value::Bits(bits), Type::Bits(width)) = (value, ty) else { return None };
    let value = if is_signed { signed(bits, width) } else { i128::try_from(bits).ok()? };
    Some(Number { value, width: Some(width) })
}
