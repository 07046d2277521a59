//! Questions that are hard for the solver and easy for decision diagrams: where formulas depend on the parity
//! of many values, all refutations by resolution over the gates are long, but there are short ones over the
//! nodes of diagrams (Bryant and Heule, *Generating Extended Resolution Proofs with a BDD-Based SAT Solver*,
//! TACAS 2021). Here a node of a diagram is a gate like any other, and each step that made the diagrams is a
//! few clauses that follow from those before by unit propagation, which `proof` checks. What the solver is
//! shown in the end is that the question has no model. So nothing that is found here is believed: it guides
//! the solver, which then answers as it always does.
//!
//! The inputs are in the order in which the formulas read them, which is the engine's order where they are
//! diagrams themselves.

use super::cnf::Cnf;
use super::diagrams::{Diagram, Diagrams, FALSE, MOST_INPUTS, Outcome, TRUE};
use crate::proof::ClauseId;
use crate::proof::Lit;
use base::{Budget, Stop};
use check::Refused;
use std::collections::{BTreeSet, HashMap};

/// The steps that the diagrams of one question may take.
const MOST_STEPS: u64 = 200_000;

/// Diagrams of gates, and what the solver knows of them.
#[derive(Default)]
pub struct Guide {
    diagrams: Diagrams,
    /// By level.
    inputs: Vec<Lit>,
    /// By variable.
    levels: HashMap<usize, u32>,
    /// By variable, for gates.
    gates: HashMap<usize, GateDiagram>,
    /// The literal of a node.
    nodes: HashMap<Diagram, Lit>,
    /// By variable, the clauses that say that a gate is its diagram.
    gate_proofs: HashMap<usize, Vec<ClauseId>>,
    /// By step, the clauses that say that its result is what its operands make.
    step_proofs: HashMap<usize, Vec<ClauseId>>,
}

/// The diagram of a gate, and the steps that made it.
#[derive(Clone)]
struct GateDiagram {
    diagram: Diagram,
    steps: Vec<usize>,
}

/// What diagrams say of a question.
pub enum Advice {
    /// All can hold, for example if these hold.
    Model(Vec<Lit>),
    /// They cannot, and the solver has been shown that.
    Refuted,
}

impl Guide {
    /// What diagrams say of whether all these roots can hold; `None` if that was too hard to see.
    pub fn advise(&mut self, cnf: &mut Cnf<'_>, roots: &[Lit]) -> Result<Option<Advice>, Refused> {
        roots.iter().for_each(|&root| self.order(cnf, root));
        if self.inputs.len() > MOST_INPUTS {
            return Ok(None);
        }
        let all = roots.iter().fold(Lit::TRUE, |all, &root| cnf.and(all, root));
        let limit = cnf.budget.part(MOST_STEPS);
        let found = self.cone(cnf, all).and_then(|cone| Ok((self.draw(cnf, &cone, all, &limit)?, cone)));
        let (diagram, cone) = match found {
            Err(Stop::Ticks) => return Ok(cnf.budget.spend(0).map(|()| None)?),
            found => found?,
        };
        if diagram != FALSE {
            return Ok(Some(Advice::Model(self.model(diagram))));
        }
        Ok(self.prove(cnf, &cone)?.then_some(Advice::Refuted))
    }

    /// Puts the inputs of a formula behind those that are there, the ones that are read near the root first.
    fn order(&mut self, cnf: &Cnf<'_>, root: Lit) {
        let Ok(cone) = self.cone(cnf, root) else { return };
        let mut depths: HashMap<usize, usize> = HashMap::new();
        for &gate in cone.iter().rev() {
            let depth = depths.get(&gate).copied().unwrap_or(0);
            for operand in cnf.definition(gate).into_iter().flat_map(|it| it.inputs) {
                let known = depths.entry(operand.variable()).or_insert(0);
                *known = (depth + 1).max(*known);
            }
        }
        depths.entry(root.variable()).or_insert(0);
        let is_new = |it: &usize| cnf.definition(*it).is_none() && !self.levels.contains_key(it);
        let mut new: Vec<(usize, usize)> =
            depths.iter().filter(|it| is_new(it.0)).map(|(&variable, &depth)| (depth, variable)).collect();
        new.sort_unstable();
        for (_, variable) in new.into_iter().filter(|&it| it.1 != Lit::TRUE.variable()) {
            let level = u32::try_from(self.inputs.len()).expect("memory ends before the levels do");
            self.levels.insert(variable, level);
            self.inputs.push(Lit::new(variable, false));
        }
    }

