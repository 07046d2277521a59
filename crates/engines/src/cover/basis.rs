//! Minimal elements of an upward-closed set: (shared state, multiset of local states), ordered by inclusion of the multisets. Indexed by
//! the shared state and then by local states. Elements that a smaller one replaces stay in memory, because traces lead through them.
//!
//! An element may be a *guess*: smaller than what was found, because nothing smaller is known to be coverable. Guesses can be taken back
//! with all that was derived from them. So for every element that comes from a guess it is noted what was left out on its
//! account; losing that would be unsound.

use crate::closure::Group;
use crate::explore::NONE;
use rustc_hash::FxHashMap;

/// Where an element comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guess {
    /// It was found so.
    None,
    /// It was found with these threads.
    Of(Vec<Group>),
    /// It was not found at all.
    Whole,
}

/// What was found and left out because a smaller element was there.
#[derive(Clone, Debug)]
pub struct Found {
    /// The shared state.
    pub shared: u32,
    /// The threads.
    pub threads: Vec<Group>,
    /// The rule that leads from here to another element.
    pub via: Option<(u32, u32)>,
}

/// An element: everything with at least these threads in this shared state.
#[derive(Clone, Debug)]
pub struct Element {
    /// The shared state.
    pub shared: u32,
    /// The threads, sorted.
    pub threads: Vec<Group>,
    /// The rule that leads from here to another element; none for a target.
    pub via: Option<(u32, u32)>,
    /// Whether no smaller element was found.
    pub minimal: bool,
    /// Whether its predecessors were found.
    pub expanded: bool,
    /// Whether it is smaller than what was found.
    pub guess: Guess,
    /// Whether it, or an element that it was derived from, is a guess.
    pub guessed: bool,
    /// Whether it was taken back.
    pub taken_back: bool,
    /// The local states, each hashed to a bit: an element can only be below one that has all its bits.
    mask: u64,
}

/// The set.
#[derive(Clone, Debug, Default)]
pub struct Basis {
    elements: Vec<Element>,
    /// The minimal elements by shared state and least local state; `NONE` for those without threads.
    by_least: FxHashMap<(u32, u32), Vec<u32>>,
    /// All elements with this local state.
    with: FxHashMap<(u32, u32), Vec<u32>>,
    minimal: usize,
    /// For elements that come from a guess: the elements that they replaced, and what was not added because of them.
    replaced: FxHashMap<u32, Vec<u32>>,
    left_out: FxHashMap<u32, Vec<Found>>,
}

impl Basis {
    /// All elements, by number.
    pub fn get(&self, id: u32) -> &Element {
        &self.elements[id as usize]
    }

    /// The minimal elements, in the order in which they were found.
    pub fn minimal(&self) -> impl Iterator<Item = &Element> {
        self.elements.iter().filter(|it| it.minimal)
    }

    /// How many elements were ever added, and how many of them are minimal.
    pub fn sizes(&self) -> (usize, usize) {
        (self.elements.len(), self.minimal)
    }

    /// An element that is no larger, one that comes from no guess if there is such.
    fn smaller(&self, shared: u32, threads: &[Group]) -> Option<u32> {
        let mask = mask(threads);
        let leasts = threads.iter().map(|it| it.0).chain([NONE]);
        let candidates = leasts.filter_map(|least| self.by_least.get(&(shared, least))).flatten();
        let mut found = None;
        for &id in candidates {
            let it = &self.elements[id as usize];
            if it.mask & !mask == 0 && included(&it.threads, threads) {
                found = Some(id);
                if !it.guessed {
                    break;
                }
            }
        }
        found
    }

    /// Leaves something out if the element or a smaller one is there.
    pub fn leaves_out(&mut self, shared: u32, threads: &[Group], via: Option<(u32, u32)>) -> bool {
        let Some(id) = self.smaller(shared, threads) else { return false };
        if self.elements[id as usize].guessed {
            let found = Found { shared, threads: threads.to_vec(), via };
            self.left_out.entry(id).or_default().push(found);
        }
        true
    }

    /// Adds an element that is not covered; those above it are no longer minimal.
    pub fn add(&mut self, shared: u32, threads: Vec<Group>, via: Option<(u32, u32)>, guess: Guess) -> u32 {
        let id = self.elements.len() as u32;
        let guessed = guess != Guess::None || via.is_some_and(|(_, to)| self.get(to).guessed);
        let mask = mask(&threads);
        let (expanded, taken_back) = (false, false);
        self.elements.push(Element {
            shared,
            threads,
            via,
            minimal: false,
            expanded,
            guess,
            guessed,
            taken_back,
            mask,
        });
        self.insert(id);
        id
    }

    /// Marks an element whose predecessors were all found.
    pub fn expand(&mut self, id: u32) {
        self.elements[id as usize].expanded = true;
    }

