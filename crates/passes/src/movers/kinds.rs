//! How the step at a location commutes with the steps of other threads, and whether it may wait.

use super::accesses::Accesses;
use base::{Budget, Id, Stop};
use ir::c::{
    Binary, CellType, Convert, ExprId, Loc, LockMode, Locksets, Node, ObjectScope, Op, Place, Program,
    SyncInit, SyncKind, SyncOp, Type,
};

/// Which way a step may be moved past steps of other threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mover {
    /// Both ways.
    Both,
    /// Behind those that follow it.
    Right,
    /// Before those that it follows.
    Left,
    /// None.
    Neither,
    /// None, and it is taken on its own: it begins or ends a thread or a section, or takes two steps.
    Apart,
}

/// What is known of the step at a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Where it may be moved.
    pub moves: Mover,
    /// Whether it may wait, were it only because it has no meaning.
    pub waits: bool,
    /// Whether it touches what other threads may touch.
    pub visible: bool,
}

/// The kinds of all steps.
pub fn kinds(program: &Program, budget: &Budget) -> Result<Vec<Kind>, Stop> {
    let locksets = Locksets::new(program, budget)?;
    let alone = alone(program, budget)?;
    let accesses = Accesses::new(program, &locksets, &alone, budget)?;
    let plain = plain_mutexes(program, &locksets, &alone);
    let sections = in_sections(program, budget)?;
    let text = Text { program, locksets, accesses, plain };
    let mut found = vec![];
    for loc in program.locations().ids() {
        budget.spend(1)?;
        let kind = text.kind(loc);
        found.push(if kind.moves == Mover::Apart || sections[loc.index()] {
            Kind { moves: Mover::Apart, waits: true, visible: true }
        } else if alone[loc.index()] {
            // Nobody is there to see it.
            Kind { moves: Mover::Both, waits: true, visible: false }
        } else {
            kind
        });
    }
    Ok(found)
}

struct Text<'p> {
    program: &'p Program,
    locksets: Locksets,
    accesses: Accesses,
    /// The mutexes of which nobody can tell whether they are taken but by waiting.
    plain: u64,
}

impl Text<'_> {
    fn kind(&self, loc: Loc) -> Kind {
        let location = self.program.at(loc);
        let own = |waits: bool| Kind { moves: Mover::Both, waits, visible: false };
        let seen = |moves: Mover, waits: bool| Kind { moves, waits, visible: true };
        match &location.op {
            Op::Skip | Op::Me(_) | Op::Error(_) | Op::Refuse(_) | Op::Choose { range: None, .. } => {
                own(false)
            }
            Op::Assign { value: e, .. } | Op::Branch { cond: e, .. } | Op::Assert { cond: e, .. } => {
                own(!self.is_total(*e))
            }
            Op::Choose { .. } | Op::Assume(_) | Op::Meaningless(_) | Op::Alloc { .. } => own(true),
            Op::Enter(object) | Op::Leave(object) if !self.accesses.is_addressed(*object) => own(true),
            Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => {
                let writes = !matches!(location.op, Op::Load { .. });
                let waits = self.may_miss(*place, writes)
                    || location.op.exprs().into_iter().any(|e| !self.is_total(e));
                if location.private {
                    return own(waits);
                }
                let commutes = self.accesses.commutes(self.program, loc);
                seen(if commutes { Mover::Both } else { Mover::Neither }, waits)
            }
            Op::Sync { op, place, .. } => {
                let mutex = self.locksets.bit(self.program, *place) & self.plain;
                match op {
                    SyncOp::Lock(LockMode::Wait) if mutex != 0 => seen(Mover::Right, true),
                    SyncOp::Unlock if mutex & self.locksets.at(loc) != 0 => seen(Mover::Left, false),
                    SyncOp::CondWait { .. } | SyncOp::BarrierWait => seen(Mover::Apart, true),
                    _ => seen(Mover::Neither, true),
                }
            }
            Op::Free { .. } | Op::Reach(_) | Op::Enter(_) | Op::Leave(_) => seen(Mover::Neither, true),
            Op::Create { .. }
            | Op::Join { .. }
            | Op::Detach(_)
            | Op::Exit(_)
            | Op::Return(_)
            | Op::Halt
            | Op::SectionBegin
            | Op::SectionEnd
            | Op::Call { .. } => seen(Mover::Apart, true),
        }
    }

    /// Whether an access may hit no scalar.
    fn may_miss(&self, place: Place, writes: bool) -> bool {
        let Place::Object { object, offset } = place else { return true };
        let declared = &self.program.objects()[object];
        let layout = &self.program.layouts()[declared.layout];
        let Ok(offset) = u64::try_from(offset) else { return true };
        let inside = offset.checked_div(layout.stride).is_some_and(|element| element < declared.count);
        let hits = inside
            && layout
                .cells
                .iter()
                .any(|cell| matches!(cell.ty, CellType::Scalar(_)) && cell.offset == offset % layout.stride);
        !hits || declared.scope != ObjectScope::Static || writes && declared.constant
    }

    /// Whether an expression has a meaning whatever the registers hold.
    fn is_total(&self, e: ExprId) -> bool {
        let exprs = self.program.exprs();
        exprs.below(e).into_iter().all(|id| match exprs.node(id) {
            Node::Const(..) | Node::Local(..) | Node::Unary(..) | Node::Ite(..) => true,
            Node::Address(object) => self.program.objects()[object].scope == ObjectScope::Static,
            Node::Convert(op, ..) => !matches!(op, Convert::BitsU | Convert::BitsS),
            Node::Binary(op, a, b) => self.is_total_operator(op, exprs.ty(a), exprs.constant(b)),
        })
    }

    /// The same for an operator, by the type of its first operand and by its second, if that is a number.
    fn is_total_operator(&self, op: Binary, ty: Type, second: Option<u128>) -> bool {
        use Binary::{DivS, DivU, LeU, LtU, RemS, RemU, Sub};
        let bits = u128::from(ty.bits(self.program.pointer_bits()));
        match op {
            DivU | DivS | RemU | RemS => second.is_some_and(|it| it != 0),
            _ if op.is_shift() => second.is_some_and(|it| it < bits),
            // Of two objects: no meaning.
            Sub | LtU | LeU => ty != Type::Pointer,
            _ => true,
        }
    }
}