    /// The gates that a formula is made of; operands have smaller numbers.
    fn cone(&self, cnf: &Cnf<'_>, root: Lit) -> Result<BTreeSet<usize>, Stop> {
        let (mut cone, mut stack) = (BTreeSet::new(), vec![root.variable()]);
        while let Some(variable) = stack.pop() {
            if let Some(gate) = cnf.definition(variable)
                && cone.insert(variable)
            {
                cnf.budget.spend(1)?;
                stack.extend(gate.inputs.iter().map(|it| it.variable()));
            }
        }
        Ok(cone)
    }

    /// The diagram of a formula with this cone.
    fn draw(
        &mut self,
        cnf: &Cnf<'_>,
        cone: &BTreeSet<usize>,
        root: Lit,
        limit: &Budget,
    ) -> Result<Diagram, Stop> {
        for &variable in cone {
            if self.gates.contains_key(&variable) {
                continue;
            }
            let gate = cnf.definition(variable).expect("the cone is one of gates");
            let mut steps = vec![];
            let mut operands = [FALSE; 3];
            for (operand, lit) in operands.iter_mut().zip(gate.inputs) {
                *operand = self.literal(lit, &mut steps, limit)?;
            }
            let Outcome { diagram, step } = self.diagrams.ite(operands, limit)?;
            steps.extend(step);
            self.gates.insert(variable, GateDiagram { diagram, steps });
        }
        self.literal(root, &mut vec![], limit)
    }

    /// The diagram of a literal whose variable has one.
    fn literal(&mut self, lit: Lit, steps: &mut Vec<usize>, limit: &Budget) -> Result<Diagram, Stop> {
        let variable = lit.variable();
        let positive = match self.gates.get(&variable) {
            _ if variable == Lit::TRUE.variable() => TRUE,
            Some(gate) => gate.diagram,
            None => self.diagrams.input(self.levels[&variable]),
        };
        if !lit.is_negated() {
            return Ok(positive);
        }
        let Outcome { diagram, step } = self.diagrams.ite([positive, FALSE, TRUE], limit)?;
        steps.extend(step);
        Ok(diagram)
    }

    /// Inputs that lead to 1.
    fn model(&self, mut diagram: Diagram) -> Vec<Lit> {
        let mut lits = vec![];
        while diagram != TRUE {
            let branch = self.diagrams.branch(diagram);
            let input = self.inputs[branch.level as usize];
            let up = branch.high != FALSE;
            lits.push(if up { input } else { !input });
            diagram = if up { branch.high } else { branch.low };
        }
        lits
    }

    /// Proves that each gate of a cone is its diagram, and shows the solver what that means for the last;
    /// false if a proof fails.
    fn prove(&mut self, cnf: &mut Cnf<'_>, cone: &BTreeSet<usize>) -> Result<bool, Refused> {
        for &variable in cone {
            if !self.gate_proofs.contains_key(&variable) && !self.prove_gate(cnf, variable)? {
                return Ok(false);
            }
        }
        let last = cone.last().and_then(|last| self.gate_proofs.get(last));
        last.into_iter().flatten().try_for_each(|&clause| cnf.show(clause))?;
        Ok(true)
    }

    fn prove_gate(&mut self, cnf: &mut Cnf<'_>, variable: usize) -> Result<bool, Refused> {
        let GateDiagram { diagram, steps } = self.gates[&variable].clone();
        for step in self.missing(&steps) {
            if !self.prove_step(cnf, step)? {
                return Ok(false);
            }
        }
        let definition = cnf.definition(variable).expect("the cone is one of gates");
        let operands = definition.inputs.iter().filter_map(|it| self.gate_proofs.get(&it.variable()));
        let mut from: Vec<ClauseId> =
            definition.clauses.into_iter().chain(operands.flatten().copied()).collect();
        from.extend(steps.iter().flat_map(|step| &self.step_proofs[step]));
        let (gate, drawn) = (Lit::new(variable, false), self.node(cnf, diagram));
        let mut proofs = vec![];
        for clause in [[!gate, drawn], [gate, !drawn]] {
            if !derive(cnf, definition.inputs[0], &clause, [&from, &from], &mut proofs)? {
                return Ok(false);
            }
        }
        self.gate_proofs.insert(variable, proofs);
        Ok(true)
    }

