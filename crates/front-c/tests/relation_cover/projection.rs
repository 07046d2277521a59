//! What the machine has in the variables of a relation.

use super::Walk;
use ::c::{
    CellRef, CellType, Extended, Fragment, Hold, InstanceId, Loc, LocalId, ObjectId, ObjectScope, Op, Place,
    Program, State, Thread, ThreadId, Value, mask,
};
use base::Id;
use relation::{Home, Numbers, Relation};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// What a variable stands for.
#[derive(Clone, Debug)]
enum Meaning {
    Register,
    Cell(ObjectId, u32),
    /// Something about a synchronisation object.
    Sync(ObjectId, u32, &'static str),
    Address(ObjectId),
    Birth,
    Ended(u32),
    Result(u32),
    Section,
    Choice,
}

pub struct Projection<'a> {
    program: &'a Program,
    relation: &'a Relation,
    numbers: Numbers,
    meanings: Rc<[Meaning]>,
    /// The numbers of the places where threads are created that are told apart.
    by_place: Rc<BTreeMap<String, u32>>,
    /// The numbers of threads that are told apart.
    births: BTreeMap<ThreadId, u32>,
    known: u32,
}

const PARTS: [&str; 8] = ["taken", "mine", "kind", "writer", "writes", "reads", "value", "once"];

impl<'a> Projection<'a> {
    /// What it is as long as there is the first thread alone.
    pub fn new(program: &'a Program, relation: &'a Relation) -> Self {
        let mut names: HashMap<String, Meaning> = HashMap::new();
        for (id, object) in program.objects().enumerate() {
            let layout = &program.layouts()[object.layout];
            for cell in 0..(object.count * layout.cells.len() as u64).min(1 << 16) {
                let (element, position) =
                    (cell / layout.cells.len() as u64, cell as usize % layout.cells.len());
                let index = if object.count > 1 { format!("[{element}]") } else { String::new() };
                let name = format!("{}{index}{}", object.name, layout.cells[position].name);
                if let CellType::Sync(..) = layout.cells[position].ty {
                    for part in PARTS {
                        names.insert(format!("{name}.{part}"), Meaning::Sync(id, cell as u32, part));
                    }
                }
                names.insert(name, Meaning::Cell(id, cell as u32));
            }
            names.insert(format!("&{}", object.name), Meaning::Address(id));
        }
        let mut known = 0;
        let mut by_place = BTreeMap::new();
        let meanings = relation.variables.enumerate().map(|(id, variable)| {
            if id.index() < program.locals().len() {
                return Meaning::Register;
            }
            if let Some(place) = variable.name.strip_prefix("ended@") {
                by_place.insert(place.to_string(), known);
                known += 1;
                return Meaning::Ended(known - 1);
            }
            match variable.name.as_str() {
                _ if variable.home == Home::Choice => Meaning::Choice,
                name if name.starts_with("result@") => Meaning::Result(known - 1),
                "birth" => Meaning::Birth,
                "section" => Meaning::Section,
                name => names.get(name).unwrap_or_else(|| panic!("no variable is called {name}")).clone(),
            }
        });
        let meanings = meanings.collect();
        let numbers = Numbers::of(program).expect("there is a relation");
        let by_place = Rc::new(by_place);
        let births = BTreeMap::from([(0, 0)]);
        Projection { program, relation, numbers, meanings, by_place, births, known }
    }

    /// What it is with these threads, too.
    pub fn of_threads(&self, born: &BTreeMap<ThreadId, Loc>) -> Self {
        let number = |at: &Loc| self.by_place.get(&format!("{at:?}")).copied();
        let births = born.iter().filter_map(|(&id, at)| Some((id, number(at)?))).chain([(0, 0)]).collect();
        let (meanings, by_place) = (self.meanings.clone(), self.by_place.clone());
        Projection { births, meanings, by_place, ..*self }
    }

    fn number(&self, value: Value, width: u8) -> Option<u128> {
        let number = match value {
            Value::Bits(bits) => bits,
            Value::Undetermined | Value::Split => return None,
            Value::Part(Fragment { extended: Extended::Signs, .. }) => return None,
            Value::Part(part) => {
                let whole = self.number(part.of.value(), self.program.pointer_bits())?;
                whole >> (8 * part.first) & mask(8 * part.bytes)
            }
            Value::Thread(id) => {
                let number = self
                    .births
                    .get(&id)
                    .map_or(u128::from(self.known) + 1 + u128::from(id), |&it| u128::from(it));
                self.numbers.handles + number
            }
            Value::Address { instance, offset } => {
                let declared = instance.index() < self.program.objects().len();
                let start = if declared {
                    self.numbers.address(ObjectId::from_index(instance.index()), 0)
                } else {
                    self.numbers.others + ((instance.index() as u128) << 12)
                };
                start.wrapping_add(offset as i128 as u128)
            }
        };
        Some(number & mask(width))
    }

