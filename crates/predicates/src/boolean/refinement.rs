//! The loop over Boolean programs: abstract, ask an engine, and where that finds a path into an error decide
//! whether it is one of the program; if it is not, add predicates or strengthen statements until the Boolean
//! program does not have it either, and ask again (Clarke et al., CAV 2000; Donaldson et al., CAV 2011). Each
//! round rules its path out before the engine is asked again, or the loop ends and says what was tried.

mod attempts;

use super::build::Built;
use super::evidence::evidence;
use super::growing::Growing;
use super::lemmas::{Lemma, Marked, Weakened, marked, weaken};
use super::{Limits, Predicated, written};
use crate::Outcome as Proving;
use crate::pairs::distinct::distinct;
use crate::pairs::templates::Templates;
use crate::paths::candidates::{Blame, Candidates, Tier};
use crate::paths::feasibility::{Core, Feasibility, feasibility};
use crate::paths::opinion::question;
use crate::paths::straight::Straight;
use crate::paths::{Compared, ControlPath, RealPath, SecondOpinion};
use base::events::{CheckedProgram, Opinion, RuledOutBy, Taken};
use base::{Budget, Event, Events, Id, Round, Stop};
use c::{ExprId, ProcId};
use ir::Certificate;
use ir::bp::Program;
use ir::trace::ProgramTrace;
use relation::Relation;
use relation::proof::PairPredicate;
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
        LoopOptions {
            limits: Limits::default(),
            rounds: 40,
            predicates: 64,
            states: 60_000,
            lemmas: LemmaUse::default(),
        }
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
    /// The lemmas that were tried.
    proposed: Vec<Lemma>,
    rounds: usize,
    /// The paths of all rounds: none may come back.
    ruled_out: Vec<ControlPath>,
}

/// The most new predicates of a round that are named.
const MOST_NAMED: usize = 60;

/// What became of a path.
enum Ruled {
    /// It is ruled out, and by what.
    Out(RuledOutBy),
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
            events.emit(Event::Round(Round::Abstracted {
                number: self.rounds + 1,
                predicates: count,
                new: count - known,
                names: self.named(known),
                statements: new_made,
                questions: new_calls,
            }));
            (made, calls, known) = (self.growing.made, self.growing.calls, count);
            let trace = match back_end.check(&built.program, self.budget)? {
                Checked::Safe(certificate) => {
                    events.emit(Event::Round(Round::Checked(CheckedProgram::Safe)));
                    if self.are_proved(&built, certificate.as_deref(), events)? {
                        return self.proved();
                    }
                    continue;
                }
                Checked::Unknown(why) => {
                    events.emit(Event::Round(Round::Checked(CheckedProgram::Unknown(why.clone()))));
                    return Ok(self.alarm(format!("no engine decides the Boolean program: {why}")));
                }
                Checked::Fails(trace) => trace,
            };
            let Some(path) = ControlPath::of(self.relation, &built.commands, &trace) else {
                return Ok(self.alarm("a run of the Boolean program is no path of the program".into()));
            };
            let steps = path.steps.len();
            events.emit(Event::Round(Round::Checked(CheckedProgram::Fails { steps })));
            if self.ruled_out.contains(&path) {
                return Ok(self.alarm("a path that was ruled out came back".into()));
            }
            let mut straight = Straight::of(self.relation, &self.relation.exprs, &path, self.budget)?;
            let decided = feasibility(&straight, self.budget)?;
            events
                .emit(Event::Round(Round::Feasibility { core: decided.core().map(|it| it.conjuncts.len()) }));
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
                    events.emit(Event::Round(Round::RuledOut(by)));
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
        events.emit(Event::Round(Round::SecondOpinion(match &compared {
            Compared::Agrees => Opinion::Agrees,
            Compared::Unanswered(why) => Opinion::Unanswered(why.clone()),
            Compared::Differs(why) => Opinion::Differs(why.clone()),
        })));
        Ok(if let Compared::Differs(why) = compared { Some(why) } else { None })
    }

    /// The first predicates from a number on, in words.
    fn named(&self, from: usize) -> Vec<String> {
        self.growing.conditions()[from..].iter().take(MOST_NAMED).map(|&it| self.written(it)).collect()
    }

    /// An expression of the predicates or lemmas, in words.
    fn written(&self, it: ExprId) -> String {
        let template = |id: ProcId| format!("template{}", id.index());
        written(self.relation, &self.growing.predicates.exprs, it, &template)
    }

    /// The lemmas that are assumed, in words.
    fn lemmas_in_words(&self) -> RuledOutBy {
        let side = |it| self.written(it);
        RuledOutBy::Relations(self.growing.lemmas.list.iter().map(|it| it.text(side)).collect())
    }

    fn alarm(&self, why: String) -> Refined {
        Refined::Proving(Proving::Alarm { why, at: None, rounds: self.rounds + 1 })
    }

    /// Adds what rules a path out.
    fn rule_out(&mut self, path: &ControlPath, straight: &mut Straight, core: &Core) -> Result<Ruled, Stop> {
        // Statements alone: the predicates may say enough already.
        if self.attempt(path, &[], None)? {
            return Ok(Ruled::Out(RuledOutBy::Statements));
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
            return Ok(Ruled::Out(self.lemmas_in_words()));
        }
        let mut together: Vec<ExprId> = vec![];
        for Tier { name, conditions, instead } in &found.tiers {
            if *instead && self.attempt_instead(path, conditions, &exprs)? {
                return Ok(Ruled::Out(RuledOutBy::Predicates { from: name, taken: Taken::Instead }));
            }
            if self.attempt_fewest(path, conditions, &exprs)? {
                return Ok(Ruled::Out(RuledOutBy::Predicates { from: name, taken: Taken::Alone }));
            }
            together.extend(conditions);
            if together.len() > conditions.len() && self.attempt_fewest(path, &together, &exprs)? {
                return Ok(Ruled::Out(RuledOutBy::Predicates { from: name, taken: Taken::Together }));
            }
        }
        if self.attempt_lemmas(path, straight, &[])? {
            return Ok(Ruled::Out(self.lemmas_in_words()));
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

    /// Whether the lemmas are kept by every step; if not, they are weakened, and no path is ruled out any
    /// more.
    fn are_proved(
        &mut self,
        built: &Built,
        certificate: Option<&Certificate>,
        events: &mut dyn Events,
    ) -> Result<bool, Stop> {
        if self.growing.lemmas.list.is_empty() || self.options.lemmas == LemmaUse::Assumed {
            return Ok(true);
        }
        let Weakened { broken, kept } =
            weaken(&mut self.growing, built, certificate, self.slots, self.budget)?;
        events.emit(Event::Round(Round::Lemmas { broken, kept }));
        if broken > 0 {
            self.ruled_out.clear();
        }
        Ok(broken == 0)
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
            let [left, right] =
                [lemma.pair.left, lemma.pair.right].map(|it| exprs.import(from, it, |node| node));
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
