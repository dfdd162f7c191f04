//! The command line.

use crate::mutant::Mutant;
use crate::targets;

/// The text for `--help`.
pub const HELP: &str = "\
Changes the sources in many small ways, and checks whether a test detects each change.

    --list              only list the mutants
    --package NAME      only mutants of a package: cuda-safe, cuda-compute, cuda-nccl or cuda-emulator (may be repeated)
    --file PATTERN      only mutants of files whose path contains PATTERN, in which `*` matches anything (may be repeated)
    --sample N%         only a random sample: about N % of the mutants, the same ones in each run
    --only TEXT         only mutants whose number is TEXT, or whose name contains TEXT (may be repeated)
    --missed            only mutants that the last report lists as missed
    --resume            continue a stopped run with the same sources and tests
    --fresh             also try mutants that did not compile the last time
    --jobs N            parallel tests (2)
    --without TEXT      skip tests whose program or name contains TEXT (may be repeated)
    --patience N        a mutant that no test detects within N seconds counts as missed, even if tests are left
    --longest N         skip tests that take more than N seconds without mutants (300)
    --optimise N        optimization level of the emulator, 0 to 3 (1)
    --env P/T:NAME=VALUE  a variable for test program T of package P (may be repeated; an empty VALUE unsets it)
";

/// The options of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// Only list the mutants.
    pub list: bool,
    /// Selected packages. Empty for all.
    pub packages: Vec<String>,
    /// Selected files. Empty for all.
    pub files: Vec<String>,
    /// Selected numbers or names. Empty for all.
    pub only: Vec<String>,
    /// The share of the mutants to try, in hundredths of a percent.
    pub sample: u32,
    /// Only try the mutants that were missed.
    pub missed: bool,
    /// Keep the results of a stopped run.
    pub resume: bool,
    /// Ignore the stored list of mutants that don't compile.
    pub fresh: bool,
    /// Parts of the names of tests to skip.
    pub without: Vec<String>,
    /// The number of parallel tests.
    pub jobs: usize,
    /// The time limit in seconds for a test without mutants.
    pub longest: u64,
    /// The time limit in seconds for all tests of one mutant together.
    pub patience: u64,
    /// The emulator's optimization level.
    pub optimise: u32,
    /// Program, variable and value.
    pub environment: Vec<(String, String, String)>,
}

impl Options {
    /// Parses the arguments. Returns `None` if help is requested.
    ///
    /// # Errors
    /// Returns an error if an argument is unknown or has no value.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self {
            list: false,
            packages: Vec::new(),
            files: Vec::new(),
            only: Vec::new(),
            sample: WHOLE,
            missed: false,
            resume: false,
            fresh: false,
            without: Vec::new(),
            jobs: 2,
            longest: 300,
            patience: 86_400,
            optimise: 1,
            environment: Vec::new(),
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--list" => options.list = true,
                "--missed" => options.missed = true,
                "--resume" => options.resume = true,
                "--fresh" => options.fresh = true,
                "--package" => {
                    let name = value()?;
                    if !targets::TARGETS.iter().any(|target| target.package == name) {
                        return Err(format!("{name}: this package has no mutants"));
                    }
                    options.packages.push(name);
                }
                "--file" => options.files.push(value()?),
                "--sample" => options.sample = share(&value()?)?,
                "--only" => options.only.push(value()?),
                "--without" => options.without.push(value()?),
                "--jobs" => options.jobs = number(&value()?, 1, 64)? as usize,
                "--longest" => options.longest = number(&value()?, 1, 86_400)?.into(),
                "--patience" => options.patience = number(&value()?, 1, 86_400)?.into(),
                "--optimise" => options.optimise = number(&value()?, 0, 3)?,
                "--env" => {
                    let text = value()?;
                    let parts = text.split_once(':').and_then(|(program, variable)| {
                        let (name, value) = variable.split_once('=')?;
                        Some((program.into(), name.into(), value.into()))
                    });
                    let parts = parts.ok_or(format!("{text}: package/program:NAME=VALUE"))?;
                    options.environment.push(parts);
                }
                other => return Err(format!("{other} is unknown. Fix: see --help")),
            }
        }
        Ok(Some(options))
    }

    /// Returns whether only a sample is tried.
    pub fn is_sample(&self) -> bool {
        self.sample < WHOLE
    }

    /// Returns whether a package is selected.
    pub fn wants_package(&self, package: &str) -> bool {
        self.packages.is_empty() || self.packages.iter().any(|name| name == package)
    }

    /// Returns whether a file is selected.
    pub fn wants_file(&self, file: &str) -> bool {
        let Some(target) = targets::of(file) else {
            return false;
        };
        self.wants_package(target.package)
            && (self.files.is_empty() || self.files.iter().any(|pattern| fits(pattern, file)))
    }

    /// Returns whether a mutant is selected.
    pub fn wants(&self, number: u32, mutant: &Mutant) -> bool {
        let identity = mutant.identity();
        let fits = |text: &String| match text.parse::<u32>() {
            Ok(wanted) => wanted == number,
            Err(_) => identity.contains(text),
        };
        self.wants_file(&mutant.file)
            && (self.only.is_empty() || self.only.iter().any(fits))
            && position(&identity) < self.sample
    }
}

