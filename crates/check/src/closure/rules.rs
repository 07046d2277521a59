//! Rules over numbers: in a shared state, some threads are taken, some made, and each of the rest reacts on its own.

use crate::Rejected;
use ir::net::Interval;
use std::collections::BTreeMap;

/// A shared state, by number.
pub type State = u32;
/// A thread, by number.
pub type Local = u32;
/// Threads with how many there are of each, sorted, none zero.
pub type Crowd = Vec<(Local, u32)>;

/// A thread that leaves.
pub const GONE: Local = Local::MAX;

/// What each thread that is not taken may become; one that is not listed stays as it is.
pub type Reactions = BTreeMap<Local, Result<Vec<Local>, Rejected>>;

/// A rule.
pub struct Rule {
    pub from: State,
    pub to: State,
    pub take: Crowd,
    pub make: Crowd,
    /// `None` if all stay as they are.
    pub react: Option<Reactions>,
    pub tests: Vec<(Local, Interval)>,
    /// The last step of `init`.
    pub starts: bool,
}

impl Rule {
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
    pub locals: Vec<Local>,
    pub most: Option<u32>,
}

/// A model as rules.
pub struct Rules {
    pub rules: Vec<Rule>,
    /// The shared states of the start.
    pub starts: Vec<State>,
    /// The threads of the start.
    pub first: Vec<Pool>,
    /// The threads that come when `init` has ended.
    pub later: Vec<Pool>,
    /// What must not be covered.
    pub errors: Vec<(State, Crowd)>,
}

/// Whether threads can be there when the pools start.
pub fn fits(pools: &[Pool], crowd: &Crowd) -> bool {
    let mut used = vec![0u64; pools.len()];
    for &(local, n) in crowd {
        match pools.iter().position(|pool| pool.locals.contains(&local)) {
            Some(pool) => used[pool] += u64::from(n),
            None => return false,
        }
    }
    pools.iter().zip(used).all(|(pool, used)| pool.most.is_none_or(|most| used <= u64::from(most)))
}

/// Adds to a crowd.
pub fn add(crowd: &mut Crowd, local: Local, n: u32) {
    match crowd.binary_search_by_key(&local, |it| it.0) {
        Ok(at) => crowd[at].1 = crowd[at].1.saturating_add(n),
        Err(at) => crowd.insert(at, (local, n)),
    }
}

/// A crowd written out, each thread at most `most` times.
pub fn spread(crowd: &[(Local, u32)], most: usize) -> Vec<Local> {
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    crowd.iter().flat_map(|&(local, n)| std::iter::repeat_n(local, n.min(most) as usize)).collect()
}
