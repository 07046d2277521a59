//! What the functions and variables of one file need of other files: with that the files of a program are
//! found in a project. Only what a function itself names counts, so that a file which is needed for one small
//! function does not bring in all that its others need.

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, SourceMap, Stop};

use super::check::scopes::Entity;
use super::hir::{Callee, ExprId, ExprKind, FunctionId, PlaceId, PlaceKind, Program, Storage, VarId};
use super::normalise::{expr_parts, walk};
use super::{Failure, Options, STACK, library, parsed, unit};

/// What a file defines and needs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Symbols {
    /// What it defines for other files, by name, with the names that each definition leads to. Some are
    /// defined in the same file.
    pub defines: BTreeMap<String, BTreeSet<String>>,
    /// What runs before and after `main` leads to.
    pub always: BTreeSet<String>,
}

/// Reads one file, the first of the options, and says what it defines and needs. As for a program, the
/// headers of the system are a second try.
pub fn symbols(options: &Options, map: &mut SourceMap, budget: &Budget) -> Result<Symbols, Failure> {
    base::stack::run(STACK, || match read(options, map, budget) {
        Err(Failure::Diagnostics(_)) if unit::includes_ours(options) => {
            let mut again = options.clone();
            again.preprocessor.system_headers = true;
            read(&again, map, budget)
        }
        first => first,
    })?
}

fn read(options: &Options, map: &mut SourceMap, budget: &Budget) -> Result<Symbols, Failure> {
    let (checker, _) = parsed(options, map, budget)?;
    let program = checker.program;
    checker.report.finish()?;
    Ok(found(&program, budget)?)
}

fn found(program: &Program, budget: &Budget) -> Result<Symbols, Stop> {
    let mut symbols = Symbols::default();
    for (id, variable) in program.variables.enumerate() {
        if variable.storage == Storage::Global && variable.defined {
            let needs = needs(program, Entity::Variable(id), budget)?;
            symbols.defines.insert(name_of(program, Entity::Variable(id)), needs);
        }
    }
    for (id, function) in program.functions.enumerate() {
        let defined = function.body.is_some() || function.alias.is_some();
        if !defined {
            continue;
        }
        let entity = Entity::Function(id);
        if function.constructor.is_some() || function.destructor.is_some() {
            symbols.always.extend(needs(program, entity, budget)?);
        }
        if !function.internal {
            symbols.defines.insert(name_of(program, entity), needs(program, entity, budget)?);
        }
    }
    Ok(symbols)
}

/// The names to which a definition leads, through what only its own file can name.
fn needs(program: &Program, of: Entity, budget: &Budget) -> Result<BTreeSet<String>, Stop> {
    let mut names = BTreeSet::new();
    let mut seen: BTreeSet<Node> = BTreeSet::new();
    let mut open = vec![of];
    while let Some(entity) = open.pop() {
        let mut uses = Uses::default();
        match entity {
            Entity::Function(id) => uses.of_function(program, id),
            Entity::Variable(id) => uses.of_variable(program, id),
            Entity::Typedef(_) | Entity::Enumerator(..) => {}
        }
        budget.spend(1 + uses.seen.len() as u64)?;
        names.extend(uses.aliases);
        for node in uses.nodes {
            if !seen.insert(node) {
                continue;
            }
            let (entity, internal) = match node {
                Node::Function(id) => (Entity::Function(id), program.functions[id].internal),
                Node::Variable(id) => {
                    (Entity::Variable(id), program.variables[id].storage == Storage::Static)
                }
            };
            if internal {
                open.push(entity);
            } else {
                let name = name_of(program, entity);
                if !library::is_known(&name) {
                    names.insert(name);
                }
            }
        }
    }
    Ok(names)
}

/// The name by which other files know something.
fn name_of(program: &Program, entity: Entity) -> String {
    let (symbol, name) = match entity {
        Entity::Function(id) => (&program.functions[id].symbol, &program.functions[id].name),
        Entity::Variable(id) => (&program.variables[id].symbol, &program.variables[id].name),
        Entity::Typedef(_) | Entity::Enumerator(..) => return String::new(),
    };
    symbol.clone().unwrap_or_else(|| name.clone())
}

/// A function, or a variable that lives as long as the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Function(FunctionId),
    Variable(VarId),
}

/// What a definition names.
#[derive(Default)]
struct Uses {
    nodes: BTreeSet<Node>,
    aliases: Vec<String>,
    seen: BTreeSet<ExprId>,
}

impl Uses {
    fn of_function(&mut self, program: &Program, id: FunctionId) {
        let function = &program.functions[id];
        self.aliases.extend(function.alias.clone());
        let Some(body) = &function.body else { return };
        let walk = walk(program, body.block);
        self.exprs(program, walk.exprs);
        walk.outputs.into_iter().for_each(|place| self.place(program, place));
    }

    fn of_variable(&mut self, program: &Program, id: VarId) {
        let variable = &program.variables[id];
        self.aliases.extend(variable.alias.clone());
        let cells = variable.init.iter().flat_map(|init| &init.cells);
        self.exprs(program, cells.map(|cell| cell.value).collect());
    }

    fn exprs(&mut self, program: &Program, mut open: Vec<ExprId>) {
        while let Some(id) = open.pop() {
            if self.seen.insert(id) {
                self.expr(program, id);
                open.extend(expr_parts(program, id));
            }
        }
    }

    fn expr(&mut self, program: &Program, id: ExprId) {
        match &program.exprs[id].kind {
            ExprKind::Call { callee: Callee::Function(function), .. }
            | ExprKind::FunctionAddress(function) => {
                self.nodes.insert(Node::Function(*function));
            }
            ExprKind::AddressOf(place)
            | ExprKind::Load(place)
            | ExprKind::Decay(place)
            | ExprKind::VaArg(place)
            | ExprKind::Assign { place, .. }
            | ExprKind::AssignOp { place, .. }
            | ExprKind::AssignPointer { place, .. }
            | ExprKind::Increment { place, .. } => self.place(program, *place),
            _ => {}
        }
    }

    /// The variable that a place is a part of; what it is computed from is a part of the expression.
    fn place(&mut self, program: &Program, place: PlaceId) {
        let mut place = place;
        loop {
            match program.places[place].kind {
                PlaceKind::Index { array, .. } => place = array,
                PlaceKind::Member { base, .. } => place = base,
                PlaceKind::Variable(id) => {
                    if matches!(program.variables[id].storage, Storage::Global | Storage::Static) {
                        self.nodes.insert(Node::Variable(id));
                    }
                    return;
                }
                PlaceKind::Deref(_)
                | PlaceKind::Temporary(_)
                | PlaceKind::String(_)
                | PlaceKind::CompoundLiteral(_) => return,
            }
        }
    }
}
