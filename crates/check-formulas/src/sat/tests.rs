//! The solver against brute force, and its proofs against mutations.

use super::solver::{Answer, Solver};
use super::*;
use crate::proof::{ClauseId, Proof};
use base::Random;

/// One step of a recorded proof.
#[derive(Clone, Debug)]
enum Step {
    Given(Vec<Lit>),
    Derived(Vec<Lit>, Vec<ClauseId>),
    Forgotten(ClauseId),
}

/// Checks and records.
#[derive(Default)]
struct Recorder {
    checker: RefutationChecker,
    steps: Vec<Step>,
}

impl Proof for Recorder {
    fn derive(&mut self, clause: &[Lit], hints: &[ClauseId]) -> Result<ClauseId, Flaw> {
        self.steps.push(Step::Derived(clause.to_vec(), hints.to_vec()));
        self.checker.derive(clause, hints)
    }

    fn forget(&mut self, id: ClauseId) {
        self.steps.push(Step::Forgotten(id));
        self.checker.forget(id);
    }
}

impl Recorder {
    fn given(&mut self, clause: &[Lit]) -> ClauseId {
        self.steps.push(Step::Given(clause.to_vec()));
        self.checker.given(clause)
    }
}

fn random_clause(random: &mut Random, variables: usize) -> Vec<Lit> {
    let len = [1, 2, 2, 3, 3, 3, 3, 4][random.below(8)];
    (0..len).map(|_| Lit::new(random.below(variables), random.percent(50))).collect()
}

fn holds(clause: &[Lit], row: u32) -> bool {
    clause.iter().any(|lit| (row >> lit.variable() & 1 == 1) != lit.is_negated())
}

fn has_model(variables: usize, clauses: &[Vec<Lit>], assumptions: &[Lit]) -> bool {
    (0..1u32 << variables)
        .any(|row| clauses.iter().all(|it| holds(it, row)) && assumptions.iter().all(|&it| holds(&[it], row)))
}

