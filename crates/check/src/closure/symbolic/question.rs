//! The questions about one tuple, or about the starts: each has its own solver, so that memory does not grow with the certificate.

use super::at;
use super::crowd::Crowd;
use super::family::Family;
use crate::figure::{Figure, Scene};
use crate::interpret::{Interpreter, beginner, start_values};
use crate::logic::Logic;
use crate::message::Message;
use crate::symbolic::cnf::{Cnf, Lit};
use crate::symbolic::places::Places;
use crate::symbolic::sets::Set;
use crate::symbolic::within;
use crate::{Refused, reject};
use base::Id;
use ir::bp::{Count, Loc, Op, Program, Var};
use ir::certificate::ClassTuple;

type Thread = (usize, Vec<Lit>);

/// What is asked, and the solver that answers.
pub struct Question<'c, 'f> {
    family: &'f Family<'c>,
    interpreter: Interpreter<'c, Cnf<'c>>,
}

/// A thread that is about to step, and those that look on.
struct Step<'a> {
    /// That they are together.
    guard: Lit,
    /// Where the thread stands.
    point: usize,
    /// Its values.
    values: &'a [Lit],
    /// Those that look on, with the shared variables.
    others: &'a Crowd,
    /// Whether the thread is one of the tuple.
    own: bool,
}

impl<'c, 'f> Question<'c, 'f> {
    /// Nothing is asked yet.
    pub fn new(family: &'f Family<'c>) -> Self {
        let interpreter = Interpreter { program: family.program, logic: Cnf::new(family.budget) };
        Question { family, interpreter }
    }

