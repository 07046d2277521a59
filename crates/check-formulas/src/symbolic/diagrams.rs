//! Ordered decision diagrams (Bryant, *Graph-Based Algorithms for Boolean Function Manipulation*, 1986), as
//! few lines as will do. Equal functions are equal numbers. Each step of an operation is kept, with the two
//! smaller steps that it was made of: `guide` turns them into a proof.

use base::{Budget, Stop};
use std::collections::HashMap;

/// A diagram: the constants are 0 and 1, others are nodes.
pub type Diagram = usize;
/// The constant 0.
pub const FALSE: Diagram = 0;
/// The constant 1.
pub const TRUE: Diagram = 1;

/// Formulas with more inputs than this are left to the caller: diagrams are walked as deep as there are
/// inputs.
pub const MOST_INPUTS: usize = 2000;

/// A node; the constants are below all levels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Branch {
    /// Which input is read.
    pub level: u32,
    /// Where to go if it is 0.
    pub low: Diagram,
    /// Where to go if it is 1.
    pub high: Diagram,
}

/// `operands[1]` where `operands[0]` is 1, else `operands[2]`, found from the two halves of the topmost
/// level.
#[derive(Clone, Copy, Debug)]
pub struct IteStep {
    /// Test, then, other.
    pub operands: [Diagram; 3],
    /// What they make.
    pub result: Diagram,
    /// The topmost level.
    pub level: u32,
    /// The steps of the halves; `None` where the operands show the result.
    pub halves: [Option<usize>; 2],
}

/// What an operation made, and the step that did it unless it is evident.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The diagram.
    pub diagram: Diagram,
    /// The step, by number.
    pub step: Option<usize>,
}

/// All diagrams over one order of the inputs.
pub struct Diagrams {
    nodes: Vec<Branch>,
    unique: HashMap<Branch, Diagram>,
    steps: Vec<IteStep>,
    memo: HashMap<[Diagram; 3], usize>,
}

impl Default for Diagrams {
    fn default() -> Self {
        let constant = |it| Branch { level: u32::MAX, low: it, high: it };
        let nodes = vec![constant(FALSE), constant(TRUE)];
        Diagrams { nodes, unique: HashMap::new(), steps: vec![], memo: HashMap::new() }
    }
}

impl Diagrams {
    /// The node of a diagram.
    pub fn branch(&self, diagram: Diagram) -> Branch {
        self.nodes[diagram]
    }

    /// A step by its number; those of its halves have smaller ones.
    pub fn step(&self, index: usize) -> IteStep {
        self.steps[index]
    }

    /// The input of a level.
    pub fn input(&mut self, level: u32) -> Diagram {
        self.node(Branch { level, low: FALSE, high: TRUE })
    }

    fn node(&mut self, branch: Branch) -> Diagram {
        if branch.low == branch.high {
            return branch.low;
        }
        let fresh = self.nodes.len();
        let found = *self.unique.entry(branch).or_insert(fresh);
        if found == fresh {
            self.nodes.push(branch);
        }
        found
    }

    /// `operands[1]` where `operands[0]` is 1, else `operands[2]`. Each new step is a tick.
    pub fn ite(&mut self, operands: [Diagram; 3], budget: &Budget) -> Result<Outcome, Stop> {
        let evident = |diagram| Ok(Outcome { diagram, step: None });
        match operands {
            [TRUE, then, _] => return evident(then),
            [FALSE, _, other] => return evident(other),
            [test, TRUE, FALSE] => return evident(test),
            [_, then, other] if then == other => return evident(then),
            _ => {}
        }
        if let Some(&step) = self.memo.get(&operands) {
            return Ok(Outcome { diagram: self.steps[step].result, step: Some(step) });
        }
        budget.spend(1)?;
        let level = operands.map(|it| self.nodes[it].level).into_iter().min().expect("there are three");
        let sides = operands.map(|it| match self.nodes[it] {
            branch if branch.level == level => (branch.low, branch.high),
            _ => (it, it),
        });
        let low = self.ite(sides.map(|it| it.0), budget)?;
        let high = self.ite(sides.map(|it| it.1), budget)?;
        let result = self.node(Branch { level, low: low.diagram, high: high.diagram });
        let step = self.steps.len();
        self.steps.push(IteStep { operands, result, level, halves: [low.step, high.step] });
        self.memo.insert(operands, step);
        Ok(Outcome { diagram: result, step: Some(step) })
    }
}
