//! Random small relations, and by brute force what up to three threads can reach in them.

use base::random::Random;
use base::{Arena, Id};
use c::{Binary, Convert, ExprId, Exprs, Loc, LocalId, Node, ProcId, PropertyId, Type, Unary};
use relation::{Command, Control, ControlId, Creation, Home, Outcome, Relation, Update, Variable};
use std::collections::BTreeSet;

const BITS: Type = Type::Bits(2);
const SHARED: usize = 2;
const LOCAL: usize = 2;
const CONTROLS: usize = 3;

/// Two shared variables, two of each thread, one choice.
fn variables() -> Arena<LocalId, Variable> {
    let homes =
        [Home::Shared, Home::Shared, Home::Thread, Home::Template(ProcId::from_index(0)), Home::Choice];
    let named = homes.into_iter().zip(["s", "t", "x", "y", "c"]);
    named
        .map(|(home, name)| Variable {
            name: name.into(),
            ty: BITS,
            home,
            signed: false,
            initial: if home == Home::Choice || name == "y" { None } else { Some(0) },
            ghost: false,
        })
        .collect()
}

/// Makes relations.
pub struct Maker {
    /// Where the choices come from.
    pub random: Random,
    /// The pool of the expressions.
    pub exprs: Exprs,
}

impl Maker {
    /// A variable, a number, or their sum.
    pub fn term(&mut self, variables: &[usize]) -> ExprId {
        let variable = variables[self.random.below(variables.len())];
        let read = self.exprs.add(Node::Local(LocalId::from_index(variable), BITS));
        let number = self.random.below(4) as u128;
        let number = self.exprs.number(BITS, number);
        match self.random.below(4) {
            0 => number,
            1 => self.exprs.binary(Binary::Add, read, number),
            _ => read,
        }
    }

    /// A comparison.
    pub fn atom(&mut self, variables: &[usize]) -> ExprId {
        let (a, b) = (self.term(variables), self.term(variables));
        let op = [Binary::Eq, Binary::LtU, Binary::LtS, Binary::LeU][self.random.below(4)];
        let atom = self.exprs.binary(op, a, b);
        if self.random.below(3) == 0 { self.exprs.not(atom) } else { atom }
    }

    fn guard(&mut self, variables: &[usize]) -> ExprId {
        let (a, b) = (self.atom(variables), self.atom(variables));
        match self.random.below(3) {
            0 => a,
            1 => self.exprs.binary(Binary::And, a, b),
            _ => self.exprs.binary(Binary::Or, a, b),
        }
    }

    fn updates(&mut self, targets: &[usize], sources: &[usize], chance: usize) -> Vec<Update> {
        let mut updates = vec![];
        for &target in targets {
            if self.random.below(chance) == 0 {
                let variable = LocalId::from_index(target);
                updates.push(Update { variable, value: self.term(sources) });
            }
        }
        updates
    }

    fn command(&mut self, from: usize) -> Command {
        let all = [0, 1, 2, 3, 4];
        let control = |at: usize| ControlId::from_index(at);
        let creates = (self.random.below(4) == 0).then(|| Creation {
            entry: control(self.random.below(CONTROLS)),
            values: self.updates(&[2, 3], &all, 2),
        });
        let outcome = match self.random.below(10) {
            0 => Outcome::End,
            1 => Outcome::Fail(PropertyId::from_index(0)),
            2 if self.random.below(3) == 0 => Outcome::Halt,
            _ => Outcome::Go(control(self.random.below(CONTROLS))),
        };
        Command {
            from: control(from),
            guard: self.guard(&all),
            others: (self.random.below(8) == 0).then(|| self.atom(&[0, 1, 2])),
            choices: vec![LocalId::from_index(4)],
            updates: self.updates(&[0, 1, 2, 3], &all, 3),
            creates,
            outcome,
            steps: vec![],
        }
    }

    /// A whole relation.
    pub fn relation(&mut self) -> Relation {
        let mut commands = vec![];
        for from in 0..CONTROLS {
            for _ in 0..1 + self.random.below(2) {
                commands.push(self.command(from));
            }
        }
        let mut controls = Arena::new();
        for _ in 0..CONTROLS {
            let live = [2, 3].into_iter().filter(|_| self.random.below(5) != 0).map(LocalId::from_index);
            controls.push(Control {
                loc: Loc::from_index(0),
                phase: 0,
                template: ProcId::from_index(0),
                live: live.collect(),
            });
        }
        let start = ControlId::from_index(0);
        Relation {
            accesses: None,
            exprs: self.exprs.clone(),
            variables: variables(),
            controls,
            commands,
            start,
        }
    }
}

