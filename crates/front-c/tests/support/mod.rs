//! What the tests of the C reader share: reading a snippet, and writing its typed form as text with all
//! conversions spelled out.

#![allow(dead_code)]

use base::{Budget, Diagnostic, SourceMap};
use front_c::hir::*;
use front_c::types::{ArrayLength, DataModel, FloatKind, Qualified, Type, TypeId};
use front_c::{Failure, Options, Preprocessor, Reading, Source, read};

/// Reads files, given by name and text.
pub fn read_files(files: &[(&str, &str)], options: Options) -> (Result<Reading, Vec<Diagnostic>>, SourceMap) {
    let units =
        files.iter().map(|(name, text)| Source { name: (*name).into(), text: (*text).into() }).collect();
    let mut map = SourceMap::new();
    let options = Options { units, ..options };
    let result = match read(&options, &mut map, &Budget::unlimited()) {
        Ok(reading) => Ok(reading),
        Err(Failure::Diagnostics(found)) => Err(found),
        Err(Failure::Stopped(stop)) => panic!("stopped: {stop}"),
    };
    (result, map)
}

/// Reads one preprocessed text that must be right.
pub fn good(text: &str) -> Program {
    let (result, map) = read_files(&[("t.i", text)], Options::default());
    match result {
        Ok(reading) => reading.program,
        Err(found) => panic!("{:?}", describe(&found, &map)),
    }
}

/// Reads one preprocessed text for ILP32.
pub fn good_ilp32(text: &str) -> Program {
    let options = Options { model: Some(DataModel::Ilp32), ..Options::default() };
    read_files(&[("t.i", text)], options).0.expect("the text is right").program
}

/// Diagnostics as lines.
pub fn describe(found: &[Diagnostic], map: &SourceMap) -> Vec<String> {
    let line = |diagnostic: &Diagnostic| {
        let place = diagnostic.span.map_or("-".to_string(), |span| map.describe(span));
        format!("{place} {} {}", diagnostic.code, diagnostic.message)
    };
    found.iter().map(line).collect()
}

/// Preprocessing that never runs a compiler.
pub fn no_compiler() -> Preprocessor {
    Preprocessor { command: Some("/nonexistent/cc".into()), ..Preprocessor::default() }
}

/// Writes a program's parts.
pub struct Show<'a>(pub &'a Program);

