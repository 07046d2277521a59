//! Thread-specific data: `pthread_key_*` and `tss_*`. A key is a number, its values are an array of the
//! thread, its destructor is in an array of all.

use ::c::{Binary, ExprId, ObjectId, Op, Place, Type as Scalar};

use super::super::hir::{self, Callee, ExprKind, PlaceKind};
use super::super::normalise::{Base, Normaliser, Spot};

/// How often destructors are run again while they leave values behind (`PTHREAD_DESTRUCTOR_ITERATIONS`).
const ROUNDS: usize = 4;
/// How many keys a place may make that stores them through a pointer or in an array.
const AT_A_PLACE: u64 = 4;

impl Normaliser<'_> {
    /// Functions of keys.
    pub(super) fn key_call(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        match (name, arguments) {
            ("pthread_key_create" | "tss_create", [key, destructor]) => self.key_create(*key, *destructor),
            ("pthread_key_delete" | "tss_delete", [key]) => {
                let key = self.value(*key);
                let spot = self.key_spot("destructors", false, key);
                let null = self.number(Scalar::Pointer, 0);
                self.store_cell(spot, null);
                let deleted = self.special("deleted_keys", Scalar::Bits(32), 1, false);
                let one = self.int(1);
                self.emit(Op::Store {
                    place: Place::Object { object: deleted, offset: 0 },
                    value: one,
                    atomic: true,
                });
            }
            ("pthread_setspecific" | "tss_set", [key, value]) => {
                let (key, value) = self.operands(*key, *value);
                let spot = self.key_spot("specific", true, key);
                self.store_cell(spot, value);
            }
            ("pthread_getspecific" | "tss_get", [key]) => {
                let key = self.value(*key);
                let spot = self.key_spot("specific", true, key);
                let local = self.temporary(Scalar::Pointer);
                let place = self.memory_place(spot)?;
                self.emit(Op::Load { local, place, atomic: false });
                return Some(self.pool.read(local));
            }
            _ => return None,
        }
        Some(self.int(0))
    }

    /// How many keys there can be: one for each place that makes one in a variable, some for one that makes
    /// them elsewhere, as a function that is given a pointer does.
    fn key_count(&self) -> u64 {
        let made = |kind: &ExprKind| match kind {
            ExprKind::Call { callee: Callee::Function(f), arguments } => {
                let makes =
                    matches!(self.hir.functions[*f].name.as_str(), "pthread_key_create" | "tss_create");
                let one = arguments.first().is_some_and(|&key| self.is_variable_address(key));
                if !makes {
                    0
                } else if one {
                    1
                } else {
                    AT_A_PLACE
                }
            }
            _ => 0,
        };
        self.hir.exprs.iter().map(|expr| made(&expr.kind)).sum()
    }

    fn is_variable_address(&self, e: hir::ExprId) -> bool {
        let mut e = e;
        while let ExprKind::Cast(_, inner) = self.hir.exprs[e].kind {
            e = inner;
        }
        match self.hir.exprs[e].kind {
            ExprKind::AddressOf(place) => matches!(self.hir.places[place].kind, PlaceKind::Variable(_)),
            _ => false,
        }
    }

    fn array(&mut self, name: &'static str, per_thread: bool) -> ObjectId {
        let count = self.key_count().max(1);
        self.special(name, Scalar::Pointer, count, per_thread)
    }

    fn key_spot(&mut self, name: &'static str, per_thread: bool, key: ExprId) -> Spot {
        let object = self.array(name, per_thread);
        // The type of the spot does not matter: cells are written by their own type.
        let ty = self.hir.exprs.iter().next().map(|expr| expr.ty);
        let mut spot = Spot::new(Base::Object(object), ty.expect("a program with calls has expressions"));
        let key = self.resize(key, self.word(), false);
        self.add_index(&mut spot, key, self.types().model.pointer_size());
        spot
    }

    fn key_create(&mut self, key: hir::ExprId, destructor: hir::ExprId) {
        let target = self.target(key);
        let destructor = self.value(destructor);
        let destructor = self.keep(destructor);
        let counter = self.special("keys", Scalar::Bits(32), 1, false);
        let old = self.temporary(Scalar::Bits(32));
        let number = self.pool.read(old);
        let one = self.int(1);
        let value = self.binary(Binary::Add, number, one);
        let place = Place::Object { object: counter, offset: 0 };
        self.emit(Op::Rmw { old, place, guard: None, value, success: None, weak: false });
        let count = self.key_count();
        let limit = self.int(i128::from(count));
        let fits = self.binary(Binary::LtU, number, limit);
        let fine = self.label();
        self.jump_if_true(fits, fine, true);
        self.refuse("more keys of thread-specific data than are modelled");
        self.place_label(fine);
        self.refuse_after_deletion();
        let spot = self.key_spot("destructors", false, number);
        self.store_cell(spot, destructor);
        let ty = self.scalar(target.ty);
        let value = self.resize(number, ty, false);
        self.store(target, value);
    }

    /// A new key may have the number of a deleted one.
    fn refuse_after_deletion(&mut self) {
        let deletes = ["pthread_key_delete", "tss_delete"];
        if !deletes.iter().any(|name| self.facts.called_names.contains(*name)) || self.key_count() < 2 {
            return;
        }
        let object = self.special("deleted_keys", Scalar::Bits(32), 1, false);
        let local = self.temporary(Scalar::Bits(32));
        self.emit(Op::Load { local, place: Place::Object { object, offset: 0 }, atomic: true });
        let deleted = self.pool.read(local);
        let deleted = self.is_true(deleted);
        let fine = self.label();
        self.jump_if_true(deleted, fine, false);
        self.refuse("keys of thread-specific data made after one was deleted");
        self.place_label(fine);
    }

    /// Whether the program makes keys.
    pub fn makes_keys(&self) -> bool {
        let creates = ["pthread_key_create", "tss_create"];
        creates.iter().any(|name| self.facts.called_names.contains(*name))
    }

    /// Runs the destructors of the values that the thread has left.
    pub fn run_key_destructors(&mut self) {
        if !self.makes_keys() {
            return;
        }
        if self.key_count() > 1 {
            self.assume_silently("destructors of thread-specific data run in the order of their keys");
        }
        for _ in 0..ROUNDS {
            for key in 0..self.key_count() {
                self.run_key_destructor(key);
            }
        }
    }

    fn run_key_destructor(&mut self, key: u64) {
        let mark = self.mark();
        let offset = (key * self.types().model.pointer_size()) as i64;
        let (values, destructors) = (self.array("specific", true), self.array("destructors", false));
        let past = self.label();
        let value = self.temporary(Scalar::Pointer);
        self.emit(Op::Load { local: value, place: Place::Object { object: values, offset }, atomic: false });
        let value = self.pool.read(value);
        let left = self.is_true(value);
        self.jump_if_true(left, past, false);
        let destructor = self.temporary(Scalar::Pointer);
        self.emit(Op::Load {
            local: destructor,
            place: Place::Object { object: destructors, offset },
            atomic: false,
        });
        let destructor = self.pool.read(destructor);
        let given = self.is_true(destructor);
        self.jump_if_true(given, past, false);
        let null = self.number(Scalar::Pointer, 0);
        self.emit(Op::Store { place: Place::Object { object: values, offset }, value: null, atomic: false });
        self.call_handler(destructor, value);
        self.place_label(past);
        self.release(mark);
    }
}