    fn insert(&mut self, id: u32) {
        let Element { shared, threads, guessed, .. } = self.get(id).clone();
        let above = self.drop_above(shared, &threads);
        if guessed && !above.is_empty() {
            self.replaced.entry(id).or_default().extend(above);
        }
        let least = threads.first().map_or(NONE, |it| it.0);
        self.by_least.entry((shared, least)).or_default().push(id);
        // One without threads is below everything: it is not looked for by its threads.
        for &(local, _) in &threads {
            self.with.entry((shared, local)).or_default().push(id);
        }
        self.elements[id as usize].minimal = true;
        self.minimal += 1;
    }

    fn remove(&mut self, id: u32) {
        let it = &mut self.elements[id as usize];
        if it.minimal {
            it.minimal = false;
            self.minimal -= 1;
            let key = (it.shared, it.threads.first().map_or(NONE, |it| it.0));
            self.by_least.entry(key).or_default().retain(|&other| other != id);
        }
    }

    /// The guesses that stand for nothing found.
    pub fn wholes(&self) -> Vec<u32> {
        let is_whole = |id: &u32| self.get(*id).guess == Guess::Whole && !self.get(*id).taken_back;
        (0..self.elements.len() as u32).filter(is_whole).collect()
    }

    /// Takes guesses back, and everything that was derived from them. Returns the elements that are minimal again and whose predecessors
    /// are not known yet, and what was left out and has to be looked at again.
    /// The numbers of the guesses are sorted.
    pub fn take_back(&mut self, guesses: &[u32]) -> (Vec<u32>, Vec<Found>) {
        let Some(&first) = guesses.first() else { return (vec![], vec![]) };
        let (mut replaced, mut left_out) = (vec![], vec![]);
        for id in first..self.elements.len() as u32 {
            let it = &self.elements[id as usize];
            let from = it.via.is_some_and(|(_, to)| self.get(to).taken_back);
            if it.taken_back || guesses.binary_search(&id).is_err() && !from {
                continue;
            }
            self.remove(id);
            self.elements[id as usize].taken_back = true;
            replaced.extend(self.replaced.remove(&id).unwrap_or_default());
            left_out.extend(self.left_out.remove(&id).unwrap_or_default());
        }
        replaced.sort_unstable();
        replaced.dedup();
        let mut open = vec![];
        for id in replaced {
            let Element { shared, threads, taken_back, minimal, expanded, .. } = self.get(id).clone();
            if taken_back || minimal {
                continue;
            }
            match self.smaller(shared, &threads) {
                Some(other) if self.get(other).guessed => self.replaced.entry(other).or_default().push(id),
                Some(_) => {}
                None => {
                    self.insert(id);
                    if !expanded {
                        open.push(id);
                    }
                }
            }
        }
        left_out.retain(|it: &Found| it.via.is_none_or(|(_, to)| !self.get(to).taken_back));
        (open, left_out)
    }

    /// Elements above these threads are no longer minimal.
    fn drop_above(&mut self, shared: u32, threads: &[Group]) -> Vec<u32> {
        let lists = threads.iter().filter_map(|it| Some((it.0, self.with.get(&(shared, it.0))?)));
        let rarest = lists.min_by_key(|(_, list)| list.len()).map(|it| it.0);
        let above: Vec<u32> = match (rarest, threads) {
            (_, []) => (0..self.elements.len() as u32).collect(),
            (Some(local), _) => {
                let list = self.with.get_mut(&(shared, local)).expect("the list was just found");
                list.retain(|&id| self.elements[id as usize].minimal);
                list.clone()
            }
            (None, _) => vec![],
        };
        let is_above = |id: &u32| {
            let it = self.get(*id);
            it.minimal && it.shared == shared && included(threads, &it.threads)
        };
        let above: Vec<u32> = above.into_iter().filter(is_above).collect();
        above.iter().for_each(|&id| self.remove(id));
        above
    }
}

fn mask(threads: &[Group]) -> u64 {
    threads.iter().fold(0, |mask, it| mask | 1 << (it.0.wrapping_mul(0x9e37_79b1) >> 26))
}

/// Whether a sorted multiset lies in another.
pub fn included(small: &[Group], large: &[Group]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|&(local, count)| {
        rest.by_ref().find(|it| it.0 >= local).is_some_and(|it| it.0 == local && it.1 >= count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;

    #[test]
    fn only_minimal_elements_stay() {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let (mut basis, mut all): (Basis, Vec<(u32, Vec<Group>)>) = Default::default();
            for _ in 0..30 {
                let shared = random.below(2) as u32;
                let threads: Vec<Group> = (0..4)
                    .filter_map(|local| Some((local, u32::try_from(random.below(4)).ok()?.checked_sub(1)?)))
                    .filter(|it| it.1 > 0)
                    .collect();
                let covered = all.iter().any(|it| it.0 == shared && included(&it.1, &threads));
                assert_eq!(basis.smaller(shared, &threads).is_some(), covered);
                if !covered {
                    basis.add(shared, threads.clone(), None, Guess::None);
                    all.retain(|it| it.0 != shared || !included(&threads, &it.1));
                    all.push((shared, threads));
                }
            }
            assert_eq!(basis.sizes().1, all.len());
        }
    }
}