    /// The steps that these are made of and that are not proved, halves first.
    fn missing(&self, steps: &[usize]) -> BTreeSet<usize> {
        let (mut missing, mut stack) = (BTreeSet::new(), steps.to_vec());
        while let Some(step) = stack.pop() {
            if !self.step_proofs.contains_key(&step) && missing.insert(step) {
                stack.extend(self.diagrams.step(step).halves.into_iter().flatten());
            }
        }
        missing
    }

    /// Proves that a result is what its operands make; the halves are proved.
    fn prove_step(&mut self, cnf: &mut Cnf<'_>, index: usize) -> Result<bool, Refused> {
        let step = self.diagrams.step(index);
        let nodes = [step.operands[0], step.operands[1], step.operands[2], step.result];
        let [test, then, other, result] = nodes.map(|it| self.node(cnf, it));
        let defined = [test, then, other, result].map(|it| cnf.definition(it.variable()));
        let defined: Vec<ClauseId> = defined.into_iter().flatten().flat_map(|it| it.clauses).collect();
        let half = |half: Option<usize>| {
            let proofs = half.into_iter().flat_map(|half| &self.step_proofs[&half]);
            defined.iter().chain(proofs).copied().collect::<Vec<ClauseId>>()
        };
        let [low, high] = step.halves.map(half);
        let mut proofs = vec![];
        for clause in
            [[!test, !then, result], [!test, then, !result], [test, !other, result], [test, other, !result]]
        {
            let input = self.inputs[step.level as usize];
            if !derive(cnf, input, &clause, [&high, &low], &mut proofs)? {
                return Ok(false);
            }
        }
        self.step_proofs.insert(index, proofs);
        Ok(true)
    }

    /// The literal of a diagram: a gate for each node.
    fn node(&mut self, cnf: &mut Cnf<'_>, root: Diagram) -> Lit {
        let mut stack = vec![root];
        while let Some(&diagram) = stack.last() {
            let branch = self.diagrams.branch(diagram);
            let halves = [branch.low, branch.high].map(|it| self.nodes.get(&it).copied());
            let lit = match (diagram, halves) {
                (FALSE, _) => Lit::FALSE,
                (TRUE, _) => Lit::TRUE,
                (_, [Some(low), Some(high)]) => {
                    cnf.branch([self.inputs[branch.level as usize], high, low], false)
                }
                _ => {
                    stack.extend([branch.low, branch.high].iter().filter(|it| !self.nodes.contains_key(it)));
                    continue;
                }
            };
            self.nodes.insert(diagram, lit);
            stack.pop();
        }
        self.nodes[&root]
    }
}

/// Derives a clause from two cases, in which a literal holds and in which it does not, unless it says
/// nothing; whether it follows.
fn derive(
    cnf: &mut Cnf<'_>,
    case: Lit,
    clause: &[Lit],
    [holds, fails]: [&[ClauseId]; 2],
    proofs: &mut Vec<ClauseId>,
) -> Result<bool, Refused> {
    let clause: Vec<Lit> = clause.iter().copied().filter(|&lit| lit != Lit::FALSE).collect();
    let says_nothing = |clause: &[Lit]| clause.iter().any(|&lit| lit == Lit::TRUE || clause.contains(&!lit));
    if says_nothing(&clause) {
        return Ok(true);
    }
    let mut cases = vec![];
    for (lit, from) in [(!case, holds), (case, fails)] {
        let longer: Vec<Lit> = clause.iter().copied().chain([lit]).collect();
        if says_nothing(&longer) {
            continue;
        }
        let from: Vec<ClauseId> = from.iter().copied().chain([Cnf::TRUTH]).collect();
        let Some(derived) = cnf.derive(&longer, &from)? else { return Ok(false) };
        cases.push(derived);
    }
    let Some(derived) = cnf.derive(&clause, &cases)? else { return Ok(false) };
    cases.into_iter().for_each(|it| cnf.forget(it));
    proofs.push(derived);
    Ok(true)
}
