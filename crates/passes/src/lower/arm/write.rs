//! The program with what threads write down and assert.

use super::classes::{Check, Classes, address, cell};
use super::sites::{Mode, Site, Sites};
use super::{Problem, refused};
use base::class::Class;
use base::{Id, Span};
use c::program::PropertySite;
use c::{
    Binary, Builder, ExprId, Loc, LocalId, Node, ObjectId, ObjectScope, Op, Place, ProcId, Program, TRUTH,
    Type,
};
use std::collections::HashMap;

/// The program, and where its steps come from.
pub struct Written {
    pub program: Program,
    pub origin: Vec<Option<Loc>>,
    /// By added step: the access that it is about.
    pub fails: HashMap<Loc, Loc>,
}

struct Writer<'a> {
    program: &'a Program,
    sites: &'a Sites,
    classes: &'a Classes,
    builder: Builder,
    origin: Vec<Option<Loc>>,
    fails: HashMap<Loc, Loc>,
    /// What is written down.
    armed: ObjectId,
    number: Type,
    /// The address that is written down.
    at: Option<ObjectId>,
    registers: HashMap<(ProcId, Holds), LocalId>,
    here: Loc,
}

/// What an added register is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Holds {
    Choice,
    Armed,
    Address,
    /// A value that is read or computed only because that may be undefined, or to ask a guard about it.
    Value(Type),
}

/// Writes the program.
pub fn write(program: &Program, sites: &Sites, classes: &Classes) -> Result<Written, Problem> {
    let mut builder = program.edit();
    builder.clear();
    let number = Type::Bits(if classes.count < 256 { 8 } else { 32 });
    let armed = cell(&mut builder, "armed", number);
    let at = classes.any_address().then(|| cell(&mut builder, "armed_at", Type::Pointer));
    let mut writer = Writer {
        program,
        sites,
        classes,
        builder,
        origin: vec![],
        fails: HashMap::new(),
        armed,
        number,
        at,
        registers: HashMap::new(),
        here: Loc::from_index(0),
    };
    writer.bodies();
    let Writer { builder, origin, fails, .. } = writer;
    let made = builder.finish();
    let program = made
        .map_err(|why| refused(program, None, &format!("a program with assertions about races ({why:?})")))?;
    Ok(Written { program, origin, fails })
}

