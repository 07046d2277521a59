//! What registers certainly hold along the paths of a procedure (numbers, addresses, copies of other
//! registers; Kildall, POPL 1973) is put in their place: `*p` is the object, and conditions that are known
//! are decided. A jump to a condition that is known on this way alone goes where the condition leads (jump
//! threading), so that a function's answer is not asked for again where it was inlined.

use super::constants::Folder;
use super::rebuild::{reachable, running, same, stub, thread_registers};
use super::{Passed, SteppedLift};
use base::{Budget, Stop};
use c::{
    AccessKind, Binary, Builder, Constant, Control, Correspondence, ExprId, Fact, Live, Loc, LocalId,
    LocalScope, Node, ObjectId, ObjectScope, OldValue, Op, Pair, Place, ProcId, Program, signed,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What registers hold: expressions of the builder without operators that may be undefined.
type Holds = BTreeMap<LocalId, ExprId>;

/// Puts values in the place of registers.
pub fn pass(old: &Program, budget: &Budget) -> Result<Option<Passed>, Stop> {
    let live = Live::new(old, budget)?;
    let mut plan = Plan {
        folder: Folder::new(old),
        live: &live,
        builder: old.edit(),
        states: BTreeMap::new(),
        passed: BTreeSet::new(),
        called: called(old),
    };
    plan.flow(budget)?;
    let steps: BTreeMap<Loc, Written> =
        plan.states.clone().into_iter().map(|(loc, state)| (loc, plan.step(loc, &state))).collect();
    let same = |(loc, it): (&Loc, &Written)| it.op == old.at(*loc).op && it.next == old.successors(*loc);
    if steps.len() == reachable(old).len() && steps.iter().all(same) {
        return Ok(None);
    }
    plan.write(&steps, budget).map(Some)
}

fn called(program: &Program) -> BTreeSet<ProcId> {
    let calls = reachable(program).into_iter().filter_map(|loc| match program.effects(loc).control {
        Control::Call(procedure) => Some(procedure),
        _ => None,
    });
    calls.collect()
}

/// A step with the steps that may follow it, in the order of `Program::successors`.
#[derive(Clone, Debug)]
struct Written {
    op: Op,
    next: Vec<Loc>,
}

/// A condition that is passed by, where the jump leads, and what is known then.
type PassedBy = (Loc, Loc, Vec<(LocalId, ExprId)>);

struct Plan<'p> {
    folder: Folder<'p>,
    live: &'p Live,
    builder: Builder,
    /// By location that control may reach: what is known there.
    states: BTreeMap<Loc, Holds>,
    /// Conditions that a jump passes by.
    passed: BTreeSet<PassedBy>,
    /// The procedures that are called: what belongs to the thread may have any value there.
    called: BTreeSet<ProcId>,
}