impl Show<'_> {
    /// The body of a function, on one line.
    pub fn function(&self, name: &str) -> String {
        let function =
            self.0.functions.iter().find(|function| function.name == name && function.body.is_some());
        let body = function.and_then(|function| function.body.as_ref()).expect("the function is defined");
        self.stmt(body.block)
    }

    /// A global variable's type and initialiser.
    pub fn global(&self, name: &str) -> String {
        let variable =
            self.0.variables.iter().find(|variable| variable.name == name).expect("it is declared");
        let init = variable.init.as_ref().map_or(String::new(), |init| format!(" = {}", self.init(init)));
        format!("{}{init}", self.qualified(variable.ty))
    }

    pub fn init(&self, init: &Init) -> String {
        let mut parts: Vec<String> = vec![];
        for cell in &init.cells {
            let bits = cell.bits.map_or(String::new(), |bits| format!(":{}+{}", bits.start, bits.width));
            parts.push(format!("@{}{bits} {}", cell.offset, self.expr(cell.value)));
        }
        format!("{{{}{}}}", parts.join(", "), if init.zero { ", 0" } else { "" })
    }

    pub fn ty(&self, id: TypeId) -> String {
        match self.0.types.get(id) {
            Type::Void => "void".into(),
            Type::Int(kind) => kind.name().into(),
            Type::Float(FloatKind::Float) => "float".into(),
            Type::Float(FloatKind::Double) => "double".into(),
            Type::Float(_) => "long double".into(),
            Type::Complex(_) => "complex".into(),
            Type::Pointer(to) => format!("{}*", self.qualified(*to)),
            Type::Array { element, length } => {
                let length = match length {
                    ArrayLength::Known(length) => length.to_string(),
                    ArrayLength::Unknown => String::new(),
                    ArrayLength::Variable(_) => "?".into(),
                };
                format!("{}[{length}]", self.qualified(*element))
            }
            Type::Function(function) => {
                let parameters: Vec<String> =
                    function.parameters.iter().map(|ty| self.qualified(*ty)).collect();
                format!("{}({})", self.ty(function.result), parameters.join(","))
            }
            Type::Record(id) => self.0.types.records[*id].tag.clone().unwrap_or("record".into()),
            Type::Enum(id) => format!("enum {}", self.0.types.enums[*id].tag.clone().unwrap_or_default()),
            Type::Opaque(kind, _) => format!("{kind:?}"),
            Type::VaList => "va_list".into(),
            Type::Unsupported(it) => it.what.into(),
            Type::Error => "error".into(),
        }
    }

    fn qualified(&self, ty: Qualified) -> String {
        format!("{}{}", self.ty(ty.ty), if ty.qualifiers.is_atomic() { " atomic" } else { "" })
    }

    fn variable(&self, id: VarId) -> String {
        let name = &self.0.variables[id].name;
        if name.is_empty() { format!("{id:?}") } else { name.clone() }
    }

    pub fn place(&self, id: PlaceId) -> String {
        match &self.0.places[id].kind {
            PlaceKind::Variable(variable) => self.variable(*variable),
            PlaceKind::Deref(pointer) => format!("*{}", self.expr(*pointer)),
            PlaceKind::Index { array, index } => format!("{}[{}]", self.place(*array), self.expr(*index)),
            PlaceKind::Member { base, record, field } => {
                let fields = self.0.types.records[*record].fields.as_ref().expect("it has members");
                let name = fields[*field as usize].name.clone().unwrap_or("_".into());
                format!("{}.{name}", self.place(*base))
            }
            PlaceKind::String(string) => {
                let letters = &self.0.strings[*string].elements;
                let text: String =
                    letters[..letters.len() - 1].iter().filter_map(|&l| char::from_u32(l)).collect();
                format!("{text:?}")
            }
            PlaceKind::CompoundLiteral(variable) => {
                let variable = &self.0.variables[*variable];
                format!(
                    "({}){}",
                    self.qualified(variable.ty),
                    self.init(variable.init.as_ref().expect("initialised"))
                )
            }
            PlaceKind::Temporary(value) => self.expr(*value),
        }
    }

    pub fn expr(&self, id: ExprId) -> String {
        let node = &self.0.exprs[id];
        let e = |id: &ExprId| self.expr(*id);
        match &node.kind {
            ExprKind::Integer(value)
                if matches!(self.0.types.get(node.ty), Type::Int(front_c::types::IntKind::Int)) =>
            {
                value.to_string()
            }
            ExprKind::Integer(value) => format!("{value}:{}", self.ty(node.ty)),
            ExprKind::Float(value) => format!("{value:?}:{}", self.ty(node.ty)),
            ExprKind::AddressOf(place) => format!("&{}", self.place(*place)),
            ExprKind::FunctionAddress(function) => format!("&{}", self.0.functions[*function].name),
            ExprKind::LabelAddress(label) => {
                format!("&&{}", self.0.labels[*label].name.clone().unwrap_or_default())
            }
            ExprKind::Load(place) => self.place(*place),
            ExprKind::Decay(place) => format!("decay({})", self.place(*place)),
            ExprKind::Unary(UnaryOp::Negate, operand) => format!("-{}", e(operand)),
            ExprKind::Unary(UnaryOp::Complement, operand) => format!("~{}", e(operand)),
            ExprKind::Not(operand) => format!("!{}", e(operand)),
            ExprKind::Binary { op, left, right } => format!("({} {op:?} {})", e(left), e(right)),
            ExprKind::PointerAdd { pointer, index, subtract, element } => {
                format!(
                    "({} {} {} * {})",
                    e(pointer),
                    if *subtract { "-" } else { "+" },
                    e(index),
                    e(element)
                )
            }
            ExprKind::PointerDifference { left, right, element } => {
                format!("(({} - {}) / {})", e(left), e(right), e(element))
            }
            ExprKind::LogicalAnd(left, right) => format!("({} && {})", e(left), e(right)),
            ExprKind::LogicalOr(left, right) => format!("({} || {})", e(left), e(right)),
            ExprKind::Conditional { condition, then, otherwise } => {
                format!("({} ? {} : {})", e(condition), e(then), e(otherwise))
            }
            ExprKind::Elvis { value, cast, otherwise } => {
                format!("({} ?{cast:?}: {})", e(value), e(otherwise))
            }
            ExprKind::Comma(left, right) => format!("({}, {})", e(left), e(right)),
            ExprKind::Cast(kind, operand) => format!("{kind:?}<{}>({})", self.ty(node.ty), e(operand)),
            ExprKind::Assign { place, value } => format!("({} = {})", self.place(*place), e(value)),
            ExprKind::AssignOp { place, op, computation, value } => {
                format!("({} {op:?}= {} in {})", self.place(*place), e(value), self.ty(*computation))
            }
            ExprKind::AssignPointer { place, index, subtract, element } => {
                let op = if *subtract { "-=" } else { "+=" };
                format!("({} {op} {} * {})", self.place(*place), e(index), e(element))
            }
            ExprKind::Increment { place, decrement, postfix, .. } => {
                let op = if *decrement { "--" } else { "++" };
                let place = self.place(*place);
                if *postfix { format!("{place}{op}") } else { format!("{op}{place}") }
            }
            ExprKind::Call { callee, arguments } => {
                let callee = match callee {
                    Callee::Function(function) => self.0.functions[*function].name.clone(),
                    Callee::Pointer(pointer) => format!("(*{})", e(pointer)),
                };
                format!("{callee}({})", arguments.iter().map(e).collect::<Vec<_>>().join(", "))
            }
            ExprKind::Atomic(atomic) => {
                let parts: Vec<String> =
                    atomic.pointer.iter().chain(&atomic.operands).chain(&atomic.result).map(e).collect();
                format!("{:?}<{}>({})", atomic.op, self.ty(atomic.value), parts.join(", "))
            }
            ExprKind::Builtin { builtin, arguments } => {
                format!("{builtin:?}({})", arguments.iter().map(e).collect::<Vec<_>>().join(", "))
            }
            ExprKind::VaArg(place) => format!("va_arg<{}>({})", self.ty(node.ty), self.place(*place)),
            ExprKind::Statements { block, value } => {
                format!("({} {})", self.stmt(*block), value.as_ref().map_or(String::new(), e))
            }
            ExprKind::Refused(reason) => format!("refused<{}>({reason})", self.ty(node.ty)),
        }
    }

    pub fn stmt(&self, id: StmtId) -> String {
        let e = |id: &ExprId| self.expr(*id);
        let option = |id: &Option<ExprId>| id.as_ref().map_or(String::new(), e);
        let label = |id: &LabelId| self.0.labels[*id].name.clone().unwrap_or(format!("{id:?}"));
        match &self.0.stmts[id].kind {
            StmtKind::Empty => ";".into(),
            StmtKind::Block { statements, .. } => {
                let parts: Vec<String> = statements.iter().map(|id| self.stmt(*id)).collect();
                format!("{{ {} }}", parts.join(" "))
            }
            StmtKind::Declare(variable) => {
                let init = self.0.variables[*variable].init.as_ref();
                let init = init.map_or(String::new(), |init| format!(" = {}", self.init(init)));
                format!(
                    "{} {}{init};",
                    self.qualified(self.0.variables[*variable].ty),
                    self.variable(*variable)
                )
            }
            StmtKind::Expr(value) => format!("{};", e(value)),
            StmtKind::If { condition, then, otherwise } => {
                let otherwise = otherwise.map_or(String::new(), |id| format!(" else {}", self.stmt(id)));
                format!("if {} {}{otherwise}", e(condition), self.stmt(*then))
            }
            StmtKind::Switch { value, cases, default, body } => {
                let cases: Vec<String> = cases
                    .iter()
                    .map(|case| format!("{}..{}->{}", case.low, case.high, label(&case.label)))
                    .collect();
                let default = default.as_ref().map_or(String::new(), |id| format!(" default->{}", label(id)));
                format!("switch {} [{}{default}] {}", e(value), cases.join(" "), self.stmt(*body))
            }
            StmtKind::While { condition, body } => format!("while {} {}", e(condition), self.stmt(*body)),
            StmtKind::DoWhile { body, condition } => {
                format!("do {} while {}", self.stmt(*body), e(condition))
            }
            StmtKind::For { init, condition, step, body } => {
                format!("for {}; {}; {} {}", option(init), option(condition), option(step), self.stmt(*body))
            }
            StmtKind::Labelled { label: id, body } => format!("{}: {}", label(id), self.stmt(*body)),
            StmtKind::Goto(id) => format!("goto {};", label(id)),
            StmtKind::ComputedGoto(value) => format!("goto *{};", e(value)),
            StmtKind::Break => "break;".into(),
            StmtKind::Continue => "continue;".into(),
            StmtKind::Return(value) => format!("return {};", option(value)),
            StmtKind::Asm { empty, inputs, outputs } => {
                format!("asm {empty} {} {};", inputs.len(), outputs.len())
            }
            StmtKind::Refused(reason) => format!("refused({reason});"),
        }
    }
}
