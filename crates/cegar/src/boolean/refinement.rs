//! The loop over Boolean programs: abstract, ask an engine, and where that finds a path into an error decide whether it is one of the program; if it is not, add predicates or
//! strengthen statements until it is none of the Boolean program either, and ask again (Clarke et al., CAV 2000; Donaldson et al., CAV 2011). Each round rules
//! its path out before the engine is asked again, or the loop ends and says what was tried.

use super::evidence::evidence;
use super::growing::Growing;
use super::{Limits, Predicate, Predicated, written};
use crate::Outcome as Proving;
use crate::distinct::distinct;
use crate::paths::candidates::{Blame, Candidates, Tier};
use crate::paths::feasibility::{Core, Feasibility, feasibility};
use crate::paths::opinion::question;
use crate::paths::replay::replay;
use crate::paths::straight::Straight;
use crate::paths::transitions::spurious;
use crate::paths::{Compared, ControlPath, RealPath, SecondOpinion};
use crate::templates::Templates;
use base::{Budget, Event, Events, Id, Stop};
use ir::bp::Program;
use ir::c::relation::Relation;
use ir::c::{ExprId, Exprs, ProcId};
use ir::trace::ProgramTrace;
use std::sync::Arc;

/// What an engine says about a Boolean program.
pub enum Checked {
    /// It is safe, for any number of threads.
    Safe,
    /// A run into an error.
    Fails(Box<ProgramTrace>),
    /// Neither, and why.
    Unknown(String),
}

/// Who is asked about Boolean programs.
pub trait BackEnd {
    /// Asks about a program, for any number of threads.
    fn check(&mut self, program: &Program, budget: &Budget) -> Result<Checked, Stop>;

    /// Who is asked for a second opinion about paths, if anybody is.
    fn second_opinion(&mut self) -> Option<&mut dyn SecondOpinion> {
        None
    }
}

/// What the loop may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopOptions {
    /// How far abstraction goes.
    pub limits: Limits,
    /// The most paths that are ruled out.
    pub rounds: usize,
    /// The most predicates.
    pub predicates: usize,
    /// The most states of two threads of the proof that is made of the predicates in the end.
    pub states: usize,
}

impl Default for LoopOptions {
    fn default() -> Self {
        LoopOptions { limits: Limits::default(), rounds: 40, predicates: 64, states: 60_000 }
    }
}

/// What the loop came to.
#[derive(Debug)]
pub enum Refined {
    /// A proof, which may be checked, or why there is none.
    Proving(Proving),
    /// The Boolean program is safe, but no proof over its predicates was found that could be checked.
    Unchecked {
        /// The predicates.
        predicates: Predicated,
        /// The paths that were ruled out.
        rounds: usize,
    },
    /// A second opinion about a path is another one, in words: one of the two solvers is wrong.
    Disputed(String),
    /// A path that is a run of the guarded commands, which may be more than the program does.
    Real {
        /// The path, in words.
        why: String,
        /// The path itself.
        path: Box<RealPath>,
        /// The paths that were ruled out before.
        rounds: usize,
    },
}

/// Tries to prove that no failing command is possible, with any number of threads.
pub fn prove(
    relation: &Relation,
    options: &LoopOptions,
    back_end: &mut dyn BackEnd,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Refined, Stop> {
    let mut templates = Templates::new(relation, relation.exprs.clone(), budget);
    templates.assertions()?;
    let first = distinct(relation, &templates.exprs, templates.predicates(), budget)?;
    templates.guards()?;
    let own = templates.predicates().to_vec();
    let mut growing = Growing::new(relation, templates.exprs.clone(), options.limits, Default::default());
    growing.add(templates.exprs, &first, budget)?;
    let candidates = Candidates::new(relation, own);
    let first = Some(growing.clone());
    let mut refiner =
        Refiner { relation, options, budget, growing, first, candidates, rounds: 0, ruled_out: vec![] };
    refiner.run(back_end, events)
}

struct Refiner<'a> {
    relation: &'a Relation,
    options: &'a LoopOptions,
    budget: &'a Budget,
    growing: Growing<'a>,
    /// What the loop began with, until it took the place of what came later.
    first: Option<Growing<'a>>,
    candidates: Candidates<'a>,
    rounds: usize,
    /// The paths of all rounds: none may come back.
    ruled_out: Vec<ControlPath>,
}

