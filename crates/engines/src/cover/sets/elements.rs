//! Sets of elements: for each multiset of controls (a location and a side of the atomic section), and whether
//! `init` runs and somebody is inside, one function of the shared variables and the locals of the members.
//! Members at the same control are interchangeable in it. An element stands for all states with at least its
//! threads, as in [`super::super::basis`].
//!
//! The names lie in a tree, control after control, so that all that lies below a name is found by walking
//! down with a part of its controls.

use crate::closure::diagrams::slots::Slots;
use crate::encoding::Encoding;
use base::{Budget, Stop};
use solve::bdd::Bdd;
use std::collections::{BTreeMap, BTreeSet};

/// What all work on sets needs.
pub struct Stage<'a, 'p> {
    /// The encoded program.
    pub encoding: &'a mut Encoding<'p>,
    /// The copies of the locals.
    pub slots: Slots,
    /// What the work may cost.
    pub budget: &'a Budget,
}

impl Stage<'_, '_> {
    /// The smaller diagram: of a set, or of what matters in it. What does not matter is covered, or the
    /// closure rules it out, and its predecessors with it; so it may be there or not.
    pub fn simpler(&self, set: Bdd, matters: Bdd) -> Bdd {
        let nodes = |f: Bdd| self.encoding.manager.node_count([f]);
        if set == matters || nodes(set) <= nodes(matters) { set } else { matters }
    }
}

/// What names a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// Whether some thread, a member or another, is inside an atomic section.
    pub busy: bool,
    /// The controls of the members, sorted.
    pub controls: Vec<u32>,
}

impl Name {
    /// The positions of different controls, one each.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.controls.len()).filter(|&at| at == 0 || self.controls[at - 1] != self.controls[at])
    }

    fn flags(&self) -> u32 {
        u32::from(self.initialising) << 1 | u32::from(self.busy)
    }
}

/// What a step did, seen from the element before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// A member stepped; it may have created a thread that nobody asks for.
    Own,
    /// A thread stepped that nobody asks for afterwards.
    Leaves,
    /// A member stepped and created a member.
    Both,
    /// A member was created by a thread that nobody asks for afterwards.
    Child,
    /// `init` ended, and all members came.
    Starts,
}

/// The step that leads from a part to a layer.
#[derive(Clone, Copy, Debug)]
pub struct BackwardStep {
    /// What it did.
    pub way: StepKind,
    /// Where the thread stood that stepped.
    pub control: u32,
    /// The number of the layer.
    pub layer: u32,
}

/// Elements that came by one step; without a step they are errors.
#[derive(Clone, Copy, Debug)]
pub struct ElementPart {
    /// The elements.
    pub set: Bdd,
    entry: u32,
    /// The step.
    pub via: Option<BackwardStep>,
}

/// Elements of one name that were popped together.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Their name.
    pub name: Name,
    /// The elements.
    pub set: Bdd,
    /// The numbers of the parts that they came in.
    pub parts: Vec<u32>,
}

#[derive(Clone, Debug)]
struct ElementEntry {
    name: Name,
    all: Bdd,
    fresh: Bdd,
    waiting: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct IndexNode {
    below: BTreeMap<u32, u32>,
    entry: Option<u32>,
}

/// All sets, and the worklist.
#[derive(Clone, Debug)]
pub struct Elements {
    /// The tree; its first four nodes are the roots.
    nodes: Vec<IndexNode>,
    entries: Vec<ElementEntry>,
    /// By number of threads, then in the order of arrival.
    worklist: BTreeSet<(usize, u64, u32)>,
    arrivals: u64,
    parts: Vec<ElementPart>,
    layers: Vec<Layer>,
}

impl Default for Elements {
    fn default() -> Self {
        let nodes = vec![IndexNode::default(); 4];
        let worklist = BTreeSet::new();
        Self { nodes, entries: vec![], worklist, arrivals: 0, parts: vec![], layers: vec![] }
    }
}

impl Elements {
    /// How many names, parts and layers there are, and how many names wait.
    pub fn sizes(&self) -> [usize; 4] {
        [self.entries.len(), self.parts.len(), self.layers.len(), self.worklist.len()]
    }

    /// A part.
    pub fn part(&self, number: u32) -> ElementPart {
        self.parts[number as usize]
    }

