//! Faint variables: registers and static objects whose numbers decide nothing, because they only ever flow
//! into others like them (Giegerich, Möncke and Wilhelm, 1981), as the time that is added to a clock which
//! nobody asks. Runs that choose other numbers for them differ in nothing else, so that one number will do.
//!
//! Only numbers: where an address may take part in what is computed, everything matters. So does what is
//! given to another thread, and what may be undefined. An object counts if nobody takes its address.

use crate::effects::{Effects, NumberChoice};
use crate::expr::{ExprId, Node};
use crate::op::{Op, Place};
use crate::program::{Loc, LocalId, LocalScope, ObjectId, ProcId, Program};
use crate::types::{Constant, ObjectScope, Type};
use base::Id;
use std::collections::{BTreeMap, BTreeSet};

/// Something that holds values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Holder {
    Register(LocalId),
    Object(ObjectId),
    /// What a procedure gives back.
    Result(ProcId),
}

/// Which registers are faint.
#[derive(Debug)]
pub struct Faint {
    matters: BTreeSet<Holder>,
}

impl Faint {
    /// Looks at all steps.
    pub fn new(program: &Program) -> Faint {
        let addressed = program.addressed();
        let mut flow =
            Flow { program, addressed, sources: BTreeMap::new(), roots: vec![], addresses: BTreeSet::new() };
        flow.find_addresses();
        for local in program.locals().ids() {
            if program.locals()[local].scope == LocalScope::Thread {
                flow.roots.push(Holder::Register(local));
            }
        }
        flow.roots.extend(program.templates().into_iter().map(Holder::Result));
        for loc in program.locations().ids() {
            flow.step(loc);
        }
        Faint { matters: closure(flow.roots, &flow.sources) }
    }

    /// Whether the number that a step chooses decides nothing, if it chooses one.
    pub fn is_free(&self, effects: &Effects) -> bool {
        let input = matches!(effects.chooses.number, NumberChoice::Input(_));
        input && effects.writes.iter().all(|&local| self.is_faint(local))
    }

    fn is_faint(&self, local: LocalId) -> bool {
        !self.matters.contains(&Holder::Register(local))
    }
}

/// All that is reached.
fn closure(roots: Vec<Holder>, next: &BTreeMap<Holder, BTreeSet<Holder>>) -> BTreeSet<Holder> {
    let mut found: BTreeSet<Holder> = roots.iter().copied().collect();
    let mut work = roots;
    while let Some(at) = work.pop() {
        work.extend(next.get(&at).into_iter().flatten().copied().filter(|&it| found.insert(it)));
    }
    found
}

/// Where values come from.
struct Flow<'p> {
    program: &'p Program,
    /// By object: whether its address is taken.
    addressed: Vec<bool>,
    /// By holder: what matters if it does.
    sources: BTreeMap<Holder, BTreeSet<Holder>>,
    /// What matters in any case.
    roots: Vec<Holder>,
    /// What may hold something else than a number.
    addresses: BTreeSet<Holder>,
}

