//! Calls of procedures that call nobody are replaced by their bodies; run again, this goes on outwards, and
//! recursive procedures keep their calls. Parameters that are never written and whose arguments are numbers
//! or addresses are replaced by these: most pointers of lock-free code vanish so.

use super::rebuild::{reachable, running, same, stub, thread_registers};
use super::{Passed, SteppedLift};
use base::{Budget, Id, Stop};
use c::{
    Builder, Control, Correspondence, ExprId, Fact, Live, Loc, LocalId, LocalScope, Node, ObjectId,
    ObjectPair, ObjectScope, OldValue, Op, Pair, Place, ProcId, Program,
};
use std::collections::{HashMap, HashSet};

/// Larger procedures keep their calls.
const BODY: usize = 2_000;
/// A program does not become larger than this.
const PROGRAM: usize = 60_000;

/// Replaces calls by bodies.
pub fn pass(old: &Program, budget: &Budget) -> Result<Option<Passed>, Stop> {
    let calls = inlined(old);
    if calls.is_empty() {
        return Ok(None);
    }
    let live = Live::new(old, budget)?;
    let mut writer = Writer::new(old, &live);
    for &call in &calls {
        writer.prepare(call);
    }
    writer.write(&kept(old, &calls));
    writer.finish(budget).map(Some)
}

/// The procedure that a location calls.
fn callee(program: &Program, loc: Loc) -> Option<ProcId> {
    match program.effects(loc).control {
        Control::Call(procedure) => Some(procedure),
        _ => None,
    }
}

/// The calls that are replaced.
fn inlined(program: &Program) -> Vec<Loc> {
    let running = running(program);
    let calls = program.locations().ids().filter_map(|loc| Some((loc, callee(program, loc)?)));
    let calls: Vec<(Loc, ProcId)> =
        calls.filter(|(loc, _)| running.contains(&program.at(*loc).procedure)).collect();
    let callers: HashSet<ProcId> = calls.iter().map(|(loc, _)| program.at(*loc).procedure).collect();
    let mut size = program.locations().len();
    let mut found = vec![];
    for (loc, procedure) in calls {
        let body = program.locations_of(procedure).count();
        if !callers.contains(&procedure) && body <= BODY && size + body <= PROGRAM {
            size += body;
            found.push(loc);
        }
    }
    found
}

/// The procedures that may run when these calls are replaced.
fn kept(program: &Program, calls: &[Loc]) -> HashSet<ProcId> {
    let calls: HashSet<Loc> = calls.iter().copied().collect();
    let (mut found, mut work) = (HashSet::new(), vec![program.main()]);
    while let Some(procedure) = work.pop() {
        if !found.insert(procedure) {
            continue;
        }
        for loc in program.locations_of(procedure) {
            match callee(program, loc).filter(|_| calls.contains(&loc)) {
                Some(copied) => {
                    work.extend(program.locations_of(copied).filter_map(|it| program.effects(it).begins()));
                }
                None => work.extend(program.effects(loc).begins()),
            }
        }
    }
    found
}

/// The copy of a procedure at one call.
struct Copy {
    procedure: ProcId,
    registers: HashMap<LocalId, LocalId>,
    objects: HashMap<ObjectId, ObjectId>,
    /// Parameters that stand for a number or an address.
    fixed: HashMap<LocalId, Node>,
    /// Gets a value that nobody wants but that must be computed.
    unused: Option<LocalId>,
}

/// A step of the new program before its jumps are known.
struct Written {
    /// Where control goes on in the old program; `None`: to the step written next.
    next: Option<Vec<Loc>>,
    /// The inlined calls that it is inside of.
    calls: Vec<Loc>,
}

struct Writer<'p> {
    old: &'p Program,
    live: &'p Live,
    builder: Builder,
    copies: HashMap<Loc, Copy>,
    /// By stack of the old program: the first step of the new one.
    image: HashMap<Vec<Loc>, Loc>,
    written: Vec<Written>,
    origin: Vec<Option<Loc>>,
    fails: HashMap<Loc, Loc>,
    correspondence: Correspondence,
}

