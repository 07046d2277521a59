//! Functions that give any value, and functions that do nothing here.

use ::c::ExprId;

use super::super::hir;
use super::super::normalise::Normaliser;
use super::super::types::TypeId;

/// Functions of their arguments that are not computed.
const APPROXIMATED: &[&str] = &[
    "acos",
    "acosf",
    "acosh",
    "asin",
    "asinf",
    "asinh",
    "atan",
    "atan2",
    "atan2f",
    "atanf",
    "atanh",
    "atof",
    "cbrt",
    "ceil",
    "ceilf",
    "copysign",
    "cos",
    "cosf",
    "cosh",
    "drand48",
    "erf",
    "exp",
    "exp2",
    "expf",
    "expm1",
    "fabs",
    "fabsf",
    "fdim",
    "floor",
    "floorf",
    "fma",
    "fmax",
    "fmaxf",
    "fmin",
    "fminf",
    "fmod",
    "fmodf",
    "hypot",
    "ldexp",
    "lgamma",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logf",
    "lrint",
    "lround",
    "nearbyint",
    "pow",
    "powf",
    "rint",
    "round",
    "roundf",
    "sin",
    "sinf",
    "sinh",
    "sqrt",
    "sqrtf",
    "tan",
    "tanf",
    "tanh",
    "tgamma",
    "trunc",
    "truncf",
];

/// Functions that give a text that is not computed: printing it is fine, looking at it is refused.
const UNKNOWN_TEXTS: &[&str] = &["asctime", "ctime", "strerror", "strsignal"];

const NOTHING: &[&str] = &[
    "__sync_synchronize",
    "__CPROVER_fence",
    "__VERIFIER_print",
    "__goblint_split_begin",
    "__goblint_split_end",
    "_mm_pause",
    "flockfile",
    "funlockfile",
];

/// Whether a function gives any value by its name.
pub fn is_nondeterministic(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet")
        || name.starts_with("nondet_")
        || name.starts_with("__SMACK_nondet")
        || name.starts_with("nondet")
}

impl Normaliser<'_> {
    /// Functions that give any value of their type, and functions that do nothing.
    pub(super) fn value_call(&mut self, name: &str, arguments: &[hir::ExprId], ty: TypeId) -> Option<ExprId> {
        if name == "__errno_location" {
            let object = self.special("errno", ::c::Type::Bits(32), 1, true);
            return Some(self.pool.address(object));
        }
        if UNKNOWN_TEXTS.contains(&name) {
            self.evaluate_all(arguments);
            let object = self.unknown_object(name);
            return Some(self.pool.address(object));
        }
        if let ("__VERIFIER_nondet_memory", [to, bytes]) = (name, arguments) {
            self.fill(name, *to, *bytes);
            return Some(self.nothing());
        }
        // One that is given pointers writes there: it is an external function like any other.
        let any = is_nondeterministic(name) && !self.gives_pointers(arguments);
        let kind = [(any, 0), (APPROXIMATED.contains(&name), 1), (NOTHING.contains(&name), 2)]
            .into_iter()
            .find_map(|(known, kind)| known.then_some(kind))?;
        self.evaluate_all(arguments);
        let Some(scalar) = self.scalar_of(ty) else { return Some(self.nothing()) };
        Some(match kind {
            0 => self.any(scalar),
            1 => self.any_approximation(name, scalar, None),
            _ => self.number(scalar, 0),
        })
    }
}