    /// The value of a variable for a thread in a state; `None` if it is not determined.
    pub fn value(&self, variable: LocalId, state: &State, id: ThreadId) -> Option<u128> {
        let width = self.relation.variables[variable].ty.bits(self.program.pointer_bits());
        let thread = state.threads.get(&id);
        match self.meanings[variable.index()] {
            Meaning::Register => self.number(thread?.get(self.program, variable), width),
            Meaning::Cell(object, cell) => {
                let instance = self.instance(thread, object)?;
                self.number(state.memory.read(CellRef { instance, cell }), width)
            }
            Meaning::Sync(object, cell, part) => {
                let lock = CellRef { instance: InstanceId::from_index(object.index()), cell };
                sync(state, thread, lock, part)
            }
            Meaning::Address(object) => {
                let instance = self.instance(thread, object)?;
                self.number(Value::Address { instance, offset: 0 }, width)
            }
            Meaning::Birth => Some(u128::from(self.births.get(&id).copied().unwrap_or(self.known))),
            Meaning::Ended(number) => Some(u128::from(self.ended(state, number).is_some())),
            Meaning::Result(number) => match self.ended(state, number) {
                Some(id) => state.ended.get(&id).and_then(|&value| self.number(value, width)),
                None => Some(0),
            },
            Meaning::Section => Some(u128::from(state.threads.values().any(|thread| thread.section))),
            Meaning::Choice => None,
        }
    }

    /// The thread with a number, if it has ended.
    fn ended(&self, state: &State, number: u32) -> Option<ThreadId> {
        let (&id, _) = self.births.iter().find(|(_, it)| **it == number)?;
        (id < state.next && !state.threads.contains_key(&id)).then_some(id)
    }

    fn instance(&self, thread: Option<&Thread>, object: ObjectId) -> Option<InstanceId> {
        let own = match self.program.objects()[object].scope {
            ObjectScope::Static => return Some(InstanceId::from_index(object.index())),
            ObjectScope::Thread => &thread?.objects,
            ObjectScope::Procedure(_) => &thread?.top().objects,
        };
        own.iter().find(|(id, _)| *id == object).map(|&(_, instance)| instance)
    }

    /// The sizes of the elements that steps find by index.
    fn strides(&self, walk: &Walk, segment: &[usize]) -> BTreeSet<u128> {
        let steps = segment.iter().filter_map(|&at| walk.steps.get(at));
        let accesses = steps.flat_map(|step| self.program.effects(step.at).accesses);
        let places = accesses.filter_map(|access| access.region.place());
        let indexed = places.filter_map(|place| match place {
            Place::Indexed { object, .. } => Some(self.program.objects()[object].layout),
            _ => None,
        });
        indexed.map(|layout| u128::from(self.program.layouts()[layout].stride)).collect()
    }

    /// Numbers that the steps of a thread had to do with: what its choices may have been.
    pub fn seen(&self, walk: &Walk, segment: &[usize], id: ThreadId) -> Vec<u128> {
        let mut found = vec![0, 1, self.numbers.others, self.numbers.handles + u128::from(self.known) + 1];
        for &at in segment {
            let Some(step) = walk.steps.get(at) else { continue };
            found.extend(step.choice.value);
            let after = &walk.states[at + 1];
            let Some(thread) = after.threads.get(&id) else { continue };
            for local in self.program.at(step.at).op.writes() {
                found.extend(self.number(thread.get(self.program, local), 128));
            }
            if let Op::Enter(object) = self.program.at(step.at).op
                && let Some(instance) = self.instance(Some(thread), object)
            {
                found.extend(self.number(Value::Address { instance, offset: 0 }, 128));
            }
        }
        // A number that is an index may be known as bytes.
        for stride in self.strides(walk, segment) {
            let bytes: Vec<u128> = found.iter().map(|number| number.wrapping_mul(stride)).collect();
            found.extend(bytes);
        }
        found.sort();
        found.dedup();
        found
    }
}

/// Something about a synchronisation object.
fn sync(state: &State, thread: Option<&Thread>, lock: CellRef, part: &str) -> Option<u128> {
    let held = thread.and_then(|thread| thread.hold(lock));
    match part {
        "mine" => Some(match held {
            Some(Hold::Mutex(times)) => u128::from(times.min(255)),
            _ => 0,
        }),
        "writes" => Some(u128::from(matches!(held, Some(Hold::Writer)))),
        "reads" => Some(match held {
            Some(Hold::Reader(times)) => u128::from(times.min(255)),
            _ => 0,
        }),
        _ => {
            let number = state.memory.read(lock).bits()?;
            Some(match part {
                "taken" | "writer" => number & 1,
                "kind" => number >> 1,
                _ => number,
            })
        }
    }
}
