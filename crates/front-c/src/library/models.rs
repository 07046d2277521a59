//! The part of the library that is written in C: a model `__selvedge_lib_NAME` for each function `NAME`. Only
//! files that have a model of what the program calls and does not define are read, by the same reader, each
//! as a further unit; what they choose and what they write into memory of unknown shape goes through a few
//! intrinsics (`intrinsics.rs`).

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, SourceMap};

use super::super::Failure;
use super::super::check::Checker;
use super::super::hir::{self, Callee, ExprKind, FunctionId, Program, VarId};
use super::super::lex::{self, lines::Lines};
use super::super::normalise::Normaliser;
use super::super::parse::Parser;
use super::super::types::TypeId;

/// What the name of a model begins with.
pub(super) const PREFIX: &str = "__selvedge_lib_";

/// The files, by the names that diagnostics give them.
const FILES: &[(&str, &str)] = &[
    ("<library>/attributes.c", include_str!("../../library/attributes.c")),
    ("<library>/cancel.c", include_str!("../../library/cancel.c")),
    ("<library>/ctype.c", include_str!("../../library/ctype.c")),
    ("<library>/exit.c", include_str!("../../library/exit.c")),
    ("<library>/files.c", include_str!("../../library/files.c")),
    ("<library>/futex.c", include_str!("../../library/futex.c")),
    ("<library>/input.c", include_str!("../../library/input.c")),
    ("<library>/memory.c", include_str!("../../library/memory.c")),
    ("<library>/messages.c", include_str!("../../library/messages.c")),
    ("<library>/numbers.c", include_str!("../../library/numbers.c")),
    ("<library>/options.c", include_str!("../../library/options.c")),
    ("<library>/print.c", include_str!("../../library/print.c")),
    ("<library>/scan.c", include_str!("../../library/scan.c")),
    ("<library>/signals.c", include_str!("../../library/signals.c")),
    ("<library>/sort.c", include_str!("../../library/sort.c")),
    ("<library>/string.c", include_str!("../../library/string.c")),
    ("<library>/system.c", include_str!("../../library/system.c")),
    ("<library>/time.c", include_str!("../../library/time.c")),
    ("<library>/tokens.c", include_str!("../../library/tokens.c")),
];

/// Reads the files that the program needs. They may call models of other files, so this is repeated until
/// nothing is missing.
pub fn read_models(checker: &mut Checker, map: &mut SourceMap, budget: &Budget) -> Result<(), Failure> {
    let mut done = BTreeSet::new();
    loop {
        let missing: Vec<usize> =
            needed(&checker.program).into_iter().filter(|it| !done.contains(it)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        for index in missing {
            done.insert(index);
            let (name, text) = FILES[index];
            read_file(name, text, checker, map, budget)?;
        }
        note_models(&mut checker.program);
    }
}

fn read_file(
    name: &str,
    text: &str,
    checker: &mut Checker,
    map: &mut SourceMap,
    budget: &Budget,
) -> Result<(), Failure> {
    let file = map.add(name.to_string(), text.to_string());
    let mut lines = Lines::new(map, file, text, true);
    let lexed = lex::lex(text, &mut lines, budget)?;
    checker.in_library = true;
    let read = Parser::new(checker, text, lexed.tokens, budget).unit();
    checker.in_library = false;
    Ok(read?)
}

/// The files with models of what is called or taken the address of, and has no body.
fn needed(program: &Program) -> BTreeSet<usize> {
    let named = program.exprs.iter().filter_map(|expr| match expr.kind {
        ExprKind::Call { callee: Callee::Function(f), .. } => Some((f, false)),
        ExprKind::FunctionAddress(f) => Some((f, true)),
        _ => None,
    });
    let missing: BTreeSet<(&str, bool)> = named
        .map(|(f, taken)| (&program.functions[f], taken))
        .filter(|(function, _)| function.body.is_none() && !function.name.starts_with("__selvedge_"))
        .map(|(function, taken)| (function.name.as_str(), taken))
        .collect();
    let files_of = |(name, taken): (&str, bool)| {
        let fits = |it: &Variant| match it {
            Variant::Taken => taken,
            Variant::Beside => false,
            Variant::Given => true,
            Variant::Listed => LISTED.contains(&name),
        };
        let variants = Variant::ALL.into_iter().filter(fits);
        let names = variants.map(|it| it.name(name)).chain([name.to_string()]);
        let wanted: Vec<String> = names.map(|name| format!("{PREFIX}{name}(")).collect();
        let has = move |text: &str| wanted.iter().any(|wanted| text.contains(wanted));
        FILES.iter().enumerate().filter(move |(_, (_, text))| has(text)).map(|(index, _)| index)
    };
    missing.into_iter().flat_map(files_of).collect()
}

/// The functions that print a list of arguments. One model does what is the same in all of them.
const LISTED: &[&str] = &["vprintf", "vfprintf", "vdprintf", "vsyslog"];

/// A second model of a function, for some of its calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// Where the user gives what it reads.
    Given,
    /// Where its arguments come in a list.
    Listed,
    /// Where it is called through a pointer.
    Taken,
    /// What happens beside the call, where threads are cancelled.
    Beside,
}

