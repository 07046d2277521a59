//! Functions that give any value, and functions that do nothing here.

use ::c::ExprId;

use super::super::hir::{self, FunctionId};
use super::super::normalise::Normaliser;
use super::super::types::TypeId;
use super::table;

/// Functions that give a text that is not computed: printing it is fine, looking at it is refused.
const UNKNOWN_TEXTS: &[&str] = &["asctime", "ctime", "strsignal"];
/// Those whose text is computed, unless it is printed and nothing else.
const TEXTS: &[&str] = &["strerror"];

/// What the table says of functions of their arguments that are not computed, and of those that do nothing.
const ANY_VALUE: &str = "any value";
const NOTHING: &str = "nothing: arguments are evaluated";

/// Whether a function gives any value by its name.
pub fn is_nondeterministic(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet")
        || name.starts_with("nondet_")
        || name.starts_with("__SMACK_nondet")
        || name.starts_with("nondet")
}

impl Normaliser<'_> {
    /// The text that a function gives, where it is printed and nothing else: nobody looks at it.
    pub fn shown_text(&mut self, function: FunctionId, arguments: &[hir::ExprId]) -> Option<ExprId> {
        let declared = &self.hir.functions[function];
        let name = declared.name.as_str();
        if declared.body.is_some() || !TEXTS.contains(&name) {
            return None;
        }
        self.evaluate_all(arguments);
        let object = self.unknown_object(name);
        Some(self.pool.address(object))
    }

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
        let kind = [(any, 0), (table::says(name, ANY_VALUE), 1), (table::says(name, NOTHING), 2)]
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