#[test]
fn answers_are_those_of_brute_force() {
    let (mut random, mut seen) = (Random::new(11), [0, 0]);
    let budget = Budget::unlimited();
    for case in 0..1500 {
        let variables = 2 + random.below(9);
        let mut sat = Sat::default();
        for _ in 0..variables {
            sat.fresh();
        }
        let mut clauses = vec![];
        for _ in 0..8 {
            for _ in 0..random.below(1 + variables) {
                let clause = random_clause(&mut random, variables);
                sat.clause(&clause);
                clauses.push(clause);
            }
            let count = random.below(4);
            let assumptions: Vec<Lit> =
                (0..count).map(|_| Lit::new(random.below(variables), random.percent(50))).collect();
            let expected = has_model(variables, &clauses, &assumptions);
            assert_eq!(sat.solve(&assumptions, &budget), Ok(expected), "case {case}");
            seen[usize::from(expected)] += 1;
            if expected {
                assert!(assumptions.iter().all(|&lit| sat.value(lit)), "case {case}");
                assert!(clauses.iter().all(|it| it.iter().any(|&lit| sat.value(lit))), "case {case}");
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 2000), "{seen:?}");
}

/// This many pigeons in this many holes, one to a hole.
fn pigeons(sat: &mut Sat, pigeons: usize, holes: usize) {
    let sits: Vec<Vec<Lit>> = (0..pigeons).map(|_| (0..holes).map(|_| sat.fresh()).collect()).collect();
    for (index, first) in sits.iter().enumerate() {
        sat.clause(first);
        for second in &sits[..index] {
            for (&a, &b) in first.iter().zip(second) {
                sat.clause(&[!a, !b]);
            }
        }
    }
}

#[test]
fn a_long_search_forgets_clauses_and_is_proved() {
    let mut sat = Sat::default();
    pigeons(&mut sat, 8, 7);
    assert_eq!(sat.solve(&[], &Budget::unlimited()), Ok(false));
    assert_eq!(sat.solve(&[], &Budget::unlimited()), Ok(false));
    let mut sat = Sat::default();
    pigeons(&mut sat, 9, 9);
    assert_eq!(sat.solve(&[], &Budget::unlimited()), Ok(true));
}

#[test]
fn a_hard_question_is_stopped_and_can_be_asked_again() {
    let mut sat = Sat::default();
    pigeons(&mut sat, 11, 10);
    assert_eq!(sat.solve(&[], &Budget::with_ticks(20_000)), Err(Halt::Stopped(Stop::Ticks)));
    assert_eq!(sat.solve(&[], &Budget::with_ticks(20_000)), Err(Halt::Stopped(Stop::Ticks)));
}

/// A refutation with its steps, the clauses of random formulas near the threshold.
fn refutation(random: &mut Random, variables: usize) -> (Vec<Step>, Vec<Lit>, ClauseId) {
    loop {
        let mut solver = Solver::<Recorder>::default();
        for _ in 0..variables {
            solver.proof.checker.variable();
            solver.variable();
        }
        for _ in 0..variables * 4 {
            let clause: Vec<Lit> =
                (0..3).map(|_| Lit::new(random.below(variables), random.percent(50))).collect();
            let id = solver.proof.given(&clause);
            solver.add(id, &clause).expect("the proof holds");
        }
        let first = random.below(variables);
        let assumptions: Vec<Lit> =
            (0..3).map(|it| Lit::new((first + it) % variables, random.percent(50))).collect();
        let answer = solver.solve(&assumptions, &Budget::unlimited()).expect("the proof holds");
        if let Answer::Refuted(id) = answer {
            return (solver.proof.steps, assumptions, id);
        }
    }
}

/// Reads a proof; the clauses that are there in the end if every step and the last claim hold.
fn read(variables: usize, steps: &[Step], assumptions: &[Lit], last: ClauseId) -> Result<(), Flaw> {
    let mut checker = RefutationChecker::default();
    (0..variables).for_each(|_| checker.variable());
    for step in steps {
        match step {
            Step::Given(clause) => drop(checker.given(clause)),
            Step::Derived(clause, hints) => drop(checker.derive(clause, hints)?),
            Step::Forgotten(id) => checker.forget(*id),
        }
    }
    checker.refutes(last, assumptions)
}

/// A change of a proof: the clauses given stay, for they are the formula.
fn mutate(random: &mut Random, variables: usize, steps: &mut Vec<Step>, last: &mut ClauseId) {
    let derived: Vec<usize> = (0..steps.len()).filter(|&it| matches!(steps[it], Step::Derived(..))).collect();
    let Some(&index) = derived.get(random.below(derived.len())) else { return };
    let lit = Lit::new(random.below(variables), random.percent(50));
    let other = ClauseId(random.below(steps.len()) as u32);
    let kind = random.below(9);
    if kind == 0 {
        // All later clauses get other numbers.
        drop(steps.remove(index));
        return;
    }
    if kind == 1 {
        steps.insert(index, Step::Derived(vec![lit], vec![other]));
        return;
    }
    if kind == 2 {
        *last = other;
        return;
    }
    let Step::Derived(clause, hints) = &mut steps[index] else { return };
    let at = random.below(hints.len());
    match kind {
        3 if !clause.is_empty() => drop(clause.remove(random.below(clause.len()))),
        4 => clause.push(lit),
        5 if !clause.is_empty() => {
            let at = random.below(clause.len());
            clause[at] = !clause[at];
        }
        6 => drop(hints.remove(at)),
        7 => hints[at] = other,
        _ => hints.swap(at, 0),
    }
}

#[test]
fn mutated_proofs_are_refused_or_still_true() {
    let variables = 12;
    let mut random = Random::new(23);
    let (mut refused, mut accepted) = (0, 0);
    for case in 0..300 {
        let (steps, assumptions, last) = refutation(&mut random, variables);
        assert_eq!(read(variables, &steps, &assumptions, last), Ok(()), "case {case}");
        for _ in 0..20 {
            let (mut mutant, mut end) = (steps.clone(), last);
            mutate(&mut random, variables, &mut mutant, &mut end);
            if read(variables, &mutant, &assumptions, end).is_err() {
                refused += 1;
                continue;
            }
            accepted += 1;
            let clauses_of = |step: &Step| match step {
                Step::Given(clause) => Some(clause.clone()),
                _ => None,
            };
            let given: Vec<Vec<Lit>> = mutant.iter().filter_map(clauses_of).collect();
            for step in &mutant {
                if let Step::Derived(clause, _) = step {
                    let negated: Vec<Lit> = clause.iter().map(|&it| !it).collect();
                    assert!(!has_model(variables, &given, &negated), "case {case}: {clause:?}");
                }
            }
            assert!(!has_model(variables, &given, &assumptions), "case {case}");
        }
    }
    assert!(refused >= 2000 && accepted >= 100, "{refused} {accepted}");
}

#[test]
fn a_satisfiable_formula_has_no_accepted_refutation() {
    // Proofs of one formula read against another that lacks one of its clauses and has a model.
    let variables = 10;
    let (mut random, mut tried) = (Random::new(29), 0);
    while tried < 200 {
        let (steps, assumptions, last) = refutation(&mut random, variables);
        for index in 0..steps.len() {
            let Step::Given(clause) = &steps[index] else { continue };
            let mut other = steps.clone();
            // The number stays, what the clause says does not.
            other[index] = Step::Given(vec![clause[0], !clause[0]]);
            let clauses_of = |step: &Step| match step {
                Step::Given(clause) => Some(clause.clone()),
                _ => None,
            };
            let given: Vec<Vec<Lit>> = other.iter().filter_map(clauses_of).collect();
            if has_model(variables, &given, &assumptions) {
                tried += 1;
                assert!(read(variables, &other, &assumptions, last).is_err(), "{clause:?}");
            }
        }
    }
}

#[test]
fn a_solver_that_reads_a_clause_wrongly_is_not_believed() {
    // As one literal, and as a clause from which it follows with another: what is given is `a | b`.
    for misread in [vec![false], vec![false, true]] {
        let mut sat = Sat::default();
        let (a, b) = (sat.fresh(), sat.fresh());
        let id = sat.solver.proof.given(&[a, b]);
        let clause: Vec<Lit> = misread.iter().map(|&negated| if negated { !b } else { a }).collect();
        assert_eq!(sat.solver.add(id, &clause), Ok(()));
        sat.clause(&[a, b]);
        let answer = sat.solve(&[!a], &Budget::unlimited());
        assert!(matches!(answer, Err(Halt::Unproved(_))), "{answer:?}");
    }
}
