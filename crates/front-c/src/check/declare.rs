//! Declarations of objects, functions and type names, and their linkage within and across units.

use base::Span;

use super::super::constructs::builtins;
use super::super::hir::{Function, FunctionId, Init, Storage, VarId, Variable};
use super::super::types::{ArrayLength, FunctionType, Qualified, Type, TypeId};
use super::Checker;
use super::library;
use super::scopes::Entity;

/// The storage class that a declaration writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum StorageClass {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// What a declaration says about one name.
#[derive(Clone, Debug)]
pub struct Declared<'a> {
    /// The name.
    pub name: &'a str,
    /// The type.
    pub ty: Qualified,
    /// The storage class.
    pub class: Option<StorageClass>,
    /// `_Thread_local`.
    pub thread_local: bool,
    /// An alignment asked for, or 0.
    pub align: u64,
    /// The asm label.
    pub label: Option<String>,
    /// The name's place.
    pub span: Span,
}

impl<'a> Declared<'a> {
    /// A declaration without anything special.
    pub fn new(name: &'a str, ty: Qualified, class: Option<StorageClass>, span: Span) -> Self {
        Self { name, ty, class, thread_local: false, align: 0, label: None, span }
    }
}

/// A definition of a function.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Whether it is `inline`.
    pub inline: bool,
    /// Whether it is weak.
    pub weak: bool,
    /// Its words.
    pub words: String,
}

/// Why a function is refused that units declare with different results.
const OTHER_RESULT: &str = "a function that another unit declares with another result";

impl Checker {
    /// `typedef T name;`.
    pub fn declare_typedef(&mut self, name: &str, ty: Qualified, span: Span) {
        let ty = self.library_type(name, ty);
        let before = self.scope().names.get(name).copied();
        match before {
            Some(Entity::Typedef(old)) if !self.compatible(old.ty, ty.ty) && !self.is_error(ty.ty) => {
                let (old, new) = (self.show(old.ty), self.show(ty.ty));
                let message = format!("the type `{name}` was `{old}` and is now `{new}`");
                self.error("E1120", span, message, "use another name");
            }
            Some(Entity::Variable(_) | Entity::Function(_) | Entity::Enumerator(..)) => {
                self.error(
                    "E1105",
                    span,
                    format!("`{name}` is declared already in this scope"),
                    "rename one of them",
                );
            }
            _ => {}
        }
        self.scope().names.insert(name.to_string(), Entity::Typedef(ty));
    }

    /// Library types are known by name, whatever the headers say they are.
    fn library_type(&mut self, name: &str, ty: Qualified) -> Qualified {
        if !self.at_file_scope() || matches!(self.ty(ty.ty), Type::Void | Type::Function(_) | Type::Error) {
            return ty;
        }
        if library::is_handle(name) {
            let long = self.int(super::super::types::IntKind::UnsignedLong);
            return Qualified { ty: long, ..ty };
        }
        match library::opaque(name) {
            Some(kind) if !matches!(self.ty(ty.ty), Type::Opaque(..)) => {
                Qualified { ty: self.program.types.intern(Type::Opaque(kind, ty.ty)), ..ty }
            }
            _ => ty,
        }
    }

    /// Declares an object; gives its variable. The initialiser comes later.
    pub fn declare_object(&mut self, declared: &Declared<'_>) -> VarId {
        if matches!(self.ty(declared.ty.ty), Type::Void) {
            self.error(
                "E1121",
                declared.span,
                format!("`{}` cannot have type `void`", declared.name),
                "give it another type",
            );
        }
        let external = declared.class == Some(StorageClass::Extern);
        if self.at_file_scope() || external {
            self.declare_linked(declared)
        } else {
            self.declare_local(declared)
        }
    }

    fn declare_local(&mut self, declared: &Declared<'_>) -> VarId {
        if let Some(Entity::Variable(_) | Entity::Typedef(_) | Entity::Enumerator(..)) =
            self.scope().names.get(declared.name)
        {
            let message = format!("`{}` is declared already in this scope", declared.name);
            self.error("E1105", declared.span, message, "rename one of them");
        }
        let storage = match declared.class {
            Some(StorageClass::Static) => Storage::Static,
            _ if declared.thread_local => Storage::Static,
            _ => Storage::Local,
        };
        let id = self.new_variable(declared, storage);
        self.program.variables[id].defined = true;
        self.scope().names.insert(declared.name.to_string(), Entity::Variable(id));
        self.note_local(id);
        id
    }

