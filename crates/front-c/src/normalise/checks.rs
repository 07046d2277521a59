//! A program's own checks: functions that it is an error to call since the user says so, and those that look
//! as if they were meant so, which are told.

use std::collections::BTreeMap;

use ::c::Op;
use base::{Diagnostic, Span};
use ir::Class;

use super::super::hir::{ExprId, FunctionId};
use super::Normaliser;

/// The names of the library's models begin with this.
const MODEL: &str = "__selvedge_lib_";

/// How the functions of test frameworks begin that are called where a check fails, or that check.
const FRAMEWORKS: &[&str] = &[
    "ASSERT_",
    "CHECK_",
    "CU_ASSERT",
    "CU_FAIL",
    "EXPECT_",
    "REQUIRE_",
    "TEST_ASSERT",
    "TEST_FAIL",
    "_ck_assert",
    "ck_abort",
    "ck_assert",
    "ck_error",
    "cr_assert",
    "cr_fail",
    "g_assert",
    "g_test_fail",
    "munit_assert",
    "munit_error",
    "tap_fail",
];

/// Functions that programs call where something went wrong.
const ENDS: &[&str] = &[
    "assert_fail",
    "assertion_failed",
    "ck_fail",
    "die",
    "err",
    "err_abort",
    "err_exit",
    "err_quit",
    "err_sys",
    "errno_abort",
    "error_exit",
    "errx",
    "fail",
    "failed",
    "fatal",
    "handle_error",
    "panic",
    "serverPanic",
    "_serverAssert",
    "_serverPanic",
    "test_fail",
    "test_failed",
    "verr",
    "verrx",
];

/// The most functions that are told.
const MOST: usize = 5;

/// Calls of functions that look like checks, with the first place of each.
pub type Unasked = BTreeMap<String, Option<Span>>;

impl Normaliser<'_> {
    /// Whether it is an error to call a function.
    fn is_error_function(&self, function: FunctionId) -> bool {
        let function = &self.hir.functions[function];
        let name = function.name.strip_prefix(MODEL).unwrap_or(&function.name);
        self.options.error_functions.iter().any(|it| it == name || Some(it) == function.symbol.as_ref())
    }

    /// The error that a call is, if it is one. Notes those that may be meant so.
    pub(super) fn error_function(&mut self, function: FunctionId, arguments: &[ExprId]) -> bool {
        if !self.is_error_function(function) {
            self.note_check(function);
            return false;
        }
        self.evaluate_all(arguments);
        self.called_in_error(function);
        true
    }

    /// At the beginning of a function that is called through a pointer or runs as a thread.
    pub(super) fn begin_error_function(&mut self, function: FunctionId) {
        if self.is_error_function(function) {
            self.called_in_error(function);
        }
    }

    /// The same for one without a body, where it is called through a pointer.
    pub(super) fn error_through_pointer(&mut self, function: FunctionId) -> bool {
        let is_error = self.is_error_function(function);
        if is_error {
            self.called_in_error(function);
        }
        is_error
    }

    fn called_in_error(&mut self, function: FunctionId) {
        let name = &self.hir.functions[function].name;
        let text = format!("{}()", name.strip_prefix(MODEL).unwrap_or(name));
        let property = self.property(Class::ERROR_CALL, text);
        self.emit(Op::Error(property));
    }

    fn note_check(&mut self, function: FunctionId) {
        let name = &self.hir.functions[function].name;
        let looks = ENDS.contains(&name.as_str()) || is_of_framework(name);
        if looks && !self.hir.is_model(function) {
            let place = self.span;
            self.unasked.entry(name.clone()).or_insert(place);
        }
    }

    /// Tells of calls that may be meant as errors: those of test frameworks always, others only where
    /// there is nothing to check.
    pub(super) fn warn_of_checks(&mut self, nothing_to_check: bool) {
        let answered = std::mem::take(&mut self.unasked).into_iter();
        let answered = answered.filter(|(name, _)| nothing_to_check || is_of_framework(name));
        for (name, span) in answered.take(MOST) {
            let message = format!("`{name}` is called, and no error is looked for there");
            let help = format!(
                "if the call says that a check has failed, give `--error-function {name}`; if the function checks its argument, \
                 define it as a macro with `assert`"
            );
            self.warn_once(Diagnostic::warning(UNASKED, span, message).help(help));
        }
    }
}

fn is_of_framework(name: &str) -> bool {
    FRAMEWORKS.iter().any(|start| name.starts_with(start))
}

/// The code of the warning about a call that may be meant as an error.
pub const UNASKED: &str = "W0805";