/// The most changes of Booleans that are forbidden for one path, and in one statement.
const MOST_FORBIDDEN: usize = 200;
const MOST_OF_STATEMENT: usize = 64;
/// What ruling a path out with some predicates may cost.
const ATTEMPT_TICKS: u64 = 2_000_000;
/// With more new predicates than this nobody looks which of them are needed.
const MOST_TRIED: usize = 10;

/// The most new predicates of a round that are named.
const MOST_NAMED: usize = 60;

/// What became of a path.
enum Ruled {
    /// It is ruled out, and by what.
    Out(String),
    /// Nothing rules it out, and why.
    Stays(String),
}

impl Refiner<'_> {
    fn run(&mut self, back_end: &mut dyn BackEnd, events: &mut dyn Events) -> Result<Refined, Stop> {
        let (mut made, mut calls, mut known) = (0, 0, 0);
        loop {
            let built = self.growing.program(&[self.relation.start], self.budget)?;
            let count = self.growing.predicates.list.len();
            // Where the loop began anew the counts did so too.
            let (new_made, new_calls) =
                (self.growing.made.saturating_sub(made), self.growing.calls.saturating_sub(calls));
            known = known.min(count);
            let text = format!(
                "Boolean program {}: {count} predicates ({} new{}), {new_made} statements abstracted with {new_calls} questions",
                self.rounds + 1,
                count - known,
                self.named(known)
            );
            tell(events, text);
            (made, calls, known) = (self.growing.made, self.growing.calls, count);
            let trace = match back_end.check(&built.program, self.budget)? {
                Checked::Safe => {
                    tell(events, "  checked: safe".into());
                    return self.proved();
                }
                Checked::Unknown(why) => {
                    tell(events, format!("  checked: {why}"));
                    return Ok(self.alarm(format!("no engine decides the Boolean program: {why}")));
                }
                Checked::Fails(trace) => trace,
            };
            let Some(path) = ControlPath::of(self.relation, &built.commands, &trace) else {
                return Ok(self.alarm("a run of the Boolean program is no path of the program".into()));
            };
            tell(events, format!("  checked: a path of {} steps", path.steps.len()));
            if self.ruled_out.contains(&path) {
                return Ok(self.alarm("a path that was ruled out came back".into()));
            }
            let mut straight =
                Straight::of(self.relation, &self.growing.predicates.exprs, &path, self.budget)?;
            let decided = feasibility(&straight, self.budget)?;
            tell(events, format!("  feasibility: {decided}"));
            if let Some(why) = self.disputed(&straight, &decided, back_end, events)? {
                return Ok(Refined::Disputed(why));
            }
            let core = match decided {
                Feasibility::Run(chosen) => {
                    let why = format!("a run of the guarded commands fails:{}", self.shown(&path));
                    let path = Box::new(RealPath::new(path, &straight, &chosen));
                    return Ok(Refined::Real { why, path, rounds: self.rounds });
                }
                Feasibility::Core(core) => core,
            };
            self.rounds += 1;
            match self.rule_out(&path, &mut straight, &core)? {
                Ruled::Out(by) => {
                    tell(events, format!("  ruled out by {by}"));
                    self.ruled_out.push(path);
                }
                Ruled::Stays(why) => {
                    let core = blamed(&straight, &core);
                    return Ok(self.alarm(format!("{why}; to blame is {core}:{}", self.shown(&path))));
                }
            }
            if self.rounds > self.options.rounds {
                return Ok(self.alarm("too many paths had to be ruled out".into()));
            }
        }
    }

    /// What a second opinion says against an answer, if one is asked for and it does.
    fn disputed(
        &self,
        straight: &Straight,
        decided: &Feasibility,
        back_end: &mut dyn BackEnd,
        events: &mut dyn Events,
    ) -> Result<Option<String>, Stop> {
        let Some(second) = back_end.second_opinion() else { return Ok(None) };
        let question = question(straight, decided, self.budget)?;
        let compared = second.compare(&question, self.budget)?;
        let text = match &compared {
            Compared::Agrees => "agrees",
            Compared::Unanswered(why) => why,
            Compared::Differs(why) => why,
        };
        tell(events, format!("  second opinion: {text}"));
        Ok(if let Compared::Differs(why) = compared { Some(why) } else { None })
    }

    /// The predicates from a number on, in words, if they are not too many.
    fn named(&self, from: usize) -> String {
        let predicates = &self.growing.predicates;
        let template = |id: ProcId| format!("template{}", id.index());
        let text = |it: &Predicate| written(self.relation, &predicates.exprs, it.condition, &template);
        let texts: Vec<String> = predicates.list[from..].iter().take(MOST_NAMED).map(text).collect();
        match (texts.is_empty(), predicates.list.len() - from > MOST_NAMED) {
            (true, _) => String::new(),
            (_, true) => format!(": {}, …", texts.join(", ")),
            _ => format!(": {}", texts.join(", ")),
        }
    }

    fn alarm(&self, why: String) -> Refined {
        Refined::Proving(Proving::Alarm { why, at: None, rounds: self.rounds + 1 })
    }

    /// Adds what rules a path out.
    fn rule_out(&mut self, path: &ControlPath, straight: &mut Straight, core: &Core) -> Result<Ruled, Stop> {
        // Statements alone: the predicates may say enough already.
        if self.attempt(path, &[], None)? {
            return Ok(Ruled::Out("stronger statements (spurious transition)".into()));
        }
        if !core.others.is_empty() {
            let why = "refinement (join): a condition on all other threads is not followed";
            return Ok(Ruled::Stays(why.into()));
        }
        let present: Vec<ExprId> = self.growing.predicates.list.iter().map(|it| it.condition).collect();
        let mut exprs = self.growing.predicates.exprs.clone();
        let blame = Blame { straight, core, present: &present };
        let mut found = self.candidates.tiers(blame, &mut exprs, self.budget)?;
        let all = found.tiers.iter().flat_map(|it| &it.conditions);
        let all: Vec<ExprId> = present.iter().chain(all).copied().collect();
        let all = distinct(self.relation, &exprs, &all, self.budget)?;
        for tier in &mut found.tiers {
            tier.conditions.retain(|it| all.contains(it));
        }
        found.tiers.retain(|it| !it.conditions.is_empty());
        let mut together: Vec<ExprId> = vec![];
        for Tier { name, conditions, instead } in &found.tiers {
            if *instead && self.attempt_instead(path, conditions, &exprs)? {
                return Ok(Ruled::Out(format!("{name}, in place of all found so far (spurious prefix)")));
            }
            if self.attempt_fewest(path, conditions, &exprs)? {
                return Ok(Ruled::Out(format!("{name} (spurious prefix)")));
            }
            together.extend(conditions);
            if together.len() > conditions.len() && self.attempt_fewest(path, &together, &exprs)? {
                return Ok(Ruled::Out(format!("{name}, with those before (spurious prefix)")));
            }
        }
        let tried: Vec<String> =
            found.tiers.iter().map(|it| format!("{} ({})", it.name, it.conditions.len())).collect();
        let mut why = String::from("no refinement rules the path out");
        if !found.between.is_empty() {
            why += &format!(", which depends on two threads ({})", found.between.join(", "));
        }
        if !tried.is_empty() {
            why += &format!("; tried: {}", tried.join(", "));
        }
        Ok(Ruled::Stays(why))
    }

    /// Whether the path is ruled out with these predicates and those that the loop began with, once: then the others are forgotten, and the paths that they ruled out.
    fn attempt_instead(&mut self, path: &ControlPath, added: &[ExprId], exprs: &Exprs) -> Result<bool, Stop> {
        let Some(first) = self.first.take() else { return Ok(false) };
        let with = std::mem::replace(&mut self.growing, first);
        if self.attempt(path, added, Some(exprs))? {
            self.ruled_out.clear();
            return Ok(true);
        }
        self.growing = with;
        Ok(false)
    }

    /// Whether the path is ruled out with these predicates; then with as few of them as are needed.
    fn attempt_fewest(&mut self, path: &ControlPath, added: &[ExprId], exprs: &Exprs) -> Result<bool, Stop> {
        let before = self.growing.clone();
        if !self.attempt(path, added, Some(exprs))? {
            return Ok(false);
        }
        if added.len() > MOST_TRIED || added.len() < 2 {
            return Ok(true);
        }
        let mut kept = added.to_vec();
        for &condition in added {
            let fewer: Vec<ExprId> = kept.iter().copied().filter(|&it| it != condition).collect();
            let with = std::mem::replace(&mut self.growing, before.clone());
            if self.attempt(path, &fewer, Some(exprs))? {
                kept = fewer;
            } else {
                self.growing = with;
            }
        }
        Ok(true)
    }

    /// Whether the path is ruled out with these predicates and whatever changes of Booleans can be forbidden; if it is not, or if that costs too much, nothing is added.
    fn attempt(&mut self, path: &ControlPath, added: &[ExprId], exprs: Option<&Exprs>) -> Result<bool, Stop> {
        let mut trial = self.growing.clone();
        let part = self.budget.part(ATTEMPT_TICKS);
        if let Some(exprs) = exprs {
            trial.add(exprs.clone(), added, &part)?;
        }
        if trial.predicates.list.len() > self.options.predicates {
            return Ok(false);
        }
        match strengthened(&mut trial, path, &part) {
            // Only this part of the budget may be at its end.
            Err(Stop::Ticks) => self.budget.spend(0).map(|()| false),
            Ok(true) => {
                self.growing = trial;
                Ok(true)
            }
            other => other,
        }
    }

    /// The predicates are enough: a proof over them that others can check.
    fn proved(&mut self) -> Result<Refined, Stop> {
        let conditions: Vec<ExprId> = self.growing.predicates.list.iter().map(|it| it.condition).collect();
        let exprs = &self.growing.predicates.exprs;
        let found = evidence(self.relation, exprs, &conditions, self.options.states, self.budget)?;
        let rounds = self.rounds + 1;
        Ok(match found {
            Some(found) => Refined::Proving(Proving::Proved {
                predicates: found.proof.predicates.len() + found.proof.pairs.len(),
                width: found.width,
                proof: Arc::new(found.proof),
                relation: Arc::new(self.relation.clone()),
                rounds,
            }),
            None => {
                let predicates = Predicated { exprs: exprs.clone(), conditions };
                Refined::Unchecked { predicates, rounds: self.rounds }
            }
        })
    }

    /// A path in words, a line for each step.
    fn shown(&self, path: &ControlPath) -> String {
        let mut text = String::new();
        for step in &path.steps {
            let command = &self.relation.commands[step.command];
            text += &format!("\n  thread {}: {}", step.thread + 1, self.relation.show_command(command));
        }
        text
    }
}

