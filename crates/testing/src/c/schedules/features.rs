//! What a program may be about. Each has a few of these, so that small programs are not a little of
//! everything.

use super::maker::{Cell, Kind, Maker};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Feature {
    Mutex,
    TryLock,
    Recursive,
    ErrorCheck,
    Scoped,
    Readers,
    Semaphore,
    Condition,
    Barrier,
    Once,
    Atomics,
    Sync,
    Section,
    SectionThreads,
    Cleanup,
    Struct,
    FunctionPointer,
    Recursion,
    Heap,
    Strings,
    Sort,
    Numbers,
    Print,
    Time,
    External,
    Constructor,
    Jumps,
    Division,
    Assume,
    Nondet,
    Keys,
    Names,
    Children,
    Pointer,
    Loops,
    Detach,
    Bytes,
    Spin,
    Standard,
    Handles,
    AtExit,
    Fields,
    Reuse,
    Calls,
    Inputs,
    Noise,
    Lifetimes,
}

impl Feature {
    pub const ALL: &[Feature] = &[
        Feature::Mutex,
        Feature::Mutex,
        Feature::TryLock,
        Feature::Recursive,
        Feature::ErrorCheck,
        Feature::Scoped,
        Feature::Scoped,
        Feature::Readers,
        Feature::Readers,
        Feature::Semaphore,
        Feature::Condition,
        Feature::Barrier,
        Feature::Once,
        Feature::Atomics,
        Feature::Sync,
        Feature::Section,
        Feature::SectionThreads,
        Feature::Cleanup,
        Feature::Cleanup,
        Feature::Struct,
        Feature::Struct,
        Feature::FunctionPointer,
        Feature::Recursion,
        Feature::Heap,
        Feature::Strings,
        Feature::Sort,
        Feature::Numbers,
        Feature::Print,
        Feature::Time,
        Feature::External,
        Feature::Constructor,
        Feature::Jumps,
        Feature::Division,
        Feature::Assume,
        Feature::Nondet,
        Feature::Keys,
        Feature::Names,
        Feature::Children,
        Feature::Pointer,
        Feature::Loops,
        Feature::Detach,
        Feature::Bytes,
        Feature::Spin,
        Feature::Standard,
        Feature::Standard,
        Feature::Standard,
        Feature::Handles,
        Feature::AtExit,
        Feature::Fields,
        Feature::Fields,
        Feature::Reuse,
        Feature::Reuse,
        Feature::Reuse,
        Feature::Calls,
        Feature::Calls,
        Feature::Calls,
        Feature::Inputs,
        Feature::Noise,
        Feature::Noise,
        Feature::Noise,
        Feature::Lifetimes,
        Feature::Lifetimes,
    ];
}

impl Maker {
    /// What the features need at file scope, before any function.
    pub fn feature_globals(&mut self) {
        use Feature::*;
        if [Mutex, TryLock, Scoped, Condition].iter().any(|it| self.has(*it)) {
            self.global("pthread_mutex_t", "m", " = PTHREAD_MUTEX_INITIALIZER");
        }
        if [TryLock, Condition, Readers, Semaphore, Standard].iter().any(|it| self.has(*it)) {
            self.global("struct timespec", "until", "");
        }
        if self.has(Spin) {
            self.global("pthread_spinlock_t", "spin", "");
        }
        if self.has(Standard) {
            self.standard_globals();
        }
        if self.has(Handles) {
            self.global("pthread_t", "boss", "");
        }
        if self.has(Fields) {
            self.field_globals();
        }
        if self.has(Reuse) {
            self.global("int *", "slot", "");
        }
        if self.has(Lifetimes) {
            self.lifetime_globals();
        }
        if self.has(Recursive) {
            self.global("pthread_mutex_t", "rm", " = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP");
        }
        if self.has(ErrorCheck) {
            self.global("pthread_mutex_t", "em", "");
        }
        if self.has(Readers) {
            self.global("pthread_rwlock_t", "rw", " = PTHREAD_RWLOCK_INITIALIZER");
        }
        if self.has(Semaphore) {
            self.global("sem_t", "sem", "");
        }
        if self.has(Condition) {
            self.global("pthread_cond_t", "cv", " = PTHREAD_COND_INITIALIZER");
        }
        if self.has(Barrier) {
            self.global("pthread_barrier_t", "barrier", "");
        }
        if self.has(Once) {
            self.global("pthread_once_t", "once", " = PTHREAD_ONCE_INIT");
        }
        if self.has(Keys) {
            self.global("pthread_key_t", "key", "");
        }
        if self.has(Struct) {
            self.struct_globals();
        }
    }

