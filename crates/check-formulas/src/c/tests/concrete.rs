//! Relations by enumeration: what states there are, what follows each, and what a proof says about them.
//! Written from the definition, with nothing of the checker.

use ::c::{Evaluator, ExprId, Exprs, LocalId, Node, ProcId, Value};
use base::{Id, SourceMap};
use relation::proof::{Column, Proof, Table};
use relation::{Command, ControlId, Home, Outcome, Relation};
use std::collections::{BTreeSet, HashMap};

/// The values of all variables; those that a thread does not have are 0.
pub type Values = Vec<u128>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ThreadState {
    pub control: ControlId,
    pub values: Values,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GlobalState {
    pub shared: Values,
    /// In order: threads have no names.
    pub threads: Vec<ThreadState>,
}

/// A failing or refused command is possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fails;

/// The evaluator of the machine, for operators on numbers.
pub fn evaluator() -> Evaluator {
    let text = "pointer 64\nprocedure main\nmain main\nbody main () {\n  halt\n}\n";
    let file = SourceMap::new().add("empty", text);
    Evaluator::new(&::c::text::parse(text, file).expect("the text is a program"))
}

/// The value of an operator on the values of its operands; what is undefined is 0.
pub fn apply(evaluator: &Evaluator, exprs: &Exprs, node: Node, operands: &[u128]) -> u128 {
    let number = |result: Result<Value, _>| match result {
        Ok(Value::Bits(bits)) => bits,
        _ => 0,
    };
    match (node, operands) {
        (Node::Const(_, value), _) => value,
        (Node::Unary(op, e), &[a]) => number(evaluator.unary(op, exprs.ty(e), Value::Bits(a))),
        (Node::Binary(op, e, _), &[a, b]) => {
            number(evaluator.binary(op, exprs.ty(e), Value::Bits(a), Value::Bits(b)))
        }
        (Node::Convert(op, to, e), &[a]) => number(evaluator.convert(op, exprs.ty(e), to, Value::Bits(a))),
        (Node::Ite(..), &[test, then, other]) => {
            if test != 0 {
                then
            } else {
                other
            }
        }
        _ => panic!("no value of {node:?}"),
    }
}

/// A relation, and the expressions of proofs about it.
pub struct Concrete<'a> {
    pub relation: &'a Relation,
    evaluator: Evaluator,
}

/// The values that an expression reads.
#[derive(Clone, Copy)]
struct Seen<'a> {
    shared: &'a Values,
    thread: &'a Values,
    choices: &'a Values,
}

impl<'a> Concrete<'a> {
    pub fn new(relation: &'a Relation) -> Self {
        Self { relation, evaluator: evaluator() }
    }

    fn value(&self, exprs: &Exprs, root: ExprId, seen: Seen<'_>) -> u128 {
        let mut known: HashMap<ExprId, u128> = HashMap::new();
        for id in exprs.below(root) {
            let value = match exprs.node(id) {
                Node::Local(variable, _) => self.read(variable, seen),
                node => {
                    let operands: Vec<u128> = node.children().map(|child| known[&child]).collect();
                    apply(&self.evaluator, exprs, node, &operands)
                }
            };
            known.insert(id, value);
        }
        known[&root]
    }

    fn read(&self, variable: LocalId, seen: Seen<'_>) -> u128 {
        let values = match self.relation.variables[variable].home {
            Home::Shared => seen.shared,
            Home::Thread | Home::Template(_) => seen.thread,
            Home::Choice => seen.choices,
        };
        values[variable.index()]
    }

    /// The variables that a thread of the template has.
    fn of_thread(&self, template: ProcId) -> Vec<LocalId> {
        let has = |home: Home| home == Home::Thread || home == Home::Template(template);
        self.relation.variables.enumerate().filter(|(_, it)| has(it.home)).map(|(id, _)| id).collect()
    }

    fn of_home(&self, home: Home) -> Vec<LocalId> {
        self.relation.variables.enumerate().filter(|(_, it)| it.home == home).map(|(id, _)| id).collect()
    }

