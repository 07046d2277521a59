//! Minimal elements of an upward-closed set: (shared state, multiset of local states), ordered by inclusion
//! of the multisets. Indexed by the shared state and then by local states. Elements that a smaller one
//! replaces stay in memory, because traces lead through them.

use crate::closure::Group;
use crate::explore::NONE;
use rustc_hash::FxHashMap;

/// An element: everything with at least these threads in this shared state.
#[derive(Clone, Debug)]
pub struct Element {
    /// The shared state.
    pub shared: u32,
    /// The threads, sorted.
    pub threads: Vec<Group>,
    /// The rule that leads from here to another element; none for a target.
    pub via: Option<(u32, u32)>,
}

#[derive(Clone, Debug)]
struct BasisEntry {
    element: Element,
    /// Whether no smaller element was found.
    minimal: bool,
    /// The local states, each hashed to a bit: an element can only be below one that has all its bits.
    mask: u64,
}

/// The set.
#[derive(Clone, Debug, Default)]
pub struct Basis {
    entries: Vec<BasisEntry>,
    /// The minimal elements by shared state and least local state; `NONE` for those without threads.
    by_least: FxHashMap<(u32, u32), Vec<u32>>,
    /// All elements with this local state.
    with: FxHashMap<(u32, u32), Vec<u32>>,
    minimal: usize,
}

impl Basis {
    /// An element by its number.
    pub fn get(&self, id: u32) -> &Element {
        &self.entries[id as usize].element
    }

    /// Whether no smaller element was found.
    pub fn is_minimal(&self, id: u32) -> bool {
        self.entries[id as usize].minimal
    }

    /// The minimal elements, in the order in which they were found.
    pub fn minimal(&self) -> impl Iterator<Item = &Element> {
        self.entries.iter().filter(|it| it.minimal).map(|it| &it.element)
    }

    /// How many elements were ever added, and how many of them are minimal.
    pub fn sizes(&self) -> (usize, usize) {
        (self.entries.len(), self.minimal)
    }

    /// Whether the element or a smaller one is there.
    pub fn covers(&self, shared: u32, threads: &[Group]) -> bool {
        let mask = mask(threads);
        let leasts = threads.iter().map(|it| it.0).chain([NONE]);
        let mut candidates = leasts.filter_map(|least| self.by_least.get(&(shared, least))).flatten();
        candidates.any(|&id| {
            let it = &self.entries[id as usize];
            it.mask & !mask == 0 && included(&it.element.threads, threads)
        })
    }

    /// Adds an element that is not covered; those above it are no longer minimal.
    pub fn add(&mut self, element: Element) -> u32 {
        let id = self.entries.len() as u32;
        let shared = element.shared;
        self.drop_above(shared, &element.threads);
        let least = element.threads.first().map_or(NONE, |it| it.0);
        self.by_least.entry((shared, least)).or_default().push(id);
        // One without threads is below everything: it is not looked for by its threads.
        for &(local, _) in &element.threads {
            self.with.entry((shared, local)).or_default().push(id);
        }
        let mask = mask(&element.threads);
        self.entries.push(BasisEntry { element, minimal: true, mask });
        self.minimal += 1;
        id
    }

    /// Elements above these threads are no longer minimal.
    fn drop_above(&mut self, shared: u32, threads: &[Group]) {
        let lists = threads.iter().filter_map(|it| Some((it.0, self.with.get(&(shared, it.0))?)));
        let rarest = lists.min_by_key(|(_, list)| list.len()).map(|it| it.0);
        let candidates: Vec<u32> = match (rarest, threads) {
            (_, []) => (0..self.entries.len() as u32).collect(),
            (Some(local), _) => {
                let list = self.with.get_mut(&(shared, local)).expect("the list was just found");
                list.retain(|&id| self.entries[id as usize].minimal);
                list.clone()
            }
            (None, _) => vec![],
        };
        for id in candidates {
            let it = &mut self.entries[id as usize];
            if it.minimal && it.element.shared == shared && included(threads, &it.element.threads) {
                it.minimal = false;
                self.minimal -= 1;
                let key = (shared, it.element.threads.first().map_or(NONE, |it| it.0));
                self.by_least.entry(key).or_default().retain(|&other| other != id);
            }
        }
    }
}

fn mask(threads: &[Group]) -> u64 {
    threads.iter().fold(0, |mask, it| mask | 1 << (it.0.wrapping_mul(0x9e37_79b1) >> 26))
}

/// Whether a sorted multiset lies in another.
fn included(small: &[Group], large: &[Group]) -> bool {
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
                assert_eq!(basis.covers(shared, &threads), covered);
                if !covered {
                    basis.add(Element { shared, threads: threads.clone(), via: None });
                    all.retain(|it| it.0 != shared || !included(&threads, &it.1));
                    all.push((shared, threads));
                }
            }
            assert_eq!(basis.sizes().1, all.len());
        }
    }
}