    fn struct_globals(&mut self) {
        let (a, b) = (self.kind(), self.kind());
        self.name("pair");
        self.line(format!("struct pair {{ {} a; {} b; }};", a.name(), b.name()));
        self.global("struct pair", "both", "");
        for (place, kind) in [("both.a", a), ("both.b", b)] {
            self.shared.push(Cell { place: place.into(), kind, shared: true, atomic: false });
        }
    }

    /// What `main` does for the features before there are other threads.
    pub fn feature_start(&mut self) {
        use Feature::*;
        if self.has(ErrorCheck) {
            self.line("pthread_mutexattr_t attributes;");
            self.line("pthread_mutexattr_init(&attributes);");
            self.line("pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);");
            self.line("pthread_mutex_init(&em, &attributes);");
        }
        if self.has(Spin) {
            self.line("pthread_spin_init(&spin, 0);");
        }
        if self.has(Standard) {
            self.standard_start();
        }
        if self.has(Handles) {
            self.line("«w boss¦pthread_self()»;");
        }
        if self.has(AtExit) {
            self.line("atexit(finally);");
        }
        if self.has(Lifetimes) {
            self.lifetime_start();
        }
        if self.has(Semaphore) {
            let first = self.random.below(3);
            self.line(format!("sem_init(&sem, 0, {first});"));
        }
        if self.has(Barrier) {
            let count = 1 + self.random.below(3);
            self.line(format!("pthread_barrier_init(&barrier, 0, {count});"));
        }
        if self.has(Keys) {
            self.line("pthread_key_create(&key, forget);");
        }
    }

    /// One statement, or several, of a feature.
    pub fn feature(&mut self, feature: Feature, depth: usize) {
        use Feature::*;
        match feature {
            Mutex => self.critical(depth),
            TryLock => self.tried(depth),
            Recursive => self.recursive(depth),
            ErrorCheck => self.error_check(depth),
            Scoped => self.scoped(depth),
            Readers => self.readers(depth),
            Semaphore => self.semaphore(depth),
            Condition => self.waiting(depth),
            Barrier => self.barrier(),
            Once => self.line("pthread_once(&once, first);"),
            Atomics => self.atomic(),
            Sync => self.sync_builtin(),
            Section | SectionThreads => self.section(depth),
            Cleanup => self.cleanup(depth),
            Struct => self.structs(),
            FunctionPointer => self.function_pointer(),
            Recursion => self.recursion(),
            Heap => self.heap(),
            Strings => self.strings(),
            Sort => self.sort(),
            Numbers => self.numbers(),
            Print => self.print(),
            Time => self.time(),
            External => self.external(),
            Constructor | Children | Detach => self.write_shared(),
            Jumps => self.jump(depth),
            Division => self.division(),
            Assume => self.assume(),
            Nondet => self.nondet(),
            Keys => self.keys(),
            Names => self.names(),
            Pointer => self.through_pointer(),
            Loops => self.repeat(depth),
            Bytes => self.bytes(),
            Spin => self.spin(depth),
            Standard => self.standard(depth),
            Handles => self.handles(),
            AtExit => self.line("atexit(finally);"),
            Fields => self.fields(),
            Reuse => self.reuse(),
            Calls => self.call(),
            Inputs => self.input(),
            Noise => self.noise(),
            Lifetimes => self.lifetime(),
        }
    }

    /// A cell of the program's own type that no other thread uses.
    pub fn private(&mut self, initial: &str) -> Cell {
        let place = self.fresh("v");
        self.line(format!("int {place} = {initial};"));
        let cell = Cell { place, kind: Kind::Int, shared: false, atomic: false };
        self.locals.push(cell.clone());
        cell
    }
}
