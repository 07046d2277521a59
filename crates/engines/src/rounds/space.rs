//! The columns of the equations and the order of their bits. A variable stands next to what it is
//! computed from, and all copies of one bit are neighbours.

use super::model::{Bit, Model};
use crate::fixpoint::{Column, Layout, LevelPairs, Sort};
use base::Id;
use ir::bp::{ExprId, LocalId, Op, Program, Spawn, Var};
use solve::bdd::Level;
use std::collections::BTreeSet;

/// The copies of one local bit.
#[derive(Clone, Copy, Debug)]
pub struct Copies {
    /// Its value.
    pub now: Level,
    /// Its value before the step; in a return: the callee's value.
    pub old: Level,
    /// In a return: the caller's value at the call.
    pub call: Level,
    /// In a return: the argument that the callee was entered with.
    pub argument: Level,
    /// Its value when the current activation began.
    pub entry: Level,
}

/// All columns.
pub struct RoundSpace {
    /// The columns' positions.
    pub layout: Layout,
    /// By local.
    pub local: Vec<Copies>,
    /// The bit "inside an atomic section".
    pub inside: Copies,
    /// The bit "somebody is inside", for the modular closure.
    pub busy: Copies,
    /// The inputs u_1, u_2, ….
    pub u: Vec<Column>,
    /// The outputs v_1, v_2, ….
    pub v: Vec<Column>,
    /// A third tuple, for joins.
    pub w: Vec<Column>,
    /// Adam's inputs and outputs, and the next outputs of Eve and Adam.
    pub game: [Vec<Column>; 4],
    /// The shared state before a step.
    pub old: Column,
    /// The shared state at the call, in a return.
    pub call: Column,
    /// The shared state when the current activation began.
    pub entry: Column,
}

const SHARED: Sort = Sort("shared state");
const LOCAL: Sort = Sort("local bit");

impl RoundSpace {
    /// Room for interfaces of length `most`.
    pub fn new(model: &Model<'_>, most: usize) -> RoundSpace {
        let mut layout = Layout::default();
        let mut tuple = || (0..most).map(|_| layout.column(SHARED)).collect::<Vec<_>>();
        let (u, v, w) = (tuple(), tuple(), tuple());
        let game = [tuple(), tuple(), tuple(), tuple()];
        let [old, call, entry] = [(); 3].map(|()| layout.column(SHARED));
        let mut row = vec![entry, call];
        // In the game Eve's tuples are related to each other more than to Adam's.
        let [x, y, next_v, next_y] = &game;
        (0..most).for_each(|round| row.extend([u[round], v[round], w[round], next_v[round]]));
        (0..most).for_each(|round| row.extend([x[round], y[round], next_y[round]]));
        row.push(old);
        let copies = [(); 5].map(|()| layout.column(LOCAL));
        let mut local = vec![None; model.program.locals().len()];
        let mut placed: Vec<usize> = vec![];
        layout.row(&copies);
        let inside = last(&layout, &copies);
        layout.row(&copies);
        let busy = last(&layout, &copies);
        let mut place_shared = |layout: &mut Layout, bit: usize| {
            placed.push(bit);
            layout.row(&row);
        };
        let synthetic = model.bits.iter().enumerate().filter(|(_, bit)| !matches!(bit, Bit::Shared(_)));
        synthetic.for_each(|(index, _)| place_shared(&mut layout, index));
        for var in variables_in_order(model.program) {
            match var {
                Var::Shared(id) => place_shared(&mut layout, model.bit(Bit::Shared(id))),
                Var::Local(id) => {
                    layout.row(&copies);
                    local[id.index()] = Some(last(&layout, &copies));
                }
            }
        }
        let local = local.into_iter().map(|it| it.expect("every local is placed")).collect();
        let mut space = RoundSpace { layout, local, inside, busy, u, v, w, game, old, call, entry };
        space.layout.permute(&row, &placed);
        space
    }

    /// The copies of a local.
    pub fn of(&self, local: LocalId) -> Copies {
        self.local[local.index()]
    }

    /// The levels of a list of columns.
    pub fn levels(&self, columns: &[Column]) -> Vec<Level> {
        columns.iter().flat_map(|&column| self.layout.levels(column).to_vec()).collect()
    }

    /// The bits of each column with those of its partner.
    pub fn pairs(&self, from: &[Column], to: &[Column]) -> LevelPairs {
        from.iter().zip(to).flat_map(|(&from, &to)| self.layout.pairs(from, to)).collect()
    }

    /// One bit of a column.
    pub fn bit(&self, column: Column, bit: usize) -> Level {
        self.layout.levels(column)[bit]
    }
}

fn last(layout: &Layout, copies: &[Column; 5]) -> Copies {
    let [now, old, call, argument, entry] =
        copies.map(|column| *layout.levels(column).last().expect("a row was just added"));
    Copies { now, old, call, argument, entry }
}

/// All variables in the order in which the program first lets one depend on another; then the rest. Variables
/// that are set to constants together need not be related (`i0, i1, j0, j1 := 0, 0, 0, 0` says nothing), but
/// a variable and what it is computed from are.
fn variables_in_order(program: &Program) -> Vec<Var> {
    let (mut order, mut seen) = (vec![], BTreeSet::new());
    let mut add = |var: Var| {
        if seen.insert(var) {
            order.push(var);
        }
    };
    for location in program.locations().iter() {
        for (target, e) in dependences(&location.op).into_iter().chain(location.enforce.map(|e| (None, e))) {
            let reads = program.exprs().reads(e);
            let target = target.filter(|_| !reads.is_empty());
            target.into_iter().chain(reads.into_iter().map(|read| read.var)).for_each(&mut add);
        }
        if let Op::Lock(id) | Op::Unlock(id) = location.op {
            let lock = &program.locks()[id];
            add(Var::Shared(lock.taken));
            add(Var::Local(lock.owner));
        }
    }
    program.shared().ids().map(Var::Shared).for_each(&mut add);
    program.locals().ids().map(Var::Local).for_each(&mut add);
    order
}

/// The expressions of a statement, each with what it is assigned to.
fn dependences(op: &Op) -> Vec<(Option<Var>, ExprId)> {
    let alone = |exprs: &[ExprId]| exprs.iter().map(|&e| (None, e)).collect();
    match op {
        Op::Assign { targets, constrain, .. } => {
            let assigned = targets.iter().map(|&(var, e)| (Some(var), e));
            assigned.chain(constrain.map(|e| (None, e))).collect()
        }
        Op::Branch { cond: e, .. } | Op::Assume(e) | Op::Assert(e) => alone(&[*e]),
        Op::Call { args, .. } => alone(args),
        Op::Return(values) | Op::Start(Spawn::Call(_, values)) => alone(values),
        _ => vec![],
    }
}
