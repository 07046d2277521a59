//! Whether a path is one of the program: its code as one formula over bit-vectors, with an assumption for
//! each conjunct of a guard. A model is a run of the guarded commands; without one, a minimal set of
//! conjuncts that cannot hold together says what is to blame, one that does not need the first values where
//! there is one.

use super::straight::Straight;
use crate::terms::circuits::{Circuits, Reading, View};
use base::{Budget, Stop};
use c::{ExprId, LocalId};
use relation::Relation;
use rustc_hash::FxHashMap;
use solve::aig::Lit;
use solve::bv::{self, Word};
use solve::sat::{Answer, Batsat, Encoder, Literal, SatSolver};

/// Whether a path is real.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Feasibility {
    /// It is a run of the guarded commands: the values of the variables and copies at the start, and of
    /// choices.
    Run(Vec<Chosen>),
    /// It is not.
    Core(Core),
}

impl Feasibility {
    /// The unsatisfiable core of a path that is infeasible.
    pub fn core(&self) -> Option<&Core> {
        match self {
            Feasibility::Run(_) => None,
            Feasibility::Core(core) => Some(core),
        }
    }
}

/// A value that a run begins with or chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// The variable or copy.
    pub variable: LocalId,
    /// Its value.
    pub value: u128,
}

/// What cannot hold together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Core {
    /// Conjuncts of guards, in the order of the steps.
    pub conjuncts: Vec<Blamed>,
    /// Whether the first values are needed.
    pub start: bool,
    /// The steps whose conditions on all other threads are needed.
    pub others: Vec<usize>,
}

/// A conjunct of the guard of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blamed {
    /// The number of the step.
    pub step: usize,
    /// The conjunct.
    pub conjunct: ExprId,
}

/// Decides whether a path is real.
pub fn feasibility(straight: &Straight, budget: &Budget) -> Result<Feasibility, Stop> {
    let mut search = PathSearch {
        relation: &straight.relation,
        budget,
        circuits: Circuits::new(),
        solver: Batsat::new(),
        encoder: Encoder::new(),
        assumptions: vec![],
    };
    search.start(straight)?;
    search.steps(straight)?;
    search.answer(straight)
}

/// What is assumed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Assumed {
    Start,
    Others(usize),
    Conjunct(Blamed),
}

struct PathSearch<'a> {
    relation: &'a Relation,
    budget: &'a Budget,
    circuits: Circuits,
    solver: Batsat,
    encoder: Encoder,
    assumptions: Vec<(Literal, Assumed)>,
}

impl PathSearch<'_> {
    fn start(&mut self, straight: &Straight) -> Result<(), Stop> {
        let mut equal = vec![];
        for it in straight.start() {
            let word = self.circuits.input(self.relation, it.variable, 0);
            let value = bv::constant(it.value, word.len());
            equal.push(bv::equal(&mut self.circuits.aig, &word, &value));
        }
        self.assume(&equal, Assumed::Start)
    }

    fn steps(&mut self, straight: &Straight) -> Result<(), Stop> {
        let mut values: FxHashMap<LocalId, Word> = FxHashMap::default();
        for (at, step) in straight.steps.iter().enumerate() {
            let mut view = View::with(0, values.clone());
            for &conjunct in &step.conjuncts {
                let lit = self.truth(&mut view, conjunct)?;
                self.assume(&[lit], Assumed::Conjunct(Blamed { step: at, conjunct }))?;
            }
            for &condition in &step.others {
                let lit = self.truth(&mut view, condition)?;
                self.assume(&[lit], Assumed::Others(at))?;
            }
            for update in &step.updates {
                let mut reading = self.reading(&mut view);
                let word = self.circuits.word(&mut reading, update.value)?;
                values.insert(update.variable, word);
            }
        }
        Ok(())
    }

    fn reading<'b>(&self, view: &'b mut View) -> Reading<'b>
    where
        Self: 'b,
    {
        Reading { relation: self.relation, exprs: &self.relation.exprs, view, budget: self.budget }
    }

    fn truth(&mut self, view: &mut View, id: ExprId) -> Result<Lit, Stop> {
        let mut reading =
            Reading { relation: self.relation, exprs: &self.relation.exprs, view, budget: self.budget };
        self.circuits.truth(&mut reading, id)
    }

    /// Formulas that hold while a literal is assumed.
    fn assume(&mut self, lits: &[Lit], what: Assumed) -> Result<(), Stop> {
        let active = self.solver.new_var();
        for &lit in lits {
            let literal = self.encoder.literal(&self.circuits.aig, lit, &mut self.solver, self.budget)?;
            self.solver.add_clause(&[active.negative(), literal]);
        }
        self.assumptions.push((active.positive(), what));
        Ok(())
    }

    fn answer(mut self, straight: &Straight) -> Result<Feasibility, Stop> {
        let all: Vec<Literal> = self.assumptions.iter().map(|it| it.0).collect();
        if self.solve(&all)? {
            return Ok(Feasibility::Run(self.model(straight)));
        }
        let mut kept = self.solver.failed().to_vec();
        // First values first, then what is asked of others: whatever can be done without them says more.
        for (literal, _) in self.assumptions.clone() {
            if kept.contains(&literal) {
                let fewer: Vec<Literal> = kept.iter().copied().filter(|&it| it != literal).collect();
                if !self.solve(&fewer)? {
                    kept = self.solver.failed().to_vec();
                }
            }
        }
        let mut core = Core::default();
        for (literal, what) in &self.assumptions {
            match what {
                _ if !kept.contains(literal) => {}
                Assumed::Start => core.start = true,
                Assumed::Others(step) => core.others.push(*step),
                Assumed::Conjunct(it) => core.conjuncts.push(*it),
            }
        }
        core.others.dedup();
        Ok(Feasibility::Core(core))
    }

    fn solve(&mut self, assumptions: &[Literal]) -> Result<bool, Stop> {
        self.budget.spend(1)?;
        Ok(self.solver.solve_under(assumptions, self.budget)? == Answer::Sat)
    }

    fn model(&mut self, straight: &Straight) -> Vec<Chosen> {
        let mut chosen = vec![];
        for variable in straight.relation.variables.ids() {
            let word = self.circuits.input(self.relation, variable, 0);
            let bit = |lit: Lit| self.encoder.known(lit).is_some_and(|it| self.solver.value(it));
            let bits = word.iter().enumerate().take(128);
            let value = bits.fold(0, |value, (at, &lit)| value | u128::from(bit(lit)) << at);
            chosen.push(Chosen { variable, value });
        }
        chosen
    }
}
