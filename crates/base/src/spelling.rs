//! Hints for misspelt names: which of the names that there are is written almost like the one that is not.

/// With more names than this none is compared: a hint is not worth the time.
const MOST_COMPARED: usize = 20_000;

/// `did you mean ..?` for the nearest of the names, if one is near enough. Ties are broken by the alphabet,
/// since the names come in no order.
pub fn similar<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let limit = (name.len() / 3).clamp(1, 3);
    let mut best: Option<(usize, &str)> = None;
    for (count, other) in names.enumerate() {
        if count >= MOST_COMPARED {
            return None;
        }
        if other.len().abs_diff(name.len()) <= limit {
            let scored = (distance(name, other), other);
            best = Some(best.map_or(scored, |best| best.min(scored)));
        }
    }
    best.filter(|&(distance, _)| distance <= limit).map(|(_, other)| format!("did you mean `{other}`?"))
}

/// Levenshtein's distance; long names count as far apart.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 80;
    if a.len() > LONGEST || b.len() > LONGEST {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints() {
        let check = |name: &str, names: &[&str], expected: Option<&str>| {
            let found = similar(name, names.iter().copied());
            assert_eq!(found, expected.map(|it| format!("did you mean `{it}`?")), "{name}");
        };
        check("lokc", &["clock", "lock", "key"], None);
        check("locks", &["clock", "lock", "key"], Some("lock"));
        check("flag_1", &["flag_0", "flag_2", "gap"], Some("flag_0"));
        check("x", &["alpha"], None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