impl<'p> Plan<'p> {
    fn old(&self) -> &'p Program {
        self.folder.program
    }

    fn flow(&mut self, budget: &Budget) -> Result<(), Stop> {
        let old = self.old();
        let mut work = vec![];
        for id in running(old) {
            let entry = old.procedures()[id].entry;
            let first = self.first(id);
            self.states.insert(entry, first);
            work.push(entry);
        }
        while let Some(loc) = work.pop() {
            let state = self.states[&loc].clone();
            budget.spend(1 + state.len() as u64)?;
            let after = self.after(loc, &state);
            for to in self.ways(loc, &state) {
                let to = *self.threaded(to, &after).last().expect("a way leads somewhere");
                let known = self.relevant(to, &after);
                let met: Holds = match self.states.get(&to) {
                    Some(before) => before
                        .iter()
                        .filter(|(it, e)| known.get(it) == Some(e))
                        .map(|(&it, &e)| (it, e))
                        .collect(),
                    None => known,
                };
                if self.states.get(&to) != Some(&met) {
                    self.states.insert(to, met);
                    work.push(to);
                }
            }
        }
        self.drop_unreached();
        Ok(())
    }

    /// What was reached only while too much was taken for known is dropped.
    fn drop_unreached(&mut self) {
        let old = self.old();
        let (mut seen, mut work): (HashSet<Loc>, Vec<Loc>) = (HashSet::new(), vec![]);
        work.extend(running(old).into_iter().map(|it| old.procedures()[it].entry));
        while let Some(loc) = work.pop() {
            if seen.insert(loc) {
                let state = self.states[&loc].clone();
                let after = self.after(loc, &state);
                for to in self.ways(loc, &state) {
                    let path = self.threaded(to, &after);
                    let (&last, between) = path.split_last().expect("a way leads somewhere");
                    for &at in between {
                        let known = self.relevant(at, &after).into_iter().collect();
                        self.passed.insert((at, last, known));
                    }
                    work.push(last);
                }
            }
        }
        self.states.retain(|loc, _| seen.contains(loc));
    }

    /// The registers of a procedure at its start.
    fn first(&mut self, procedure: ProcId) -> Holds {
        let old = self.old();
        let declared = &old.procedures()[procedure];
        let mut found = Holds::new();
        for (local, it) in old.locals().enumerate() {
            let own = it.scope == LocalScope::Procedure(procedure) && !declared.params.contains(&local);
            let live = own && self.live.is_live(declared.entry, it.slot as usize);
            let of_thread = it.scope == LocalScope::Thread && !self.called.contains(&procedure);
            if let (true, Constant::Bits(bits)) = (live || of_thread, it.init) {
                found.insert(local, self.builder.exprs().add(Node::Const(it.ty, bits)));
            }
        }
        found
    }

    /// What is known of registers that are still read.
    fn relevant(&self, loc: Loc, state: &Holds) -> Holds {
        let read = |it: &LocalId| {
            let register = &self.old().locals()[*it];
            register.scope == LocalScope::Thread || self.live.is_live(loc, register.slot as usize)
        };
        state.iter().filter(|(it, _)| read(it)).map(|(&it, &e)| (it, e)).collect()
    }

    fn after(&mut self, loc: Loc, state: &Holds) -> Holds {
        let old = self.old();
        let op = &old.at(loc).op;
        let written = op.writes();
        let object = op.entered_or_left();
        let gone = |plan: &Self, e: ExprId| {
            let exprs = plan.builder.draft().exprs();
            exprs.below(e).into_iter().any(|it| match exprs.node(it) {
                Node::Local(local, _) => written.contains(&local),
                Node::Address(it) => object == Some(it),
                _ => false,
            })
        };
        // Others write what belongs to the thread.
        let calls = matches!(op.effects(old).control, Control::Call(_));
        let kept = |it: LocalId| !calls || old.locals()[it].scope != LocalScope::Thread;
        let mut after: Holds = state
            .iter()
            .filter(|(it, e)| !written.contains(it) && kept(**it) && !gone(self, **e))
            .map(|(&it, &e)| (it, e))
            .collect();
        if let Some((local, value)) = op.assignment() {
            let value = self.folded(value, state);
            let is_number = self.builder.draft().exprs().constant(value).is_some();
            let own = old.locals()[local].scope != LocalScope::Thread;
            if is_number || own && self.is_plain(value, local) {
                after.insert(local, value);
            }
        }
        after
    }

    /// Whether an expression may stand for what a register holds.
    fn is_plain(&self, e: ExprId, local: LocalId) -> bool {
        let exprs = self.builder.draft().exprs();
        match exprs.node(e) {
            Node::Const(..) | Node::Address(_) => true,
            Node::Local(it, _) => it != local && self.old().locals()[it].scope != LocalScope::Thread,
            Node::Binary(Binary::Add, ..) => address(exprs, e).is_some(),
            _ => false,
        }
    }

    /// What may be computed anew from what registers hold. That an object of an activation exists is known
    /// of its plain address alone: an address in it says where an access goes, and nothing more.
    fn computable(&self, state: &Holds) -> Holds {
        let exprs = self.builder.draft().exprs();
        let is_static = |object: ObjectId| self.old().objects()[object].scope == ObjectScope::Static;
        let fits = |e: ExprId| match exprs.node(e) {
            Node::Binary(..) => address(exprs, e).is_some_and(|(object, _)| is_static(object)),
            _ => true,
        };
        state.iter().filter(|(_, e)| fits(**e)).map(|(&it, &e)| (it, e)).collect()
    }

    /// Where control may go from a location.
    fn ways(&mut self, loc: Loc, state: &Holds) -> Vec<Loc> {
        self.decided(loc, state).map_or_else(|| self.old().successors(loc), |only| vec![only])
    }

    /// Where a branch leads, if that is known.
    fn decided(&mut self, loc: Loc, state: &Holds) -> Option<Loc> {
        let old = self.old();
        let Control::Branch(target) = old.effects(loc).control else { return None };
        let cond = self.folded(*old.at(loc).op.operands().first()?, state);
        let number = self.builder.draft().exprs().constant(cond)?;
        Some(if number != 0 { target } else { old.at(loc).next })
    }

    /// The conditions that a jump passes by, and where it ends.
    fn threaded(&mut self, to: Loc, state: &Holds) -> Vec<Loc> {
        let mut path = vec![to];
        loop {
            let at = *path.last().expect("it begins somewhere");
            match self.decided(at, state) {
                Some(next) if !path.contains(&next) => path.push(next),
                // A loop of conditions that hold for ever.
                Some(_) => return vec![to],
                None => return path,
            }
        }
    }

    /// The expression with values for what is known.
    fn folded(&mut self, root: ExprId, state: &Holds) -> ExprId {
        let mut made: HashMap<ExprId, ExprId> = HashMap::new();
        for id in self.builder.draft().exprs().below(root) {
            let exprs = self.builder.draft().exprs();
            let node = match exprs.node(id) {
                Node::Local(local, _) => {
                    made.insert(id, state.get(&local).copied().unwrap_or(id));
                    continue;
                }
                node => node.map_children(|child| made[&child]),
            };
            let ty = exprs.ty(id);
            let number = self.folder.apply(exprs, node, |child| exprs.constant(child));
            let number = number.or_else(|| self.is_itself(node).then_some(1));
            let arm = match node {
                Node::Ite(cond, a, b) => exprs.constant(cond).map(|it| if it != 0 { a } else { b }),
                _ => None,
            };
            let exprs = self.builder.exprs();
            let new = arm.unwrap_or_else(|| match number {
                Some(number) => exprs.number(ty, number),
                None => exprs.add(node),
            });
            made.insert(id, new);
        }
        made[&root]
    }

    /// Whether an address is compared with itself. One of an activation may be none, which must be seen.
    fn is_itself(&self, node: Node) -> bool {
        let exprs = self.builder.draft().exprs();
        let is_static = |object: ObjectId| self.old().objects()[object].scope == ObjectScope::Static;
        match node {
            Node::Binary(Binary::Eq, a, b) if a == b => {
                matches!(exprs.node(a), Node::Address(object) if is_static(object))
            }
            _ => false,
        }
    }

    /// The step of the new program.
    fn step(&mut self, loc: Loc, state: &Holds) -> Written {
        let old = self.old();
        let mut op = old.at(loc).op.clone();
        let after = self.after(loc, state);
        let ways = self.ways(loc, state);
        let next =
            ways.iter().map(|&to| *self.threaded(to, &after).last().expect("it leads somewhere")).collect();
        if self.decided(loc, state).is_some() {
            return Written { op: Op::skip(), next };
        }
        let mut state = state.clone();
        if old.effects(loc).accesses.iter().any(|it| it.kind == AccessKind::Update) {
            // A read-modify-write computes with what it has just read.
            state.retain(|it, _| !op.writes().contains(it));
            let kept: Vec<LocalId> = state.keys().copied().filter(|it| after.contains_key(it)).collect();
            state.retain(|it, _| kept.contains(it));
        }
        op.for_each_place(|place| {
            if let Place::Pointer { pointer, offset } = *place {
                let known = Place::Pointer { pointer: self.folded(pointer, &state), offset };
                let found = direct(self.builder.draft().exprs(), known);
                *place = if found == known { *place } else { found };
            }
        });
        let state = self.computable(&state);
        op.for_each_expr(|e| *e = self.folded(*e, &state));
        // What certainly holds need not be asked.
        let sure =
            |plan: &Self| op.operands().iter().all(|&e| plan.builder.draft().exprs().constant(e) == Some(1));
        let asks = old.effects(loc).control == Control::Check;
        if asks && !op.operands().is_empty() && sure(self) {
            return Written { op: Op::skip(), next };
        }
        let exprs = self.builder.draft().exprs();
        op.for_each_place(|place| *place = direct(exprs, *place));
        Written { op, next }
    }

    fn write(self, steps: &BTreeMap<Loc, Written>, budget: &Budget) -> Result<Passed, Stop> {
        let old = self.old();
        // Facts are copied before the builder drops expressions that no step uses.
        let mut made = Correspondence::new(old.pointer_bits());
        let known: Vec<(Loc, Loc, Vec<Fact>)> = self.known(&mut made);
        let mut builder = self.builder.clone();
        builder.clear();
        let (mut image, mut origin): (HashMap<Loc, Loc>, Vec<Option<Loc>>) = (HashMap::new(), vec![]);
        for procedure in old.procedures().ids() {
            let entry = old.procedures()[procedure].entry;
            if !steps.contains_key(&entry) {
                stub(&mut builder, procedure);
                origin.push(None);
                continue;
            }
            builder.begin(procedure);
            let own = steps.keys().copied().filter(|it| *it != entry && old.at(*it).procedure == procedure);
            for loc in std::iter::once(entry).chain(own) {
                let at = builder.push(procedure, steps[&loc].op.clone(), old.at(loc).span);
                image.insert(loc, at);
                builder.at(at).private = old.at(loc).private && !steps[&loc].op.places().is_empty();
                origin.push(Some(loc));
            }
            builder.end(procedure);
        }
        for (loc, step) in steps {
            let location = builder.at(image[loc]);
            if let Control::Branch(_) = old.effects(*loc).control
                && let [target, next] = self.both(*loc, &step.next)
            {
                location.next = image[&next];
                location.op.redirect(|_| image[&target]);
            } else if let Some(next) = step.next.first() {
                location.next = image[next];
            }
        }
        let program = builder.finish().expect("equal steps leave a valid program valid");
        let live = Live::new(&program, budget)?;
        for (loc, at, facts) in known {
            let at = image[&at];
            let mut all = registers(&mut made, &program, &live, at);
            all.extend(facts);
            made.pairs.push(Pair { stack: vec![loc], new: Some(at), facts: all });
        }
        for local in thread_registers(&program) {
            let value = OldValue::Register { frame: 0, local };
            let fact = same(&mut made, local, value, program.locals()[local].ty);
            made.returns.push(fact);
        }
        let lift = SteppedLift { old: old.clone(), new: program.clone(), origin, fails: HashMap::new() };
        Ok(Passed { program, lift, correspondence: made })
    }

    /// The target and the next step of a branch.
    fn both(&self, loc: Loc, next: &[Loc]) -> [Loc; 2] {
        let old = self.old();
        let Control::Branch(target) = old.effects(loc).control else { return [next[0]; 2] };
        let to = |wanted: Loc| {
            let place = old.successors(loc).iter().position(|it| *it == wanted).unwrap_or(0);
            next[place.min(next.len() - 1)]
        };
        [to(target), to(old.at(loc).next)]
    }

    /// By pair: the old location, the old location whose image the new one is, and what is known.
    fn known(&self, made: &mut Correspondence) -> Vec<(Loc, Loc, Vec<Fact>)> {
        let facts = |made: &mut Correspondence, state: Vec<(LocalId, ExprId)>| -> Vec<Fact> {
            let fact = |(local, value): (LocalId, ExprId)| {
                let equals = super::rebuild::old_expression(made, self.builder.draft(), value, 0);
                Fact::Old { value: OldValue::Register { frame: 0, local }, equals }
            };
            state.into_iter().map(fact).collect()
        };
        let mut all = vec![];
        for (&loc, state) in &self.states {
            all.push((loc, loc, facts(made, state.clone().into_iter().collect())));
        }
        for (loc, to, state) in &self.passed {
            all.push((*loc, *to, facts(made, state.clone())));
        }
        all
    }
}