/// All mutants, in hundredths of a percent.
const WHOLE: u32 = 10_000;

/// Puts mutants in the random order of a sample, so that a stopped run has tried a smaller sample.
pub fn shuffle<T>(mutants: &mut [T], mutant: impl Fn(&T) -> &Mutant) {
    mutants.sort_by_key(|one| position(&mutant(one).identity()));
}

/// Returns the position of a mutant in a random order, from 0 to [`WHOLE`]. It depends only on the
/// identity, so a sample contains the same mutants in each run, and a larger sample contains those
/// of a smaller one.
fn position(identity: &str) -> u32 {
    // FNV-1a, followed by the last steps of MurmurHash3, because FNV gives similar texts similar
    // hashes.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in identity.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
    }
    ((hash ^ (hash >> 33)) % u64::from(WHOLE)) as u32
}

/// Parses a share such as `25%` or `2.5`, in hundredths of a percent.
fn share(text: &str) -> Result<u32, String> {
    match text.strip_suffix('%').unwrap_or(text).parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok((percent * 100.0).ceil() as u32),
        _ => Err(format!(
            "{text}: expected a share above 0 % and up to 100 %"
        )),
    }
}

fn number(text: &str, low: u32, high: u32) -> Result<u32, String> {
    match text.parse() {
        Ok(number) if (low..=high).contains(&number) => Ok(number),
        _ => Err(format!("{text}: expected a number from {low} to {high}")),
    }
}

/// Returns whether `text` contains the parts of `pattern` between its `*`, in order.
fn fits(pattern: &str, text: &str) -> bool {
    let mut rest = text;
    pattern.split('*').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<Options>, String> {
        Options::parse(text.split_whitespace().map(String::from))
    }

    #[test]
    fn arguments_are_read() {
        let options =
            parse("--package cuda-safe --file s*.rs --only 7 --only drop --jobs 3 --env a/b:N=v=w");
        let options = options.unwrap().unwrap();
        assert!(options.wants_file("cuda-safe/src/stream/mod.rs"));
        assert!(!options.wants_file("cuda-compute/src/sum.rs"));
        assert!(!options.wants_file("cuda-safe/tests/sum.rs"));
        let mutant = |function: &str| Mutant {
            file: "cuda-safe/src/stream/mod.rs".into(),
            line: 1,
            column: 1,
            function: function.into(),
            change: "change".into(),
            ordinal: 1,
        };
        assert!(options.wants(7, &mutant("f")) && options.wants(1, &mutant("drop")));
        assert!(!options.wants(17, &mutant("f")));
        assert_eq!(options.jobs, 3);
        assert_eq!(
            options.environment,
            [("a/b".into(), "N".into(), "v=w".into())]
        );
        assert_eq!(parse("--help"), Ok(None));
    }

    #[test]
    fn samples_have_the_requested_share_and_are_nested() {
        let mutant = |number: usize| Mutant {
            file: format!("cuda-safe/src/{}.rs", number % 7),
            line: 1,
            column: 1,
            function: format!("f{}", number % 40),
            change: "change".into(),
            ordinal: number / 40,
        };
        let sample = |text: &str| {
            let options = parse(text).unwrap().unwrap();
            let all = 0..10_000;
            let chosen = all.filter(|number| options.wants(1, &mutant(*number)));
            chosen.collect::<std::collections::BTreeSet<_>>()
        };
        let (small, large) = (sample("--sample 10%"), sample("--sample 30"));
        assert!((900..1100).contains(&small.len()), "{}", small.len());
        assert!((2800..3200).contains(&large.len()), "{}", large.len());
        assert!(small.is_subset(&large));
        assert_eq!(sample("--sample 100%").len(), 10_000);
        assert_eq!(sample("").len(), 10_000);
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        for text in [
            "--what",
            "--jobs",
            "--jobs 0",
            "--optimise x",
            "--env a",
            "--package cuda-sys",
            "--sample",
            "--sample 0%",
            "--sample 101",
            "--sample NaN",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
