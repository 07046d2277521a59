//! What a function's definition keeps track of: labels, loops and switches.

use std::collections::HashMap;

use base::Span;

use super::super::hir::{ExprId, FunctionId, Label, LabelId, StmtId, StmtKind, SwitchCase, VarId};
use super::super::types::TypeId;
use super::Checker;

/// A function while it is being defined.
#[derive(Debug)]
pub struct FunctionState {
    /// The function.
    pub id: FunctionId,
    /// What it returns.
    pub result: TypeId,
    /// All labels.
    pub labels: Vec<LabelId>,
    /// The labels whose address is taken.
    pub taken: Vec<LabelId>,
    /// All variables, parameters left out.
    pub locals: Vec<VarId>,
    /// The labels by name: those of the function, then those of blocks that declare their own (`__label__`).
    names: Vec<HashMap<String, NamedLabel>>,
    /// The loops and switches around the current statement.
    pub around: Vec<Around>,
}

#[derive(Clone, Copy, Debug)]
struct NamedLabel {
    id: LabelId,
    defined: bool,
    used: Span,
}

/// A loop or switch around a statement.
#[derive(Debug)]
pub enum Around {
    /// A loop.
    Loop,
    /// A switch.
    Switch(SwitchState),
}

/// A switch whose cases are being collected.
#[derive(Debug)]
pub struct SwitchState {
    ty: TypeId,
    cases: Vec<SwitchCase>,
    default: Option<LabelId>,
}

impl FunctionState {
    /// A function whose definition starts.
    pub fn new(id: FunctionId, result: TypeId) -> Self {
        let names = vec![HashMap::new()];
        Self { id, result, labels: vec![], taken: vec![], locals: vec![], names, around: vec![] }
    }
}

impl Checker {
    fn new_label(&mut self, name: Option<String>, span: Span) -> Option<LabelId> {
        let state = self.function.as_mut()?;
        let id = self.program.labels.push(Label { name, function: state.id, span });
        state.labels.push(id);
        Some(id)
    }

    /// Opens the labels of a block.
    pub fn enter_labels(&mut self) {
        if let Some(state) = &mut self.function {
            state.names.push(HashMap::new());
        }
    }

    /// Closes the labels of a block: each must have been defined.
    pub fn leave_labels(&mut self) {
        let names = self.function.as_mut().and_then(|state| state.names.pop()).unwrap_or_default();
        let mut missing: Vec<(String, Span)> = names
            .into_iter()
            .filter(|(_, label)| !label.defined)
            .map(|(name, label)| (name, label.used))
            .collect();
        missing.sort_by_key(|(_, span)| *span);
        for (name, span) in missing {
            self.error(
                "E1300",
                span,
                format!("the label `{name}` is used but not defined"),
                "define the label in this function",
            );
        }
    }

    /// `__label__ name;`.
    pub fn declare_label(&mut self, name: &str, span: Span) {
        if let Some(id) = self.new_label(Some(name.to_string()), span)
            && let Some(names) = self.function.as_mut().and_then(|state| state.names.last_mut())
        {
            // One that is never used need not be defined.
            names.insert(name.to_string(), NamedLabel { id, defined: true, used: span });
        }
    }

    /// The label of a name, where it is used.
    pub fn label(&mut self, name: &str, span: Span) -> Option<LabelId> {
        let known = self.function.as_ref()?.names.iter().rev().find_map(|names| names.get(name));
        if let Some(label) = known {
            return Some(label.id);
        }
        let id = self.new_label(Some(name.to_string()), span)?;
        let names = self.function.as_mut()?.names.first_mut()?;
        names.insert(name.to_string(), NamedLabel { id, defined: false, used: span });
        Some(id)
    }

    /// The label of a name, where it is defined.
    pub fn define_label(&mut self, name: &str, span: Span) -> Option<LabelId> {
        let id = self.label(name, span)?;
        self.program.labels[id].span = span;
        let names = &mut self.function.as_mut()?.names;
        let level = names.iter().rposition(|names| names.contains_key(name))?;
        let label = names[level].get_mut(name)?;
        let twice = label.defined && level == 0;
        label.defined = true;
        if twice {
            self.error("E1301", span, format!("the label `{name}` is defined twice"), "rename one of them");
        }
        Some(id)
    }