/// The registers that matter hold the same on both sides.
fn registers(made: &mut Correspondence, new: &Program, live: &Live, at: Loc) -> Vec<Fact> {
    let own = LocalScope::Procedure(new.at(at).procedure);
    let wanted = new.locals().enumerate().filter(|(_, it)| {
        it.scope == LocalScope::Thread || it.scope == own && live.is_live(at, it.slot as usize)
    });
    wanted.map(|(local, it)| same(made, local, OldValue::Register { frame: 0, local }, it.ty)).collect()
}

/// The object and the bytes, if an expression is such an address.
fn address(exprs: &c::Exprs, e: ExprId) -> Option<(ObjectId, i64)> {
    match exprs.node(e) {
        Node::Address(object) => Some((object, 0)),
        Node::Binary(Binary::Add, a, b) => {
            let (object, bytes) = address(exprs, a)?;
            let by = signed(exprs.constant(b)?, exprs.pointer_bits()) as i64;
            Some((object, bytes.checked_add(by)?))
        }
        _ => None,
    }
}

/// The place without a pointer, where that is known.
fn direct(exprs: &c::Exprs, place: Place) -> Place {
    let found = match place {
        Place::Pointer { pointer, offset } => {
            address(exprs, pointer).and_then(|(object, bytes)| Some((object, bytes.checked_add(offset)?)))
        }
        Place::Indexed { object, offset } => {
            exprs.constant(offset).map(|it| (object, signed(it, exprs.pointer_bits()) as i64))
        }
        Place::Object { .. } => None,
    };
    found.map_or(place, |(object, offset)| Place::Object { object, offset })
}