/// The end of a part of a round: whoever listens to rounds has the time of each part.
fn tell(events: &mut dyn Events, text: String) {
    events.emit(Event::Progress(text.clone()));
    events.emit(Event::Round(text));
}

/// Whether a path is ruled out, changes of Booleans on it that no concrete step makes being forbidden.
fn strengthened(trial: &mut Growing<'_>, path: &ControlPath, budget: &Budget) -> Result<bool, Stop> {
    let commands = path.commands();
    trial.refresh(commands.iter().copied(), budget)?;
    for _ in 0..MOST_FORBIDDEN {
        let Some(valuations) = replay(trial, path, budget)? else { return Ok(true) };
        let found = spurious(trial, path, &valuations, budget)?;
        if found.is_empty() || commands.iter().any(|&it| trial.forbidden(it) >= MOST_OF_STATEMENT) {
            return Ok(false);
        }
        for it in found {
            trial.forbid(it.command, it.transition);
        }
    }
    Ok(false)
}

/// What is to blame, in words.
fn blamed(straight: &Straight, core: &Core) -> String {
    let mut parts: Vec<String> = vec![];
    for it in &core.conjuncts {
        parts.push(format!("{} at step {}", straight.relation.show(it.conjunct), it.step + 1));
    }
    if core.start {
        parts.push("the first values".into());
    }
    parts.join(", ")
}
