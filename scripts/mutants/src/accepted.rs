//! Reads the list of mutants that no test can distinguish from the original, with the reasons.

use std::collections::BTreeMap;

/// Reads the list, which has `identity // reason` on each line. `#` begins a comment.
///
/// # Errors
/// Returns an error if a line has no reason or is a duplicate.
pub fn parse(text: &str) -> Result<BTreeMap<String, String>, String> {
    let mut all = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let about = |problem: &str| format!("line {}: {problem}: {line}", index + 1);
        let (identity, reason) = line
            .rsplit_once(" // ")
            .filter(|(_, reason)| !reason.trim().is_empty())
            .ok_or_else(|| about("no reason. Fix: add `// reason`"))?;
        let old = all.insert(identity.trim().to_string(), reason.trim().to_string());
        if old.is_some() {
            return Err(about("duplicate"));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_needs_a_reason() {
        let list = parse("# why\n\na.rs: f: x / y // only speed\n").unwrap();
        assert_eq!(
            list,
            BTreeMap::from([("a.rs: f: x / y".into(), "only speed".into())])
        );
        assert!(
            parse("a.rs: f: x")
                .unwrap_err()
                .contains("line 1: no reason")
        );
        assert!(parse("a // b\na // c").unwrap_err().contains("duplicate"));
    }

    #[test]
    fn repository_list_is_valid() {
        parse(include_str!("../accepted.txt")).unwrap();
    }
}