impl<'p> Writer<'p> {
    fn new(old: &'p Program, live: &'p Live) -> Self {
        Writer {
            old,
            live,
            builder: old.edit(),
            copies: HashMap::new(),
            image: HashMap::new(),
            written: vec![],
            origin: vec![],
            fails: HashMap::new(),
            correspondence: Correspondence::new(old.pointer_bits()),
        }
    }

    /// Declares registers and objects for the copy at a call.
    fn prepare(&mut self, call: Loc) {
        let old = self.old;
        let procedure = callee(old, call).expect("only calls are inlined");
        let caller = old.at(call).procedure;
        let mut copy = Copy {
            procedure,
            registers: HashMap::new(),
            objects: HashMap::new(),
            fixed: HashMap::new(),
            unused: None,
        };
        for (local, it) in
            old.locals().enumerate().filter(|(_, it)| it.scope == LocalScope::Procedure(procedure))
        {
            let name = format!("{}.{}.{}", it.name, call.index(), self.builder.draft().locals().len());
            let made = self.builder.local(name, LocalScope::Procedure(caller), it.ty);
            let register = self.builder.local_mut(made);
            (register.signed, register.temporary) = (it.signed, it.temporary);
            copy.registers.insert(local, made);
        }
        if let Some(result) = old.procedures()[procedure].result {
            copy.unused = Some(self.builder.temporary(caller, result));
        }
        for (object, it) in
            old.objects().enumerate().filter(|(_, it)| it.scope == ObjectScope::Procedure(procedure))
        {
            let name = format!("{}.{}.{}", it.name, call.index(), self.builder.draft().objects().len());
            let made = c::Object { name, scope: ObjectScope::Procedure(caller), ..it.clone() };
            let new = self.builder.object(made);
            copy.objects.insert(object, new);
            self.correspondence.objects.push(ObjectPair { calls: vec![call], old: object, new });
        }
        let written: HashSet<LocalId> =
            old.locations_of(procedure).flat_map(|loc| old.at(loc).op.writes()).collect();
        let params = old.procedures()[procedure].params.iter().zip(old.at(call).op.operands());
        for (&param, arg) in params.filter(|(param, _)| !written.contains(param)) {
            let node = old.exprs().node(arg);
            if matches!(node, Node::Const(..) | Node::Address(_)) {
                copy.fixed.insert(param, node);
            }
        }
        self.copies.insert(call, copy);
    }

    /// Writes the procedures that may still run; of the others nothing is left.
    fn write(&mut self, kept: &HashSet<ProcId>) {
        let old = self.old;
        self.builder.clear();
        for procedure in old.procedures().ids() {
            if !kept.contains(&procedure) {
                stub(&mut self.builder, procedure);
                self.written.push(Written { next: None, calls: vec![] });
                self.origin.push(None);
                continue;
            }
            self.builder.begin(procedure);
            for loc in old.locations_of(procedure) {
                self.image.insert(vec![loc], self.builder.here());
                if self.copies.contains_key(&loc) {
                    self.body(procedure, loc);
                } else {
                    let op = old.at(loc).op.clone();
                    self.push(
                        procedure,
                        op,
                        loc,
                        Written { next: Some(vec![old.at(loc).next]), calls: vec![] },
                    );
                    self.keep_private(loc);
                }
            }
            self.builder.end(procedure);
        }
        for at in 0..self.written.len() {
            let Written { next, calls } = &self.written[at];
            let step = self.builder.at(Loc::from_index(at));
            if let Some(next) = next {
                step.next = self.image.get(next).copied().unwrap_or(step.next);
            }
            let image = &self.image;
            step.op.redirect(|target| image[&[&calls[..], &[target]].concat()]);
        }
    }

    fn push(&mut self, procedure: ProcId, op: Op, origin: Loc, written: Written) -> Loc {
        self.written.push(written);
        self.origin.push(Some(origin));
        self.builder.push(procedure, op, self.old.at(origin).span)
    }

