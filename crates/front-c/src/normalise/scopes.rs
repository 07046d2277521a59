//! Blocks: their objects begin where the block is entered and end on every way out of it, by jumps too.

use ::c::{LocalId, Op, Type as Scalar};

use super::super::hir::{self, LabelId, StmtId, StmtKind, VarId};
use super::Normaliser;
use super::code::Label;
use super::context::{Binding, Scope};

impl Normaliser<'_> {
    /// Enters a block.
    pub fn enter_block(&mut self, block: StmtId) {
        let StmtKind::Block { variables, .. } = &self.hir.stmts[block].kind else {
            return self.frame().scopes.push(Scope { block: None, variables: vec![] });
        };
        self.open(Some(block), variables);
    }

    /// Opens a scope with variables.
    pub fn open(&mut self, block: Option<StmtId>, variables: &[VarId]) {
        self.begin_life(variables);
        self.frame().scopes.push(Scope { block, variables: variables.to_vec() });
    }

    /// Enters the block of parameters, the first of which have their values.
    pub fn open_with(&mut self, mut given: Vec<VarId>, others: Vec<VarId>) {
        self.begin_life(&others);
        given.extend(others);
        self.frame().scopes.push(Scope { block: None, variables: given });
    }

    fn begin_life(&mut self, variables: &[VarId]) {
        for &variable in variables {
            // What stands for a handler has no value.
            if self.hir.variables[variable].cleanup.is_some() {
                continue;
            }
            match self.bind_local(variable) {
                Binding::Object(object) if self.is_own(object) => self.emit(Op::Enter(object)),
                // A jump may pass the declaration, which would otherwise choose the value.
                Binding::Register(local) if self.has_labels() => self.emit(Op::any(local)),
                // The block may be left before the array is declared.
                Binding::Pointed(local) => self.forget_array(local),
                _ => {}
            }
        }
    }

    /// Begins the life of a variable in a block that was entered already.
    pub fn begin_late(&mut self, variable: VarId) {
        self.begin_life(&[variable]);
        if let Some(scope) = self.frame().scopes.last_mut() {
            scope.variables.push(variable);
        }
    }

    fn is_own(&self, object: ::c::ObjectId) -> bool {
        matches!(self.pool.draft().objects()[object].scope, ::c::ObjectScope::Procedure(_))
    }

    fn has_labels(&mut self) -> bool {
        let function = self.frame().function;
        let body = function.and_then(|function| self.hir.functions[function].body.as_ref());
        body.is_none_or(|body| !body.labels.is_empty())
    }

    /// Leaves the innermost block.
    pub fn leave_block(&mut self) {
        let open = self.frame().scopes.len();
        self.end_lives(open.saturating_sub(1));
        self.frame().scopes.pop();
    }

    /// Ends the lives of everything in the scopes from `keep` on, innermost first. The scopes stay open for
    /// the code that follows in the text.
    pub fn end_lives(&mut self, keep: usize) {
        let scopes: Vec<Scope> = self.frame().scopes[keep..].to_vec();
        for scope in scopes.iter().rev() {
            for &variable in scope.variables.iter().rev() {
                self.end_life(variable);
            }
        }
    }

    fn end_life(&mut self, variable: VarId) {
        if let Some(call) = self.hir.variables[variable].cleanup {
            return self.full_expression(call);
        }
        match self.frame().env.get(&variable).copied() {
            Some(Binding::Object(object)) if self.is_own(object) => self.emit(Op::Leave(object)),
            Some(Binding::Pointed(local)) => self.end_array(local),
            _ => {}
        }
    }

    fn end_array(&mut self, local: LocalId) {
        let pointer = self.pool.read(local);
        self.emit(Op::Free { pointer, automatic: true });
    }

    fn forget_array(&mut self, local: LocalId) {
        let value = self.number(Scalar::Pointer, 0);
        self.emit(Op::Assign { local, value });
    }

    /// A jump back to before the declaration of a variable-length array leaves its scope, though not its
    /// block (C11 6.2.4).
    fn end_later_arrays(&mut self, label: LabelId, keep: usize) {
        let frame = self.frame();
        let Some(&declared) = frame.placed.get(&label) else { return };
        let later = frame.arrays[declared..].iter().rev();
        let in_scope =
            |variable: &&VarId| frame.scopes[..keep].iter().any(|it| it.variables.contains(variable));
        let ending: Vec<VarId> = later.filter(in_scope).copied().collect();
        for variable in ending {
            if let Binding::Pointed(local) = self.bind_local(variable) {
                self.end_array(local);
                self.forget_array(local);
            }
        }
    }

    /// Jumps to a label of the function: leaves and enters blocks on the way.
    pub fn jump_to(&mut self, label: LabelId) {
        let blocks = self.facts.label_blocks.get(&label).cloned().unwrap_or_default();
        let frame = self.frame();
        // Scopes that are no blocks (the parameters) stay open.
        let outer = frame.scopes.iter().take_while(|scope| scope.block.is_none()).count();
        let open: Vec<StmtId> = frame.scopes.iter().skip(outer).filter_map(|scope| scope.block).collect();
        let common = open.iter().zip(&blocks).take_while(|(a, b)| a == b).count();
        self.end_lives(outer + common);
        self.end_later_arrays(label, outer + common);
        for &block in &blocks[common.min(blocks.len())..] {
            if let StmtKind::Block { variables, .. } = &self.hir.stmts[block].kind {
                self.begin_life(variables);
            }
        }
        let target = self.label_of(label);
        self.goto(target);
    }

    /// Control comes to a label of the function.
    pub fn come_to(&mut self, label: LabelId) {
        let place = self.label_of(label);
        self.place_label(place);
        let frame = self.frame();
        frame.placed.insert(label, frame.arrays.len());
    }

    /// Whether a jump back may come to this place again although the innermost block is not left.
    pub fn is_reached_again(&mut self) -> bool {
        let (facts, labels) = (&self.facts, &self.hir.labels);
        let frame = &self.current.frame;
        let Some(block) = frame.scopes.last().and_then(|scope| scope.block) else { return false };
        let inside = |label: &LabelId| facts.label_blocks.get(label).is_some_and(|it| it.contains(&block));
        // A case is come to by entering the block.
        frame.placed.keys().any(|label| labels[*label].name.is_some() && inside(label))
    }

    /// Where a label of the function is.
    pub fn label_of(&mut self, label: LabelId) -> Label {
        if let Some(&known) = self.frame().labels.get(&label) {
            return known;
        }
        let made = self.label();
        self.frame().labels.insert(label, made);
        made
    }

    /// The statements of a block that is open.
    pub fn block_statements(&mut self, block: StmtId) {
        match &self.hir.stmts[block].kind {
            hir::StmtKind::Block { statements, .. } => {
                for &statement in statements {
                    self.statement(statement);
                }
            }
            _ => self.statement(block),
        }
    }
}
