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
    ("<library>/ctype.c", include_str!("../../library/ctype.c")),
    ("<library>/exit.c", include_str!("../../library/exit.c")),
    ("<library>/files.c", include_str!("../../library/files.c")),
    ("<library>/numbers.c", include_str!("../../library/numbers.c")),
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
        ExprKind::Call { callee: Callee::Function(f), .. } | ExprKind::FunctionAddress(f) => Some(f),
        _ => None,
    });
    let missing: BTreeSet<&str> = named
        .map(|f| &program.functions[f])
        .filter(|function| function.body.is_none() && !function.name.starts_with("__selvedge_"))
        .map(|function| function.name.as_str())
        .collect();
    let file_of = |name: &str| {
        let wanted = format!("{PREFIX}{name}(");
        FILES.iter().position(|(_, text)| text.contains(&wanted))
    };
    missing.into_iter().filter_map(file_of).collect()
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
            rest.split('(').next()
        })
    };
    FILES.iter().flat_map(|(_, text)| defined(text)).collect()
}

impl Normaliser<'_> {
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