    /// A step of the new program alone; if it is undefined, so is the old step.
    fn push_alone(&mut self, procedure: ProcId, op: Op, part_of: Loc) {
        let at = self.push(procedure, op, part_of, Written { next: None, calls: vec![] });
        self.origin[at.index()] = None;
        self.fails.insert(at, part_of);
    }

    fn keep_private(&mut self, loc: Loc) {
        let last = self.written.len() - 1;
        self.builder.at(Loc::from_index(last)).private = self.old.at(loc).private;
    }

    /// The copy of a procedure at a call: parameters, first values, steps.
    fn body(&mut self, procedure: ProcId, call: Loc) {
        let old = self.old;
        let callee = &old.procedures()[self.copies[&call].procedure];
        for (&param, arg) in callee.params.iter().zip(old.at(call).op.operands()) {
            let dies = matches!(old.exprs().node(arg), Node::Address(it) if old.objects()[it].scope != ObjectScope::Static);
            if !self.copies[&call].fixed.contains_key(&param) || dies {
                let register = self.copies[&call].registers[&param];
                self.push_alone(procedure, Op::assign(register, arg), call);
            }
        }
        for (local, it) in old.locals().enumerate() {
            let own = it.scope == LocalScope::Procedure(self.copies[&call].procedure);
            if own && !callee.params.contains(&local) && self.live.is_live(callee.entry, it.slot as usize) {
                let register = self.copies[&call].registers[&local];
                let value = match it.init {
                    c::Constant::Bits(bits) => self.builder.exprs().add(Node::Const(it.ty, bits)),
                    c::Constant::Address(object, offset) => self.address(object, offset, it.ty),
                };
                self.push_alone(procedure, Op::assign(register, value), call);
            }
        }
        for loc in old.locations_of(self.copies[&call].procedure) {
            self.image.insert(vec![call, loc], self.builder.here());
            if old.effects(loc).control == Control::Return {
                self.give_back(procedure, call, loc);
            } else {
                let op = self.copied(call, &old.at(loc).op);
                let written = Written { next: Some(vec![call, old.at(loc).next]), calls: vec![call] };
                self.push(procedure, op, loc, written);
                self.keep_private(loc);
            }
        }
    }

    fn address(&mut self, object: ObjectId, offset: i64, ty: c::Type) -> ExprId {
        let bits = self.old.pointer_bits();
        let exprs = self.builder.exprs();
        let start = exprs.add(Node::Address(object));
        let offset = exprs.number(c::Type::Bits(bits), offset as u128);
        let moved = exprs.binary(c::Binary::Add, start, offset);
        exprs.convert(c::Convert::Reinterpret, ty, moved)
    }

    /// A return: the caller's register gets the value, the objects end, control goes on after the call.
    fn give_back(&mut self, procedure: ProcId, call: Loc, loc: Loc) {
        let old = self.old;
        let value = old.at(loc).op.operands().first().map(|&value| self.expression(call, value));
        let wanted = old.at(call).op.results().first().copied().flatten();
        let mut steps = vec![];
        if let Some(value) = value {
            let needless = old.effects(loc).faults.is_empty();
            let register = wanted.or(self.copies[&call].unused.filter(|_| !needless));
            steps.extend(register.map(|register| Op::assign(register, value)));
        }
        let mut objects: Vec<ObjectId> = self.copies[&call].objects.values().copied().collect();
        objects.sort();
        steps.extend(objects.into_iter().map(Op::leave));
        if steps.is_empty() {
            steps.push(Op::skip());
        }
        let last = steps.len() - 1;
        for (at, op) in steps.into_iter().enumerate() {
            let next = (at == last).then(|| vec![old.at(call).next]);
            let written = Written { next, calls: vec![call] };
            let made = self.push(procedure, op, loc, written);
            // The old program returns once.
            if at > 0 {
                self.origin[made.index()] = None;
            }
        }
    }

