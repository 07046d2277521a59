//! How the program starts: what the file says itself, what the command line says, or what the dialect says.

use super::ast::{Name, Population, Unit};
use super::dialect::{Dialect, is_template};
use super::names::{Meaning, Scopes};
use super::report::Report;
use crate::options::ReadOptions;
use base::Diagnostic;
use base::spelling::similar;
use ir::bp::{Builder, Count, ProcId};
use std::collections::HashSet;

/// Decides the start of a program.
pub struct Starter<'u, 's> {
    pub unit: &'u Unit<'s>,
    pub scopes: &'u Scopes,
    pub builder: &'u mut Builder,
    pub report: &'u mut Report,
    pub dialect: Dialect,
}

impl Starter<'_, '_> {
    /// Sets the start and the atomic variable.
    pub fn decide(&mut self, options: &ReadOptions) {
        let getafix = self.dialect == Dialect::Getafix && self.unit.starts.is_empty() && self.has_templates();
        self.atomic_variable(getafix);
        if let Some(entry) = &options.entry {
            self.entry(entry);
        } else if !self.unit.starts.is_empty() {
            self.explicit();
        } else if getafix {
            self.templates();
        } else if let Some(main) = self.named("main") {
            let count = if self.unit.sections { Count::AtLeast(1) } else { Count::Exactly(1) };
            self.builder.template(main, count);
        }
    }

    fn named(&self, name: &str) -> Option<ProcId> {
        self.unit.symbols.get(name).and_then(|symbol| self.scopes.procedures.get(&symbol).copied())
    }

    /// The procedures that Getafix takes for thread templates, in the order of the file.
    fn thread_procedures(&self) -> Vec<ProcId> {
        let threads = self
            .unit
            .procedures
            .iter()
            .filter(|it| is_template(self.unit.symbols.text(it.name.symbol)) && it.params.is_empty());
        threads.filter_map(|it| self.scopes.procedures.get(&it.name.symbol).copied()).collect()
    }

    fn has_templates(&self) -> bool {
        self.named("init").is_some() || !self.thread_procedures().is_empty()
    }

    fn atomic_variable(&mut self, getafix: bool) {
        for &name in &self.unit.atomic_variables {
            match self.scopes.globals.get(&name.symbol) {
                Some(&Meaning::Shared(variable)) => self.builder.atomic_variable(variable),
                _ => self.unknown(name, "shared variable"),
            }
        }
        let conventional =
            self.unit.symbols.get("atomic").filter(|_| getafix && self.unit.atomic_variables.is_empty());
        if let Some(&Meaning::Shared(variable)) =
            conventional.and_then(|symbol| self.scopes.globals.get(&symbol))
        {
            self.builder.atomic_variable(variable);
        }
    }

    fn unknown(&mut self, name: Name, what: &str) {
        let text = self.unit.symbols.text(name.symbol);
        let code = if what == "procedure" { "E0203" } else { "E0201" };
        self.report.error(code, name.bytes, || (format!("there is no {what} `{text}`"), None));
    }

    fn entry(&mut self, entry: &str) {
        match self.named(entry) {
            Some(procedure) => self.builder.template(procedure, Count::AtLeast(1)),
            None => {
                let names = self.unit.procedures.iter().map(|it| self.unit.symbols.text(it.name.symbol));
                let help = similar(entry, names);
                self.report
                    .error("E0207", None, || (format!("there is no procedure `{entry}` to start at"), help));
                // One missing start is enough to report.
                self.any_start();
            }
        }
    }

    /// Some start, so that the rest of the file can be checked.
    fn any_start(&mut self) {
        let plain = self.unit.procedures.iter().position(|it| it.params.is_empty());
        if let Some(procedure) = plain.and_then(|index| self.builder.draft().procedures().ids().nth(index)) {
            self.builder.template(procedure, Count::Exactly(1));
        }
    }

    /// The file's own `start` items.
    fn explicit(&mut self) {
        let mut seen = HashSet::new();
        for &(name, population) in &self.unit.starts {
            let Some(&procedure) = self.scopes.procedures.get(&name.symbol) else {
                self.unknown(name, "procedure");
                continue;
            };
            let init = matches!(population, Population::Init);
            if !seen.insert((procedure, init)) || init && self.builder.draft().start().init.is_some() {
                let text = self.unit.symbols.text(name.symbol);
                let help = Some("write one `start` for each procedure, and one for `init`".to_string());
                self.report.error("E0204", name.bytes, || (format!("`{text}` is started twice"), help));
                continue;
            }
            match population {
                Population::Init => self.builder.init(procedure),
                Population::Exactly(n) => self.builder.template(procedure, Count::Exactly(n)),
                Population::AtLeast(n) => self.builder.template(procedure, Count::AtLeast(n)),
            }
        }
    }

    /// Getafix: `init` alone, then any number of each `thread*` and one `main`.
    fn templates(&mut self) {
        if let Some(init) = self.named("init") {
            self.builder.init(init);
        }
        let threads = self.thread_procedures();
        for &thread in &threads {
            self.builder.template(thread, Count::AtLeast(0));
        }
        if let Some(main) = self.named("main") {
            self.builder.template(main, Count::Exactly(1));
            if threads.is_empty() {
                let message = "one thread runs `main` after `init`";
                let help = "for any number of threads add `start init init; start main any;`";
                self.report.push(Diagnostic::warning("W0102", None, message).help(help));
            }
        }
    }
}
