//! Mutation tests: all changes go into one build, each behind a switch that an environment variable turns on.
//!
//! See the README beside this package.

mod accepted;
mod attributes;
mod cargo;
#[cfg(test)]
mod changes;
#[cfg(test)]
mod end_to_end;
mod find;
mod hunt;
mod macros;
mod mutant;
mod operators;
mod options;
mod process;
mod project;
mod report;
mod rewrite;
mod suite;
mod targets;
mod tree;
mod unviable;
mod values;
mod visit;
mod work;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use cargo::Cargo;
use hunt::{Hunt, Live, Outcome};
use options::Options;
use project::Project;
use report::Report;
use suite::Runner;

fn main() -> ExitCode {
    let result = Options::parse(std::env::args().skip(1)).and_then(|options| match options {
        Some(options) => run(&options),
        None => {
            print!("{}", options::HELP);
            Ok(true)
        }
    });
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("mutants: {message}");
            ExitCode::from(2)
        }
    }
}

/// Does what is asked for; false when too few mutants are caught.
fn run(options: &Options) -> Result<bool, String> {
    let root = tree::root()?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let out = root.join(target).join("mutants");
    let mut project = Project::read(&root)?;
    if options.list {
        for (number, mutant) in project.all() {
            let wanted = targets::of(&mutant.file)
                .is_some_and(|target| options.wants_file(target.package, &mutant.file));
            if wanted && options.wants_mutant(number, &mutant.identity()) {
                println!(
                    "{number} {}: {}: {}",
                    mutant.place(),
                    mutant.function,
                    mutant.change
                );
            }
        }
        return Ok(true);
    }
    let accepted = read_accepted(&root)?;
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;

    let start = Instant::now();
    let cargo = Cargo {
        tree: out.join("tree"),
        build: out.join("build"),
        optimise: options.optimise,
        jobs: options.jobs,
    };
    project.leave_out_unviable(&cargo, &out.join("unviable.json"), options.fresh)?;
    println!("building the tests");
    let built = cargo.build_tests()?;
    let built_in = start.elapsed().as_secs();

    let mutants = wanted(&project, options, &out)?;
    println!("{} mutants, {built_in} s", mutants.len());
    let start = Instant::now();
    let scratch = out.join("scratch");
    fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let runner = Runner {
        built: &built,
        scratch,
    };
    let mut tests = runner.list()?;
    tests.retain(|test| {
        let package = built.programs[test.program].package.as_str();
        let counts = |live: &Live| {
            targets::of(&live.mutant.file).is_some_and(|of| of.tests.contains(&package))
        };
        mutants.iter().any(counts)
    });
    for test in &mut tests {
        let program = built.programs[test.program].shown();
        for (_, name, value) in options
            .environment
            .iter()
            .filter(|(of, _, _)| *of == program)
        {
            test.environment.retain(|(other, _)| other != name);
            if !value.is_empty() {
                test.environment.push((name.clone(), value.clone()));
            }
        }
    }
    println!("{} tests, each alone", tests.len());
    let notes = runner.measure(&mut tests, options.jobs)?;
    let measured_in = start.elapsed().as_secs();

    let start = Instant::now();
    let (log, before) = open_log(
        &out.join("outcomes.jsonl"),
        &project.state(),
        options.resume,
    )?;
    let (known, mutants): (Vec<Live>, Vec<Live>) = mutants
        .into_iter()
        .partition(|live| before.contains_key(&live.mutant.identity()));
    println!("{} mutants to try, {measured_in} s", mutants.len());
    let hunt = Hunt {
        runner: &runner,
        tests: &tests,
        jobs: options.jobs,
        log: &log,
    };
    let outcomes = hunt.all(&mutants)?;
    let known = known
        .iter()
        .map(|live| (live, before[&live.mutant.identity()].clone()));
    let report = Report {
        results: mutants.iter().zip(outcomes).chain(known).collect(),
        accepted: &accepted,
        known: project.all().map(|(_, mutant)| mutant.identity()).collect(),
        unviable: project.unviable(),
        passed_over: project.passed_over(),
        notes,
        tests: tests
            .iter()
            .map(|test| (runner.shown(test), test.time, test.reaches.len()))
            .collect(),
        seconds: [built_in, measured_in, start.elapsed().as_secs()],
    };
    write(&report, &out)?;
    Ok(report.is_good())
}

fn read_accepted(root: &Path) -> Result<BTreeMap<String, String>, String> {
    let path = root.join("scripts/mutants/accepted.txt");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    accepted::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The mutants that compile and are asked for.
fn wanted(project: &Project, options: &Options, out: &Path) -> Result<Vec<Live>, String> {
    let missed = options
        .missed
        .then(|| missed(&out.join("report.json")))
        .transpose()?;
    Ok(project
        .live()
        .filter(|(number, mutant)| {
            let identity = mutant.identity();
            let package = targets::of(&mutant.file).map_or("", |target| target.package);
            options.wants_file(package, &mutant.file)
                && options.wants_mutant(*number, &identity)
                && missed
                    .as_ref()
                    .is_none_or(|missed| missed.contains(&identity))
        })
        .map(|(number, mutant)| Live {
            number,
            mutant: mutant.clone(),
        })
        .collect())
}

/// What the last report has as missed.
fn missed(path: &Path) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let report: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(report["mutants"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|mutant| mutant["outcome"]["caught"].is_null())
        .filter_map(|mutant| mutant["identity"].as_str().map(String::from))
        .collect())
}

/// The file that outcomes go to at once, and what is in it already if a run is resumed.
fn open_log(
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
            // The last line may be half written.
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap_or_default());
        if lines.next().as_ref() != Some(&head) {
            return Err(about(
                &"the sources have changed since, run without --resume",
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

fn write(report: &Report<'_>, out: &Path) -> Result<(), String> {
    let text = report.text();
    let json = serde_json::to_string_pretty(&report.json()).map_err(|error| error.to_string())?;
    for (name, contents) in [("report.txt", &text), ("report.json", &json)] {
        let path = out.join(name);
        fs::write(&path, contents).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    println!("\n{text}\n{}", out.join("report.txt").display());
    Ok(())
}