    /// A step with the registers and objects of the copy.
    fn copied(&mut self, call: Loc, op: &Op) -> Op {
        let mut op = op.clone();
        op.for_each_expr(|e| *e = self.expression(call, *e));
        let copy = &self.copies[&call];
        op.for_each_result(|local| *local = copy.registers.get(local).copied().unwrap_or(*local));
        op.for_each_object(|object| *object = copy.objects.get(object).copied().unwrap_or(*object));
        let exprs = self.builder.draft().exprs();
        op.for_each_place(|place| {
            if let Place::Pointer { pointer, offset } = *place
                && let Node::Address(object) = exprs.node(pointer)
            {
                *place = Place::Object { object, offset };
            }
        });
        op
    }

    fn expression(&mut self, call: Loc, e: ExprId) -> ExprId {
        let copy = &self.copies[&call];
        let exprs = self.builder.exprs();
        exprs.import(self.old.exprs(), e, |leaf| match leaf {
            Node::Local(local, _) if copy.fixed.contains_key(&local) => copy.fixed[&local],
            Node::Local(local, ty) => Node::Local(copy.registers.get(&local).copied().unwrap_or(local), ty),
            Node::Address(object) => Node::Address(copy.objects.get(&object).copied().unwrap_or(object)),
            leaf => leaf,
        })
    }

    fn finish(mut self, budget: &Budget) -> Result<Passed, Stop> {
        let old = self.old;
        let program = self.builder.clone().finish().expect("copies of bodies leave a valid program valid");
        let live = Live::new(&program, budget)?;
        let mut stacks: Vec<Vec<Loc>> = vec![];
        let reached = reachable(old);
        for &loc in reached.iter().filter(|&&loc| self.image.contains_key(&vec![loc])) {
            stacks.push(vec![loc]);
            if let Some(copy) = self.copies.get(&loc) {
                let inside = reached.iter().filter(|&&it| old.at(it).procedure == copy.procedure);
                stacks.extend(inside.map(|&it| vec![loc, it]));
            }
        }
        for stack in stacks {
            let at = self.image[&stack];
            let facts = self.facts(&program, &live, &stack, at);
            self.correspondence.pairs.push(Pair { stack, new: Some(at), facts });
        }
        for local in thread_registers(&program) {
            let value = OldValue::Register { frame: 0, local };
            let fact = same(&mut self.correspondence, local, value, program.locals()[local].ty);
            self.correspondence.returns.push(fact);
        }
        let lift = SteppedLift {
            old: self.old.clone(),
            new: program.clone(),
            origin: self.origin,
            fails: self.fails,
        };
        Ok(Passed { program, lift, correspondence: self.correspondence })
    }

    fn facts(&mut self, new: &Program, live: &Live, stack: &[Loc], at: Loc) -> Vec<Fact> {
        let copy = if stack.len() > 1 { self.copies.get(&stack[0]) } else { None };
        let back: HashMap<LocalId, LocalId> =
            copy.into_iter().flat_map(|it| it.registers.iter().map(|(&old, &new)| (new, old))).collect();
        let own = LocalScope::Procedure(new.at(at).procedure);
        let mut facts = vec![];
        for (local, it) in new.locals().enumerate() {
            let is_live = it.scope == own && live.is_live(at, it.slot as usize);
            let value = match back.get(&local) {
                Some(&local) => OldValue::Register { frame: 1, local },
                None => OldValue::Register { frame: 0, local },
            };
            let known = back.contains_key(&local) || local.index() < self.old.locals().len();
            if known && (is_live || it.scope == LocalScope::Thread) {
                facts.push(same(&mut self.correspondence, local, value, it.ty));
            }
        }
        let fixed: Vec<(LocalId, Node)> =
            copy.into_iter().flat_map(|it| it.fixed.iter()).map(|(&a, &b)| (a, b)).collect();
        for (local, node) in fixed {
            let equals = self.correspondence.exprs_mut().add(node);
            facts.push(Fact::Old { value: OldValue::Register { frame: 1, local }, equals });
        }
        facts
    }
}
