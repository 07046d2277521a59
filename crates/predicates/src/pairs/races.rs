//! Data races in a closure, where they are asked about: two accesses that may race, and a state of two
//! threads that stand before them in which their bytes overlap.

use crate::pairs::closure::Closure;
use crate::pairs::formulas::{Forms, Side};
use crate::pairs::images::Question;
use crate::pairs::state::Single;
use crate::terms::circuits::{Who, binary, compare};
use base::Stop;
use c::Binary;
use relation::{AccessSite, Accesses, ControlId};
use rustc_hash::FxHashMap;
use solve::aig::Lit;
use solve::bv::{self, Word};
use std::collections::hash_map::Entry;

/// The most bits that a question is given.
const GIVEN: usize = 128;

/// Two accesses that the closure does not keep apart.
#[derive(Clone, Copy, Debug)]
pub struct Racing {
    /// The numbers of the accesses.
    pub sites: [usize; 2],
    /// The numbers of the states of their threads.
    pub singles: [usize; 2],
}

/// Two threads in states of the closure.
#[derive(Clone, Copy)]
struct Meeting {
    states: [Single; 2],
    relations: u64,
}

/// Bits that are known, each as a word and a place in it, and their formulas.
type Given = (Vec<(usize, usize)>, Vec<Lit>);

impl Closure<'_> {
    /// Two accesses that may race in a state of the closure, if there are any.
    pub(super) fn race(&mut self) -> Result<Option<Racing>, Stop> {
        let Some(Accesses { sites, .. }) = &self.relation.accesses else { return Ok(None) };
        let mut meetings: FxHashMap<[ControlId; 2], Vec<Meeting>> = FxHashMap::default();
        for pair in self.relation.candidates() {
            self.budget.spend(1)?;
            let [one, other] = pair.map(|it| &sites[it]);
            let controls = [one.control, other.control];
            let known = match meetings.entry(controls) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(self.meetings(controls)?),
            };
            if let Some(states) = self.overlap([one, other], known)? {
                let number = |it: Single| self.states.number(&it).unwrap_or_default();
                return Ok(Some(Racing { sites: pair, singles: states.map(number) }));
            }
        }
        Ok(None)
    }

    /// The states of two threads at these control locations.
    fn meetings(&self, controls: [ControlId; 2]) -> Result<Vec<Meeting>, Stop> {
        self.budget.spend(1 + self.states.pairs.len() as u64 / 16)?;
        if self.limits.width > 1 {
            let pairs = self.states.pairs.iter().filter(|it| it.control == controls);
            return Ok(pairs
                .map(|it| Meeting { states: [it.single(0), it.single(1)], relations: it.relations })
                .collect());
        }
        let mut found = vec![];
        for &one in self.states.singles.iter().filter(|it| it.control == controls[0]) {
            for &number in self.states.with_shared(one.shared) {
                self.budget.spend(1)?;
                let other = self.states.singles[number];
                let allowed = || self.companions.is_none_or(|it| it.allow(one, other));
                if other.control == controls[1] && allowed() {
                    found.push(Meeting { states: [one, other], relations: 0 });
                }
            }
        }
        Ok(found)
    }

    /// Threads whose accesses overlap.
    fn overlap(
        &mut self,
        sites: [&AccessSite; 2],
        meetings: &[Meeting],
    ) -> Result<Option<[Single; 2]>, Stop> {
        if meetings.is_empty() {
            return Ok(None);
        }
        let mut facts = self.planner.forms.overlap(sites)?;
        facts.extend(self.planner.forms.counted(&sites.map(|it| it.control)));
        if facts.contains(&Lit::FALSE) {
            return Ok(None);
        }
        let controls = sites.map(|it| it.control);
        let (places, given) = self.given(controls)?;
        let question = Question { facts, given, wanted: vec![] };
        let aig = &self.planner.forms.circuits.aig;
        let component = self.planner.images.component(aig, question, self.budget)?;
        for meeting in meetings {
            let [one, other] = meeting.states;
            let words = [one.shared, one.local, other.local, meeting.relations];
            let bits = places.iter().enumerate();
            let bits =
                bits.fold(0, |bits, (at, &(word, place))| bits | u128::from(words[word] >> place & 1) << at);
            if !self.planner.images.solutions(component, bits, self.budget)?.is_empty() {
                return Ok(Some(meeting.states));
            }
        }
        Ok(None)
    }

    /// The bits that are known of two threads: where they are, and their formulas.
    fn given(&mut self, controls: [ControlId; 2]) -> Result<Given, Stop> {
        let (basis, forms) = (self.basis, &mut self.planner.forms);
        let own = controls.map(|it| basis.local_bits(it));
        let wide = self.limits.width > 1;
        let related = if wide { basis.pair_bits(controls[0], controls[1]) } else { 0 };
        let live = [basis.shared_bits(), own[0], own[1], related];
        let mut found = (vec![], vec![]);
        for (word, bits) in live.into_iter().enumerate() {
            for place in (0..64).filter(|place| bits >> place & 1 == 1) {
                let lit = match word {
                    0 => forms.before.shared[place],
                    1 | 2 => forms.before.local[word - 1][place],
                    _ => {
                        let sides = [Side::Before(0), Side::Before(1)];
                        let sides = if place % 2 == 0 { sides } else { [sides[1], sides[0]] };
                        forms.pair(0, sides, place / 2)?
                    }
                };
                if lit.as_constant().is_none() && found.1.len() < GIVEN {
                    found.0.push((word, place));
                    found.1.push(lit);
                }
            }
        }
        Ok(found)
    }
}

impl Forms<'_> {
    /// That two threads make these accesses next, and their bytes overlap.
    fn overlap(&mut self, sites: [&AccessSite; 2]) -> Result<Vec<Lit>, Stop> {
        let mut facts = vec![];
        let mut addresses: Vec<Word> = vec![];
        for (who, site) in sites.into_iter().enumerate() {
            facts.extend(self.conjuncts(site.guard, who as Who)?);
            addresses.push(self.side(0, Side::Before(who as Who), site.address)?);
        }
        let there = self.begins_inside([&addresses[0], &addresses[1]], sites[0]);
        let back = self.begins_inside([&addresses[1], &addresses[0]], sites[1]);
        facts.push(!self.circuits.aig.and(!there, !back));
        if self.relation.is_mixed(sites[0], sites[1]) && sites[0].bytes == sites[1].bytes {
            facts.push(!compare(&mut self.circuits.aig, Binary::Eq, &addresses[0], &addresses[1]));
        }
        facts.retain(|&it| it != Lit::TRUE);
        Ok(facts)
    }

    /// Whether the second access begins at a byte of the first.
    fn begins_inside(&mut self, [first, second]: [&Word; 2], site: &AccessSite) -> Lit {
        let aig = &mut self.circuits.aig;
        let Some(bytes) = site.bytes else { return compare(aig, Binary::LeU, first, second) };
        let distance = binary(aig, Binary::Sub, second, first);
        let length = bv::constant(u128::from(bytes), distance.len());
        compare(aig, Binary::LtU, &distance, &length)
    }
}