    /// Notes that a label's address is taken.
    pub fn take_label(&mut self, id: LabelId) {
        if let Some(state) = &mut self.function
            && !state.taken.contains(&id)
        {
            state.taken.push(id);
        }
    }

    /// Starts a loop's body.
    pub fn enter_loop(&mut self) {
        if let Some(state) = &mut self.function {
            state.around.push(Around::Loop);
        }
    }

    /// Starts a switch's body; `ty` is the promoted type of its value.
    pub fn enter_switch(&mut self, ty: TypeId) {
        if let Some(state) = &mut self.function {
            state.around.push(Around::Switch(SwitchState { ty, cases: vec![], default: None }));
        }
    }

    /// Ends a loop's or switch's body.
    pub fn leave_around(&mut self) -> Option<Around> {
        self.function.as_mut()?.around.pop()
    }

    /// Ends a switch.
    pub fn finish_switch(&mut self, value: ExprId, body: StmtId, span: Span) -> StmtId {
        let (cases, default) = match self.leave_around() {
            Some(Around::Switch(state)) => (state.cases, state.default),
            _ => (vec![], None),
        };
        self.check_cases(&cases);
        self.stmt(StmtKind::Switch { value, cases, default, body }, span)
    }

    fn check_cases(&mut self, cases: &[SwitchCase]) {
        let mut sorted: Vec<&SwitchCase> = cases.iter().collect();
        sorted.sort_by_key(|case| (case.low, case.label));
        let twice: Vec<Span> = sorted
            .windows(2)
            .filter(|pair| pair[0].high >= pair[1].low)
            .map(|pair| self.program.labels[pair[1].label].span)
            .collect();
        for span in twice {
            self.error("E1302", span, "this case is there already", "remove one of the cases");
        }
    }

    /// `case low:` and `case low ... high:`.
    pub fn case(&mut self, low: ExprId, high: Option<ExprId>, span: Span) -> Option<LabelId> {
        let ty = self.switch_state().map(|state| state.ty);
        let Some(ty) = ty else {
            self.error("E1303", span, "`case` outside of a switch", "put it into the body of a `switch`");
            return None;
        };
        let label = self.new_label(None, span)?;
        let (low, high) = (self.cast(low, ty), high.map(|high| self.cast(high, ty)));
        let (Some(low), Some(high)) = (self.constant(low), self.constant(high.unwrap_or(low))) else {
            self.error(
                "E1304",
                span,
                "the value of this case is no constant",
                "use an integer constant expression",
            );
            return Some(label);
        };
        if low <= high
            && let Some(state) = self.switch_state()
        {
            state.cases.push(SwitchCase { low, high, label });
        }
        Some(label)
    }

    /// `default:`.
    pub fn default_case(&mut self, span: Span) -> Option<LabelId> {
        let Some(before) = self.switch_state().map(|state| state.default) else {
            self.error("E1303", span, "`default` outside of a switch", "put it into the body of a `switch`");
            return None;
        };
        if before.is_some() {
            self.error("E1302", span, "this switch has a default already", "remove one of them");
        }
        let label = self.new_label(None, span)?;
        if let Some(state) = self.switch_state() {
            state.default = Some(label);
        }
        Some(label)
    }

    fn switch_state(&mut self) -> Option<&mut SwitchState> {
        let around = &mut self.function.as_mut()?.around;
        around.iter_mut().rev().find_map(|around| match around {
            Around::Switch(state) => Some(state),
            Around::Loop => None,
        })
    }

    /// `break` and `continue` must stand in a loop; `break` also in a switch.
    pub fn check_jump(&mut self, is_break: bool, span: Span) {
        let around = self.function.as_ref().map_or(&[][..], |state| &state.around);
        let fine = around.iter().any(|around| is_break || matches!(around, Around::Loop));
        if !fine {
            let word = if is_break { "break" } else { "continue" };
            self.error(
                "E1305",
                span,
                format!("`{word}` outside of a loop"),
                "remove it, or put it into a loop",
            );
        }
    }
}
