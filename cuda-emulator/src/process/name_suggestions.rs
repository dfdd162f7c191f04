//! Spelling suggestions.

/// Returns the candidate most similar to a name, if one is similar enough.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (distance, candidate) = candidates
        .map(|candidate| (distance(name, candidate), candidate))
        .min()?;
    (distance <= 1 + name.len() / 6).then_some(candidate)
}

/// Returns the Levenshtein distance of two texts in bytes.
fn distance(a: &str, b: &str) -> usize {
    let b = b.as_bytes();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        for (a, b, apart) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abd", 1),
            ("abc", "ac", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), apart, "{a} {b}");
        }
    }

    #[test]
    fn distant_names_are_not_suggested() {
        let known = || ["cuLaunchKernel", "cuLaunch", "cuInit"].into_iter();
        assert_eq!(nearest("cuLaunchKernal", known()), Some("cuLaunchKernel"));
        assert_eq!(nearest("culaunchkernel", known()), Some("cuLaunchKernel"));
        assert_eq!(nearest("cuInt", known()), Some("cuInit"));
        assert_eq!(nearest("printf", known()), None);
        assert_eq!(nearest("cuInit", [].into_iter()), None);
    }
}