impl Writer<'_> {
    fn bodies(&mut self) {
        let mut first = vec![Loc::from_index(0); self.program.locations().len()];
        let mut made = vec![];
        let mut by_place: HashMap<Loc, Vec<usize>> = HashMap::new();
        for (id, site) in self.sites.all.iter().enumerate() {
            by_place.entry(site.at).or_default().push(id);
        }
        for procedure in self.program.procedures().ids() {
            self.builder.begin(procedure);
            for loc in self.program.locations_of(procedure) {
                self.here = loc;
                first[loc.index()] = self.builder.here();
                for &site in by_place.get(&loc).into_iter().flatten() {
                    self.stop(site);
                }
                for &site in by_place.get(&loc).into_iter().flatten() {
                    self.assertion(site);
                }
                let location = self.program.at(loc);
                made.push(self.builder.push(procedure, location.op.clone(), location.span));
                self.origin.push(Some(loc));
            }
            self.builder.end(procedure);
        }
        for (loc, &at) in self.program.locations().ids().zip(&made) {
            let (old, new) = (self.program.at(loc), self.builder.at(at));
            new.private = old.private;
            new.next = first[old.next.index()];
            new.op.redirect(|target| first[target.index()]);
        }
    }

    fn span(&self) -> Option<Span> {
        self.program.at(self.here).span
    }

    fn push(&mut self, op: Op) -> Loc {
        let procedure = self.program.at(self.here).procedure;
        let loc = self.builder.push(procedure, op, self.span());
        self.origin.push(None);
        self.fails.insert(loc, self.here);
        loc
    }

    fn register(&mut self, holds: Holds) -> LocalId {
        let procedure = self.program.at(self.here).procedure;
        let ty = match holds {
            Holds::Choice => TRUTH,
            Holds::Armed => self.number,
            Holds::Address => Type::Pointer,
            Holds::Value(ty) => ty,
        };
        let builder = &mut self.builder;
        *self.registers.entry((procedure, holds)).or_insert_with(|| builder.temporary(procedure, ty))
    }

    fn load(&mut self, holds: Holds, place: Place) -> ExprId {
        let local = self.register(holds);
        self.push(Op::Load { local, place, atomic: true });
        self.builder.read(local)
    }

    /// A thread may stop here, if nobody has yet. Only one that makes its access next may: one whose access
    /// is undefined behaviour waits here with the section, which ends that run.
    fn stop(&mut self, site: usize) {
        let Some((class, addressed)) = self.classes.stop(site) else { return };
        let site = self.sites.all[site].clone();
        let chosen = self.register(Holds::Choice);
        self.push(Op::any(chosen));
        let chosen = self.builder.read(chosen);
        let cond = self.builder.exprs().not(chosen);
        let branch = self.push(Op::Branch { cond, target: self.here });
        self.push(Op::SectionBegin);
        self.tries(&site);
        let armed = self.load(Holds::Armed, whole(self.armed));
        let free = self.is(armed, 0);
        self.push(Op::Assume(free));
        let value = self.builder.exprs().number(self.number, class);
        self.push(Op::Store { place: whole(self.armed), value, atomic: true });
        if let (true, Some(at), Some((place, _))) = (addressed, self.at, site.place) {
            let value = address(&mut self.builder, place);
            self.push(Op::Store { place: whole(at), value, atomic: true });
        }
        self.push(Op::SectionEnd);
        let never = self.builder.exprs().number(TRUTH, 0);
        self.push(Op::Assume(never));
        let after = self.builder.here();
        self.builder.at(branch).op.redirect(|_| after);
    }

    /// Waits if the access is undefined.
    fn tries(&mut self, site: &Site) {
        let (ty, value) = match &self.program.at(site.at).op {
            Op::Load { local, .. } => (self.program.locals()[*local].ty, None),
            Op::Store { value, .. } => (self.program.exprs().ty(*value), Some(*value)),
            _ => return,
        };
        if let Some(value) = value.filter(|&it| !self.is_total(it)) {
            let local = self.register(Holds::Value(ty));
            self.push(Op::Assign { local, value });
        }
        if let Some((place, _)) = site.place.filter(|it| !self.is_fixed(it.0)) {
            self.load(Holds::Value(ty), place);
        }
    }

    /// The assertion before an access, in a step of its own where that waits for nothing.
    fn assertion(&mut self, number: usize) {
        let site = self.sites.all[number].clone();
        let places = site.place.is_some();
        let reads = |mode: Mode| site.guarded && mode == Mode::Read;
        let always = self.classes.check(number, places, |mode| !reads(mode));
        let written = self.classes.check(number, places, reads);
        if always.is_empty() && written.is_empty() {
            return;
        }
        let place = site.place.map(|it| it.0);
        let fixed = place.is_none_or(|it| self.is_fixed(it));
        // A thread whose access is undefined must not wait in a section, where nobody else would go on.
        let wraps = !site.section && place.is_none_or(|mut it| self.place_is_total(&mut it));
        let guard = (!fixed && !written.is_empty()).then(|| self.guard(&site)).flatten();
        if wraps {
            self.push(Op::SectionBegin);
        }
        let guard = guard.or_else(|| (!written.is_empty()).then(|| self.guard(&site)).flatten());
        let armed = self.load(Holds::Armed, whole(self.armed));
        let compared = !always.addressed.is_empty() || !written.addressed.is_empty();
        let same = place.filter(|_| compared).map(|place| self.same_address(place));
        let one = self.races(&always, armed, same);
        let other = self.races(&written, armed, same);
        let pool = self.builder.exprs();
        let other = guard.map_or(other, |guard| pool.binary(Binary::And, other, guard));
        let race = pool.binary(Binary::Or, one, other);
        let cond = pool.not(race);
        let site = PropertySite { class: Class::ASSERTION, text: "no data race".into(), span: self.span() };
        let property = self.builder.property(site);
        self.push(Op::Assert { cond, property });
        if wraps {
            self.push(Op::SectionEnd);
        }
    }

    /// Whether the read-modify-write writes.
    fn guard(&mut self, site: &Site) -> Option<ExprId> {
        let Op::Rmw { old, place, guard, .. } = self.program.at(site.at).op else { return None };
        let ty = self.program.locals()[old].ty;
        let read = self.register(Holds::Value(ty));
        self.load(Holds::Value(ty), place);
        let exchanged = |node: Node| match node {
            Node::Local(local, ty) if local == old => Node::Local(read, ty),
            leaf => leaf,
        };
        guard.map(|guard| self.builder.exprs().import(self.program.exprs(), guard, exchanged))
    }

    /// Whether the address that is written down is that of a place.
    fn same_address(&mut self, place: Place) -> ExprId {
        let at = self.at.expect("a number that comes with an address has a place for it");
        let known = self.load(Holds::Address, whole(at));
        let own = address(&mut self.builder, place);
        self.builder.exprs().binary(Binary::Eq, known, own)
    }

    fn is(&mut self, armed: ExprId, number: u128) -> ExprId {
        let number = self.builder.exprs().number(self.number, number);
        self.builder.exprs().binary(Binary::Eq, armed, number)
    }

    /// Whether what is written down conflicts.
    fn races(&mut self, check: &Check, armed: ExprId, same: Option<ExprId>) -> ExprId {
        let none = self.builder.exprs().number(TRUTH, 0);
        let mut any = |numbers: &std::collections::BTreeSet<u128>| {
            numbers.iter().fold(none, |found, &number| {
                let is = self.is(armed, number);
                self.builder.exprs().binary(Binary::Or, found, is)
            })
        };
        let (direct, addressed) = (any(&check.direct), any(&check.addressed));
        let pool = self.builder.exprs();
        let addressed = same.map_or(addressed, |same| pool.binary(Binary::And, addressed, same));
        pool.binary(Binary::Or, direct, addressed)
    }

    fn is_total(&self, e: ExprId) -> bool {
        self.program.exprs().below(e).into_iter().all(|it| self.program.exprs().is_total(it))
    }

    fn place_is_total(&self, place: &mut Place) -> bool {
        let mut total = true;
        place.for_each_expr(|e| total &= self.is_total(*e));
        total
    }

    /// Whether an access there is always defined, as far as the place goes.
    fn is_fixed(&self, place: Place) -> bool {
        let Place::Object { object, .. } = place else { return false };
        self.program.objects()[object].scope == ObjectScope::Static
    }
}

fn whole(object: ObjectId) -> Place {
    Place::Object { object, offset: 0 }
}
