//! The attributes that gcc documents, for functions, variables, types, labels, enumerators and statements, on
//! all machines and on x86.

use super::Treatment::{self, Harmless, Honoured, Refused};

/// What an attribute may stand on, as a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct On(u8);

impl On {
    /// Functions.
    pub const FUNCTION: On = On(1);
    /// Variables and members.
    pub const VARIABLE: On = On(2);
    /// Types.
    pub const TYPE: On = On(4);
    /// Labels.
    pub const LABEL: On = On(8);
    /// Enumerators.
    pub const ENUMERATOR: On = On(16);
    /// Statements.
    pub const STATEMENT: On = On(32);

    const fn or(self, other: On) -> On {
        On(self.0 | other.0)
    }

    /// Whether one of the others is among them.
    pub fn meets(self, other: On) -> bool {
        self.0 & other.0 != 0
    }

    /// The words of the page.
    pub fn words(self) -> String {
        let words = [
            (On::FUNCTION, "functions"),
            (On::VARIABLE, "variables"),
            (On::TYPE, "types"),
            (On::LABEL, "labels"),
            (On::ENUMERATOR, "enumerators"),
            (On::STATEMENT, "statements"),
        ];
        let among = words.iter().filter(|(on, _)| self.meets(*on)).map(|(_, word)| *word);
        among.collect::<Vec<_>>().join(", ")
    }
}

const F: On = On::FUNCTION;
const V: On = On::VARIABLE;
const T: On = On::TYPE;
const FV: On = F.or(V);
const FT: On = F.or(T);
const VT: On = V.or(T);
const FVT: On = FV.or(T);
const ANY: On = On(63);

/// An attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// The name without underscores around it.
    pub name: &'static str,
    /// What it may stand on.
    pub on: On,
    /// What becomes of it there.
    pub treatment: Treatment,
    /// What it means, for the page.
    pub note: &'static str,
}

const fn row(name: &'static str, on: On, treatment: Treatment, note: &'static str) -> Attribute {
    Attribute { name, on, treatment, note }
}

