//! All ways to split groups of equal tokens over their possible destinations: broadcasts and transfers move
//! each token on its own, and only how many went where is known afterwards.

/// Splits of several groups at once. Goes through all combinations in a fixed order.
#[derive(Clone, Debug, Default)]
pub struct Splits {
    /// For each group its size, and where its parts begin and end.
    groups: Vec<(u32, usize, usize)>,
    parts: Vec<u32>,
}

impl Splits {
    /// Forgets all groups.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.parts.clear();
    }

    /// Adds a group of `size` tokens, each of which has `ways` destinations; false if there is a token and no
    /// destination.
    pub fn add(&mut self, size: u32, ways: usize) -> bool {
        let first = self.parts.len();
        self.parts.resize(first + ways, 0);
        self.groups.push((size, first, first + ways));
        if let Some(part) = self.parts.get_mut(first) {
            *part = size;
        }
        ways > 0 || size == 0
    }

    /// How many tokens of a group go to each destination.
    pub fn parts(&self, group: usize) -> &[u32] {
        let (_, first, end) = self.groups[group];
        &self.parts[first..end]
    }

    /// Goes on to the next combination; false after the last.
    pub fn advance(&mut self) -> bool {
        for &(size, first, end) in self.groups.iter().rev() {
            let parts = &mut self.parts[first..end];
            if advance(parts) {
                return true;
            }
            parts.fill(0);
            if let Some(part) = parts.first_mut() {
                *part = size;
            }
        }
        false
    }
}

/// The next split in falling lexicographic order: from (n, 0, …, 0) to (0, …, 0, n).
fn advance(parts: &mut [u32]) -> bool {
    let Some(last) = parts.len().checked_sub(1) else { return false };
    let Some(at) = parts[..last].iter().rposition(|&part| part > 0) else { return false };
    parts[at] -= 1;
    let rest = std::mem::take(&mut parts[last]) + 1;
    parts[at + 1] = rest;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_splits_come_once() {
        let mut splits = Splits::default();
        assert!(splits.add(2, 2) && splits.add(0, 0) && splits.add(3, 3));
        let mut seen = std::collections::BTreeSet::new();
        loop {
            let (a, c) = (splits.parts(0).to_vec(), splits.parts(2).to_vec());
            assert_eq!((a.iter().sum::<u32>(), c.iter().sum::<u32>()), (2, 3));
            assert!(seen.insert((a, c)));
            if !splits.advance() {
                break;
            }
        }
        assert_eq!(seen.len(), 3 * 10);
        assert!(!splits.add(1, 0));
    }
}
