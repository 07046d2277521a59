//! The reduction against brute force, on random programs in which several threads run different code and rarely meet: there it has
//! much to do, and much to do wrong.

mod support;

use base::{Id, Random};
use ir::Bound;
use ir::bp::{Builder, Count, Init, Loc, LocalId, LocalScope, Node, Op, ProcId, Program, SharedId, Var};
use support::{Config, program_trace, reached, replay, run_program, same_states, truth};

struct Maker {
    random: Random,
    builder: Builder,
    shared: Vec<SharedId>,
}

/// Two or three procedures, one thread each, straight code with a few jumps over three shared variables and a local.
fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut builder = Builder::new();
    let shared = (0..3).map(|i| builder.shared(format!("g{i}"), Init::Fixed(random.percent(30)))).collect();
    let mut maker = Maker { random, builder, shared };
    let count = 2 + maker.random.below(2);
    let ids: Vec<ProcId> = (0..count).map(|i| maker.builder.declare(format!("f{i}"), 0)).collect();
    for &id in &ids {
        maker.body(id);
        maker.builder.template(id, Count::Exactly(1));
    }
    maker.builder.finish().expect("only valid statements are made")
}

impl Maker {
    fn body(&mut self, id: ProcId) {
        let init = Init::Fixed(self.random.percent(50));
        let local = self.builder.local("x", LocalScope::Procedure(id), init);
        // Each thread has one or two variables that it uses; where they overlap the threads meet.
        let first = self.random.below(3);
        let few = [self.shared[first], self.shared[(first + self.random.below(2)) % 3]];
        self.builder.begin(id);
        let (entry, length) = (self.builder.here().index(), 1 + self.random.below(5));
        for _ in 0..length {
            let target = Loc::from_index(entry + self.random.below(length + 1));
            let op = self.op(&few, local, target);
            self.builder.push(id, op, None);
        }
        self.builder.end(id, None);
    }

    fn op(&mut self, shared: &[SharedId], local: LocalId, target: Loc) -> Op {
        let (kind, var) = (self.random.below(16), Var::Shared(*self.random.pick(shared)));
        match kind {
            0 => Op::Skip,
            1..=3 => Op::assign(var, self.value(shared, local)),
            4..=5 => Op::assign(Var::Local(local), self.value(shared, local)),
            6..=7 => Op::Assume(self.literal(var)),
            8 => Op::Assume(self.literal(Var::Local(local))),
            9..=10 => Op::Assert(self.literal(var)),
            11 => Op::Goto(vec![target]),
            12..=13 => Op::Branch { cond: self.literal(var), target },
            14 => Op::AtomicBegin,
            _ => Op::AtomicEnd,
        }
    }

    fn literal(&mut self, var: Var) -> ir::bp::ExprId {
        let positive = self.random.percent(50);
        let exprs = self.builder.exprs();
        let read = exprs.var(var);
        if positive { read } else { exprs.not(read) }
    }

    fn value(&mut self, shared: &[SharedId], local: LocalId) -> ir::bp::ExprId {
        match self.random.below(5) {
            0 | 1 => {
                let value = self.random.percent(50);
                self.builder.exprs().constant(value)
            }
            2 => self.builder.exprs().add(Node::Choice),
            3 => self.literal(Var::Local(local)),
            _ => {
                let var = *self.random.pick(shared);
                self.literal(Var::Shared(var))
            }
        }
    }
}

#[test]
fn keeps_every_verdict() {
    let (mut safe, mut unsafe_) = (0, 0);
    for seed in 0..4000 {
        let program = program(seed);
        let Some(truth) = truth(&program, 3, 2000) else { continue };
        let config = Config { reduction: true, symmetry: true, chains: false };
        let verdict = run_program(&program, Bound::AtMost(3), config);
        match truth.shortest {
            Some(_) => {
                let trace = program_trace(verdict).unwrap_or_else(|| panic!("seed {seed} has an error"));
                replay(&program, Some(3), &trace);
                unsafe_ += 1;
            }
            None => {
                same_states(&program, reached(&verdict), &truth.states);
                safe += 1;
            }
        }
    }
    assert!(safe > 800 && unsafe_ > 800, "both verdicts are common: {safe} safe, {unsafe_} unsafe");
}
