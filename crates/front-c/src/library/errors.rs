//! Errors, assumptions and atomic sections.

use ::c::{End, ExprId, Op};
use ir::Class;

use super::super::hir::{self, ExprKind, PlaceKind};
use super::super::normalise::Normaliser;

/// The functions that are the error whatever the program defines; others of these names are what their bodies
/// say.
pub(super) const ALWAYS: &[&str] = &["reach_error", "__VERIFIER_error", "__assert_fail"];

impl Normaliser<'_> {
    /// Functions that are the error.
    pub(super) fn error_call(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        match name {
            "reach_error"
            | "__VERIFIER_error"
            | "__SMACK_error"
            | "__assert_fail"
            | "__assert"
            | "__assert_rtn"
            | "__assert_perror_fail"
            | "_assert" => {}
            _ => return None,
        }
        if name == "__assert" && arguments.len() != 3 {
            return None;
        }
        self.evaluate_all(arguments);
        let text = arguments.iter().find_map(|&argument| self.text_of(argument));
        let class = match name {
            "reach_error" | "__VERIFIER_error" | "__SMACK_error" => Class::ERROR_CALL,
            _ => Class::ASSERTION,
        };
        let property = match text.filter(|_| class == Class::ASSERTION) {
            Some(text) => self.property(class, format!("assert({text})")),
            None => self.property(class, format!("{name}()")),
        };
        self.emit(Op::Error(property));
        Some(self.nothing())
    }

    /// The text of a string literal.
    pub(super) fn text_of(&self, argument: hir::ExprId) -> Option<String> {
        let mut e = argument;
        while let ExprKind::Cast(_, inner) = self.hir.exprs[e].kind {
            e = inner;
        }
        let ExprKind::Decay(place) = self.hir.exprs[e].kind else { return None };
        let PlaceKind::String(string) = self.hir.places[place].kind else { return None };
        let elements = self.hir.strings[string].elements.split_last()?.1;
        let bytes: Vec<u8> = elements.iter().map(|&element| (element & 0xff) as u8).collect();
        Some(base::bytes::decode(bytes))
    }

    /// The verifiers' own functions.
    pub(super) fn verifier_call(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        match (name, arguments) {
            (
                "assert" | "__CPROVER_assert" | "__ESBMC_assert" | "__VERIFIER_assert" | "__goblint_check"
                | "__goblint_assert",
                [condition, rest @ ..],
            ) => {
                let cond = self.condition(*condition);
                let cond = self.keep(cond);
                self.evaluate_all(rest);
                let label = rest.first().and_then(|&text| self.text_of(text));
                let property = self.property(Class::ASSERTION, label.unwrap_or_else(|| name.to_string()));
                self.emit(Op::Assert { cond, property });
                Some(self.nothing())
            }
            (
                "__VERIFIER_assume"
                | "__CPROVER_assume"
                | "__ESBMC_assume"
                | "assume_abort_if_not"
                | "assume"
                | "__goblint_assume"
                | "__SMACK_assume",
                [condition, rest @ ..],
            ) => {
                let cond = self.condition(*condition);
                self.evaluate_all(rest);
                self.emit(Op::Assume(cond));
                Some(self.nothing())
            }
            (
                "__VERIFIER_atomic_begin"
                | "__CPROVER_atomic_begin"
                | "__ESBMC_atomic_begin"
                | "__SMACK_atomic_begin",
                _,
            ) => {
                self.emit(Op::SectionBegin);
                Some(self.nothing())
            }
            (
                "__VERIFIER_atomic_end"
                | "__CPROVER_atomic_end"
                | "__ESBMC_atomic_end"
                | "__SMACK_atomic_end",
                _,
            ) => {
                self.emit(Op::SectionEnd);
                Some(self.nothing())
            }
            ("exit", _) => {
                self.exit_code(name, arguments);
                self.end_program(End::Exit);
                Some(self.nothing())
            }
            ("err" | "errx" | "verr" | "verrx", [code, rest @ ..]) => {
                self.evaluate_all(rest);
                self.exit_code(name, std::slice::from_ref(code));
                self.end_program(End::Exit);
                Some(self.nothing())
            }
            ("abort", _) => {
                self.abort(name);
                Some(self.nothing())
            }
            ("_exit" | "_Exit" | "quick_exit", _) => {
                self.exit_code(name, arguments);
                self.emit(Op::Halt(End::Exit));
                Some(self.nothing())
            }
            _ => None,
        }
    }
}
