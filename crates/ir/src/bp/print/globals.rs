//! What stands outside procedures: variables, locks, and how the program starts.

use super::super::program::{Count, Init, LocalId, Role};
use super::Printer;
use std::collections::BTreeMap;

impl Printer<'_> {
    /// Shared variables, locks and locals of threads, so that both kinds keep their order.
    pub(super) fn globals(&mut self) {
        let program = self.program;
        let mut thread: Vec<LocalId> =
            program.locals().ids().filter(|&local| self.is_thread_local(local)).rev().collect();
        let locks: BTreeMap<_, _> =
            program.locks().enumerate().map(|(id, it)| (it.taken, (id, it.owner))).collect();
        for shared in program.shared().ids() {
            if let Some(&(id, owner)) = locks.get(&shared) {
                while thread.last().is_some_and(|&local| local < owner) {
                    self.thread_local(thread.pop().expect("it was just seen"));
                }
                let text = format!("lock {};", self.names.lock(id));
                self.line(&text);
            } else {
                let text =
                    self.declaration("decl", &self.names.shared(shared), program.shared()[shared].init);
                self.line(&text);
            }
        }
        while let Some(local) = thread.pop() {
            self.thread_local(local);
        }
        if let Some(variable) = program.atomic_variable() {
            let text = format!("atomic_variable {};", self.names.shared(variable));
            self.line(&text);
        }
    }

    fn is_thread_local(&self, local: LocalId) -> bool {
        self.program.locals()[local].role == Role::Plain && self.names.is_thread_local(local)
    }

    fn thread_local(&mut self, local: LocalId) {
        let text =
            self.declaration("thread_local", &self.names.local(local), self.program.locals()[local].init);
        self.line(&text);
    }

    pub(super) fn declaration(&self, word: &str, name: &str, init: Init) -> String {
        match init {
            Init::Any => format!("{word} {name};"),
            Init::Fixed(value) => format!("{word} {name} := {};", u8::from(value)),
        }
    }

    /// Nothing if every reading of the file starts one thread at `main`.
    pub(super) fn start(&mut self) {
        let start = self.program.start();
        let only_main = matches!(&start.templates[..], [one] if one.count == Count::Exactly(1)
            && self.program.procedures()[one.procedure].name == "main");
        let conventional = |name: &str| name == "init" || name.starts_with("thread");
        let plain = self.program.procedures().iter().all(|it| !conventional(&it.name));
        if start.init.is_none() && only_main && plain {
            return;
        }
        if let Some(init) = start.init {
            let text = format!("start init {};", self.names.procedure(init));
            self.line(&text);
        }
        for template in &start.templates {
            let count = match template.count {
                Count::Exactly(n) => n.to_string(),
                Count::AtLeast(0) => "any".into(),
                Count::AtLeast(1) => "some".into(),
                Count::AtLeast(n) => format!("at_least {n}"),
            };
            let text = format!("start {} {count};", self.names.procedure(template.procedure));
            self.line(&text);
        }
    }
}