    /// Puts a new variable into the lists of its scope, its function and its program.
    pub fn note_local(&mut self, id: VarId) {
        if let Some(state) = &mut self.function {
            state.locals.push(id);
        }
        match self.program.variables[id].storage {
            Storage::Static | Storage::Global => self.program.statics.push(id),
            Storage::Local => self.scope().variables.push(id),
            Storage::Parameter => {}
        }
    }

    pub(super) fn new_variable(&mut self, declared: &Declared<'_>, storage: Storage) -> VarId {
        self.program.variables.push(Variable {
            name: declared.name.to_string(),
            ty: declared.ty,
            storage,
            thread_local: declared.thread_local,
            defined: false,
            init: None,
            function: self.function.as_ref().map(|state| state.id),
            address_taken: false,
            align: declared.align,
            cleanup: None,
            symbol: None,
            alias: None,
            weak: false,
            refused: None,
            unit: self.unit,
            span: declared.span,
        })
    }

    /// A variable without a name that the program can use: a compound literal, or a hidden size.
    pub fn hidden_variable(&mut self, name: &str, ty: Qualified, span: Span) -> VarId {
        let declared = Declared::new(name, ty, None, span);
        let local = self.function.is_some() || self.in_parameters > 0;
        let id = self.new_variable(&declared, if local { Storage::Local } else { Storage::Static });
        self.program.variables[id].defined = true;
        // What belongs to parameters is put into the function's body when that starts.
        if self.in_parameters == 0 {
            self.note_local(id);
        }
        id
    }

    /// A parameter.
    pub fn declare_parameter(&mut self, name: &str, ty: Qualified, span: Span) -> VarId {
        let declared = Declared::new(name, ty, None, span);
        let id = self.new_variable(&declared, Storage::Parameter);
        self.program.variables[id].defined = true;
        if !name.is_empty() {
            if self.scope().names.contains_key(name) {
                self.error("E1105", span, format!("there are two parameters `{name}`"), "rename one of them");
            }
            self.scope().names.insert(name.to_string(), Entity::Variable(id));
        }
        id
    }

    /// An object at file scope, or declared `extern` in a block.
    fn declare_linked(&mut self, declared: &Declared<'_>) -> VarId {
        let name = declared.name;
        let here = self.scopes.first().and_then(|scope| scope.names.get(name)).copied();
        let id = match here {
            Some(Entity::Variable(id)) if self.program.variables[id].function.is_none() => {
                self.merge_object(id, declared, true);
                id
            }
            Some(Entity::Function(_) | Entity::Enumerator(..) | Entity::Typedef(_))
                if self.at_file_scope() =>
            {
                let message = format!("`{name}` is declared already as something else");
                self.error("E1105", declared.span, message, "rename one of them");
                self.new_variable(declared, Storage::Global)
            }
            _ => self.first_object(declared),
        };
        if declared.class != Some(StorageClass::Extern) {
            self.program.variables[id].defined = true;
            self.definers.entry(id).or_default().insert(self.unit);
        }
        if self.at_file_scope() {
            self.scope().names.insert(name.to_string(), Entity::Variable(id));
        } else {
            // Declared in a block: the name is seen there, the object is the file's.
            self.scope().names.insert(name.to_string(), Entity::Variable(id));
            if here.is_none()
                && let Some(file) = self.scopes.first_mut()
            {
                file.names.entry(name.to_string()).or_insert(Entity::Variable(id));
            }
        }
        id
    }

    /// The first declaration of an object in this unit.
    fn first_object(&mut self, declared: &Declared<'_>) -> VarId {
        let internal = declared.class == Some(StorageClass::Static);
        let known = match self.externals.get(declared.name) {
            Some(Entity::Variable(id)) if !internal => Some(*id),
            _ => None,
        };
        if let Some(id) = known.filter(|id| self.is_one_object(*id, declared)) {
            self.merge_object(id, declared, false);
            return id;
        }
        let function = self.function.take();
        let id = self.new_variable(declared, if internal { Storage::Static } else { Storage::Global });
        self.function = function;
        self.program.statics.push(id);
        if !internal && (known.is_none() || declared.class != Some(StorageClass::Extern)) {
            self.externals.insert(declared.name.to_string(), Entity::Variable(id));
        }
        id
    }

