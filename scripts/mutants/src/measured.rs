//! Measurements of tests from earlier runs, for programs that have not been rebuilt since.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::cargo::Program;
use crate::suite::Test;

/// The measurements of earlier runs, and their file.
pub struct Measured {
    path: PathBuf,
    known: Mutex<BTreeMap<String, Value>>,
}

impl Measured {
    /// Reads the file. A missing or unreadable file contains no results.
    pub fn open(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        Self {
            path: path.to_path_buf(),
            known: Mutex::new(serde_json::from_str(&text).unwrap_or_default()),
        }
    }

    /// Returns a key that changes whenever the program or the settings of the test do.
    fn key(program: &Program, test: &Test) -> Option<String> {
        let data = fs::metadata(&program.file).ok()?;
        let date = data.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH);
        let (file, date) = (program.file.display(), date.ok()?.as_nanos());
        let (size, environment) = (data.len(), &test.environment);
        Some(format!(
            "{file} {size} {date} {environment:?} {}",
            test.name
        ))
    }

    /// Returns the test with its measurements, and the remark about it.
    pub fn recall(&self, program: &Program, test: &Test) -> Option<(Test, Option<String>)> {
        let known = self.known.lock().ok()?;
        let found = known.get(&Self::key(program, test)?)?;
        let mut test = test.clone();
        test.time = Duration::from_secs_f64(found["seconds"].as_f64()?);
        let numbers = found["reaches"].as_array()?.iter();
        test.reaches = numbers
            .map(|number| number.as_u64().and_then(|number| number.try_into().ok()))
            .collect::<Option<_>>()?;
        if let Some(variable) = found["without"].as_str() {
            test.environment.retain(|(name, _)| name != variable);
        }
        Some((test, found["note"].as_str().map(String::from)))
    }

    /// Records a result. `before` is the test as requested, and `after` the test as measured.
    pub fn note(&self, program: &Program, before: &Test, after: &Test, note: Option<&str>) {
        let without = before
            .environment
            .iter()
            .find(|variable| !after.environment.contains(variable))
            .map(|(name, _)| name);
        let value = json!({
            "seconds": after.time.as_secs_f64(),
            "reaches": after.reaches,
            "without": without,
            "note": note,
        });
        if let (Some(key), Ok(mut known)) = (Self::key(program, before), self.known.lock()) {
            known.insert(key, value);
        }
    }

    /// Writes the file. Results of programs that no longer exist are dropped.
    ///
    /// # Errors
    /// Returns an error if the file can't be written.
    pub fn save(&self, programs: &[Program], tests: &[Test]) -> Result<(), String> {
        let mut known = self.known.lock().map_err(|error| error.to_string())?;
        let current: Vec<String> = tests
            .iter()
            .filter_map(|test| Self::key(&programs[test.program], test))
            .collect();
        let files: Vec<String> = tests
            .iter()
            .map(|test| format!("{} ", programs[test.program].file.display()))
            .collect();
        // Keep tests that this run did not select.
        known.retain(|key, _| {
            current.contains(key) || !files.iter().any(|file| key.starts_with(file))
        });
        let text = serde_json::to_string(&*known).map_err(|error| error.to_string())?;
        fs::write(&self.path, text).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_valid_until_the_program_or_its_settings_change() {
        let folder = std::env::temp_dir().join(format!("mutants-measured-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, file) = (folder.join("measured.json"), folder.join("program"));
        fs::write(&file, "1").unwrap();
        let program = Program {
            package: "a".into(),
            name: "b".into(),
            file: file.clone(),
            folder: folder.clone(),
        };
        let variable = |name: &str| (name.to_string(), "1".to_string());
        let test = Test {
            program: 0,
            name: "t".into(),
            environment: vec![variable("HOLD"), variable("CHECK")],
            time: Duration::ZERO,
            reaches: Vec::new(),
        };
        let measured = Test {
            environment: vec![variable("HOLD")],
            time: Duration::from_millis(1500),
            reaches: vec![3, 70_000],
            ..test.clone()
        };
        let first = Measured::open(&path);
        assert!(first.recall(&program, &test).is_none());
        first.note(&program, &test, &measured, Some("leaks"));
        let programs = [program.clone()];
        first.save(&programs, std::slice::from_ref(&test)).unwrap();

        let second = Measured::open(&path);
        let (found, note) = second.recall(&program, &test).unwrap();
        assert_eq!(
            (found.time, &found.reaches),
            (measured.time, &measured.reaches)
        );
        assert_eq!(found.environment, measured.environment);
        assert_eq!(note.as_deref(), Some("leaks"));
        let mut other = test.clone();
        other.environment.pop();
        assert!(second.recall(&program, &other).is_none());
        fs::write(&file, "22").unwrap();
        assert!(second.recall(&program, &test).is_none());
        second.save(&programs, &[test]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
