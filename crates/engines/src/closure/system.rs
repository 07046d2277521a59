//! The common view of programs and nets that the engines for any number of threads work on: numbered shared
//! states and thread-local states, and rules that take some threads in one shared state, make some in
//! another, and let each of the rest react on its own. A step of a thread is a rule that takes one thread;
//! rules of programs are made when a thread state is first met.

use super::nets::Nets;
use super::programs::Programs;
use crate::explore::{NONE, Pairs};
use crate::facts::Words;
use base::{Budget, Stop};
use ir::net::Interval;

/// A local state and how many threads are in it.
pub type Group = (u32, u32);

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The shared state before.
    pub from: u32,
    /// The shared state after.
    pub to: u32,
    /// Names the reaction of the other threads; `NONE` if they stay as they are.
    pub passive: u32,
    /// What it was made from: an outcome of a thread, or a rule of the net.
    pub origin: u32,
    /// The last step of `init`: the threads of the program come now.
    pub starts: bool,
    /// Whether the numbers of threads are tested.
    pub tested: bool,
    groups: [u32; 3],
}

impl Rule {
    /// Whether threads that it neither takes nor makes can tell that it was used.
    pub fn is_noticed(&self) -> bool {
        self.from != self.to || self.passive != NONE
    }
}

/// Threads that are interchangeable at the start.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The local states that each may be in, sorted.
    pub locals: Vec<u32>,
    /// The fewest there are.
    pub least: u32,
    /// The most there are.
    pub most: Option<u32>,
}

/// How the system starts.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The shared states.
    pub shared: Vec<u32>,
    /// The threads that are there; no local state is in two pools.
    pub first: Vec<Pool>,
    /// The threads that come when `init` has ended.
    pub later: Vec<Pool>,
}

/// A multiset of threads that must not be covered.
#[derive(Clone, Debug)]
pub struct Goal {
    /// In this shared state, or any.
    pub shared: Option<u32>,
    pub threads: Vec<Group>,
}

/// Where the rules come from.
#[derive(Debug)]
pub enum Source<'m> {
    /// A flat program.
    Program(Box<Programs<'m>>),
    /// A net.
    Net(Nets<'m>),
}

/// A program or a net with the rules that were met so far.
#[derive(Debug)]
pub struct RuleSystem<'m> {
    /// Where the rules come from.
    pub source: Source<'m>,
    rules: Rules,
    index: Pairs,
    ranges: Vec<(u32, u32)>,
    /// For each shared state the rules that take none or several threads, once they are made.
    joint: Vec<Option<(u32, u32)>>,
}

/// The rules met so far.
#[derive(Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    groups: Vec<Group>,
}

impl Rules {
    /// Adds a rule with what it takes and makes; its own place for them is filled in here.
    pub fn push(&mut self, rule: Rule, take: &[Group], make: &[Group]) {
        let first = self.groups.len() as u32;
        self.groups.extend_from_slice(take);
        let middle = self.groups.len() as u32;
        self.groups.extend_from_slice(make);
        let groups = [first, middle, self.groups.len() as u32];
        self.rules.push(Rule { groups, ..rule });
    }

    /// A rule between two shared states that nothing else is known of.
    pub fn plain(from: u32, to: u32, origin: u32) -> Rule {
        Rule { from, to, passive: NONE, origin, starts: false, tested: false, groups: [0; 3] }
    }
}

impl<'m> RuleSystem<'m> {
    /// No rules met yet.
    pub fn new(source: Source<'m>) -> Self {
        Self { source, rules: Rules::default(), index: Pairs::default(), ranges: vec![], joint: vec![] }
    }

    /// How the system starts.
    pub fn start(&mut self, budget: &Budget) -> Result<Start, Stop> {
        match &mut self.source {
            Source::Program(program) => program.start(budget),
            Source::Net(net) => Ok(net.start()),
        }
    }

