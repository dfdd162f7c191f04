//! Runs cargo in the copied tree.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::targets;

/// The build's location and options.
pub struct Cargo {
    /// The copied tree.
    pub tree: PathBuf,
    /// Its target folder.
    pub build: PathBuf,
    /// The emulator's optimization level.
    pub optimise: u32,
    /// The number of parallel commands.
    pub jobs: usize,
    /// The packages whose tests are built.
    pub packages: Vec<&'static str>,
}

/// A test program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The package.
    pub package: String,
    /// The program's name, which is that of the library for unit tests.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// The package's folder, in which cargo runs it.
    pub folder: PathBuf,
}

impl Program {
    /// Returns the program's name in reports.
    pub fn shown(&self) -> String {
        format!("{}/{}", self.package, self.name)
    }
}

/// The result of a build.
#[derive(Debug, Default)]
pub struct Built {
    /// The test programs.
    pub programs: Vec<Program>,
    /// Folders that cargo puts on the loader's path.
    pub libraries: BTreeSet<PathBuf>,
}

impl Cargo {
    fn run(&self, arguments: &[&str]) -> Result<(bool, Vec<Value>), String> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .current_dir(&self.tree)
            .args(arguments)
            .args(["--locked", "--message-format=json", "--quiet"])
            .args(["--jobs", &self.jobs.to_string()])
            .args(["--config", "profile.dev.debug=false"])
            .arg("--config")
            .arg(format!(
                "profile.dev.package.cuda-emulator.opt-level={}",
                self.optimise
            ))
            .arg("--config")
            .arg(format!(
                "profile.dev.package.cuda-emulator-engine.opt-level={}",
                self.optimise
            ))
            .env("CARGO_TARGET_DIR", &self.build)
            .env("RUSTFLAGS", "--cap-lints=allow")
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        for package in &self.packages {
            command.args(["-p", package]);
        }
        let output = command
            .output()
            .map_err(|error| format!("cargo: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let messages = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        Ok((output.status.success(), messages))
    }

    /// Checks the library and the tests, and returns the compiler's errors.
    ///
    /// # Errors
    /// Returns an error if the failure is not in a source file.
    pub fn check(&self) -> Result<Vec<Value>, String> {
        let (good, messages) = self.run(&["check", "--tests", "--keep-going"])?;
        let errors: Vec<Value> = messages
            .into_iter()
            .filter(|message| message["reason"] == "compiler-message")
            .map(|mut message| message["message"].take())
            .filter(|message| {
                message["level"] == "error" && message["spans"] != Value::Array(vec![])
            })
            .collect();
        if !good && errors.is_empty() {
            return Err("cargo check fails without an error in a source file".into());
        }
        Ok(errors)
    }

    /// Builds the test programs.
    ///
    /// # Errors
    /// Returns an error if they don't compile.
    pub fn build_tests(&self) -> Result<Built, String> {
        let (good, messages) = self.run(&["test", "--no-run"])?;
        if !good {
            let errors: String = messages
                .iter()
                .filter_map(|message| message["message"]["rendered"].as_str())
                .collect();
            return Err(format!("the tests don't compile\n{errors}"));
        }
        let mut built = Built::default();
        built.libraries.insert(self.build.join("debug/deps"));
        for message in &messages {
            match message["reason"].as_str() {
                Some("compiler-artifact") => built.programs.extend(program(message)),
                Some("build-script-executed") => {
                    let paths = message["linked_paths"].as_array().into_iter().flatten();
                    for path in paths.filter_map(Value::as_str) {
                        let path = Path::new(path.split_once('=').map_or(path, |(_, path)| path));
                        // Cargo does the same. Other folders are found by the loader.
                        if path.starts_with(&self.build) {
                            built.libraries.insert(path.into());
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(built)
    }
}

fn program(message: &Value) -> Option<Program> {
    let file = message["executable"].as_str()?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = folder.file_name()?.to_str()?.to_string();
    let name = message["target"]["name"].as_str()?.to_string();
    let is_test = message["profile"]["test"] == true;
    (is_test && targets::counts(&package, &name)).then(|| Program {
        package,
        name,
        file: file.into(),
        folder: folder.into(),
    })
}
