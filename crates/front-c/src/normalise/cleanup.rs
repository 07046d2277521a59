//! Cleanup handlers. A thread may end in a function that does not know what its callers pushed, so each
//! thread keeps a list of its handlers if it can end so. What `pthread_cleanup_pop` pops is known by the
//! place in the text: both stand in one block.

use ::c::{Binary, ExprId, LocalId, LocalScope, Node, Op, Place, Type as Scalar};

use super::super::hir::{FunctionId, LabelId, StmtId};
use super::Normaliser;
use super::code::Label;
use super::context::Cleanup;

/// How many handlers a thread may have pushed at once.
const MOST: u128 = 32;
const FUNCTIONS: &str = "cleanup_functions";
const ARGUMENTS: &str = "cleanup_arguments";

impl Normaliser<'_> {
    /// Whether threads may end while handlers are pushed, and keep lists of them.
    pub fn has_handlers(&self) -> bool {
        let ends = ["pthread_exit", "thrd_exit"].iter().any(|name| self.facts.called_names.contains(*name));
        (ends || self.cancels()) && self.facts.pushes_handlers()
    }

    /// `pthread_cleanup_push`.
    pub fn push_handler(&mut self, function: ExprId, argument: ExprId) {
        let scopes = self.frame().scopes.len();
        self.current.cleanups.push(Cleanup { function, argument, scopes });
        if !self.has_handlers() {
            return;
        }
        let depth = self.handler_depth();
        let now = self.pool.read(depth);
        let word = self.word();
        let most = self.number(word, MOST);
        let full = self.binary(Binary::Eq, now, most);
        let fine = self.label();
        self.jump_if_true(full, fine, false);
        self.refuse("more cleanup handlers pushed at once than are modelled");
        self.place_label(fine);
        for (name, value) in [(FUNCTIONS, function), (ARGUMENTS, argument)] {
            let place = self.handler_place(name, now);
            let value = self.resize(value, Scalar::Pointer, false);
            self.emit(Op::Store { place, value, atomic: false });
        }
        self.move_depth(depth, 1);
    }

    /// `pthread_cleanup_pop`: the handler that was pushed last, taken off the list.
    pub fn pop_handler(&mut self) -> Option<Cleanup> {
        let cleanup = self.current.cleanups.pop()?;
        if self.has_handlers() {
            let depth = self.handler_depth();
            self.move_depth(depth, u128::MAX);
        }
        Some(cleanup)
    }

    /// A thread ends. Whether it ends already, so that this is undefined: handlers and destructors do not end
    /// the thread once more.
    pub fn is_ending(&mut self) -> bool {
        let again = "a thread is ended by a handler that runs because it ends";
        if std::mem::replace(&mut self.current.ending, true) {
            self.emit(Op::Undefined(again.into()));
            return true;
        }
        if self.has_handlers() || self.makes_keys() {
            // The handler may be a procedure of its own.
            let ending = self.handler_register("thread_ends", |this| &mut this.ends);
            let now = self.pool.read(ending);
            let first = self.label();
            let zero = self.number(self.word(), 0);
            let not_yet = self.binary(Binary::Eq, now, zero);
            self.jump_if_true(not_yet, first, true);
            self.emit(Op::Undefined(again.into()));
            self.place_label(first);
            let value = self.number(self.word(), 1);
            self.emit(Op::Assign { local: ending, value });
        }
        false
    }

    /// Runs the handlers that are pushed, the last one first. Each is popped before it runs.
    pub fn run_handlers(&mut self) {
        if self.has_handlers() {
            return self.run_listed();
        }
        let pushed = self.current.cleanups.clone();
        while let Some(cleanup) = self.current.cleanups.pop() {
            self.call_handler(cleanup.function, cleanup.argument);
        }
        self.current.cleanups = pushed;
    }

    fn run_listed(&mut self) {
        let depth = self.handler_depth();
        let (top, end) = (self.label(), self.label());
        self.place_label(top);
        let now = self.pool.read(depth);
        let zero = self.number(self.word(), 0);
        let none = self.binary(Binary::Eq, now, zero);
        self.jump_if_true(none, end, true);
        self.move_depth(depth, u128::MAX);
        let mut loaded = vec![];
        for name in [FUNCTIONS, ARGUMENTS] {
            let place = self.handler_place(name, now);
            let local = self.temporary(Scalar::Pointer);
            self.emit(Op::Load { local, place, atomic: false });
            loaded.push(self.pool.read(local));
        }
        let candidates = self.facts.handlers.clone();
        self.call_one_of(loaded[0], candidates, loaded[1]);
        self.goto(top);
        self.place_label(end);
    }

    /// How many handlers the thread has pushed.
    fn handler_depth(&mut self) -> LocalId {
        self.handler_register("cleanup_depth", |this| &mut this.handlers)
    }

    /// A number of the thread, made when it is first needed.
    /// Jumps to a label if the thread ends already.
    pub fn jump_if_ending(&mut self, target: Label) {
        if self.has_handlers() || self.makes_keys() {
            let ending = self.handler_register("thread_ends", |this| &mut this.ends);
            let now = self.pool.read(ending);
            let zero = self.number(self.word(), 0);
            let not_yet = self.binary(Binary::Eq, now, zero);
            self.jump_if_true(not_yet, target, false);
        }
    }

    fn handler_register(&mut self, name: &str, slot: impl Fn(&mut Self) -> &mut Option<LocalId>) -> LocalId {
        if let Some(local) = *slot(self) {
            return local;
        }
        let local = self.pool.local(name, LocalScope::Thread, self.word());
        *slot(self) = Some(local);
        local
    }

    fn move_depth(&mut self, depth: LocalId, by: u128) {
        let now = self.pool.read(depth);
        let by = self.number(self.word(), by);
        let value = self.binary(Binary::Add, now, by);
        self.emit(Op::Assign { local: depth, value });
    }

    fn handler_place(&mut self, name: &'static str, at: ExprId) -> Place {
        let object = self.special(name, Scalar::Pointer, MOST as u64, true);
        let size = self.number(self.word(), u128::from(self.pool.draft().pointer_bits() / 8));
        let offset = self.binary(Binary::Mul, at, size);
        Place::Indexed { object, offset }
    }

    /// Calls a function `void (*)(void *)` through a pointer.
    pub fn call_handler(&mut self, function: ExprId, argument: ExprId) {
        let known = match self.pool.exprs().node(function) {
            Node::Address(object) => self.function_of(object).map(|function| vec![function]),
            _ => None,
        };
        let candidates = known.unwrap_or_else(|| self.takers_of_pointer());
        self.call_one_of(function, candidates, argument);
    }

    fn call_one_of(&mut self, function: ExprId, candidates: Vec<FunctionId>, argument: ExprId) {
        let end = self.label();
        for candidate in candidates {
            let past = self.label();
            self.unless_function(function, candidate, past);
            let takes = self.parameters(candidate).len();
            self.call_with(candidate, if takes == 0 { vec![] } else { vec![argument] });
            self.goto(end);
            self.place_label(past);
        }
        self.emit(Op::Undefined("a handler in a pointer to no function that takes a pointer".into()));
        self.place_label(end);
    }

    /// A jump leaves the scopes from `keep` on: undefined if a handler was pushed there.
    pub fn leave_handlers(&mut self, keep: usize) {
        if self.current.cleanups.iter().any(|it| it.scopes > keep) {
            let why = "a jump out of a block whose cleanup handler is still pushed";
            self.emit(Op::Undefined(why.into()));
        }
    }

    /// A block ends: whatever it pushed must be popped by now.
    pub fn end_of_handlers(&mut self) {
        let scopes = self.frame().scopes.len();
        let open = |it: &Cleanup| it.scopes >= scopes;
        if self.current.cleanups.iter().any(open) {
            self.refuse("a cleanup handler that is not popped in its own block");
            self.current.cleanups.retain(|it| !open(it));
        }
    }

    /// Jumps to a label of the function; into a block that pushes handlers no jump leads.
    pub fn goto_label(&mut self, label: LabelId) {
        if !self.facts.pushing.is_empty() {
            let blocks = self.facts.label_blocks.get(&label).cloned().unwrap_or_default();
            let scopes = &self.frame().scopes;
            let outer = scopes.iter().take_while(|scope| scope.block.is_none()).count();
            let open: Vec<StmtId> = scopes.iter().skip(outer).filter_map(|scope| scope.block).collect();
            let common = open.iter().zip(&blocks).take_while(|(a, b)| a == b).count();
            self.leave_handlers(outer + common);
            if blocks[common..].iter().any(|block| self.facts.pushing.contains(block)) {
                self.refuse("a jump into a block that pushes a cleanup handler");
            }
        }
        self.jump_to(label);
    }
}
