//! Steps of a Boolean program that no concrete step matches (Cook, Kroening, Sharygina: *Over-approximating
//! Boolean programs with unbounded thread creation*, FMCAD 2006, have the three kinds of spurious
//! counterexamples): each Boolean got a value that is possible by itself, but not together with the others.
//! The change is forbidden, as far as the thread that steps and the shared Booleans go; a condition on
//! passive threads would take monotonicity away.

use super::ControlPath;
use super::replay::Valuations;
use crate::boolean::formulas::Formulas;
use crate::boolean::growing::Growing;
use crate::boolean::statement::{Bit, Literal, Transition};
use base::{Budget, Stop};
use relation::Outcome;
use solve::aig::Lit;
use solve::sat::{Answer, Batsat, Encoder, SatSolver};

/// A change of Booleans by a command that no concrete step makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spurious {
    /// The number of the command.
    pub command: usize,
    /// The change.
    pub transition: Transition,
}

/// The changes of Booleans on a path of the Boolean program that no concrete steps make, each as weak as can
/// be.
pub fn spurious(
    growing: &Growing<'_>,
    path: &ControlPath,
    valuations: &Valuations,
    budget: &Budget,
) -> Result<Vec<Spurious>, Stop> {
    let mut formulas = Formulas::new(growing.relation, &growing.predicates, budget)?;
    let mut found: Vec<Spurious> = vec![];
    for (at, step) in path.steps.iter().enumerate() {
        let command = &growing.relation.commands[step.command];
        let formed = formulas.command(command)?;
        let mut assumed = vec![];
        let known = growing.predicates.known(growing.relation, command.from);
        for &predicate in &known {
            let value = valuations.before[at][predicate];
            let lit = formulas.active[predicate].negate_if(!value);
            assumed.push(Assumed { literal: literal(predicate, value), lit, after: false });
        }
        if let (Outcome::Go(to), Some(after)) = (&command.outcome, valuations.after.get(at)) {
            for predicate in growing.predicates.known(growing.relation, *to) {
                // What the command does not change stays, so that what was before says it all.
                if formed.active[predicate] == formulas.active[predicate] && known.contains(&predicate) {
                    continue;
                }
                let lit = formed.active[predicate].negate_if(!after[predicate]);
                assumed.push(Assumed { literal: literal(predicate, after[predicate]), lit, after: true });
            }
        }
        if let Some(transition) = core(&mut formulas, &formed.guard, &assumed, budget)? {
            let it = Spurious { command: step.command, transition };
            if !found.contains(&it) {
                found.push(it);
            }
        }
    }
    Ok(found)
}

fn literal(predicate: usize, value: bool) -> Literal {
    Literal { bit: Bit { predicate, passive: false }, value }
}

struct Assumed {
    literal: Literal,
    lit: Lit,
    after: bool,
}

/// A minimal part of what is assumed that the guard excludes; `None` if it is all possible together.
fn core(
    formulas: &mut Formulas<'_>,
    guard: &[Lit],
    assumed: &[Assumed],
    budget: &Budget,
) -> Result<Option<Transition>, Stop> {
    let (mut solver, mut encoder) = (Batsat::new(), Encoder::new());
    for &lit in guard {
        let literal = encoder.literal(formulas.aig(), lit, &mut solver, budget)?;
        solver.add_clause(&[literal]);
    }
    let mut literals = vec![];
    for it in assumed {
        // Two predicates may have one formula after the step.
        let active = solver.new_var();
        let literal = encoder.literal(formulas.aig(), it.lit, &mut solver, budget)?;
        solver.add_clause(&[active.negative(), literal]);
        literals.push(active.positive());
    }
    if solver.solve_under(&literals, budget)? == Answer::Sat {
        return Ok(None);
    }
    let mut kept = solver.failed().to_vec();
    for &literal in &literals {
        budget.spend(1)?;
        if kept.contains(&literal) {
            let fewer: Vec<_> = kept.iter().copied().filter(|&it| it != literal).collect();
            if solver.solve_under(&fewer, budget)? == Answer::Unsat {
                kept = solver.failed().to_vec();
            }
        }
    }
    let mut transition = Transition::default();
    for (it, literal) in assumed.iter().zip(&literals) {
        if kept.contains(literal) {
            let side = if it.after { &mut transition.after } else { &mut transition.before };
            side.push(it.literal);
        }
    }
    Ok(Some(transition))
}