/// Values of all variables.
pub type Values = [u128; SHARED + LOCAL + 1];

/// The value of an expression.
pub fn evaluate(exprs: &Exprs, id: ExprId, values: &Values) -> u128 {
    let of = |id| evaluate(exprs, id, values);
    let signed = |value: u128| if value >= 2 { value as i128 - 4 } else { value as i128 };
    match exprs.node(id) {
        Node::Const(_, value) => value,
        Node::Local(local, _) => values[local.index()],
        Node::Unary(Unary::Not, a) => of(a) ^ 1,
        Node::Convert(Convert::Truncate, _, a) => of(a) & 1,
        Node::Binary(op, a, b) => {
            let (a, b) = (of(a), of(b));
            match op {
                Binary::Add => (a + b) & 3,
                Binary::ShrU => a >> b,
                Binary::And => a & b,
                Binary::Or => a | b,
                Binary::Eq => u128::from(a == b),
                Binary::LtU => u128::from(a < b),
                Binary::LeU => u128::from(a <= b),
                Binary::LtS => u128::from(signed(a) < signed(b)),
                other => panic!("{other:?} is not made here"),
            }
        }
        other => panic!("{other:?} is not made here"),
    }
}

/// A global state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    /// The shared variables.
    pub shared: [u128; SHARED],
    /// Sorted: threads have no names.
    pub threads: Vec<(usize, [u128; LOCAL])>,
}

impl State {
    /// The values that a thread sees.
    pub fn values(&self, thread: usize, choice: u128) -> Values {
        let local = self.threads[thread].1;
        [self.shared[0], self.shared[1], local[0], local[1], choice]
    }
}

/// What was reached.
pub struct Reach {
    /// The states.
    pub states: BTreeSet<State>,
    /// Whether a failing command is possible.
    pub fails: bool,
}

/// All states with up to three threads, as far as the limit goes.
pub fn reach(relation: &Relation) -> Reach {
    let mut found = Reach { states: BTreeSet::new(), fails: false };
    let mut work: Vec<State> =
        (0..4).map(|y| State { shared: [0; SHARED], threads: vec![(0, [0, y])] }).collect();
    while let Some(state) = work.pop() {
        if found.states.len() > 600 || !found.states.insert(state.clone()) {
            continue;
        }
        for thread in 0..state.threads.len() {
            for command in relation.commands_at(ControlId::from_index(state.threads[thread].0)) {
                for choice in 0..4 {
                    step(relation, &state, (thread, choice), command, &mut work, &mut found.fails);
                }
            }
        }
    }
    found
}

fn step(
    relation: &Relation,
    state: &State,
    (thread, choice): (usize, u128),
    command: &Command,
    work: &mut Vec<State>,
    fails: &mut bool,
) {
    let values = state.values(thread, choice);
    let others = command.others.is_none_or(|condition| {
        let others = (0..state.threads.len()).filter(|&it| it != thread);
        others.into_iter().all(|it| evaluate(&relation.exprs, condition, &state.values(it, 0)) == 1)
    });
    if evaluate(&relation.exprs, command.guard, &values) == 0 || !others {
        return;
    }
    let mut next = state.clone();
    let mut after = values;
    for update in &command.updates {
        after[update.variable.index()] = evaluate(&relation.exprs, update.value, &values);
    }
    next.shared = [after[0], after[1]];
    match command.outcome {
        Outcome::Go(to) => next.threads[thread] = (to.index(), [after[2], after[3]]),
        Outcome::End => {
            next.threads.remove(thread);
        }
        Outcome::Fail(_) => return *fails = true,
        _ => return,
    }
    let Some(creation) = &command.creates else {
        next.threads.sort();
        return work.push(next);
    };
    if next.threads.len() == 3 {
        return;
    }
    let given = |variable: usize| creation.values.iter().find(|it| it.variable.index() == variable);
    let any_y = if given(3).is_some() { 1 } else { 4 };
    for y in 0..any_y {
        let mut local = [0, y];
        for (at, value) in local.iter_mut().enumerate() {
            if let Some(update) = given(SHARED + at) {
                *value = evaluate(&relation.exprs, update.value, &values);
            }
        }
        let mut next = next.clone();
        next.threads.push((creation.entry.index(), local));
        next.threads.sort();
        work.push(next);
    }
}