impl Flow<'_> {
    /// Finds what may hold an address or a handle: what gets one, and what it is copied to.
    fn find_addresses(&mut self) {
        let program = self.program;
        let mut roots = vec![];
        let mut copies: BTreeMap<Holder, BTreeSet<Holder>> = BTreeMap::new();
        for loc in program.locations().ids() {
            let op = &program.at(loc).op;
            for (from, to) in self.transfers(loc) {
                match self.read(from) {
                    Some(read) => read.into_iter().for_each(|it| {
                        copies.entry(it).or_default().insert(to);
                    }),
                    None => roots.push(to),
                }
            }
            // Whatever is not followed may give an address.
            let followed = matches!(op, Op::Choose { .. }) || !self.transfers(loc).is_empty();
            if !followed {
                roots.extend(program.effects(loc).writes.into_iter().map(Holder::Register));
            }
        }
        let params = program.templates().into_iter().flat_map(|it| program.procedures()[it].params.clone());
        roots.extend(params.map(Holder::Register));
        let is_number = |value: Constant| matches!(value, Constant::Bits(_));
        let begun = program.locals().enumerate().filter(|(_, it)| !is_number(it.init));
        roots.extend(begun.map(|(id, _)| Holder::Register(id)));
        let objects = program.objects().enumerate();
        let with_address = objects.filter(|(_, it)| it.init.iter().any(|(_, value)| !is_number(*value)));
        roots.extend(with_address.map(|(id, _)| Holder::Object(id)));
        self.addresses = closure(roots, &copies);
    }

    /// What a value is computed from; `None` if an address is part of it.
    fn read(&self, from: Given) -> Option<Vec<Holder>> {
        match from {
            Given::In(holder) => Some(vec![holder]),
            Given::By(e) => {
                let exprs = self.program.exprs();
                let below = exprs.below(e);
                let plain = below.iter().all(|&it| !matches!(exprs.node(it), Node::Address(_)));
                plain.then(|| exprs.locals(e).into_iter().map(Holder::Register).collect())
            }
        }
    }

    /// Where values go in a step that does nothing else; nothing if it may do more.
    fn transfers(&self, loc: Loc) -> Vec<(Given, Holder)> {
        let register = Holder::Register;
        match &self.program.at(loc).op {
            Op::Assign { local, value } => vec![(Given::By(*value), register(*local))],
            Op::Load { local, place, .. } => match self.own(*place, self.program.locals()[*local].ty) {
                Some(object) => vec![(Given::In(object), register(*local))],
                None => vec![],
            },
            Op::Store { place, value, .. } => match self.own(*place, self.program.exprs().ty(*value)) {
                Some(object) => vec![(Given::By(*value), object)],
                None => vec![],
            },
            Op::Rmw { old, place, guard: None, value, success: None, weak: false } => {
                match self.own(*place, self.program.locals()[*old].ty) {
                    Some(object) => {
                        vec![(Given::In(object), register(*old)), (Given::By(*value), object)]
                    }
                    None => vec![],
                }
            }
            Op::Call { procedure, args, result } => {
                let params = self.program.procedures()[*procedure].params.iter();
                let passed = params.zip(args).map(|(&to, &from)| (Given::By(from), register(to)));
                let given = result.map(|to| (Given::In(Holder::Result(*procedure)), register(to)));
                passed.chain(given).collect()
            }
            Op::Return(Some(value)) => {
                vec![(Given::By(*value), Holder::Result(self.program.at(loc).procedure))]
            }
            _ => vec![],
        }
    }

    /// The static object at a fixed place, if nobody takes its address and a scalar is accessed as a whole.
    fn own(&self, place: Place, ty: Type) -> Option<Holder> {
        let Place::Object { object, .. } = place else { return None };
        if !self.program.hits_scalar(place, ty.bits(self.program.pointer_bits())) {
            return None;
        }
        let is_own =
            self.program.objects()[object].scope == ObjectScope::Static && !self.addressed[object.index()];
        is_own.then_some(Holder::Object(object))
    }

    /// Notes what matters for a step.
    fn step(&mut self, loc: Loc) {
        let transfers = self.transfers(loc);
        if transfers.is_empty() {
            let effects = self.program.effects(loc);
            self.roots.extend(effects.reads.into_iter().map(Holder::Register));
            let touched = effects.accesses.iter().filter_map(|it| it.region.place()?.object());
            self.roots.extend(touched.map(Holder::Object));
        }
        for (from, to) in transfers {
            // What an address is part of has no number here.
            let read = self.read(from).unwrap_or_else(|| self.registers(from));
            if self.is_plain(from, &read) {
                self.sources.entry(to).or_default().extend(read);
            } else {
                self.roots.extend(read);
            }
        }
    }

    fn registers(&self, from: Given) -> Vec<Holder> {
        match from {
            Given::In(holder) => vec![holder],
            Given::By(e) => self.program.exprs().locals(e).into_iter().map(Holder::Register).collect(),
        }
    }

    /// Whether a value is computed from numbers alone, and is there whatever they are.
    fn is_plain(&self, from: Given, read: &[Holder]) -> bool {
        let Given::By(e) = from else { return true };
        let exprs = self.program.exprs();
        let fits = |it: &ExprId| !matches!(exprs.node(*it), Node::Address(_)) && exprs.fault(*it).is_none();
        exprs.below(e).iter().all(fits) && read.iter().all(|it| !self.addresses.contains(it))
    }
}

/// Where a value comes from.
#[derive(Clone, Copy)]
enum Given {
    By(ExprId),
    In(Holder),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// The registers of `main` that are faint, by name.
    fn faint(body: &str) -> String {
        let source = format!(
            "pointer 64 layout 0 stride 4 {{ 0 b32 \"\" }} procedure main procedure f main main
            object g static 0 * 1 object k static 0 * 1
            local main::a b32 = 0 local main::b b32 = 0 local main::h b64 = 0 local @t b32 = 0 property \"it\"
            body main () {{ {body} }} body f () {{ return }}"
        );
        let file = base::SourceMap::new().add("test.cir", &source);
        let program = text::parse(&source, file).unwrap_or_else(|found| panic!("{found:?}"));
        let faint = Faint::new(&program);
        let of_main = program.locals().enumerate().filter(|(_, it)| it.scope != LocalScope::Thread);
        of_main.filter(|(id, _)| faint.is_faint(*id)).map(|(_, it)| it.name.as_str()).collect()
    }

    #[test]
    fn what_flows_into_a_clock_that_nobody_asks_is_faint() {
        assert_eq!(faint("a := any b := rmw [g 0] := (add a b) return"), "abh");
        assert_eq!(faint("a := any store [g 0] := a b := load [g 0] b := (add b a) return"), "abh");
    }

    #[test]
    fn what_decides_is_not() {
        assert_eq!(faint("a := any b := (add a 1:b32) assert (eq b 0:b32) property 0 return"), "h");
        assert_eq!(faint("a := any store [g 0] := a b := load [g 0] assume (eq b 0:b32) return"), "h");
        assert_eq!(faint("a := any l: branch (eq a 0:b32) then l return"), "bh");
    }

    #[test]
    fn nor_is_what_may_be_undefined_or_belongs_to_the_thread() {
        assert_eq!(faint("a := any b := (divu 1:b32 a) return"), "bh");
        assert_eq!(faint("a := any @t := a return"), "bh");
    }
}
