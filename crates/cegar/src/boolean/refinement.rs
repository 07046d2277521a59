//! The loop over Boolean programs: abstract, ask an engine, and where that finds a path into an error decide whether it is one of the program; if it is not, add predicates or
//! strengthen statements until it is none of the Boolean program either, and ask again (Clarke et al., CAV 2000; Donaldson et al., CAV 2011). Each round rules
//! its path out before the engine is asked again, or the loop ends and says what was tried.

use super::evidence::evidence;
use super::build::Built;
use super::growing::Growing;
use super::lemmas::{Invariant, Lemma, Marked, Proposal, between, discharge, marked, proposed};
use super::{Limits, Predicated, written};
use crate::Outcome as Proving;
use crate::distinct::distinct;
use crate::paths::candidates::{Blame, Candidates, Tier};
use crate::paths::feasibility::{Core, Feasibility, feasibility};
use crate::paths::replay::replay;
use crate::paths::straight::Straight;
use crate::paths::transitions::spurious;
use crate::paths::{ControlPath, RealPath};
use crate::templates::Templates;
use base::{Budget, Event, Events, Id, Stop};
use ir::Certificate;
use ir::bp::Program;
use ir::c::relation::Relation;
use ir::c::relation::proof::PairPredicate;
use ir::c::{ExprId, Exprs, ProcId};
use ir::trace::ProgramTrace;
use std::sync::Arc;

/// What an engine says about a Boolean program.
pub enum Checked {
    /// It is safe, for any number of threads; with the certificate, if one was confirmed.
    Safe(Option<Box<Certificate>>),
    /// A run into an error.
    Fails(Box<ProgramTrace>),
    /// Neither, and why.
    Unknown(String),
}

/// Who is asked about Boolean programs.
pub trait BackEnd {
    /// Asks about a program, for any number of threads.
    fn check(&mut self, program: &Program, budget: &Budget) -> Result<Checked, Stop>;
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
    /// What is done with relations between two threads.
    pub lemmas: LemmaUse,
}

/// What is done with pair lemmas.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LemmaUse {
    /// None are proposed.
    Off,
    /// They are used as far as they are proved.
    #[default]
    Proved,
    /// They are used and not proved. Unsound, and there to show that it is.
    Assumed,
}