/// By location: whether `main` stands there before it has created a thread.
fn alone(program: &Program, budget: &Budget) -> Result<Vec<bool>, Stop> {
    let mut found = vec![false; program.locations().len()];
    let creations = program.locations().enumerate().filter_map(|(loc, location)| match location.op {
        Op::Create { template, .. } => Some((loc, template)),
        _ => None,
    });
    let (locs, templates): (Vec<Loc>, Vec<_>) = creations.unzip();
    if templates.contains(&program.main()) {
        return Ok(found);
    }
    let after = locs.into_iter().flat_map(|loc| program.successors(loc)).collect();
    let after = reached(program, after, |_| true, budget)?;
    for loc in program.locations_of(program.main()) {
        found[loc.index()] = !after[loc.index()];
    }
    Ok(found)
}

/// By location: whether a thread may stand there inside an atomic section.
fn in_sections(program: &Program, budget: &Budget) -> Result<Vec<bool>, Stop> {
    let begins = program.locations().enumerate().filter(|(_, it)| it.op == Op::SectionBegin);
    let first = begins.map(|(_, location)| location.next).collect();
    reached(program, first, |op| *op != Op::SectionEnd, budget)
}

/// The locations that control may come to from the first ones, going on where `goes_on` says so.
fn reached(
    program: &Program,
    first: Vec<Loc>,
    goes_on: impl Fn(&Op) -> bool,
    budget: &Budget,
) -> Result<Vec<bool>, Stop> {
    let mut found = vec![false; program.locations().len()];
    let mut work = first;
    while let Some(loc) = work.pop() {
        budget.spend(1)?;
        if !std::mem::replace(&mut found[loc.index()], true) && goes_on(&program.at(loc).op) {
            work.extend(program.successors(loc));
        }
    }
    Ok(found)
}

/// The mutexes that are only locked, waiting as long as it takes, and unlocked while there may be several threads: whoever tries a lock,
/// or gives up waiting, or destroys or initialises a mutex sees whether it is taken.
fn plain_mutexes(program: &Program, locksets: &Locksets, alone: &[bool]) -> u64 {
    let addressed = program.addressed();
    let mut plain = u64::MAX;
    for (loc, location) in program.locations().enumerate() {
        let Op::Sync { op, place, .. } = &location.op else { continue };
        let tells = matches!(
            op,
            SyncOp::Lock(LockMode::Try | LockMode::Timed)
                | SyncOp::Init(SyncInit::Mutex(_))
                | SyncOp::Destroy(SyncKind::Mutex)
        );
        if !tells || alone[loc.index()] {
            continue;
        }
        plain &= !match *place {
            Place::Object { .. } => locksets.bit(program, *place),
            Place::Indexed { object, .. } => locksets.in_object(object),
            Place::Pointer { .. } => {
                let objects = program.objects().ids().filter(|object| addressed[object.index()]);
                objects.fold(0, |set, object| set | locksets.in_object(object))
            }
        };
    }
    plain
}
