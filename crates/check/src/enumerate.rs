//! Enumerations without recursion and without lists: the caller may leave at any point.

use ir::bp::Values;

/// All ways to choose one value from each set.
pub struct Valuations {
    possible: Vec<Values>,
    current: Option<Vec<bool>>,
}

impl Valuations {
    /// The first valuation: 0 wherever it is possible.
    pub fn new(possible: Vec<Values>) -> Valuations {
        let current = possible.iter().map(|values| values.iter().next()).collect();
        Valuations { possible, current }
    }

    /// The valuation at hand; `None` after the last.
    pub fn current(&self) -> Option<&[bool]> {
        self.current.as_deref()
    }

    /// Goes on to the next.
    pub fn advance(&mut self) {
        let Some(current) = &mut self.current else { return };
        for (value, possible) in current.iter_mut().zip(&self.possible).rev() {
            if *possible == Values::ANY {
                *value = !*value;
                if *value {
                    return;
                }
            }
        }
        self.current = None;
    }
}

/// All ways to choose one of this many, several times over: the numbers of those chosen.
pub struct Choices {
    sizes: Vec<usize>,
    current: Option<Vec<usize>>,
}

impl Choices {
    /// The first choice; none if there is nothing to choose from.
    pub fn new(sizes: Vec<usize>) -> Choices {
        let current = sizes.iter().all(|&size| size > 0).then(|| vec![0; sizes.len()]);
        Choices { sizes, current }
    }

    /// The choice at hand; `None` after the last.
    pub fn current(&self) -> Option<&[usize]> {
        self.current.as_deref()
    }

    /// Goes on to the next.
    pub fn advance(&mut self) {
        let Some(current) = &mut self.current else { return };
        match (0..current.len()).rev().find(|&at| current[at] + 1 < self.sizes[at]) {
            Some(at) => {
                current[at] += 1;
                current[at + 1..].fill(0);
            }
            None => self.current = None,
        }
    }
}

/// All ways to give every member of every group one of the group's outcomes, where members are not told
/// apart: how many members get each outcome.
pub struct Splits {
    groups: Option<Vec<Vec<u32>>>,
}

impl Splits {
    /// Groups by their sizes and numbers of outcomes.
    pub fn new(groups: impl IntoIterator<Item = (u32, usize)>) -> Splits {
        let first = |(size, outcomes): (u32, usize)| {
            let mut counts = vec![0; outcomes];
            match counts.first_mut() {
                Some(first) => *first = size,
                None if size > 0 => return None,
                None => {}
            }
            Some(counts)
        };
        Splits { groups: groups.into_iter().map(first).collect() }
    }

    /// The split at hand, for each group and outcome how many; `None` after the last.
    pub fn current(&self) -> Option<&[Vec<u32>]> {
        self.groups.as_deref()
    }

    /// Goes on to the next.
    pub fn advance(&mut self) {
        let Some(groups) = &mut self.groups else { return };
        if !groups.iter_mut().rev().any(|counts| shift(counts)) {
            self.groups = None;
        }
    }
}

/// Moves one group on: one member further to the right, all behind it back to just after it. The last split
/// turns into the first.
fn shift(counts: &mut [u32]) -> bool {
    let Some((last, before)) = counts.split_last_mut() else { return false };
    let back = std::mem::take(last);
    match before.iter().rposition(|&n| n > 0) {
        Some(from) => {
            counts[from] -= 1;
            counts[from + 1] = back + 1;
            true
        }
        None => {
            counts[0] = back;
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn picks_are_all_there() {
        let mut valuations = Valuations::new(vec![Values::ANY, Values::TRUE, Values::ANY]);
        let mut seen = vec![];
        while let Some(valuation) = valuations.current() {
            seen.push(crate::describe::bits(valuation));
            valuations.advance();
        }
        assert_eq!(seen, ["010", "011", "110", "111"]);
        assert!(Valuations::new(vec![Values::NONE]).current().is_none());
        assert!(Valuations::new(vec![]).current().is_some());
    }

    #[test]
    fn choices_are_all_there() {
        let mut choices = Choices::new(vec![2, 1, 3]);
        let mut seen = vec![];
        while let Some(choice) = choices.current() {
            seen.push(choice.to_vec());
            choices.advance();
        }
        assert_eq!(seen, [[0, 0, 0], [0, 0, 1], [0, 0, 2], [1, 0, 0], [1, 0, 1], [1, 0, 2]]);
        assert!(Choices::new(vec![1, 0]).current().is_none());
        assert!(Choices::new(vec![]).current().is_some());
    }

    #[test]
    fn splits_are_all_there_once() {
        let mut splits = Splits::new([(3, 3), (2, 2), (0, 0)]);
        let mut seen = HashSet::new();
        while let Some(split) = splits.current() {
            assert_eq!(split.iter().map(|counts| counts.iter().sum::<u32>()).collect::<Vec<_>>(), [3, 2, 0]);
            assert!(seen.insert(split.to_vec()));
            splits.advance();
        }
        assert_eq!(seen.len(), 10 * 3);
        assert!(Splits::new([(1, 0)]).current().is_none());
    }
}