    /// Whether a declaration can be merged with that of another unit. Where the types differ, each unit has
    /// its own, and the linker makes one object of them: the one that is defined.
    fn is_one_object(&self, id: VarId, declared: &Declared<'_>) -> bool {
        let variable = &self.program.variables[id];
        let both_defined = variable.defined && declared.class != Some(StorageClass::Extern);
        both_defined || self.compatible(variable.ty.ty, declared.ty.ty)
    }

    fn merge_object(&mut self, id: VarId, declared: &Declared<'_>, same_unit: bool) {
        let before = self.program.variables[id].ty;
        if !self.compatible(before.ty, declared.ty.ty) {
            let (old, new) = (self.show(before.ty), self.show(declared.ty.ty));
            let message = if same_unit {
                format!("`{}` was declared with type `{old}` and now has `{new}`", declared.name)
            } else {
                format!(
                    "`{}` is defined with type `{old}` in another file and here with `{new}`",
                    declared.name
                )
            };
            self.error("E1120", declared.span, message, "use one type in all declarations");
            if declared.class == Some(StorageClass::Extern) {
                return;
            }
        }
        let ty = self.composite(before.ty, declared.ty.ty);
        let variable = &mut self.program.variables[id];
        variable.ty = Qualified { ty, qualifiers: before.qualifiers.union(declared.ty.qualifiers) };
        variable.thread_local |= declared.thread_local;
        variable.align = variable.align.max(declared.align);
        if declared.class != Some(StorageClass::Extern) && !variable.defined {
            variable.span = declared.span;
        }
    }

    /// Gives a variable its initialiser; an array of unknown length gets the one of its initialiser.
    pub fn initialise(&mut self, id: VarId, init: Init, ty: TypeId, span: Span) {
        let variable = &mut self.program.variables[id];
        let twice = variable.init.is_some();
        variable.ty.ty = ty;
        variable.init = Some(init);
        variable.defined = true;
        let weak = variable.weak;
        self.definers.entry(id).or_default().insert(self.unit);
        let variable = &self.program.variables[id];
        if twice && !weak {
            let name = variable.name.clone();
            self.error("E1122", span, format!("`{name}` is defined twice"), "keep one initialiser");
        }
        let variable = &self.program.variables[id];
        if matches!(variable.storage, Storage::Global | Storage::Static) {
            let values: Vec<_> =
                variable.init.iter().flat_map(|init| &init.cells).map(|cell| cell.value).collect();
            if let Some(bad) = values.into_iter().find(|value| !self.is_static_constant(*value)) {
                let place = self.span_of(bad);
                self.error(
                    "E1123",
                    place,
                    "the initialiser of a static object is no constant",
                    "assign the value in a function",
                );
            }
        }
    }

    /// After a declaration: a local or defined object must have a complete type.
    pub fn check_complete(&mut self, id: VarId) {
        let variable = &self.program.variables[id];
        let (ty, span, storage) = (variable.ty.ty, variable.span, variable.storage);
        if !variable.defined || self.is_complete(ty) || matches!(self.ty(ty), Type::Void) {
            return;
        }
        // A tentative definition at file scope may be completed later in the file.
        if matches!(storage, Storage::Local | Storage::Parameter) {
            let message =
                format!("`{}` has the incomplete type `{}`", self.program.variables[id].name, self.show(ty));
            self.error("E1124", span, message, "define the type before the variable");
        }
    }

    /// At the end of a unit: tentative definitions of arrays of unknown length get one element.
    pub fn finish_unit(&mut self) {
        self.apply_names();
        for id in self.program.variables.ids().collect::<Vec<_>>() {
            let variable = &self.program.variables[id];
            if !variable.defined || !matches!(variable.storage, Storage::Global | Storage::Static) {
                continue;
            }
            if let Type::Array { element, length: ArrayLength::Unknown } = *self.ty(variable.ty.ty) {
                let one = Type::Array { element, length: ArrayLength::Known(1) };
                self.program.variables[id].ty.ty = self.program.types.intern(one);
            } else if !self.is_complete(variable.ty.ty) && !matches!(self.ty(variable.ty.ty), Type::Void) {
                let message =
                    format!("`{}` has the incomplete type `{}`", variable.name, self.show(variable.ty.ty));
                self.error("E1124", variable.span, message, "define the type before the variable");
            }
        }
    }