/// The attributes. One whose meaning depends on what it stands on has several rows.
pub const ATTRIBUTES: &[Attribute] = &[
    row("access", FT, Harmless, "a hint for warnings"),
    row("alias", FV, Honoured, "another name of the function or variable"),
    row("aligned", F, Harmless, "addresses of functions have no bits that are known"),
    row("aligned", VT, Honoured, "sizes and offsets; of a typedef too, which may also lower it"),
    row("alloc_align", FT, Harmless, "a promise about the result"),
    row("alloc_size", FVT, Harmless, "a promise about the result"),
    row("always_inline", F, Harmless, "an optimisation"),
    row("artificial", F, Harmless, "for debuggers"),
    row("assume", On::STATEMENT, Refused, "an assumption that is not checked"),
    row("assume_aligned", FT, Harmless, "a promise about the result"),
    row("btf_decl_tag", FV, Harmless, "for debuggers"),
    row("btf_type_tag", T, Harmless, "for debuggers"),
    row("callee_pop_aggregate_return", FT, Harmless, "a calling convention"),
    row("cdecl", FT, Harmless, "a calling convention"),
    row("cf_check", FT, Harmless, "a check of jumps"),
    row("cleanup", V, Honoured, "the function is called on every way out of the variable's scope"),
    row("cold", F.or(On::LABEL), Harmless, "an optimisation"),
    row("common", V, Harmless, "tentative definitions are merged by the linker"),
    row("const", FT, Harmless, "a promise; the calls are made"),
    row("constructor", F, Honoured, "runs before `main`, in the order of priorities"),
    row("copy", FVT, Refused, "attributes of another declaration"),
    row("counted_by", V, Harmless, "for sanitizers"),
    row("deprecated", ANY, Harmless, "a warning of the compiler"),
    row("designated_init", T, Harmless, "a warning of the compiler"),
    row(
        "destructor",
        F,
        Honoured,
        "runs after `main` returns or `exit` is called, in the order of priorities",
    ),
    row("error", F, Refused, "a call that is not optimised away does not compile"),
    row("expected_throw", FT, Harmless, "an optimisation"),
    row("externally_visible", FV, Harmless, "an optimisation"),
    row("fallthrough", On::STATEMENT, Harmless, "a warning of the compiler"),
    row("fastcall", FT, Harmless, "a calling convention"),
    row("fd_arg", FT, Harmless, "a hint for warnings"),
    row("fd_arg_read", FT, Harmless, "a hint for warnings"),
    row("fd_arg_write", FT, Harmless, "a hint for warnings"),
    row("fentry_name", F, Harmless, "instrumentation"),
    row("fentry_section", F, Harmless, "instrumentation"),
    row("flag_enum", T, Harmless, "a warning of the compiler"),
    row("flatten", F, Harmless, "an optimisation"),
    row("force_align_arg_pointer", F, Harmless, "a calling convention"),
    row("format", FT, Harmless, "a hint for warnings"),
    row("format_arg", FT, Harmless, "a hint for warnings"),
    row("function_return", F, Harmless, "how the machine returns"),
    row("gcc_struct", VT, Harmless, "the layout that is used anyway"),
    row(
        "gnu_inline",
        F,
        Honoured,
        "the definition is for inlining only; one that differs from the other is refused",
    ),
    row("hardbool", T, Refused, "other representations of true and false"),
    row("hot", F.or(On::LABEL), Harmless, "an optimisation"),
    row("ifunc", F, Refused, "the function is chosen by a resolver when the program is loaded"),
    row("indirect_branch", F, Harmless, "how the machine jumps"),
    row("indirect_return", FT, Refused, "it may return more than once"),
    row("interrupt", FT, Refused, "called by the machine"),
    row("interrupt_handler", F, Refused, "called by the machine"),
    row("leaf", F, Harmless, "a promise about callbacks"),
    row("malloc", FT, Harmless, "a promise about the result"),
    row("may_alias", T, Harmless, "accesses of other types are taken as they are"),
    row("mode", VT, Honoured, "the integer or floating type of that width; other modes are refused"),
    row("ms_abi", FT, Refused, "other argument registers and lists of arguments"),
    row("ms_hook_prologue", F, Harmless, "instrumentation"),
    row("ms_struct", VT, Refused, "another layout"),
    row("musttail", On::STATEMENT, Harmless, "an optimisation"),
    row("naked", F, Refused, "assembler"),
    row("no_address_safety_analysis", F, Harmless, "instrumentation"),
    row("no_callee_saved_registers", FT, Harmless, "a calling convention"),
    row("no_caller_saved_registers", FT, Harmless, "a calling convention"),
    row("no_icf", FV, Harmless, "an optimisation"),
    row("no_instrument_function", F, Harmless, "instrumentation"),
    row("no_profile_instrument_function", F, Harmless, "instrumentation"),
    row("no_reorder", FV, Harmless, "an optimisation"),
    row("no_sanitize", FV, Harmless, "instrumentation"),
    row("no_sanitize_address", F, Harmless, "instrumentation"),
    row("no_sanitize_coverage", F, Harmless, "instrumentation"),
    row("no_sanitize_thread", F, Harmless, "instrumentation"),
    row("no_sanitize_undefined", F, Harmless, "instrumentation"),
    row("no_split_stack", F, Harmless, "how the stack grows"),
    row("no_stack_limit", F, Harmless, "how the stack grows"),
    row("no_stack_protector", F, Harmless, "instrumentation"),
    row("nocf_check", FT, Harmless, "a check of jumps"),
    row("noclone", F, Harmless, "an optimisation"),
    row("nocommon", V, Harmless, "tentative definitions are merged by the linker"),
    row("nodirect_extern_access", FV, Harmless, "how the machine finds it"),
    row("noinit", V, Refused, "any value at the start"),
    row("noinline", F, Harmless, "an optimisation"),
    row("noipa", F, Harmless, "an optimisation"),
    row("nonnull", FT, Harmless, "a promise"),
    row("nonnull_if_nonzero", FT, Harmless, "a promise"),
    row("nonstring", VT, Harmless, "a warning of the compiler"),
    row("noplt", F, Harmless, "how the machine finds it"),
    row("noreturn", FVT, Honoured, "a call does not return; a function that does is undefined behaviour"),
    row("nothrow", FT, Harmless, "a promise"),
    row("null_terminated_string_arg", FT, Harmless, "a hint for warnings"),
    row("objc_nullability", V, Harmless, "of another language"),
    row("objc_root_class", T, Harmless, "of another language"),
    row("optimize", F, Honoured, "levels of optimisation; options that change the meaning are refused"),
    row("packed", VT, Honoured, "members without padding, small enumerations"),
    row("patchable_function_entry", F, Harmless, "instrumentation"),
    row("persistent", V, Refused, "a value from an earlier run"),
    row("preserve_none", FT, Harmless, "a calling convention"),
    row("pure", FT, Harmless, "a promise; the calls are made"),
    row("regparm", FT, Harmless, "a calling convention"),
    row("reproducible", FT, Harmless, "a promise; the calls are made"),
    row("retain", FV, Harmless, "kept by the linker"),
    row("returns_nonnull", FT, Harmless, "a promise"),
    row("returns_twice", F, Refused, "like `setjmp`"),
    row("scalar_storage_order", T, Honoured, "the machine's own order; the other one is refused"),
    row("section", FV, Harmless, "where the linker puts it"),
    row("sentinel", FT, Harmless, "a hint for warnings"),
    row("signal", F, Refused, "called by the machine"),
    row("simd", F, Harmless, "an optimisation"),
    row("sseregparm", FT, Harmless, "a calling convention"),
    row("stack_protect", F, Harmless, "instrumentation"),
    row("stdcall", FT, Harmless, "a calling convention"),
    row("strict_flex_array", V, Harmless, "a hint for warnings"),
    row("strub", FVT, Harmless, "what is left on the stack"),
    row("symver", FV, Refused, "a version of a symbol"),
    row("sysv_abi", FT, Harmless, "the calling convention that is used anyway"),
    row("tainted_args", FV, Harmless, "a hint for warnings"),
    row("target", F, Harmless, "instructions that the compiler may use"),
    row("target_clones", F, Harmless, "instructions that the compiler may use"),
    row("thiscall", FT, Harmless, "a calling convention"),
    row("tls_model", V, Harmless, "how the machine finds it"),
    row("transaction_callable", FT, Refused, "transactional memory"),
    row("transaction_may_cancel_outer", FT, Refused, "transactional memory"),
    row("transaction_pure", FT, Refused, "transactional memory"),
    row("transaction_safe", FT, Refused, "transactional memory"),
    row("transaction_safe_dynamic", FT, Refused, "transactional memory"),
    row("transaction_unsafe", FT, Refused, "transactional memory"),
    row("transaction_wrap", F, Refused, "transactional memory"),
    row("transparent_union", VT, Honoured, "an argument may be any member"),
    row("unavailable", ANY, Harmless, "an error of the compiler"),
    row("uninitialized", V, Harmless, "locals without an initialiser have any value"),
    row("unsequenced", FT, Harmless, "a promise; the calls are made"),
    row("unused", ANY, Harmless, "a warning of the compiler"),
    row("used", FVT, Harmless, "kept by the compiler"),
    row("vector_size", FVT, Honoured, "size and alignment; computing with vectors is refused"),
    row("visibility", FVT, Harmless, "what other files see"),
    row("warn_if_not_aligned", VT, Harmless, "a warning of the compiler"),
    row("warn_unused", T, Harmless, "a warning of the compiler"),
    row("warn_unused_result", FT, Harmless, "a warning of the compiler"),
    row("warning", F, Harmless, "a warning of the compiler"),
    row("weak", FV, Honoured, "another definition wins; the address of one without a definition is refused"),
    row("weakref", F, Refused, "a name that may be defined nowhere"),
    row("zero_call_used_regs", F, Harmless, "what is left in registers"),
    row("maybe_unused", ANY, Harmless, "a warning of the compiler"),
    row("nodiscard", FT, Harmless, "a warning of the compiler"),
    row("_Noreturn", F, Honoured, "as `noreturn`"),
];

/// The row of an attribute on something; what gcc takes elsewhere is ignored there, with a warning.
pub fn find(name: &str, on: On) -> Option<&'static Attribute> {
    ATTRIBUTES.iter().find(|row| row.name == name && row.on.meets(on))
}

/// Whether an attribute is known at all.
pub fn is_known(name: &str) -> bool {
    ATTRIBUTES.iter().any(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_attribute_has_two_treatments_on_one_thing() {
        for (at, row) in ATTRIBUTES.iter().enumerate() {
            let again = ATTRIBUTES[at + 1..].iter().find(|it| it.name == row.name && it.on.meets(row.on));
            assert_eq!(again, None);
        }
    }
}