    /// The values with all combinations for these variables.
    fn free(&self, start: Values, variables: &[LocalId]) -> Vec<Values> {
        let mut all = vec![start];
        for &variable in variables {
            let bits = self.relation.variables[variable].ty.bits(64);
            let with = |values: &Values, value: u128| {
                let mut values = values.clone();
                values[variable.index()] = value;
                values
            };
            all = all.iter().flat_map(|it| (0..1u128 << bits).map(move |value| with(it, value))).collect();
        }
        all
    }

    fn zeros(&self) -> Values {
        vec![0; self.relation.variables.len()]
    }

    /// The states of a thread that begins at a control location with these values, if given.
    fn beginnings(&self, entry: ControlId, given: &[(LocalId, u128)]) -> Vec<ThreadState> {
        let control = &self.relation.controls[entry];
        let mut values = self.zeros();
        let mut any = vec![];
        for variable in self.of_thread(control.template) {
            let given = given.iter().find(|it| it.0 == variable).map(|it| it.1);
            match given.or(self.relation.variables[variable].initial) {
                Some(value) if control.live.contains(&variable) => values[variable.index()] = value,
                _ => any.push(variable),
            }
        }
        self.free(values, &any).into_iter().map(|values| ThreadState { control: entry, values }).collect()
    }

    /// All valuations of the shared variables.
    pub fn all_shared(&self) -> Vec<Values> {
        self.free(self.zeros(), &self.of_home(Home::Shared))
    }

    /// All states of a thread at a control location.
    pub fn all_threads(&self, control: ControlId) -> Vec<ThreadState> {
        let variables = self.of_thread(self.relation.controls[control].template);
        let all = self.free(self.zeros(), &variables).into_iter();
        all.map(|values| ThreadState { control, values }).collect()
    }

    pub fn starts(&self) -> Vec<GlobalState> {
        let mut shared = self.zeros();
        let mut any = vec![];
        for variable in self.of_home(Home::Shared) {
            match self.relation.variables[variable].initial {
                Some(value) => shared[variable.index()] = value,
                None => any.push(variable),
            }
        }
        let threads = self.beginnings(self.relation.start, &[]);
        let shared = self.free(shared, &any);
        let with = |shared: &Values, thread: &ThreadState| GlobalState {
            shared: shared.clone(),
            threads: vec![thread.clone()],
        };
        shared.iter().flat_map(|shared| threads.iter().map(move |it| with(shared, it))).collect()
    }

    /// What follows a state in one step.
    pub fn successors(&self, state: &GlobalState) -> Result<Vec<GlobalState>, Fails> {
        let mut found = vec![];
        for (at, thread) in state.threads.iter().enumerate() {
            for command in self.relation.commands.iter().filter(|it| it.from == thread.control) {
                for choices in self.free(self.zeros(), &command.choices) {
                    self.step(state, at, &Chosen { command, choices: &choices }, &mut found)?;
                }
            }
        }
        Ok(found)
    }

    fn step(
        &self,
        state: &GlobalState,
        at: usize,
        chosen: &Chosen<'_>,
        found: &mut Vec<GlobalState>,
    ) -> Result<(), Fails> {
        let Chosen { command, choices } = *chosen;
        let exprs = &self.relation.exprs;
        let seen = Seen { shared: &state.shared, thread: &state.threads[at].values, choices };
        let mut others = state.threads.clone();
        others.remove(at);
        let allows = |other: &ThreadState| {
            let seen = Seen { thread: &other.values, ..seen };
            command.others.is_none_or(|condition| self.value(exprs, condition, seen) != 0)
        };
        if self.value(exprs, command.guard, seen) == 0 || !others.iter().all(allows) {
            return Ok(());
        }
        let (mut shared, mut own) = (state.shared.clone(), seen.thread.clone());
        for update in &command.updates {
            let is_shared = self.relation.variables[update.variable].home == Home::Shared;
            let values = if is_shared { &mut shared } else { &mut own };
            values[update.variable.index()] = self.value(exprs, update.value, seen);
        }
        let arrivals: Vec<Option<ThreadState>> = match command.outcome {
            Outcome::Fail(_) | Outcome::Refuse(_) => return Err(Fails),
            Outcome::Halt => return Ok(()),
            Outcome::End => vec![None],
            Outcome::Go(to) => {
                let mut dead = self.of_thread(self.relation.controls[to].template);
                dead.retain(|it| !self.relation.controls[to].live.contains(it));
                let all = self.free(own, &dead).into_iter();
                all.map(|values| Some(ThreadState { control: to, values })).collect()
            }
        };
        let children: Vec<Option<ThreadState>> = match &command.creates {
            None => vec![None],
            Some(creation) => {
                let given =
                    |update: &relation::Update| (update.variable, self.value(exprs, update.value, seen));
                let given: Vec<(LocalId, u128)> = creation.values.iter().map(given).collect();
                self.beginnings(creation.entry, &given).into_iter().map(Some).collect()
            }
        };
        for arrival in &arrivals {
            for child in &children {
                let mut threads = others.clone();
                threads.extend([arrival, child].into_iter().flatten().cloned());
                threads.sort();
                found.push(GlobalState { shared: shared.clone(), threads });
            }
        }
        Ok(())
    }