    fn cnf(&mut self) -> &mut Cnf<'c> {
        &mut self.interpreter.logic
    }

    fn width(&self) -> usize {
        self.family.closure.width as usize
    }

    /// All threads that the program may start with are tuples.
    pub fn starts(mut self) -> Result<(), Refused> {
        let program = self.family.program;
        let kept = self.family.closure.view.shared.iter();
        let shared = kept.map(|&id| start_values(program.shared()[id].init).into()).collect();
        let (guard, shared) = self.definite(shared)?;
        let init = program.start().init;
        let places = Places { initialising: init.is_some(), shared, threads: vec![] };
        let nobody = Crowd { busy: false, places };
        match init {
            None => self.populate(guard, &nobody),
            Some(init) => match self.joined(guard, beginner(program, init))? {
                Some((guard, thread)) => self.require(guard, &nobody.with(&thread)),
                None => Ok(()),
            },
        }
    }

    /// Every few threads of the templates are a tuple.
    fn populate(&mut self, guard: Lit, nobody: &Crowd) -> Result<(), Refused> {
        let program = self.family.program;
        // Each with the template that its last thread is of, and how many of that template there are.
        let mut grown: Vec<(Lit, Crowd, usize, u32)> = vec![(guard, nobody.clone(), 0, 0)];
        while let Some((guard, crowd, last, count)) = grown.pop() {
            self.family.budget.spend(1)?;
            if crowd.len() == self.width() {
                continue;
            }
            for (index, template) in program.start().templates.iter().enumerate().skip(last) {
                let count = if index == last { count } else { 0 };
                if matches!(template.count, Count::Exactly(n) if count >= n) {
                    continue;
                }
                let thread = beginner(program, template.procedure);
                let Some((guard, thread)) = self.joined(guard, thread)? else { continue };
                let more = crowd.with(&thread);
                self.require(guard, &more)?;
                grown.push((guard, more, index, count + 1));
            }
        }
        Ok(())
    }

    /// No thread of the tuple fails, and every step of one of its threads, or of one more, leads to tuples.
    pub fn tuple(mut self, tuple: &ClassTuple) -> Result<(), Refused> {
        let family = self.family;
        let cnf = self.cnf();
        let crowd = Crowd { busy: tuple.busy, places: family.places(tuple, || cnf.fresh()) };
        let holds = crowd.holds(cnf, family)?;
        cnf.clause(&[holds]);
        if !cnf.solve(&[])? {
            return Ok(());
        }
        for index in 0..crowd.len() {
            let (class, values) = &crowd.places.threads[index];
            if index > 0 && *class == crowd.places.threads[index - 1].0 {
                self.are_alike(&crowd, index)?;
                continue;
            }
            let others = crowd.without(index);
            self.steps(*class, Step { guard: Lit::TRUE, point: 0, values, others: &others, own: true })?;
        }
        // `init` runs alone.
        if crowd.len() < self.width() || tuple.initialising {
            return Ok(());
        }
        for class in 0..family.closure.classes.len() {
            self.one_more(&crowd, class)?;
        }
        Ok(())
    }

    /// The threads in this place and the one before can be exchanged. So it does not matter in which order threads of a class are listed,
    /// and what the one can do the other can do as well.
    fn are_alike(&mut self, crowd: &Crowd, index: usize) -> Result<(), Refused> {
        let exchanged = crowd.exchanged(index - 1, index).holds(&mut self.interpreter.logic, self.family)?;
        if self.cnf().solve(&[!exchanged])? {
            return Ok(reject("threads of one class cannot be exchanged")?);
        }
        Ok(())
    }

    /// The steps of one more thread, in this class, that goes together with each part of the tuple.
    fn one_more(&mut self, crowd: &Crowd, class: usize) -> Result<(), Refused> {
        let family = self.family;
        if crowd.busy && !family.is_inside(class) {
            return Ok(());
        }
        let values: Vec<Lit> = (0..family.kept_in(class)).map(|_| self.cnf().fresh()).collect();
        let thread: Thread = (class, values);
        let mut guard = Lit::TRUE;
        for index in 0..crowd.len() {
            let together = crowd.without(index).with(&thread).holds(self.cnf(), family)?;
            guard = self.cnf().and(guard, together);
        }
        if guard == Lit::FALSE || !self.cnf().solve(&[guard])? {
            return Ok(());
        }
        self.steps(class, Step { guard, point: 0, values: &thread.1, others: crowd, own: false })
    }

    /// The steps of a thread somewhere in a class.
    fn steps(&mut self, class: usize, step: Step<'_>) -> Result<(), Refused> {
        let family = self.family;
        let shared = family.atlas.shared(step.others.places.shared.iter().map(|&lit| Set::only(lit)));
        for &point in &family.closure.classes[class] {
            family.budget.spend(1)?;
            let (step, loc) = (Step { point, ..step }, family.atlas.loc(point));
            let inside = family.atlas.view.points[point].inside;
            if !step.own && step.others.busy == inside && is_private(family.program, loc) {
                continue;
            }
            self.step(&step, &shared).map_err(|why| within(&at(family.program, loc), why))?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step<'_>, shared: &[Set]) -> Result<(), Refused> {
        let (program, atlas) = (self.family.program, &self.family.atlas);
        let alone = step.own && step.others.len() == 0;
        if alone && program.at(atlas.loc(step.point)).error {
            return Ok(reject("a thread stands at an error label")?);
        }
        // While a thread is inside an atomic section only that thread may step.
        if step.others.busy && !atlas.view.points[step.point].inside {
            return Ok(());
        }
        let me = atlas.figure(step.point, step.values.iter().map(|&lit| Set::only(lit)));
        let scene = Scene { shared: shared.to_vec(), me };
        let enforced = self.interpreter.enforced(scene.side())?;
        let guard = self.cnf().and(step.guard, enforced);
        if alone
            && let Some(fails) = self.interpreter.failure(&scene)?
            && self.cnf().solve(&[guard, fails])?
        {
            return Ok(reject("the assertion may fail")?);
        }
        let op = &program.at(scene.me.loc()).op;
        if matches!(op, Op::End) || matches!(op, Op::Return(_)) && scene.me.depth() == 0 {
            return self.ended(guard, step);
        }
        let message = Message::of(program, op);
        for (bit, after) in self.interpreter.executed(&scene)? {
            let guard = self.cnf().and(guard, bit);
            let Some(message) = &message else {
                self.land(guard, step, step.others, (&scene, after))?;
                continue;
            };
            for points in self.viewpoints(step.others) {
                let told = self.told(message, guard, (&scene, &after), (step.others, &points))?;
                let Some((guard, others)) = told else { continue };
                self.land(guard, step, &others, (&scene, after.clone()))?;
            }
        }
        Ok(())
    }

    /// The thread is gone, and with it its section.
    fn ended(&mut self, guard: Lit, step: &Step<'_>) -> Result<(), Refused> {
        let mut others = Crowd { busy: false, ..step.others.clone() };
        if !others.places.initialising {
            return if step.others.busy { self.require(guard, &others) } else { Ok(()) };
        }
        others.places.threads.clear();
        others.places.initialising = false;
        self.populate(guard, &others)
    }

    /// All choices of where the threads of a crowd stand, as far as that makes a difference to what they are told.
    fn viewpoints(&self, others: &Crowd) -> Vec<Vec<usize>> {
        others.places.threads.iter().fold(vec![vec![]], |all, (class, _)| {
            let with = |points: &Vec<usize>| {
                let next = self.family.onlookers(*class).iter();
                next.map(|&point| [&points[..], &[point]].concat()).collect::<Vec<_>>()
            };
            all.iter().flat_map(with).collect()
        })
    }

    /// What becomes of the threads that look on from these points, if the step is possible at all.
    fn told(
        &mut self,
        message: &Message,
        mut guard: Lit,
        (now, next): (&Scene<Set>, &Scene<Set>),
        (others, points): (&Crowd, &[usize]),
    ) -> Result<Option<(Lit, Crowd)>, Refused> {
        let atlas = &self.family.atlas;
        let mut after = others.clone();
        for ((_, values), &point) in after.places.threads.iter_mut().zip(points) {
            self.family.budget.spend(1)?;
            let old = atlas.figure(point, values.iter().map(|&lit| Set::only(lit)));
            let kept = atlas.slots(point).unwrap_or_default();
            let outcomes = message.reactions(&mut self.interpreter, (now, next), &old, kept)?;
            // All outcomes are in one formula; without one the thread blocks the step.
            let Some((bit, new)) = outcomes.into_iter().next() else { return Ok(None) };
            guard = self.cnf().and(guard, bit);
            *values = kept.iter().map(|&slot| definite(new.get(slot))).collect();
        }
        // Whoever is asked, in sight or not: the condition holds for some values.
        let alone = message.holds_alone(&mut self.interpreter, (now, next), usize::MAX)?;
        Ok(Some((self.cnf().and(guard, alone), after)))
    }

    /// The thread goes on: every value kept gets one value, `enforce` is asked, dead locals become 0.
    fn land(
        &mut self,
        guard: Lit,
        step: &Step<'_>,
        others: &Crowd,
        (before, mut after): (&Scene<Set>, Scene<Set>),
    ) -> Result<(), Refused> {
        let (program, atlas) = (self.family.program, &self.family.atlas);
        let kept = atlas.point(&after.me).and_then(|point| atlas.slots(point)).unwrap_or_default();
        let sets = atlas.view.shared.iter().map(|&id| after.shared[id.index()]);
        let sets = sets.chain(kept.iter().map(|&slot| after.me.get(slot))).collect();
        let (possible, values) = self.definite(sets)?;
        let (shared, mine) = values.split_at(atlas.view.shared.len());
        if shared != step.others.places.shared {
            after.shared = atlas.shared(shared.iter().map(|&lit| Set::only(lit)));
        }
        kept.iter().zip(mine).for_each(|(&slot, &lit)| after.me.set(slot, Set::only(lit)));
        let enforced = self.interpreter.enforced(after.side())?;
        let guard = self.cnf().and(guard, possible);
        let guard = self.cnf().and(guard, enforced);
        let mut me = after.me;
        me.settle(program);
        let mut seen = Crowd { busy: me.inside, ..others.clone() };
        seen.places.shared = shared.to_vec();
        let same = |a: &Crowd, b: &Crowd| {
            let threads = a.places.threads == b.places.threads;
            a.busy == b.busy && a.places.shared == b.places.shared && threads
        };
        if !same(&seen, step.others) {
            self.require(guard, &seen)?;
        }
        if !step.own {
            return Ok(());
        }
        let child = match &program.at(before.me.loc()).op {
            Op::Start(spawn) => Some(self.interpreter.child(before, spawn)?),
            _ => None,
        };
        self.arrive(guard, &seen, me, child)
    }

    /// The thread is where it goes, and so is its child; each of them and both.
    fn arrive(
        &mut self,
        guard: Lit,
        seen: &Crowd,
        me: Figure<Set>,
        child: Option<Figure<Set>>,
    ) -> Result<(), Refused> {
        let mine = self.joined(guard, me)?;
        if let Some((guard, me)) = &mine {
            self.require(*guard, &seen.with(me))?;
        }
        let Some(child) = child else { return Ok(()) };
        let Some((guard, child)) = self.joined(guard, child)? else { return Ok(()) };
        self.require(guard, &seen.with(&child))?;
        match mine {
            Some((own, me)) if seen.len() + 2 <= self.width() => {
                let guard = self.cnf().and(guard, own);
                self.require(guard, &seen.with(&me).with(&child))
            }
            _ => Ok(()),
        }
    }

    /// One more thread, whose values are picked; `None` if it cannot be. One that stands in no class is refused.
    fn joined(&mut self, guard: Lit, thread: Figure<Set>) -> Result<Option<(Lit, Thread)>, Refused> {
        let (atlas, family) = (&self.family.atlas, self.family);
        let point = atlas.point(&thread);
        let place = point.and_then(|it| Some((family.class_of(it)?, atlas.slots(it)?)));
        let Some((class, kept)) = place else {
            return if self.cnf().solve(&[guard])? { Err(atlas.no_point(&thread).into()) } else { Ok(None) };
        };
        let (possible, values) = self.definite(kept.iter().map(|&slot| thread.get(slot)).collect())?;
        Ok(Some((self.cnf().and(guard, possible), (class, values))))
    }

    /// One value for each set, and whether they may have these.
    fn definite(&mut self, sets: Vec<Set>) -> Result<(Lit, Vec<Lit>), Refused> {
        let open = sets.iter().copied().filter(|set| set.definite().is_none()).collect();
        let picks = self.cnf().picks(open)?;
        let (possible, picked) = picks.into_iter().next().expect("formulas pick all values at once");
        let mut picked = picked.into_iter().map(definite);
        let value =
            |set: Set| set.definite().or_else(|| picked.next()).expect("each open set was picked from");
        Ok((possible, sets.into_iter().map(value).collect()))
    }

    /// Wherever the guard holds the threads are a tuple; nobody always is.
    fn require(&mut self, guard: Lit, crowd: &Crowd) -> Result<(), Refused> {
        if crowd.len() == 0 || guard == Lit::FALSE {
            return Ok(());
        }
        let holds = crowd.holds(&mut self.interpreter.logic, self.family)?;
        if holds != Lit::TRUE && self.cnf().solve(&[guard, !holds])? {
            let classes: Vec<usize> = crowd.places.threads.iter().map(|it| it.0).collect();
            return Ok(reject(format!("a step leads to threads in classes {classes:?} that are no tuple"))?);
        }
        Ok(())
    }
}

fn definite(set: Set) -> Lit {
    set.definite().expect("kept values are picked")
}

/// A statement after which the shared variables, the section and all other threads are as they were.
fn is_private(program: &Program, loc: Loc) -> bool {
    let op = &program.at(loc).op;
    let plain = match op {
        Op::Skip | Op::Goto(_) | Op::Branch { .. } | Op::Assume(_) | Op::Assert(_) | Op::Start(_) => true,
        Op::Assign { targets, .. } => targets.iter().all(|it| matches!(it.0, Var::Local(_))),
        _ => false,
    };
    plain && Message::of(program, op).is_none()
}
