//! The tests: their list, their times and the mutants that they reach.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::cargo::{Built, Program};
use crate::measured::Measured;
use crate::process::{self, End};
use crate::targets;
use crate::work;

/// A test.
#[derive(Clone, Debug)]
pub struct Test {
    /// The program, as an index into [`Built::programs`].
    pub program: usize,
    /// The name in libtest.
    pub name: String,
    /// The emulator's settings.
    pub environment: Vec<(String, String)>,
    /// The time without mutants.
    pub time: Duration,
    /// The numbers of the mutants that it reaches.
    pub reaches: Vec<u32>,
}

/// Runs tests, each in a separate process.
pub struct Runner<'a> {
    /// The programs.
    pub built: &'a Built,
    /// The folder for files that tests write.
    pub scratch: PathBuf,
    /// Compiled kernels, for tests that may use existing ones.
    pub kernels: PathBuf,
}

impl Runner<'_> {
    fn command(
        &self,
        program: &Program,
        scratch: &Path,
        limit: Duration,
        keeps_kernels: bool,
    ) -> Command {
        let mut libraries: Vec<PathBuf> = self.built.libraries.iter().cloned().collect();
        libraries.extend(
            std::env::var_os("LD_LIBRARY_PATH")
                .iter()
                .flat_map(std::env::split_paths),
        );
        let libraries = std::env::join_paths(libraries).unwrap_or_default();
        // `timeout` ends hanging tests even if this process was killed.
        let mut command = Command::new("timeout");
        command
            .args(["-s", "KILL", &(limit.as_secs() + 20).to_string()])
            .arg(&program.file)
            .current_dir(&program.folder)
            .env("LD_LIBRARY_PATH", libraries)
            .env("CARGO_MANIFEST_DIR", &program.folder)
            .env("CARGO_PKG_NAME", &program.package)
            // A mutant must not leave files that another run finds, such as those in the kernel
            // cache.
            .env("HOME", scratch)
            .env("XDG_CACHE_HOME", scratch)
            .env("TMPDIR", scratch)
            .env("RUST_BACKTRACE", "0")
            .env_remove("MUTANT")
            .env_remove("MUTANTS_REACHED");
        if keeps_kernels {
            command.env("CUDA_DIRECT_CACHE", &self.kernels);
        } else {
            command.env_remove("CUDA_DIRECT_CACHE");
        }
        command
    }

    /// Returns the tests of the programs, except ignored ones.
    ///
    /// # Errors
    /// Returns an error if a program can't be run.
    pub fn list(&self) -> Result<Vec<Test>, String> {
        let mut tests = Vec::new();
        for (index, program) in self.built.programs.iter().enumerate() {
            let names = |more: &[&str]| {
                let mut command =
                    self.command(program, &self.scratch, Duration::from_secs(60), false);
                let output = command
                    .args(["--list", "--format", "terse"])
                    .args(more)
                    .output()
                    .map_err(|error| format!("{}: {error}", program.file.display()))?;
                if !output.status.success() {
                    let reason = String::from_utf8_lossy(&output.stderr);
                    return Err(format!("{}: {reason}", program.shown()));
                }
                Ok(String::from_utf8_lossy(&output.stdout)
                    .lines()
                    .filter_map(|line| line.strip_suffix(": test"))
                    .map(String::from)
                    .collect::<Vec<_>>())
            };
            let ignored = names(&["--ignored"])?;
            for name in names(&[])? {
                if !ignored.contains(&name) {
                    tests.push(Test {
                        program: index,
                        name,
                        environment: targets::environment(&program.package, &program.name),
                        time: Duration::ZERO,
                        reaches: Vec::new(),
                    });
                }
            }
        }
        Ok(tests)
    }

    /// Returns the test's name in reports.
    pub fn shown(&self, test: &Test) -> String {
        format!(
            "{} {}",
            self.built.programs[test.program].shown(),
            test.name
        )
    }

    /// Runs a test with one variable set, in its own empty folder. If it `keeps_kernels`, it can
    /// use compiled kernels of earlier tests.
    ///
    /// # Errors
    /// Returns an error if the test can't be run.
    pub fn run(
        &self,
        test: &Test,
        worker: usize,
        variable: (&str, &str),
        limit: Duration,
        keeps_kernels: bool,
        log: Option<&Path>,
    ) -> Result<(End, Duration), String> {
        let scratch = self.scratch.join(format!("worker-{worker}"));
        // Files of a mutant may not be removable, but that must not affect the others.
        let _ = fs::remove_dir_all(&scratch);
        fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
        let program = &self.built.programs[test.program];
        let mut command = self.command(program, &scratch, limit, keeps_kernels);
        command
            .args([&test.name, "--exact", "--test-threads=1"])
            .env(variable.0, variable.1)
            .envs(test.environment.iter().cloned());
        match log.map(File::create) {
            Some(Ok(file)) => {
                let other = file.try_clone().map_err(|error| error.to_string())?;
                command.stdout(file).stderr(other);
            }
            _ => {
                command.stdout(Stdio::null()).stderr(Stdio::null());
            }
        }
        process::run(&mut command, limit)
    }

    /// Runs every test without mutants, to measure its time and the mutants that it reaches.
    /// Returns the tests that take at most `longest`, and remarks about tests. Tests that
    /// `measured` contains are not run again.
    ///
    /// # Errors
    /// Returns an error if a test fails.
    pub fn measure(
        &self,
        tests: &[Test],
        longest: Duration,
        jobs: usize,
        measured: &Measured,
    ) -> Result<(Vec<Test>, Vec<String>), String> {
        let results = work::share(tests.len(), jobs, |worker, index| {
            let test = &tests[index];
            let program = &self.built.programs[test.program];
            if let Some((known, note)) = measured.recall(program, test)
                && known.time <= longest
            {
                return Ok((Some(known), note));
            }
            let result = self.measure_one(test.clone(), longest, worker);
            if let Ok((Some(after), note)) = &result {
                measured.note(program, test, after, note.as_deref());
            }
            result
        });
        measured.save(&self.built.programs, tests)?;
        let (mut good, mut failures, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for result in results {
            match result {
                Ok((test, note)) => {
                    good.extend(test);
                    notes.extend(note);
                }
                Err(failure) => failures.push(failure),
            }
        }
        if failures.is_empty() {
            Ok((good, notes))
        } else {
            let failures = failures.join("\n");
            Err(format!("tests fail without any mutant\n{failures}"))
        }
    }

    fn measure_one(
        &self,
        mut test: Test,
        longest: Duration,
        worker: usize,
    ) -> Result<(Option<Test>, Option<String>), String> {
        let name = self.shown(&test);
        let reached = self.scratch.join(format!("reached-{worker}"));
        let log = self.scratch.join(format!("log-{worker}"));
        let mut note = None;
        loop {
            let _ = fs::remove_file(&reached);
            let variable = ("MUTANTS_REACHED", reached.to_str().unwrap_or_default());
            let kept = targets::keeps_kernels(&self.built.programs[test.program].package);
            let (end, time) = self.run(&test, worker, variable, longest, kept, Some(&log))?;
            let checks = test
                .environment
                .iter()
                .position(|(name, _)| name == targets::CHECK);
            match (end, checks) {
                (End::Exit(Some(0)), _) => {
                    test.time = time;
                    break;
                }
                (End::Time, _) => {
                    let seconds = longest.as_secs();
                    return Ok((
                        None,
                        Some(format!("{name} takes more than {seconds} s: skipped")),
                    ));
                }
                (End::Exit(Some(targets::LEAKED)), Some(checks)) => {
                    // Some tests show that a leak is harmless.
                    test.environment.remove(checks);
                    note = Some(format!(
                        "{name} leaks without mutants too: runs without that check"
                    ));
                }
                _ => {
                    let text = fs::read_to_string(&log).unwrap_or_default();
                    return Err(format!("{name}: {end:?}\n{text}"));
                }
            }
        }
        let text = fs::read_to_string(&reached).unwrap_or_default();
        test.reaches = text.lines().filter_map(|line| line.parse().ok()).collect();
        test.reaches.sort_unstable();
        test.reaches.dedup();
        Ok((Some(test), note))
    }
}
