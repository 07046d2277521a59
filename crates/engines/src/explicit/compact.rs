//! Compact states ⟨s, {(l, n), …}⟩: the shared valuation and how many threads are in each local state, those
//! with none left out (Basler et al., CAV 2009, section 5.1).
//!
//! A state is a row of words: the shared valuation, then for each local state its number; where more than one
//! thread is in it the highest bit is set and the next word is how many. So a state of n different threads
//! takes n + 1 words.

/// How many threads (or tokens) are in a local state.
pub type LocalCount = (u32, u32);

const SEVERAL: u32 = 1 << 31;

/// The groups of a row.
pub fn groups(row: &[u32]) -> impl Iterator<Item = LocalCount> {
    let mut words = row[1..].iter();
    std::iter::from_fn(move || {
        let &word = words.next()?;
        if word & SEVERAL == 0 {
            return Some((word, 1));
        }
        let &count = words.next().expect("a number follows the mark");
        Some((word & !SEVERAL, count))
    })
}

/// Takes a row apart: fills `into` and returns the shared part.
pub fn decode(row: &[u32], into: &mut Vec<LocalCount>) -> u32 {
    into.clear();
    into.extend(groups(row));
    row[0]
}

/// Adds a group to a row.
pub fn push(row: &mut Vec<u32>, (local, count): LocalCount) {
    match count {
        0 => {}
        1 => row.push(local),
        _ => row.extend([local | SEVERAL, count]),
    }
}

/// Appends the row of a state; the groups are in the order that they shall have.
pub fn encode(shared: u32, groups: &[LocalCount], row: &mut Vec<u32>) {
    row.push(shared);
    groups.iter().for_each(|&group| push(row, group));
}

/// Appends the row after one thread of group `from` has left and the threads in `to` (sorted) have come. The
/// new local states are looked up among the groups *without* the thread that left: a thread that stays where
/// it is must not be counted twice.
pub fn update(shared: u32, groups: &[LocalCount], from: usize, to: &[u32], row: &mut Vec<u32>) {
    row.push(shared);
    let mut coming = to;
    for (index, &(local, count)) in groups.iter().enumerate() {
        while let Some(&new) = coming.first().filter(|&&new| new < local) {
            let several = leading(coming, new);
            push(row, (new, several as u32));
            coming = &coming[several..];
        }
        let staying = leading(coming, local);
        push(row, (local, count - u32::from(index == from) + staying as u32));
        coming = &coming[staying..];
    }
    while let Some(&new) = coming.first() {
        let several = leading(coming, new);
        push(row, (new, several as u32));
        coming = &coming[several..];
    }
}

/// How many threads at the front are in this local state.
fn leading(coming: &[u32], local: u32) -> usize {
    coming.iter().take_while(|&&new| new == local).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_count_every_thread_once() {
        let check = |groups: &[LocalCount], from: usize, to: &[u32], expected: &[LocalCount]| {
            let (mut row, mut found) = (vec![], vec![]);
            update(7, groups, from, to, &mut row);
            assert_eq!(decode(&row, &mut found), 7);
            assert_eq!(found, expected);
        };
        // Three threads in A, one of which steps to A: the printed algorithm makes {(A, 2), (A, 4)} of it.
        check(&[(5, 3)], 0, &[5], &[(5, 3)]);
        check(&[(5, 1)], 0, &[5], &[(5, 1)]);
        check(&[(5, 1), (8, 1)], 0, &[6, 6], &[(6, 2), (8, 1)]);
        check(&[(5, 2), (8, 1)], 1, &[9, 9], &[(5, 2), (9, 2)]);
        check(&[(5, 2), (8, 1)], 0, &[3, 8], &[(3, 1), (5, 1), (8, 2)]);
        check(&[(5, 1)], 0, &[], &[]);
    }
}