impl Variant {
    /// All of them.
    pub const ALL: [Variant; 4] = [Variant::Given, Variant::Listed, Variant::Taken, Variant::Beside];

    /// What its name begins with, after that of all models.
    fn prefix(self) -> &'static str {
        match self {
            Variant::Given => "given_",
            Variant::Listed => "listed_",
            Variant::Taken => "taken_",
            Variant::Beside => "beside_",
        }
    }

    /// The name of the model of a function.
    pub fn name(self, function: &str) -> String {
        let plain = function.strip_prefix("__isoc99_").unwrap_or(function);
        let plain = if self == Variant::Listed { LISTED[0] } else { plain };
        format!("{}{plain}", self.prefix())
    }
}

/// The function that a model is for, by the name of the model.
pub(super) fn modelled(name: &str) -> &str {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    Variant::ALL.into_iter().find_map(|it| name.strip_prefix(it.prefix())).unwrap_or(name)
}

fn note_models(program: &mut Program) {
    for (id, function) in program.functions.enumerate() {
        if let Some(name) = function.name.strip_prefix(PREFIX)
            && function.library
            && function.body.is_some()
        {
            program.models.insert(name.to_string(), id);
        }
    }
}

/// The names of all models.
#[cfg(test)]
pub(super) fn names() -> Vec<&'static str> {
    let defined = |text: &'static str| {
        text.lines().filter(|line| line.starts_with("static ")).filter_map(|line| {
            let (_, rest) = line.split_once(PREFIX)?;
            rest.split('(').next().map(modelled)
        })
    };
    FILES.iter().flat_map(|(_, text)| defined(text)).collect()
}

impl Normaliser<'_> {
    /// A second model of a function that nobody defines.
    pub fn variant(&self, variant: Variant, function: FunctionId) -> Option<FunctionId> {
        let declared = &self.hir.functions[function];
        let model = self.hir.models.get(&variant.name(&declared.name));
        model.copied().filter(|_| declared.body.is_none())
    }

    /// The model of a function that reads what the user gives, if that is asked for and there is one.
    pub fn given_variant(&self, function: FunctionId) -> FunctionId {
        let wanted = self.options.environment.input.is_some();
        self.variant(Variant::Given, function).filter(|_| wanted).unwrap_or(function)
    }

    /// What the library keeps in registers is no news for the user. Only once the code is written: until then
    /// a register that is assigned again must not count as temporary.
    pub fn hide_library_registers(&mut self) {
        for (variable, &local) in &self.current.registers {
            if self.hir.variables[*variable].function.is_some_and(|function| self.hir.is_model(function)) {
                self.pool.local_mut(local).temporary = true;
            }
        }
    }

    /// What the arguments of a call of a model point to, by parameter: in the model they are pointers to
    /// `void`.
    pub fn pointees_of(&self, function: FunctionId, arguments: &[hir::ExprId]) -> BTreeMap<VarId, TypeId> {
        if !self.hir.is_model(function) {
            return BTreeMap::new();
        }
        let given = self.parameters(function).into_iter().zip(arguments);
        given
            .filter(|(_, argument)| self.types().pointee(self.hir.exprs[**argument].ty).is_some())
            .map(|(parameter, &argument)| (parameter, self.pointee_type(argument)))
            .filter(|(_, ty)| self.types().size(*ty).is_some())
            .collect()
    }
}
