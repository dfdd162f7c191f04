//! A log of the outcomes so far, from which a stopped run can be resumed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

use crate::hunt::{self, Outcome};

/// Opens the log file, and returns its outcomes if a run is resumed.
///
/// # Errors
/// Returns an error if the file can't be written or belongs to other sources.
pub fn open(
    path: &Path,
    state: &str,
    resume: bool,
) -> Result<(Mutex<File>, BTreeMap<String, Outcome>), String> {
    let about = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let head = serde_json::json!({ "state": state });
    let mut known = BTreeMap::new();
    let mut file = if resume {
        let text = fs::read_to_string(path).map_err(|error| about(&error))?;
        let mut lines = text
            .lines()
            // The last line may be incomplete.
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap_or_default());
        if lines.next().as_ref() != Some(&head) {
            return Err(about(
                &"the sources have changed since. Fix: run without --resume",
            ));
        }
        for line in lines {
            if let (Some(identity), Some(outcome)) =
                (line["identity"].as_str(), hunt::from_json(&line["outcome"]))
            {
                known.insert(identity.to_string(), outcome);
            }
        }
        File::options().append(true).open(path)
    } else {
        File::create(path)
    }
    .map_err(|error| about(&error))?;
    let start = if resume {
        String::new()
    } else {
        head.to_string()
    };
    writeln!(file, "{start}").map_err(|error| about(&error))?;
    Ok((Mutex::new(file), known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_resume_only_with_the_same_sources() {
        let name = format!("mutants-log-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        assert!(open(&path, "one", true).is_err(), "there is none");
        let (file, known) = open(&path, "one", false).unwrap();
        assert_eq!(known, BTreeMap::new());
        let line = serde_json::json!({ "identity": "a", "outcome": "not reached" });
        write!(file.into_inner().unwrap(), "{line}\n{{\"identity\": \"b").unwrap();
        assert!(
            open(&path, "two", true)
                .unwrap_err()
                .contains("have changed")
        );
        for _ in 0..2 {
            let (_, known) = open(&path, "one", true).unwrap();
            assert_eq!(known, BTreeMap::from([("a".into(), Outcome::NotReached)]));
        }
        assert_eq!(open(&path, "one", false).unwrap().1, BTreeMap::new());
        fs::remove_file(&path).unwrap();
    }
}
