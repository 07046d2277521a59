//! Functions that give any value, and functions that do nothing here.

use ir::c::{ChoiceOrigin, ExprId, Op, OriginKind};

use super::super::hir;
use super::super::normalise::Normaliser;
use super::super::types::TypeId;

const ANY: &[&str] = &[
    "drand48", "mrand48", "time", "clock", "getpid", "gettid", "getppid", "sysconf", "getenv", "atoi",
    "atol", "atoll", "strtol", "strtoul", "strtoll", "strtoull", "atof", "strtod",
];

const NOTHING: &[&str] = &[
    "sched_yield",
    "sleep",
    "usleep",
    "nanosleep",
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "fflush",
    "perror",
    "puts",
    "fputs",
    "putchar",
    "putc",
    "fputc",
    "srand",
    "srandom",
    "setvbuf",
    "setbuf",
    "fclose",
    "syslog",
    "write",
    "fwrite",
    "close",
    "prefetch",
    "__sync_synchronize",
    "alarm",
    "poll",
    "select",
    "mlockall",
    "sched_setaffinity",
    "dprintf",
    "__CPROVER_fence",
    "__VERIFIER_print",
    "__goblint_split_begin",
    "__goblint_split_end",
    "ia32_pause",
    "_mm_pause",
    "clock_nanosleep",
    "sched_setscheduler",
];

/// Whether a function gives any value by its name.
pub fn is_nondeterministic(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet")
        || name.starts_with("nondet_")
        || name.starts_with("__SMACK_nondet")
        || name.starts_with("nondet")
}

impl Normaliser<'_> {
    /// Functions that give any value of their type.
    pub(super) fn value_call(&mut self, name: &str, arguments: &[hir::ExprId], ty: TypeId) -> Option<ExprId> {
        let any = is_nondeterministic(name) || ANY.contains(&name);
        if name == "__errno_location" {
            let object = self.special("errno", ir::c::Type::Bits(32), 1, true);
            return Some(self.pool.address(object));
        }
        if !any && !NOTHING.contains(&name) {
            return self
                .arithmetic_call(name, arguments, ty)
                .or_else(|| self.ranged_call(name, arguments, ty));
        }
        if is_nondeterministic(name) {
            // `nondet_memory(&x, n)` and its like.
            let values = self.arguments(arguments);
            self.write_through(&ChoiceOrigin::new(OriginKind::Input, name), &values);
        } else {
            self.evaluate_all(arguments);
        }
        match self.scalar_of(ty) {
            Some(scalar) => Some(self.any(scalar)),
            None => Some(self.nothing()),
        }
    }

    /// Functions that give any value in a range.
    fn ranged_call(&mut self, name: &str, arguments: &[hir::ExprId], ty: TypeId) -> Option<ExprId> {
        let (low, high) = match name {
            "rand" | "rand_r" | "random" | "lrand48" => (0, i128::from(i32::MAX)),
            "getchar" | "getc" | "fgetc" => (-1, 255),
            _ => return None,
        };
        self.evaluate_all(arguments);
        let local = self.temporary(self.scalar_of(ty)?);
        self.emit(Op::Choose { local, range: Some(ir::c::Range { low, high, signed: true }), origin: None });
        Some(self.pool.read(local))
    }

    fn arithmetic_call(&mut self, name: &str, arguments: &[hir::ExprId], ty: TypeId) -> Option<ExprId> {
        match (name, arguments) {
            ("abs" | "labs" | "llabs", [value]) => {
                let value = self.value(*value);
                let value = self.keep(value);
                let scalar = self.scalar(ty);
                let zero = self.number(scalar, 0);
                let negative = self.binary(ir::c::Binary::LtS, value, zero);
                let turned = self.binary(ir::c::Binary::Sub, zero, value);
                Some(self.pool.exprs().add(ir::c::Node::Ite(negative, turned, value)))
            }
            _ => None,
        }
    }
}
