//! Which steps are merged. A thread may be interrupted at *cuts* only: where it begins, once in every loop,
//! and wherever the steps since the last cut and the next one would not be steps that commute to the right,
//! one of any kind, and steps that commute to the left and cannot wait. Steps that nobody sees are left out
//! at both ends: they need no section.

use super::kinds::{Kind, Mover};
use base::{Budget, Id, Stop};
use c::{Loc, Program};

/// How far a thread is since the last cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Phase {
    /// Nothing that others can see.
    Start,
    /// Only what can be moved to the right.
    Before,
    /// The step that can not, or one that is moved to the left.
    After,
}

/// Where sections begin and end.
pub struct Transactions {
    /// By location: whether a thread may be interrupted there.
    cut: Vec<bool>,
    /// By location: whether its step is taken inside a section that this pass makes.
    inside: Vec<bool>,
    /// By location: whether control comes there from inside one.
    from_inside: Vec<bool>,
}

impl Transactions {
    /// Works them out.
    pub fn new(program: &Program, kinds: &[Kind], budget: &Budget) -> Result<Transactions, Stop> {
        let number = program.locations().len();
        let mut cut = vec![true; number];
        for procedure in program.procedures().iter().filter(|it| it.entry != it.end) {
            let order = Order::new(program, procedure.entry, budget)?;
            forward(program, kinds, &order, &mut cut);
            trim(program, kinds, &order, &mut cut);
        }
        let mut made = Transactions { cut, inside: vec![false; number], from_inside: vec![false; number] };
        for loc in program.locations().ids() {
            let after = program.successors(loc);
            let inside = !made.cut[loc.index()] || after.iter().any(|to| !made.cut[to.index()]);
            made.inside[loc.index()] = inside;
            for to in after {
                made.from_inside[to.index()] |= inside;
            }
        }
        Ok(made)
    }

    /// Whether anything is merged.
    pub fn any(&self) -> bool {
        self.inside.contains(&true)
    }

    /// Whether the step is taken inside a section.
    pub fn inside(&self, loc: Loc) -> bool {
        self.inside[loc.index()]
    }

    /// Whether a section begins with the step.
    pub fn begins_at(&self, loc: Loc) -> bool {
        self.cut[loc.index()] && self.inside[loc.index()]
    }

    /// Whether a section ends where control comes to the location.
    pub fn ends_before(&self, loc: Loc) -> bool {
        self.cut[loc.index()] && self.from_inside[loc.index()]
    }
}

/// Decides where to cut, going with control.
fn forward(program: &Program, kinds: &[Kind], order: &Order, cut: &mut [bool]) {
    let mut arrives: Vec<Option<Phase>> = vec![None; program.locations().len()];
    let mut mixed = vec![false; program.locations().len()];
    for &loc in &order.locations {
        let Kind { moves, waits, visible } = kinds[loc.index()];
        let before = match arrives[loc.index()] {
            Some(phase) if !order.heads[loc.index()] && !mixed[loc.index()] => phase,
            _ => Phase::Start,
        };
        let fits = match before {
            Phase::Start => false,
            Phase::Before => moves != Mover::Apart,
            Phase::After => matches!(moves, Mover::Both | Mover::Left) && !waits,
        };
        cut[loc.index()] = !fits;
        let before = if fits { before } else { Phase::Start };
        let after = match moves {
            Mover::Apart => Phase::Start,
            _ if !visible => before,
            Mover::Right | Mover::Both => before.max(Phase::Before),
            Mover::Left | Mover::Neither => Phase::After,
        };
        for to in program.successors(loc) {
            let known = &mut arrives[to.index()];
            // Control from outside and from inside: a section would have to begin on one way only.
            mixed[to.index()] |= known.is_some_and(|it| (it == Phase::Start) != (after == Phase::Start));
            *known = (*known).max(Some(after));
        }
    }
}

/// Ends sections early: where nothing that others can see follows.
fn trim(program: &Program, kinds: &[Kind], order: &Order, cut: &mut [bool]) {
    for &loc in order.locations.iter().rev() {
        let ends = program.successors(loc).iter().all(|to| cut[to.index()]);
        cut[loc.index()] |= ends && !kinds[loc.index()].visible;
    }
}

/// The locations of a procedure that control can reach, each before those that follow it, loops aside.
struct Order {
    locations: Vec<Loc>,
    /// By location: whether a jump backward leads there, or control begins there.
    heads: Vec<bool>,
}

impl Order {
    fn new(program: &Program, entry: Loc, budget: &Budget) -> Result<Order, Stop> {
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum Visit {
            New,
            Open,
            Done,
        }
        let number = program.locations().len();
        let mut heads = vec![false; number];
        heads[entry.index()] = true;
        let mut visits = vec![Visit::New; number];
        let mut locations = vec![];
        let mut stack = vec![(entry, false)];
        while let Some((loc, leaves)) = stack.pop() {
            budget.spend(1)?;
            if leaves {
                visits[loc.index()] = Visit::Done;
                locations.push(loc);
                continue;
            }
            match visits[loc.index()] {
                Visit::Done => continue,
                Visit::Open => {
                    heads[loc.index()] = true;
                    continue;
                }
                Visit::New => {}
            }
            visits[loc.index()] = Visit::Open;
            stack.push((loc, true));
            stack.extend(program.successors(loc).into_iter().map(|to| (to, false)));
        }
        locations.reverse();
        Ok(Order { locations, heads })
    }
}
