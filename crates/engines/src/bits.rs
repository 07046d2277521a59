//! Bit vectors and sets of small numbers in words of 32 bits, kept in slices so that many of them can lie in
//! one allocation.

/// How many words this many bits need.
pub fn words(bits: usize) -> usize {
    bits.div_ceil(32)
}

/// One bit.
pub fn get(words: &[u32], index: usize) -> bool {
    words[index / 32] >> (index % 32) & 1 == 1
}

/// Sets one bit.
pub fn set(words: &mut [u32], index: usize, value: bool) {
    let mask = 1 << (index % 32);
    if value {
        words[index / 32] |= mask;
    } else {
        words[index / 32] &= !mask;
    }
}

/// Adds the members of `more`; says whether the set grew.
pub fn unite(set: &mut [u32], more: &[u32]) -> bool {
    let mut grew = false;
    for (word, &more) in set.iter_mut().zip(more) {
        grew |= more & !*word != 0;
        *word |= more;
    }
    grew
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_lie_where_they_were_set() {
        let mut row = vec![0; words(70)];
        set(&mut row, 69, true);
        set(&mut row, 3, true);
        set(&mut row, 3, false);
        assert_eq!((0..70).filter(|&i| get(&row, i)).collect::<Vec<_>>(), [69]);
        assert!(unite(&mut row, &[1, 0, 0]) && !unite(&mut row, &[1, 0, 0]));
    }
}
