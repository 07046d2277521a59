//! From the analysed C program to the Boolean program.

mod evaluate;
mod memory;
mod steps;
mod sync;
mod threads;
mod variables;
mod waiting;

use super::analysis::{Analysis, Locals};
use super::coding::Coding;
use super::gates::Gates;
use super::slots::{SlotId, SlotKind};
use super::symbolic::Val;
use super::{Lowered, Origin, Problem, Unsupported};
use ::c::Faults;
use base::{Budget, Id};
use ir::bp;
use ir::bp::{Builder, Count, ExprId, Op, Var};
use std::collections::BTreeMap;

/// What a step sees: what the own variables may hold, and registers with new values.
#[derive(Clone, Debug)]
struct View {
    locals: Locals,
    new: BTreeMap<c::LocalId, Val>,
}

struct Emitter<'p> {
    analysis: Analysis<'p>,
    gates: Gates,
    builder: Builder,
    coding: Vec<Coding>,
    origin: Vec<Origin>,
    losses: Vec<String>,
    procedures: BTreeMap<c::ProcId, bp::ProcId>,
    /// By C location: where its steps begin.
    first: BTreeMap<c::Loc, bp::Loc>,
    /// Steps that go on, or jump, to a C location.
    goes_to: Vec<(bp::Loc, c::Loc)>,
    jumps_to: Vec<(bp::Loc, c::Loc)>,
    here: c::Loc,
    procedure: bp::ProcId,
}

pub fn emit(analysis: Analysis<'_>, budget: &Budget) -> Result<Lowered, Problem> {
    let options = analysis.options;
    let mut emitter = Emitter {
        analysis,
        gates: Gates::new(),
        builder: Builder::new(),
        coding: vec![],
        origin: vec![],
        losses: vec![],
        procedures: BTreeMap::new(),
        first: BTreeMap::new(),
        goes_to: vec![],
        jumps_to: vec![],
        here: c::Loc::from_index(0),
        procedure: bp::ProcId::from_index(0),
    };
    emitter.declare()?;
    for template in emitter.procedures.clone().into_keys() {
        emitter.body(template, budget)?;
    }
    emitter.connect();
    let Emitter { analysis, gates, mut builder, coding, origin, mut losses, procedures, .. } = emitter;
    builder.template(procedures[&analysis.model.program.main()], Count::Exactly(1));
    *builder.exprs() = gates.pool;
    losses.sort();
    losses.dedup();
    let wrong = |found: base::Diagnostics| {
        let construct = format!("a program whose translation is not valid ({found:?})");
        Problem::Unsupported(Unsupported { construct, span: None })
    };
    let program = builder.finish().map_err(wrong)?;
    let exact = losses.is_empty();
    let Analysis { slots, model, .. } = analysis;
    Ok(Lowered { program, exact, losses, origin, coding, slots, allocation: model.allocation, options })
}

impl Emitter<'_> {
    fn body(&mut self, template: c::ProcId, budget: &Budget) -> Result<(), Problem> {
        let program = self.analysis.model.program;
        self.procedure = self.procedures[&template];
        self.builder.begin(self.procedure);
        for loc in program.locations_of(template) {
            budget.spend(1)?;
            let Some(state) = self.analysis.states[loc.index()].clone() else { continue };
            self.here = loc;
            self.first.insert(loc, self.builder.here());
            self.step(loc, &View { locals: state, new: BTreeMap::new() })?;
            if self.gates.pool.len() > self.analysis.options.nodes {
                let construct = "a program whose Boolean form is too large".to_string();
                return Err(Unsupported { construct, span: program.at(loc).span }.into());
            }
        }
        // Where the analysis says that nobody comes.
        let nowhere = self.builder.push(self.procedure, Op::Assume(self.gates.zero()), None);
        self.builder.at(nowhere).next = nowhere;
        self.origin.push(Origin { at: self.here, takes: false });
        let own = program.locations_of(template);
        let missing: Vec<c::Loc> = own.filter(|loc| !self.first.contains_key(loc)).collect();
        missing.into_iter().for_each(|loc| {
            self.first.insert(loc, nowhere);
        });
        self.builder.end(self.procedure, None);
        self.origin.push(Origin { at: self.here, takes: false });
        Ok(())
    }

    /// Control goes on where the C program says.
    fn connect(&mut self) {
        for (from, to) in std::mem::take(&mut self.goes_to) {
            self.builder.at(from).next = self.first[&to];
        }
        for (from, to) in std::mem::take(&mut self.jumps_to) {
            if let Op::Branch { target, .. } = &mut self.builder.at(from).op {
                *target = self.first[&to];
            }
        }
    }

    /// Adds a step that goes on to the next one added.
    fn push(&mut self, op: Op, takes: bool) -> bp::Loc {
        let span = self.analysis.model.program.at(self.here).span;
        self.origin.push(Origin { at: self.here, takes });
        self.builder.push(self.procedure, op, span)
    }

    /// Adds a step that goes on to where the C step goes on.
    fn push_last(&mut self, op: Op, takes: bool) -> bp::Loc {
        let loc = self.push(op, takes);
        self.goes_to.push((loc, self.analysis.model.program.at(self.here).next));
        loc
    }

    /// The parallel assignment under a guard.
    fn assignment(&mut self, targets: Vec<(Var, ExprId)>, guard: ExprId) -> Op {
        let mut kept: Vec<(Var, ExprId)> = vec![];
        for (var, e) in targets {
            let same = self.gates.var(var) == e;
            if !same && !kept.iter().any(|it| it.0 == var) {
                kept.push((var, e));
            }
        }
        match (kept.is_empty(), self.gates.known(guard)) {
            (true, Some(true)) => Op::Skip,
            (true, _) => Op::Assume(guard),
            (false, known) => Op::Assign {
                targets: kept,
                broadcast: vec![],
                constrain: if known == Some(true) { None } else { Some(guard) },
            },
        }
    }

    /// Stops before a step whose meaning is not known, and before one that has none if that is the error.
    /// Gives the condition under which the step goes on.
    fn troubles(&mut self, fault: ExprId, unsupported: ExprId) -> ExprId {
        if self.gates.known(unsupported) != Some(false) {
            let known = self.gates.not(unsupported);
            self.push(Op::Assert(known), false);
        }
        if self.gates.known(fault) != Some(false) && self.tells() {
            let fine = self.gates.not(fault);
            self.push(Op::Assert(fine), false);
        }
        let trouble = self.gates.or(fault, unsupported);
        self.gates.not(trouble)
    }

    /// Whether undefined behaviour at this step is an error. Where only some kinds of it are, and the step
    /// may be undefined in others too, the Boolean program has more errors.
    fn tells(&mut self) -> bool {
        let requested = self.analysis.options.machine.faults;
        if requested == Faults::ALL || !requested.any() {
            return requested.any();
        }
        let program = &self.analysis.model.program;
        let faults = program.effects(self.here).faults;
        let is_error = faults.iter().any(|it| requested.has(it));
        if is_error && !faults.iter().all(|it| requested.has(it)) {
            self.loses("which kind of undefined behaviour a step is");
        }
        is_error
    }

    /// Notes that the Boolean program has more runs.
    fn loses(&mut self, what: &str) {
        self.losses.push(what.to_string());
    }

    fn known_slot(&self, kind: SlotKind) -> Option<SlotId> {
        self.analysis.slots.known(kind).filter(|slot| slot.index() < self.coding.len())
    }
}
