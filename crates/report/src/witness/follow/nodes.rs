//! The search for a run that follows a witness.

use super::super::read::PassageKind;
use super::matching::{Guide, Taken};
use ::c::{Control, Failure, FailureKind, Machine, Refusal, State, Step, ThreadId};
use base::Stop;
use base::budget::StopHandle;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A search.
pub struct Search<'a> {
    /// What is followed.
    pub guide: &'a Guide<'a>,
    /// The program.
    pub machine: &'a Machine<'a>,
    /// The numbers that are tried.
    pub numbers: Vec<u128>,
    /// What stops it.
    pub stop: &'a StopHandle,
    /// How many states are looked at.
    pub most: usize,
}

/// What came of it.
pub enum Found {
    /// A run; the last step fails, or comes behind a state that does.
    Run(Vec<Step>),
    /// No run follows it; `tried` says that numbers were tried that may not be all that matter.
    Nothing {
        /// Whether numbers were tried.
        tried: bool,
        /// How many segments were passed.
        furthest: usize,
    },
    /// Too many states.
    TooMany {
        /// How many segments were passed.
        furthest: usize,
    },
    /// It was stopped.
    Stopped(Stop),
}

/// A state on the way, with how far the witness was followed.
#[derive(Clone)]
struct Node {
    state: State,
    passed: usize,
    /// The threads of the witness.
    threads: Vec<ThreadId>,
    /// Who passed the last waypoint.
    last: Option<ThreadId>,
    from: Option<(usize, Step)>,
    cost: u32,
    depth: u32,
}

/// The best first: what costs little, has passed much, and has gone far.
type Rank = (Reverse<u32>, usize, u32, Reverse<usize>);

/// What is under way.
struct Work {
    nodes: Vec<Node>,
    queue: BinaryHeap<(Rank, usize)>,
    seen: HashSet<(u64, u64)>,
    tried: bool,
    furthest: usize,
}