    /// Declares a function.
    pub fn declare_function(&mut self, declared: &Declared<'_>) -> FunctionId {
        let name = declared.name;
        let internal = declared.class == Some(StorageClass::Static);
        let here = self.scopes.first().and_then(|scope| scope.names.get(name)).copied();
        let id = match here {
            Some(Entity::Function(id)) => id,
            Some(Entity::Variable(_) | Entity::Enumerator(..) | Entity::Typedef(_))
                if self.at_file_scope() =>
            {
                let message = format!("`{name}` is declared already as something else");
                self.error("E1105", declared.span, message, "rename one of them");
                self.new_function(declared, internal)
            }
            _ => match self.externals.get(name).copied() {
                Some(Entity::Function(id)) if !internal => id,
                _ => self.new_function(declared, internal),
            },
        };
        self.merge_function(id, declared, matches!(here, Some(Entity::Function(_))));
        if !self.program.functions[id].internal {
            self.externals.entry(name.to_string()).or_insert(Entity::Function(id));
        }
        if here.is_none()
            && let Some(file) = self.scopes.first_mut()
        {
            file.names.insert(name.to_string(), Entity::Function(id));
        }
        self.scope().names.insert(name.to_string(), Entity::Function(id));
        id
    }

    fn new_function(&mut self, declared: &Declared<'_>, internal: bool) -> FunctionId {
        self.program.functions.push(Function {
            name: declared.name.to_string(),
            ty: declared.ty.ty,
            internal,
            body: None,
            noreturn: false,
            address_taken: false,
            implicit: false,
            alias: None,
            constructor: None,
            destructor: None,
            symbol: None,
            weak: false,
            gnu_inline: false,
            refused: None,
            unit: self.unit,
            library: self.in_library,
            definition_order: 0,
            span: declared.span,
        })
    }

    fn merge_function(&mut self, id: FunctionId, declared: &Declared<'_>, same_unit: bool) {
        let function = &self.program.functions[id];
        let (before, implicit) = (function.ty, function.implicit);
        if self.compatible(before, declared.ty.ty) {
            let ty = self.composite(before, declared.ty.ty);
            self.program.functions[id].ty = ty;
        } else if implicit || !same_unit {
            if !same_unit && self.gives_otherwise(id, declared.ty.ty) {
                self.program.functions[id].refused.get_or_insert(OTHER_RESULT.into());
                return;
            }
            // gcc only warns about a declaration after an implicit one.
            self.program.functions[id].ty = declared.ty.ty;
        } else if self.program.functions[id].refused.as_deref() == Some(OTHER_RESULT) {
            // The first declaration of this unit has said it.
            return;
        } else if builtins::signature(declared.name).is_none() {
            let (old, new) = (self.show(before), self.show(declared.ty.ty));
            let message = format!("`{}` was declared as `{old}` and is now `{new}`", declared.name);
            self.error("E1120", declared.span, message, "use one type in all declarations");
        }
        self.program.functions[id].implicit = false;
    }

    /// Whether a function that is defined returns what is of another class or size than a declaration says.
    fn gives_otherwise(&self, id: FunctionId, declared: TypeId) -> bool {
        let function = &self.program.functions[id];
        let types = &self.program.types;
        let result = |ty: TypeId| types.function(ty).map(|it| it.result);
        let (Some(one), Some(other)) = (result(function.ty), result(declared)) else { return false };
        let nothing = matches!(self.ty(one), Type::Void);
        let alike = types.size(one) == types.size(other) && types.float_kind(one) == types.float_kind(other);
        function.body.is_some() && !nothing && !alike
    }

    /// A function that is called but not declared: `int name()`, or what the compiler knows about it.
    pub fn implicit_function(&mut self, name: &str, span: Span) -> FunctionId {
        let function = self.known_type(name).unwrap_or(FunctionType {
            result: self.basic.int,
            parameters: vec![],
            variadic: false,
            prototype: false,
            noreturn: false,
        });
        let ty = Qualified::plain(self.program.types.intern(Type::Function(function)));
        let scopes = self.scopes.split_off(1.min(self.scopes.len()));
        let declared = Declared::new(name, ty, None, span);
        let known = self.externals.contains_key(name);
        let id = self.declare_function(&declared);
        if !known {
            self.program.functions[id].implicit = true;
        }
        self.scopes.extend(scopes);
        id
    }

    /// Whether the compiler knows a function by its name without a declaration.
    pub fn is_known_function(&self, name: &str) -> bool {
        builtins::signature(name).is_some()
    }

    /// The function that an operand names, for attributes such as `cleanup`.
    pub fn named_function(&mut self, name: &str) -> Option<FunctionId> {
        match self.lookup(name)? {
            Entity::Function(id) => Some(id),
            _ => None,
        }
    }
}