    /// The name of a part.
    pub fn name_of(&self, part: ElementPart) -> &Name {
        &self.entries[part.entry as usize].name
    }

    /// A layer.
    pub fn layer(&self, number: u32) -> &Layer {
        &self.layers[number as usize]
    }

    /// All sets with their names, in the order of discovery.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, Bdd)> {
        self.entries.iter().map(|entry| (&entry.name, entry.all))
    }

    /// The functions that a collection must not take.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        let entries = self.entries.iter().flat_map(|entry| [entry.all, entry.fresh]);
        let parts = self.parts.iter().map(|part| part.set);
        entries.chain(parts).chain(self.layers.iter().map(|layer| layer.set))
    }

    /// The elements of a set that lie above none that is there; with `smaller` only those with fewer threads
    /// count.
    pub fn uncovered(
        &self,
        stage: &mut Stage<'_, '_>,
        name: &Name,
        mut set: Bdd,
        smaller: bool,
    ) -> Result<Bdd, Stop> {
        let controls = &name.controls;
        let mut work: Vec<(u32, Vec<usize>)> = vec![(name.flags(), vec![])];
        while let Some((node, chosen)) = work.pop() {
            stage.budget.spend(1)?;
            let node = &self.nodes[node as usize];
            if let Some(entry) = node.entry.filter(|_| !smaller || chosen.len() < controls.len()) {
                let moves: Vec<(usize, usize)> = (0..).zip(chosen.iter().copied()).collect();
                let all = self.entries[entry as usize].all;
                let all = stage.slots.arrange(stage.encoding, all, &moves, stage.budget)?;
                set = stage.encoding.manager.diff(set, all, stage.budget)?;
                if set.is_false() {
                    break;
                }
            }
            let first = chosen.last().map_or(0, |last| last + 1);
            for (at, control) in controls.iter().enumerate().skip(first) {
                if let Some(&below) = node.below.get(control) {
                    let mut longer = chosen.clone();
                    longer.push(at);
                    work.push((below, longer));
                }
            }
        }
        Ok(set)
    }

    /// Adds elements, of which some are not yet covered. Gives the number of the part.
    pub fn add(
        &mut self,
        stage: &mut Stage<'_, '_>,
        name: &Name,
        set: Bdd,
        via: Option<BackwardStep>,
    ) -> Result<u32, Stop> {
        let number = self.enter(name);
        let entry = &mut self.entries[number as usize];
        let manager = &mut stage.encoding.manager;
        if entry.fresh.is_false() {
            self.arrivals += 1;
            self.worklist.insert((name.controls.len(), self.arrivals, number));
        }
        entry.all = manager.or(entry.all, set, stage.budget)?;
        entry.fresh = manager.or(entry.fresh, set, stage.budget)?;
        let part = self.parts.len() as u32;
        entry.waiting.push(part);
        self.parts.push(ElementPart { set, entry: number, via });
        Ok(part)
    }

    fn enter(&mut self, name: &Name) -> u32 {
        let mut node = name.flags();
        for &control in &name.controls {
            let next = self.nodes.len() as u32;
            node = *self.nodes[node as usize].below.entry(control).or_insert(next);
            if node == next {
                self.nodes.push(IndexNode::default());
            }
        }
        let number = self.entries.len() as u32;
        let found = *self.nodes[node as usize].entry.get_or_insert(number);
        if found == number {
            let name = name.clone();
            self.entries.push(ElementEntry { name, all: Bdd::FALSE, fresh: Bdd::FALSE, waiting: vec![] });
        }
        found
    }

    /// Takes up what waits with the fewest threads, without what lies above smaller elements by now. Gives
    /// the number of the layer.
    pub fn take(&mut self, stage: &mut Stage<'_, '_>) -> Result<Option<u32>, Stop> {
        while let Some((_, _, number)) = self.worklist.pop_first() {
            let entry = &mut self.entries[number as usize];
            let name = entry.name.clone();
            let fresh = std::mem::replace(&mut entry.fresh, Bdd::FALSE);
            let parts = std::mem::take(&mut entry.waiting);
            let matters = self.uncovered(stage, &name, fresh, true)?;
            if !matters.is_false() {
                let set = stage.simpler(fresh, matters);
                self.layers.push(Layer { name, set, parts });
                return Ok(Some(self.layers.len() as u32 - 1));
            }
        }
        Ok(None)
    }
}