    /// The numbers of the rules that take one thread, in this local state, and test nothing.
    pub fn single(
        &mut self,
        shared: u32,
        local: u32,
        budget: &Budget,
    ) -> Result<std::ops::Range<usize>, Stop> {
        if let Some(number) = self.index.get(shared, local) {
            let (first, end) = self.ranges[number as usize];
            return Ok(first as usize..end as usize);
        }
        let first = self.rules.rules.len();
        match &mut self.source {
            Source::Program(program) => program.rules(shared, local, budget, &mut self.rules)?,
            Source::Net(net) => net.single(shared, local, &mut self.rules),
        }
        let end = self.rules.rules.len();
        budget.spend((end - first) as u64)?;
        if end >= NONE as usize {
            return Err(Stop::Memory);
        }
        self.index.put(shared, local, self.ranges.len() as u32);
        self.ranges.push((first as u32, end as u32));
        Ok(first..end)
    }

    /// The numbers of all other rules of a shared state.
    pub fn joint(&mut self, shared: u32) -> std::ops::Range<usize> {
        let Source::Net(net) = &mut self.source else { return 0..0 };
        if self.joint.len() <= shared as usize {
            self.joint.resize(shared as usize + 1, None);
        }
        let (first, end) = *self.joint[shared as usize].get_or_insert_with(|| {
            let first = self.rules.rules.len() as u32;
            net.joint(shared, &mut self.rules);
            (first, self.rules.rules.len() as u32)
        });
        first as usize..end as usize
    }

    /// A shared state in words that any system of the model understands.
    pub fn shared_words(&self, shared: u32) -> Words {
        match &self.source {
            Source::Program(program) => program.shared_words(shared),
            Source::Net(_) => Box::new([shared]),
        }
    }

    /// The shared state with these words.
    pub fn shared_of(&mut self, words: &Words) -> Result<u32, Stop> {
        match &mut self.source {
            Source::Program(program) => program.shared_of(words),
            Source::Net(_) => Ok(words[0]),
        }
    }

    /// A local state in words that any system of the model understands.
    pub fn local_words(&self, local: u32) -> Words {
        match &self.source {
            Source::Program(program) => program.threads.semantics.locals.get(local).into(),
            Source::Net(_) => Box::new([local]),
        }
    }

    /// The local state with these words.
    pub fn local_of(&mut self, words: &Words) -> Result<u32, Stop> {
        match &mut self.source {
            Source::Program(program) => Ok(program.threads.semantics.locals.insert(words)?.0),
            Source::Net(_) => Ok(words[0]),
        }
    }

    /// How many rules were met.
    pub fn rule_count(&self) -> usize {
        self.rules.rules.len()
    }

    /// A rule.
    pub fn rule(&self, number: usize) -> Rule {
        self.rules.rules[number]
    }

    /// What a rule takes, sorted.
    pub fn take(&self, rule: &Rule) -> &[Group] {
        &self.rules.groups[rule.groups[0] as usize..rule.groups[1] as usize]
    }

    /// What a rule makes, sorted.
    pub fn make(&self, rule: &Rule) -> &[Group] {
        &self.rules.groups[rule.groups[1] as usize..rule.groups[2] as usize]
    }

    /// What a rule tests.
    pub fn tests(&self, rule: &Rule) -> Vec<(u32, Interval)> {
        match &self.source {
            Source::Net(net) if rule.tested => net.tests(rule.origin),
            _ => vec![],
        }
    }

    /// What a thread that is not taken may become; `NONE` if it leaves. Nothing at all if it forbids the
    /// rule.
    pub fn react(&mut self, rule: &Rule, local: u32, budget: &Budget) -> Result<Vec<u32>, Stop> {
        if rule.passive == NONE {
            return Ok(vec![local]);
        }
        match &mut self.source {
            Source::Program(program) => program.react(rule.passive, local, budget),
            Source::Net(net) => Ok(net.react(rule.passive, local)),
        }
    }

    /// Whether a thread in this state is an error.
    pub fn fails(&mut self, shared: u32, local: u32, budget: &Budget) -> Result<bool, Stop> {
        match &mut self.source {
            Source::Program(program) => program.fails(shared, local, budget),
            Source::Net(_) => Ok(false),
        }
    }

    /// Multisets of threads that are an error.
    pub fn goals(&self) -> Vec<Goal> {
        match &self.source {
            Source::Program(_) => vec![],
            Source::Net(net) => net.goals(),
        }
    }
}
