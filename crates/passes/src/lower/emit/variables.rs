//! The Boolean variables.

use super::super::abs::Abs;
use super::super::coding::{Coding, Shape, shape};
use super::super::model::Scope;
use super::super::slots::{SlotId, SlotKind};
use super::super::{Problem, Unsupported};
use super::Emitter;
use base::Id;
use ir::bp::{Init, LocalId, LocalScope, Var};

impl Emitter<'_> {
    pub(super) fn declare(&mut self) -> Result<(), Problem> {
        let program = self.analysis.model.program;
        for &template in self.analysis.model.sites_of.keys() {
            let entry = program.procedures()[template].entry;
            if self.analysis.states[entry.index()].is_some() {
                let name = plain(&program.procedures()[template].name);
                let id = self.builder.declare(name, 0);
                self.procedures.insert(template, id);
            }
        }
        let values = self.values();
        let shapes: Vec<Shape> = self
            .analysis
            .slots
            .ids()
            .map(|slot| {
                let it = self.analysis.slots.get(slot);
                shape(&values[slot.index()], it.bits, it.float)
            })
            .collect();
        let number: usize = shapes.iter().map(|shape| shape.tags + shape.kept).sum();
        if number > self.analysis.options.variables {
            let construct = format!("a program that needs {number} Boolean variables");
            return Err(Unsupported { construct, span: None }.into());
        }
        self.make_variables(&shapes);
        for (&template, &procedure) in &self.procedures {
            let mut params: Vec<LocalId> = vec![];
            for slot in self.analysis.param_slots(template) {
                params.extend(self.coding[slot.index()].vars().filter_map(local));
            }
            self.builder.params(procedure, params);
        }
        Ok(())
    }

    /// What each variable may hold anywhere.
    fn values(&self) -> Vec<Abs> {
        let analysis = &self.analysis;
        let mut all: Vec<Abs> = analysis
            .slots
            .ids()
            .map(|slot| match analysis.slots.get(slot).kind {
                SlotKind::Register(_) | SlotKind::Site(_) => Abs::none(),
                _ => analysis.shared.get(&slot).cloned().unwrap_or_else(|| analysis.slots.first(slot)),
            })
            .collect();
        let states = analysis.states.iter().flatten().chain(analysis.second.values());
        for (&slot, value) in states.flatten() {
            let bits = analysis.slots.get(slot).bits;
            all[slot.index()] = all[slot.index()].join(value, bits);
        }
        for slot in analysis.slots.ids() {
            if let SlotKind::Cell(instance, cell) = analysis.slots.get(slot).kind
                && !analysis.touched.contains(&(instance, cell))
            {
                all[slot.index()] = analysis.slots.first(slot);
            }
        }
        // Registers that are read before they are written.
        let program = analysis.model.program;
        for &template in self.procedures.keys() {
            let entry = program.procedures()[template].entry;
            for local in program.locals().ids() {
                let slot = analysis.slots.known(SlotKind::Register(local));
                let Some(slot) = slot.filter(|_| analysis.live.is_live(entry, local)) else { continue };
                let given =
                    analysis.states[entry.index()].as_ref().is_some_and(|state| state.contains_key(&slot));
                if !given {
                    let bits = analysis.slots.get(slot).bits;
                    all[slot.index()] = all[slot.index()].join(&analysis.slots.first(slot), bits);
                }
            }
        }
        all
    }

    /// Bits of the same weight stand together: what is compared or added is so interleaved.
    fn make_variables(&mut self, shapes: &[Shape]) {
        let mut tags: Vec<Vec<Var>> = vec![vec![]; shapes.len()];
        let mut kept: Vec<Vec<Var>> = vec![vec![]; shapes.len()];
        let most = shapes.iter().map(|shape| shape.tags.max(shape.kept)).max().unwrap_or(0);
        for level in 0..most {
            for (index, shape) in shapes.iter().enumerate() {
                let slot = SlotId::from_index(index);
                if level < shape.tags {
                    tags[index].push(self.variable(slot, "t", level));
                }
                if level < shape.kept {
                    kept[index].push(self.variable(slot, "", level));
                }
            }
        }
        for ((shape, tag), kept) in shapes.iter().zip(tags).zip(kept) {
            self.coding.push(Coding::new(shape, tag, kept));
        }
        self.set_first_values();
    }

    fn variable(&mut self, slot: SlotId, kind: &str, level: usize) -> Var {
        let it = self.analysis.slots.get(slot);
        let name = format!("{}_{}_{kind}{level}", plain(&it.name), slot.index());
        let init = Init::Fixed(false);
        match it.scope {
            Scope::Shared => Var::Shared(self.builder.shared(name, init)),
            Scope::Thread => Var::Local(self.builder.local(name, LocalScope::Thread, init)),
            Scope::Template(template) => match self.procedures.get(&template) {
                Some(&procedure) => {
                    Var::Local(self.builder.local(name, LocalScope::Procedure(procedure), init))
                }
                // No thread runs there.
                None => Var::Local(self.builder.local(name, LocalScope::Thread, init)),
            },
        }
    }

    fn set_first_values(&mut self) {
        for slot in self.analysis.slots.ids() {
            let first = self.analysis.slots.get(slot).first;
            for (var, value) in self.coding[slot.index()].encode(first) {
                match var {
                    Var::Shared(id) => self.builder.shared_mut()[id].init = Init::Fixed(value),
                    Var::Local(id) => self.builder.locals_mut()[id].init = Init::Fixed(value),
                }
            }
        }
    }
}

fn local(var: Var) -> Option<LocalId> {
    match var {
        Var::Local(local) => Some(local),
        Var::Shared(_) => None,
    }
}

/// A name of letters, digits and underscores.
fn plain(name: &str) -> String {
    let clean: String = name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect();
    if clean.starts_with(|it: char| it.is_ascii_digit()) { format!("_{clean}") } else { clean }
}