    /// The states that are reached with at most this many threads at once.
    pub fn reached(&self, most: usize) -> Result<BTreeSet<GlobalState>, Fails> {
        let mut reached: BTreeSet<GlobalState> = self.starts().into_iter().collect();
        let mut work: Vec<GlobalState> = reached.iter().cloned().collect();
        while let Some(state) = work.pop() {
            for next in self.successors(&state)? {
                if next.threads.len() <= most && reached.insert(next.clone()) {
                    work.push(next);
                }
            }
        }
        Ok(reached)
    }

    // ---- proofs
    // ----------------------------------------------------------------------------------------------------

    /// The truth of a column for two threads.
    pub fn column(&self, proof: &Proof, column: Column, shared: &Values, two: [&ThreadState; 2]) -> bool {
        let [first, second] = two.map(|it| Seen { shared, thread: &it.values, choices: shared });
        let value = match column {
            Column::First(index) => self.value(&proof.exprs, proof.predicates[index], first),
            Column::Second(index) => self.value(&proof.exprs, proof.predicates[index], second),
            Column::Pair(index) => {
                let pair = proof.pairs[index];
                let left = self.value(&proof.exprs, pair.left, first);
                let right = self.value(&proof.exprs, pair.right, second);
                let node = Node::Binary(pair.compare, pair.left, pair.right);
                apply(&self.evaluator, &proof.exprs, node, &[left, right])
            }
        };
        value != 0
    }

    fn in_table(&self, proof: &Proof, table: &Table, shared: &Values, two: [&ThreadState; 2]) -> bool {
        let truth: Vec<bool> = table.columns.iter().map(|&it| self.column(proof, it, shared, two)).collect();
        let matches = |row: &Vec<Option<bool>>| {
            row.iter().zip(&truth).all(|(value, truth)| value.is_none_or(|value| value == *truth))
        };
        table.rows.iter().any(matches)
    }

    pub fn alone(&self, proof: &Proof, shared: &Values, thread: &ThreadState) -> bool {
        let single = proof.singles.iter().find(|it| it.control == thread.control);
        single.is_some_and(|it| self.in_table(proof, &it.table, shared, [thread, thread]))
    }

    pub fn together(&self, proof: &Proof, shared: &Values, two: [&ThreadState; 2]) -> bool {
        let Some(doubles) = &proof.doubles else { return true };
        let orders = [two, [two[1], two[0]]];
        orders.into_iter().filter(|[one, other]| one.control <= other.control).all(|order| {
            let here =
                |it: &&relation::proof::Double| it.first == order[0].control && it.second == order[1].control;
            doubles.iter().find(here).is_some_and(|it| self.in_table(proof, &it.table, shared, order))
        })
    }

    /// Whether the proof allows a state.
    pub fn allows(&self, proof: &Proof, state: &GlobalState) -> bool {
        let threads = &state.threads;
        threads.iter().enumerate().all(|(at, one)| {
            self.alone(proof, &state.shared, one)
                && threads[at + 1..].iter().all(|other| self.together(proof, &state.shared, [one, other]))
        })
    }
}

struct Chosen<'a> {
    command: &'a Command,
    choices: &'a Values,
}
