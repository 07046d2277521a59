//! The inclusion test by two SAT solvers against a QBF solver: the same questions, written as QDIMACS, to
//! `depqbf` if it is installed.

use base::{Budget, Id, Random};
use solve::aig::{Aig, Input, Lit, Node};
use solve::inclusion::{Options, StateSet, included};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// A prefix and clauses. Variables are numbered from 1.
#[derive(Default)]
struct Qbf {
    universal: Vec<i64>,
    existential: Vec<i64>,
    clauses: Vec<Vec<i64>>,
    last: i64,
}

impl Qbf {
    /// For all choices of the new set that satisfy its guard there are choices of the old set that do so too
    /// and lead to the same bits.
    fn new(aig: &Aig, new: &StateSet, old: &StateSet) -> Qbf {
        let mut qbf = Qbf::default();
        let (new_bits, new_guard) = qbf.encode(aig, new, true);
        let (old_bits, old_guard) = qbf.encode(aig, old, false);
        qbf.clauses.push(vec![-new_guard, old_guard]);
        for (a, b) in new_bits.into_iter().zip(old_bits) {
            qbf.clauses.extend([vec![-new_guard, -a, b], vec![-new_guard, a, -b]]);
        }
        qbf
    }

    /// Puts a set in with variables of its own: an input may occur in both sets without meaning the same
    /// choice.
    fn encode(&mut self, aig: &Aig, set: &StateSet, universal: bool) -> (Vec<i64>, i64) {
        let mut names: BTreeMap<usize, i64> = BTreeMap::new();
        let constant = self.fresh(false);
        names.insert(0, constant);
        self.clauses.push(vec![-constant]);
        let of = |names: &BTreeMap<usize, i64>, lit: Lit| {
            if lit.is_negated() { -names[&lit.node()] } else { names[&lit.node()] }
        };
        for number in aig.cone(set.bits.iter().copied().chain([set.guard])) {
            let name = self.fresh(universal && matches!(aig.node_at(number), Node::Input(_)));
            if let Node::And(a, b) = aig.node_at(number) {
                let (a, b) = (of(&names, a), of(&names, b));
                self.clauses.extend([vec![-name, a], vec![-name, b], vec![name, -a, -b]]);
            }
            names.insert(number, name);
        }
        (set.bits.iter().map(|&bit| of(&names, bit)).collect(), of(&names, set.guard))
    }

    fn fresh(&mut self, universal: bool) -> i64 {
        self.last += 1;
        if universal {
            self.universal.push(self.last)
        } else {
            self.existential.push(self.last)
        }
        self.last
    }

    fn text(&self) -> String {
        let line = |list: &[i64]| list.iter().map(|it| format!("{it} ")).collect::<String>();
        let mut text = format!("p cnf {} {}\n", self.last, self.clauses.len());
        if !self.universal.is_empty() {
            writeln!(text, "a {}0", line(&self.universal)).expect("strings grow");
        }
        writeln!(text, "e {}0", line(&self.existential)).expect("strings grow");
        for clause in &self.clauses {
            writeln!(text, "{}0", line(clause)).expect("strings grow");
        }
        text
    }

    /// What depqbf says; 10 is true, 20 is false.
    fn holds(&self) -> bool {
        let mut child = Command::new("depqbf")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it is installed");
        let mut input = child.stdin.take().expect("its input is a pipe");
        input.write_all(self.text().as_bytes()).expect("it reads");
        drop(input);
        match child.wait().expect("it ends").code() {
            Some(10) => true,
            Some(20) => false,
            code => panic!("depqbf says {code:?}"),
        }
    }
}

/// How large random sets are.
#[derive(Clone, Copy)]
struct Size {
    inputs: usize,
    bits: usize,
    depth: usize,
}

fn formula(aig: &mut Aig, random: &mut Random, size: Size) -> Lit {
    let mut pick =
        |aig: &Aig| aig.input(Input::from_index(random.below(size.inputs))).negate_if(random.percent(50));
    let mut formula = pick(aig);
    for step in 0..size.depth {
        let other = pick(aig);
        formula = match (formula.node() + step) % 3 {
            0 => aig.xor(formula, other),
            1 => aig.or(formula, other),
            _ => aig.and(formula, other),
        };
    }
    formula
}

fn set(aig: &mut Aig, random: &mut Random, size: Size) -> StateSet {
    let bits = (0..size.bits).map(|_| formula(aig, random, size)).collect();
    let guard = if random.percent(50) { formula(aig, random, size) } else { Lit::TRUE };
    StateSet { bits, guard }
}

/// A set that mostly lies in the old one: other choices, a stronger guard, sometimes a spoilt bit.
fn related(aig: &mut Aig, random: &mut Random, old: &StateSet, size: Size) -> StateSet {
    let mut pairs = vec![];
    for at in 0..size.inputs {
        if random.percent(50) {
            pairs.push((Input::from_index(at), formula(aig, random, Size { depth: 1, ..size })));
        }
    }
    let budget = Budget::unlimited();
    let mut new = old.clone();
    for lit in new.bits.iter_mut().chain([&mut new.guard]) {
        *lit = aig.compose(*lit, &pairs, &budget).expect("nothing stops it");
    }
    if random.percent(30) {
        let at = random.below(new.bits.len());
        new.bits[at] = formula(aig, random, size);
    }
    new
}

fn compare(queries: u64, size: Size, first: u64) -> (usize, usize) {
    let (mut yes, mut no) = (0, 0);
    for seed in first..first + queries {
        let (mut aig, mut random) = (Aig::new(seed), Random::new(seed));
        (0..size.inputs).for_each(|_| {
            aig.new_input();
        });
        let old = set(&mut aig, &mut random, size);
        let fresh = random.percent(25);
        let new =
            if fresh { set(&mut aig, &mut random, size) } else { related(&mut aig, &mut random, &old, size) };
        let budget = Budget::unlimited();
        let ours = included(&aig, &new, &old, &Options::default(), &budget).expect("nothing stops it");
        assert_eq!(ours, Qbf::new(&aig, &new, &old).holds(), "seed {seed}: {new:?} in {old:?}");
        yes += usize::from(ours);
        no += usize::from(!ours);
    }
    (yes, no)
}

#[test]
fn agrees_with_depqbf() {
    if Command::new("depqbf").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        eprintln!("skipped: depqbf is not installed");
        return;
    }
    let (yes, no) = compare(450, Size { inputs: 6, bits: 4, depth: 3 }, 0);
    assert!(yes > 100 && no > 100, "both answers are common: {yes} yes, {no} no");
    // Deep formulas in which no bit can be freed: many points are enumerated one by one.
    let (yes, no) = compare(100, Size { inputs: 10, bits: 7, depth: 8 }, 10_000);
    assert!(yes > 10 && no > 10, "hard ones of both kinds: {yes} yes, {no} no");
}
