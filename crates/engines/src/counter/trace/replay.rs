//! The forward half: gives every thread a name, creates the threads that the bound refused if the question was about any number, and has
//! the reference semantics accept each step.

use super::deed::{Deed, Finder, Micro};
use super::scene::{Person, Scene};
use crate::command::Child;
use crate::symbolic::values::thread;
use base::{Id, Stop};
use ir::bp::state::Passive;
use ir::bp::{Birth, LocalId, Machine, Op, State, Step, ThreadId, Values, Var};
use ir::trace::ProgramTrace;
use std::collections::BTreeMap;

/// The run, or `None` if idle threads stand in its way.
pub fn replay(
    finder: Finder<'_, '_>,
    start: &Scene,
    deeds: &[Deed],
    bounded: bool,
) -> Result<Option<ProgramTrace>, Stop> {
    let program = finder.threads.symbolic.program;
    let machine = Machine::new(program, bounded.then_some(finder.bound));
    let names: BTreeMap<ThreadId, Person> = (0..).zip(start.people.iter().cloned()).collect();
    let state = State {
        initialising: start.initialising,
        shared: start.shared.clone(),
        threads: names
            .iter()
            .map(|(&name, person)| {
                (name, thread(program, (person.at.loc(), person.at.inside()), &person.values))
            })
            .collect(),
    };
    let (idle, next) = (BTreeMap::new(), names.len() as ThreadId);
    let mut player =
        Player { finder, machine, state: state.clone(), names, idle, next, bounded, steps: vec![] };
    for deed in deeds {
        if !player.perform(deed)? {
            return Ok(None);
        }
    }
    let failure = player.machine.failure(&player.state).expect("the run leads to an error");
    Ok(Some(ProgramTrace { start: state, steps: player.steps, failure }))
}

struct Player<'a, 'p> {
    finder: Finder<'a, 'p>,
    machine: Machine<'p>,
    state: State,
    names: BTreeMap<ThreadId, Person>,
    /// The threads that the bound refused.
    idle: BTreeMap<ThreadId, Person>,
    next: ThreadId,
    /// Whether a refused thread stays refused.
    bounded: bool,
    steps: Vec<Step>,
}

impl Player<'_, '_> {
    /// Adds the single steps of a deed; false if idle threads stand in the way.
    fn perform(&mut self, deed: &Deed) -> Result<bool, Stop> {
        let active = self.names.iter().find(|it| *it.1 == deed.mover);
        let active = *active.expect("a thread is in the state that steps").0;
        for (number, micro) in deed.micros.iter().enumerate() {
            let mut step = self.bare(active, micro);
            self.names.remove(&active);
            if number == 0 && !self.others(&mut step, deed)? {
                return Ok(false);
            }
            if let Some(after) = &micro.after {
                self.names.insert(active, after.clone());
            }
            match self.machine.apply(&self.state, &step) {
                Ok(after) => self.state = after,
                Err(_) if !self.idle.is_empty() => return Ok(false),
                Err(refusal) => {
                    panic!("every step of the search is one of the program: {refusal:?}, {step:?}")
                }
            }
            self.steps.push(step);
        }
        Ok(true)
    }

    /// The step without its effects on other threads.
    fn bare(&self, thread: ThreadId, micro: &Micro) -> Step {
        let symbolic = &self.finder.threads.symbolic;
        let assigns = matches!(symbolic.program.at(micro.loc).op, Op::Assign { .. });
        let writes = if assigns { micro.writes.clone() } else { vec![] };
        let to = symbolic.commands.at(micro.loc)[micro.index].to;
        Step { thread, at: micro.loc, to, writes, passive: vec![], births: vec![] }
    }

    /// What the first command of a deed does to other threads; false if an idle one cannot go along.
    fn others(&mut self, step: &mut Step, deed: &Deed) -> Result<bool, Stop> {
        let (loc, index) = (deed.micros[0].loc, deed.micros[0].index);
        let command = self.finder.threads.symbolic.commands.at(loc)[index].clone();
        if (command.asks.is_some() || !command.broadcast.is_empty()) && !self.react(step, deed)? {
            return Ok(false);
        }
        if let Some(child) = &command.child {
            match &deed.child {
                Some(person) => self.create(step, child, &deed.before.shared, &deed.mover, Some(person)),
                None if deed.refused && !self.bounded => {
                    self.create(step, child, &deed.before.shared, &deed.mover, None);
                }
                None => {}
            }
        }
        for person in &deed.newborn {
            let procedure = self.finder.threads.symbolic.program.at(person.at.loc()).procedure;
            let child = self.finder.threads.symbolic.commands.fresh(procedure).clone();
            self.create(step, &child, &deed.before.shared, &deed.mover, Some(person));
        }
        Ok(true)
    }

    /// Names a new thread: one of the run, or an idle one with any values that it may have.
    fn create(
        &mut self,
        step: &mut Step,
        child: &Child,
        shared: &[bool],
        creator: &Person,
        person: Option<&Person>,
    ) {
        let symbolic = &self.finder.threads.symbolic;
        let value = |var: Var| match var {
            Var::Shared(id) => shared[id.index()],
            Var::Local(id) => creator.values[id.index()],
        };
        let birth = |&(local, e): &(LocalId, ir::bp::ExprId)| {
            let known = person.filter(|_| symbolic.keeps(child.at, local));
            let given = known.map(|person| person.values[local.index()]);
            let any = symbolic.commands.exprs().values(e, |read| Values::only(value(read.var)));
            (local, given.unwrap_or_else(|| !any.may_be(false)))
        };
        let values: Vec<(LocalId, bool)> = child.values.iter().map(birth).collect();
        let mut born = vec![false; symbolic.program.locals().len()];
        for &(local, value) in values.iter().filter(|it| symbolic.keeps(child.at, it.0)) {
            born[local.index()] = value;
        }
        let at = super::super::group::Control::new(child.at, false);
        let names = if person.is_some() { &mut self.names } else { &mut self.idle };
        names.insert(self.next, Person { at, values: born });
        step.births.push(Birth { thread: self.next, at: child.at, values });
        self.next += 1;
    }

    /// Gives each passive thread its new values; false if an idle one cannot have any.
    fn react(&mut self, step: &mut Step, deed: &Deed) -> Result<bool, Stop> {
        let mut planned = deed.reactions.clone();
        let everybody: Vec<ThreadId> = self.names.keys().chain(self.idle.keys()).copied().collect();
        let mut passive = vec![];
        for name in everybody {
            let reaction = match self.names.get(&name) {
                Some(person) => {
                    let at = planned.iter().position(|reaction| reaction.before == *person);
                    planned.swap_remove(at.expect("every thread of the run was planned for"))
                }
                None => {
                    let person = self.idle[&name].clone();
                    let Some(reaction) = self.finder.react(deed, &person)? else { return Ok(false) };
                    reaction
                }
            };
            let people = if self.names.contains_key(&name) { &mut self.names } else { &mut self.idle };
            people.insert(name, reaction.after);
            if !reaction.values.is_empty() {
                passive.push(Passive { thread: name, depth: 0, values: reaction.values });
            }
        }
        passive.sort_by_key(|it| it.thread);
        step.passive = passive;
        Ok(true)
    }
}