impl Default for LoopOptions {
    fn default() -> Self {
        LoopOptions { limits: Limits::default(), rounds: 40, predicates: 64, states: 60_000, lemmas: LemmaUse::default() }
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
    let Marked { relation: with_markers, slots } = marked(relation);
    let mut templates = Templates::new(relation, with_markers.exprs.clone(), budget);
    templates.assertions()?;
    let first = distinct(relation, &templates.exprs, templates.predicates(), budget)?;
    templates.guards()?;
    let own = templates.predicates().to_vec();
    let mut growing =
        Growing::new(&with_markers, templates.exprs.clone(), options.limits, Default::default());
    growing.add(templates.exprs, &first, budget)?;
    let candidates = Candidates::new(relation, own);
    let first = Some(growing.clone());
    let mut refiner = Refiner {
        relation,
        options,
        budget,
        growing,
        first,
        candidates,
        slots: &slots,
        proposed: vec![],
        rounds: 0,
        ruled_out: vec![],
    };
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
    /// The conditions of markers.
    slots: &'a [ExprId],
    /// The variables that lemmas were tried for.
    proposed: Vec<Lemma>,
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

impl<'a> Refiner<'a> {
    fn run(&mut self, back_end: &mut dyn BackEnd, events: &mut dyn Events) -> Result<Refined, Stop> {
        let (mut made, mut calls, mut known) = (0, 0, 0);
        loop {
            let built = self.growing.program(&[self.relation.start], self.budget)?;
            let count = self.growing.conditions().len();
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
                Checked::Safe(certificate) => {
                    tell(events, "  checked: safe".into());
                    if self.are_proved(&built, certificate.as_deref(), events)? {
                        return self.proved();
                    }
                    continue;
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
                Straight::of(self.relation, &self.relation.exprs, &path, self.budget)?;
            let core = match feasibility(&straight, self.budget)? {
                Feasibility::Run(chosen) => {
                    let why = format!("a run of the guarded commands fails:{}", self.shown(&path));
                    let path = Box::new(RealPath::new(path, &straight, &chosen));
                    return Ok(Refined::Real { why, path, rounds: self.rounds });
                }
                Feasibility::Core(core) => core,
            };
            tell(events, format!("  feasibility: no run, {} conjuncts are to blame", core.conjuncts.len()));
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

    /// The predicates from a number on, in words, if they are not too many.
    fn named(&self, from: usize) -> String {
        let conditions = self.growing.conditions();
        let template = |id: ProcId| format!("template{}", id.index());
        let text = |&it: &ExprId| written(self.relation, &self.growing.predicates.exprs, it, &template);
        let texts: Vec<String> = conditions[from..].iter().take(MOST_NAMED).map(text).collect();
        match (texts.is_empty(), conditions.len() - from > MOST_NAMED) {
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
        let present = self.growing.conditions();
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
        if !found.two.is_empty() && self.attempt_lemmas(path, straight, &found.two)? {
            return Ok(Ruled::Out("relations between two threads (spurious prefix)".into()));
        }
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
        if !found.two.is_empty() {
            let two: Vec<String> = found.two.iter().map(|&it| straight.relation.show(it)).collect();
            why += &format!(", which depends on two threads ({})", two.join(", "));
        }
        if !tried.is_empty() {
            why += &format!("; tried: {}", tried.join(", "));
        }
        Ok(Ruled::Stays(why))
    }

    /// Whether the lemmas are kept by every step; if not, they are weakened, and no path is ruled out any more.
    fn are_proved(
        &mut self,
        built: &Built,
        certificate: Option<&Certificate>,
        events: &mut dyn Events,
    ) -> Result<bool, Stop> {
        if self.growing.lemmas.list.is_empty() || self.options.lemmas == LemmaUse::Assumed {
            return Ok(true);
        }
        let invariant = Invariant::new(built, certificate);
        let (lemmas, removed) = discharge(&self.growing, &invariant, self.budget)?;
        let places: usize = lemmas.iter().map(|it| it.at.len()).sum();
        tell(events, format!("  lemmas: broken at {removed} pairs of locations, kept at {places}"));
        if removed == 0 {
            return Ok(true);
        }
        self.growing.assume(lemmas, self.slots, self.budget)?;
        self.ruled_out.clear();
        Ok(false)
    }

    /// Whether the path is ruled out with lemmas about two threads, which are to be proved later.
    fn attempt_lemmas(&mut self, path: &ControlPath, straight: &Straight, two: &[ExprId]) -> Result<bool, Stop> {
        if self.options.lemmas == LemmaUse::Off {
            return Ok(false);
        }
        let mut exprs = self.growing.predicates.exprs.clone();
        let proposals = proposed(self.relation, &mut exprs, &between(straight, two), self.budget)?;
        for Proposal { lemmas, companions } in proposals {
            let tried = |it: &Lemma| self.proposed.iter().any(|known| (known.pair, known.negated) == (it.pair, it.negated));
            let new: Vec<Lemma> = lemmas.into_iter().filter(|it| !tried(it)).collect();
            if new.is_empty() {
                continue;
            }
            let mut trial = self.growing.clone();
            let all = [self.growing.conditions(), companions].concat();
            let added = distinct(self.relation, &exprs, &all, self.budget)?;
            trial.add(exprs.clone(), &added, self.budget)?;
            let all = trial.lemmas.list.iter().chain(&new).cloned().collect();
            trial.assume(all, self.slots, self.budget)?;
            if self.attempt_with(trial, path)? {
                self.proposed.extend(new);
                return Ok(true);
            }
        }
        Ok(false)
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
        if let Some(exprs) = exprs {
            trial.add(exprs.clone(), added, self.budget)?;
        }
        if trial.predicates.list.len() > self.options.predicates {
            return Ok(false);
        }
        self.attempt_with(trial, path)
    }

    /// Takes an abstraction that rules the path out in place of the one that is there, if it does and that costs little.
    fn attempt_with(&mut self, mut trial: Growing<'a>, path: &ControlPath) -> Result<bool, Stop> {
        let part = self.budget.part(ATTEMPT_TICKS);
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
        let predicates = self.predicated();
        let found = evidence(self.relation, &predicates, self.options.states, self.budget)?;
        let rounds = self.rounds + 1;
        Ok(match found {
            Some(found) => Refined::Proving(Proving::Proved {
                predicates: found.proof.predicates.len() + found.proof.pairs.len(),
                width: found.width,
                proof: Arc::new(found.proof),
                relation: Arc::new(self.relation.clone()),
                rounds,
            }),
            None => Refined::Unchecked { predicates, rounds: self.rounds },
        })
    }

    /// The predicates and the relations of the lemmas, in a pool without markers.
    fn predicated(&self) -> Predicated {
        let from = &self.growing.predicates.exprs;
        let mut exprs = self.relation.exprs.clone();
        let conditions = self.growing.conditions().into_iter();
        let conditions = conditions.map(|it| exprs.import(from, it, |node| node)).collect();
        let mut pairs = vec![];
        for lemma in &self.growing.lemmas.list {
            let [left, right] = [lemma.pair.left, lemma.pair.right].map(|it| exprs.import(from, it, |node| node));
            pairs.push(PairPredicate { left, right, ..lemma.pair });
        }
        Predicated { exprs, conditions, pairs }
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