impl Search<'_> {
    /// Looks for the run.
    pub fn run(&self) -> Found {
        let state = self.machine.start();
        let first = Node { state, passed: 0, threads: vec![0], last: None, from: None, cost: 0, depth: 0 };
        let mut work =
            Work { nodes: vec![], queue: BinaryHeap::new(), seen: HashSet::new(), tried: false, furthest: 0 };
        work.add(first);
        while let Some((_, at)) = work.queue.pop() {
            if let Some(stop) = self.stop.reason() {
                return Found::Stopped(stop);
            }
            if work.nodes.len() > self.most {
                return Found::TooMany { furthest: work.furthest };
            }
            if let Some(last) = self.expand(&mut work, at) {
                return Found::Run(work.steps(at, last));
            }
        }
        Found::Nothing { tried: work.tried, furthest: work.furthest }
    }

    /// Adds what follows a node; the last step, if that is the target.
    fn expand(&self, work: &mut Work, at: usize) -> Option<Step> {
        let node = work.nodes[at].clone();
        let is_final = node.passed + 1 == self.guide.segments.len();
        if is_final && let Some(failure) = self.machine.bad_state(&node.state) {
            let step = self.behind(&node, &failure);
            let failure = Failure { step, ..failure };
            if self.guide.is_target(&node.threads, &node.state, &failure) {
                return Some(failure.step);
            }
        }
        let order = self.order(&node);
        let mut candidates: Vec<Step> = self.machine.candidates(&node.state, &self.numbers);
        candidates.sort_by_key(|it| order.iter().position(|id| *id == it.thread));
        if let Some(alone) = self.alone(&node, &order, &candidates)
            && self.take(work, at, &node, alone, 0).is_some_and(|fresh| fresh)
        {
            return None;
        }
        let mut cost = 0;
        for step in candidates {
            let chooses = step.choice.value.is_some();
            match self.machine.perform(&node.state, &step) {
                Err(Refusal::Fails(kind)) if is_final => {
                    let failure = Failure { step, kind };
                    if self.guide.is_target(&node.threads, &node.state, &failure) {
                        return Some(step);
                    }
                }
                Err(_) => {}
                Ok(_) => {
                    work.tried |= chooses;
                    if self.take(work, at, &node, step, cost).is_some() {
                        cost += 1;
                    }
                }
            }
        }
        None
    }

    /// The step that names what a state that fails is about: of a leak, the one that lost it.
    fn behind(&self, node: &Node, failure: &Failure) -> Step {
        match (&failure.kind, node.from) {
            (FailureKind::Leak(_), Some((_, step))) => step,
            _ => failure.step,
        }
    }

    /// Who goes on, the first one first: who has passed the last waypoint until its statement has ended, who
    /// passes the next one, and the others.
    fn order(&self, node: &Node) -> Vec<ThreadId> {
        let segment = &self.guide.segments[node.passed];
        let wanted = |at: usize| node.threads.get(segment.follow[at].thread as usize).copied();
        let mut order: Vec<ThreadId> = vec![];
        if let Some(last) = node.last
            && let Some(before) = node.passed.checked_sub(1)
            && let Some(span) = self.guide.span(&node.state, last)
            && self.guide.segments[before].follow.iter().any(|it| self.guide.is_at(&it.place, span))
        {
            order.push(last);
        }
        let arrived = |at: usize| {
            let span = wanted(at).and_then(|it| self.guide.span(&node.state, it));
            span.is_some_and(|it| self.guide.is_at(&segment.follow[at].place, it))
        };
        let mut targets: Vec<usize> = (0..segment.follow.len()).collect();
        targets.sort_by_key(|&at| segment.follow.len() > 1 && arrived(at));
        order.extend(targets.into_iter().filter_map(wanted));
        order.extend(node.state.threads.keys());
        order
    }

    /// A step that nobody else notices and that is on no waypoint: it may be taken before all others.
    fn alone(&self, node: &Node, order: &[ThreadId], candidates: &[Step]) -> Option<Step> {
        order.iter().find_map(|id| {
            let mut its = candidates.iter().filter(|it| it.thread == *id);
            let step = its.next().filter(|_| its.next().is_none())?;
            let effects = self.machine.program().effects(step.at);
            let goes_on = matches!(effects.control, Control::Next | Control::Branch(_));
            let plain = goes_on && effects.is_local() && effects.waits.is_empty() && !effects.unsupported;
            let noticed = match self.guide.span(&node.state, *id) {
                Some(span) => self.guide.may_pass_later(node.passed, &node.threads, *id, span),
                None => false,
            };
            (plain && !noticed).then_some(*step)
        })
    }

    /// Adds the states behind a step; whether one of them is new. Nothing, if the step is impossible.
    fn take(&self, work: &mut Work, at: usize, node: &Node, step: Step, more: u32) -> Option<bool> {
        let (after, done) = self.machine.perform(&node.state, &step).ok()?;
        let taken = Taken { step, before: &node.state, after: &after, done };
        let segment = &self.guide.segments[node.passed];
        if segment.avoid.iter().any(|it| self.guide.passes(it, &node.threads, &taken)) {
            return Some(false);
        }
        let mut next = Node {
            state: after.clone(),
            from: Some((at, step)),
            cost: node.cost + more,
            depth: node.depth + 1,
            ..node.clone()
        };
        let mut fresh = false;
        // One step may pass several waypoints: the condition before it, and what it does.
        let mut passed = next.clone();
        while self.passes(&mut passed, &taken) {
            fresh |= work.add(passed.clone());
            // The waypoint may mean a later visit.
            next.cost += 1;
        }
        fresh |= work.add(next);
        Some(fresh)
    }

    /// Passes the next waypoint, if the step does that.
    fn passes(&self, node: &mut Node, taken: &Taken<'_>) -> bool {
        let follow = &self.guide.segments[node.passed].follow[0];
        if follow.kind == PassageKind::Target || !self.guide.passes(follow, &node.threads, taken) {
            return false;
        }
        node.passed += 1;
        node.last = Some(taken.step.thread);
        if follow.kind == PassageKind::Enter {
            node.threads.extend(taken.done.created);
        }
        true
    }
}

impl Work {
    /// Adds a node; whether its state is new.
    fn add(&mut self, node: Node) -> bool {
        let hash = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, &node.state, node.passed, &node.threads).hash(&mut hasher);
            hasher.finish()
        };
        // Two hashes of 64 bits: that both are the same by chance does not happen.
        if !self.seen.insert((hash(0), hash(1))) {
            return false;
        }
        self.furthest = self.furthest.max(node.passed);
        let rank = (Reverse(node.cost), node.passed, node.depth, Reverse(self.nodes.len()));
        self.queue.push((rank, self.nodes.len()));
        self.nodes.push(node);
        true
    }

    /// The steps to a node, and one more.
    fn steps(&self, at: usize, last: Step) -> Vec<Step> {
        let mut steps = vec![last];
        let mut at = at;
        while let Some((before, step)) = self.nodes[at].from {
            steps.push(step);
            at = before;
        }
        steps.reverse();
        steps
    }
}
