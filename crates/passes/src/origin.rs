//! Where the parts of a prepared program come from. Every pass gives one such table, and all lifting follows
//! from it: traces are re-executed along it ([`crate::guide`]), certificates are renamed by it.

use base::Id;
use ir::bp::{Loc, LocalId, LocalScope, Program, SharedId, Var};
use ir::certificate::{ControlLocation, LocalAt, View};

/// For each part of a prepared program the part of the original that it was made from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// For each location: the calls that were inlined, the outermost first, and, last, the location itself.
    pub controls: Vec<Vec<Loc>>,
    /// For each shared variable.
    pub shared: Vec<SharedId>,
    /// For each local variable.
    pub locals: Vec<LocalId>,
}

impl Origin {
    /// Everything comes from itself.
    pub fn identity(program: &Program) -> Origin {
        Origin {
            controls: program.locations().ids().map(|loc| vec![loc]).collect(),
            shared: program.shared().ids().collect(),
            locals: program.locals().ids().collect(),
        }
    }

    /// Where the parts of a program come from that was made from one that comes from here.
    pub fn then(&self, next: &Origin) -> Origin {
        let stack = |stack: &Vec<Loc>| stack.iter().flat_map(|&loc| self.stack(loc)).copied().collect();
        Origin {
            controls: next.controls.iter().map(stack).collect(),
            shared: next.shared.iter().map(|id| self.shared[id.index()]).collect(),
            locals: next.locals.iter().map(|id| self.locals[id.index()]).collect(),
        }
    }

    /// The original activations of a prepared activation that stands at `loc`.
    pub fn stack(&self, loc: Loc) -> &[Loc] {
        &self.controls[loc.index()]
    }

    /// The original location of `loc`.
    pub fn location(&self, loc: Loc) -> Loc {
        *self.stack(loc).last().expect("every point has a location")
    }

    /// The original of a variable.
    pub fn var(&self, var: Var) -> Var {
        match var {
            Var::Shared(id) => Var::Shared(self.shared[id.index()]),
            Var::Local(id) => Var::Local(self.locals[id.index()]),
        }
    }
}

/// What a pass made of a program.
pub struct Passed {
    /// The program.
    pub program: Program,
    /// Where its parts come from.
    pub origin: Origin,
}

/// The view of the original program that shows what `view` shows of the prepared one, value for value;
/// nothing if the view keeps a local that is not in scope, or one that the prepared program holds at 0 and
/// the original does not.
pub fn lift_view(original: &Program, prepared: &Program, origin: &Origin, view: &View) -> Option<View> {
    let shared = view.shared.iter().map(|&id| origin.shared[id.index()]).collect();
    let controls = view.controls.iter().map(|control| lift_control(original, prepared, origin, control));
    Some(View { shared, controls: controls.collect::<Option<_>>()? })
}

fn lift_control(
    original: &Program,
    prepared: &Program,
    origin: &Origin,
    control: &ControlLocation,
) -> Option<ControlLocation> {
    let stack: Vec<Loc> = control.stack.iter().flat_map(|&loc| origin.stack(loc)).copied().collect();
    let kept = |at: &LocalAt| {
        let local = origin.locals[at.local.index()];
        let of_thread = original.locals()[local].scope == LocalScope::Thread;
        let frame = if of_thread { control.stack.len().checked_sub(1)? } else { at.depth };
        let here = *control.stack.get(frame)?;
        let first: usize = control.stack[..frame].iter().map(|&loc| origin.stack(loc).len()).sum();
        let owner = origin.stack(here).iter().rposition(|&loc| original.in_scope(loc, local))?;
        let dead_there = original.at(origin.stack(here)[owner]).dead.contains(&local);
        let invented = prepared.at(here).dead.contains(&at.local) && !dead_there;
        let depth = if of_thread { 0 } else { first + owner };
        (!invented).then_some(LocalAt { depth, local })
    };
    Some(ControlLocation {
        inside: control.inside,
        kept: control.kept.iter().map(kept).collect::<Option<_>>()?,
        stack,
    })
}
