//! Rules over numbers: in a shared state, some threads are taken, some made, and each of the rest reacts on
//! its own. Programs ([`programs`]) and nets ([`nets`]) are both turned into rules, and what is checked of
//! them is written down once.

pub mod nets;
pub mod programs;

use crate::Rejected;
use ir::net::Interval;
use std::collections::BTreeMap;

/// A shared state, by number.
pub type State = u32;
/// A thread, by number.
pub type Local = u32;
/// Threads with how many there are of each, sorted, none zero.
pub type Multiset = Vec<(Local, u32)>;

/// A thread that leaves.
pub const GONE: Local = Local::MAX;

/// What each thread that is not taken may become; one that is not listed stays as it is.
pub type Reactions = BTreeMap<Local, Result<Vec<Local>, Rejected>>;

/// A rule.
pub struct Rule {
    /// The shared state before.
    pub from: State,
    /// The shared state after.
    pub to: State,
    /// The threads taken.
    pub take: Multiset,
    /// The threads made, unless the certificate has no number for one of them.
    pub make: Result<Multiset, Rejected>,
    /// What is made instead where there are as many threads as the bound allows; otherwise the rule cannot be
    /// used there.
    pub at_bound: Option<Multiset>,
    /// `None` if all stay as they are.
    pub react: Option<Reactions>,
    /// How many threads there must be before.
    pub tests: Vec<(Local, Interval)>,
    /// The last step of `init`.
    pub starts: bool,
}

impl Rule {
    /// A rule that does nothing.
    pub fn idle(from: State) -> Rule {
        let (take, make, tests) = (vec![], Ok(vec![]), vec![]);
        Rule { from, to: from, take, make, at_bound: None, react: None, tests, starts: false }
    }

    /// Whether a thread that is neither taken nor made can tell.
    pub fn is_noticed(&self) -> bool {
        self.from != self.to || self.react.is_some()
    }

    /// What a thread may become.
    pub fn reaction(&self, local: Local) -> Result<Vec<Local>, Rejected> {
        match self.react.as_ref().and_then(|react| react.get(&local)) {
            None => Ok(vec![local]),
            Some(outcomes) => outcomes.clone(),
        }
    }
}

/// Threads that are interchangeable at the start.
pub struct Pool {
    /// What each of them may be, unless the certificate has no number for that.
    pub locals: Result<Vec<Local>, Rejected>,
    /// How many there are.
    pub count: Interval,
}

/// A model as rules.
pub struct Rules {
    /// The rules.
    pub rules: Vec<Rule>,
    /// The shared states of the start.
    pub starts: Vec<Result<State, Rejected>>,
    /// The threads of the start.
    pub first: Vec<Pool>,
    /// The threads that come when `init` has ended; `None` without `init`.
    pub later: Option<Vec<Pool>>,
    /// What must not be reached.
    pub errors: Vec<Failure>,
    /// Whether more threads never forbid anything.
    pub monotone: bool,
    /// Whether idle threads never are in the way of anything.
    pub idle: bool,
}

/// An error: this many threads of some kinds in a shared state.
pub struct Failure {
    /// The shared state.
    pub state: State,
    /// How many threads; of those that are not listed, any number.
    pub counts: Vec<(Local, Interval)>,
    /// What fails, in words.
    pub why: String,
}

impl Failure {
    /// Whether these threads are an error.
    pub fn is_there(&self, threads: &Multiset) -> bool {
        self.counts.iter().all(|&(local, interval)| interval.contains(count(threads, local)))
    }

    /// The fewest threads that may be one. Upper ends are left out: there may be more threads than these.
    pub fn least(&self) -> Multiset {
        let mut least = vec![];
        for &(local, interval) in &self.counts {
            let there = count(&least, local);
            add(&mut least, local, interval.least.saturating_sub(there));
        }
        least
    }
}

/// Whether threads may be there when the pools start. One that the certificate has no number for may be any
/// thread.
pub fn fits(pools: &[Pool], multiset: &Multiset) -> bool {
    let mut used = vec![0u64; pools.len()];
    for &(local, n) in multiset {
        let may_be = |pool: &Pool| pool.locals.as_ref().map_or(true, |locals| locals.contains(&local));
        match pools.iter().position(may_be) {
            Some(pool) => used[pool] += u64::from(n),
            None => return false,
        }
    }
    let enough = |(pool, used): (&Pool, u64)| {
        pool.locals.is_err() || pool.count.most.is_none_or(|most| used <= u64::from(most))
    };
    pools.iter().zip(used).all(enough)
}

/// How many there are of a thread.
pub fn count(multiset: &[(Local, u32)], local: Local) -> u32 {
    multiset.binary_search_by_key(&local, |it| it.0).map_or(0, |at| multiset[at].1)
}

/// How many threads there are.
pub fn size(multiset: &[(Local, u32)]) -> u64 {
    multiset.iter().map(|it| u64::from(it.1)).sum()
}

/// Adds to a multiset.
pub fn add(multiset: &mut Multiset, local: Local, n: u32) {
    match multiset.binary_search_by_key(&local, |it| it.0) {
        _ if n == 0 => {}
        Ok(at) => multiset[at].1 = multiset[at].1.saturating_add(n),
        Err(at) => multiset.insert(at, (local, n)),
    }
}

/// A multiset without another; `None` if the other is not in it.
pub fn without(multiset: &Multiset, other: &Multiset) -> Option<Multiset> {
    let mut rest = multiset.clone();
    for &(local, n) in other {
        let at = rest.binary_search_by_key(&local, |it| it.0).ok()?;
        rest[at].1 = rest[at].1.checked_sub(n)?;
    }
    rest.retain(|it| it.1 > 0);
    Some(rest)
}

/// A multiset written out, each thread at most `most` times.
pub fn spread(multiset: &[(Local, u32)], most: usize) -> Vec<Local> {
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    multiset.iter().flat_map(|&(local, n)| std::iter::repeat_n(local, n.min(most) as usize)).collect()
}
