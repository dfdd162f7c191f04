//! Mutation tests: all changes are compiled into one build, each behind a switch that an
//! environment variable controls.
//!
//! See the README of this package.

mod accepted;
mod attributes;
mod cargo;
#[cfg(test)]
mod changes;
#[cfg(test)]
mod end_to_end;
mod find;
mod hunt;
mod log;
mod macros;
mod measured;
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
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cargo::Cargo;
use hunt::{Hunt, Live};
use measured::Measured;
use options::Options;
use project::Project;
use report::Report;
use suite::{Runner, Test};
use targets::Target;

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

/// Executes the options. Returns false if too few mutants are caught.
fn run(options: &Options) -> Result<bool, String> {
    let root = tree::root()?;
    let targets: Vec<&Target> = targets::TARGETS
        .iter()
        .filter(|target| options.wants_package(target.package))
        .collect();
    let packages = targets.iter().map(|target| target.package).collect();
    let mut project = Project::read(&root, packages)?;
    if options.list {
        for (number, mutant) in project
            .all()
            .filter(|(number, mutant)| options.wants(*number, mutant))
        {
            println!(
                "{number} {}: {}: {}",
                mutant.place(),
                mutant.function,
                mutant.change
            );
        }
        return Ok(true);
    }
    let accepted = read_accepted(&root)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let out = root.join(target).join("mutants");
    let scratch = out.join("scratch");
    fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;

    let start = Instant::now();
    let cargo = Cargo {
        tree: out.join("tree"),
        build: out.join("build"),
        optimise: options.optimise,
        jobs: options.jobs,
        packages: targets::TARGETS
            .iter()
            .map(|target| target.package)
            .filter(|package| targets.iter().any(|target| target.tests.contains(package)))
            .collect(),
    };
    project.leave_out_unviable(&cargo, &out.join("unviable.json"), options.fresh)?;
    println!("building the tests");
    let built = cargo.build_tests()?;
    let built_in = start.elapsed().as_secs();
    let mut mutants = wanted(&project, options, &out)?;
    if options.is_sample() {
        options::shuffle(&mut mutants, |live| &live.mutant);
    }
    println!("{} mutants, {built_in} s", mutants.len());

    let start = Instant::now();
    let runner = Runner {
        built: &built,
        scratch,
        kernels: out.join("kernels"),
    };
    let tests = tests(&runner, &mutants, options)?;
    println!("{} tests, each alone", tests.len());
    let measured = Measured::open(&out.join("measured.json"));
    let longest = Duration::from_secs(options.longest);
    let (tests, notes) = runner.measure(&tests, longest, options.jobs, &measured)?;
    let measured_in = start.elapsed().as_secs();

    let start = Instant::now();
    let path = out.join("outcomes.jsonl");
    let (log, before) = log::open(&path, &project.state(), options.resume)?;
    let (known, mutants): (Vec<Live>, Vec<Live>) = mutants
        .into_iter()
        .partition(|live| before.contains_key(&live.mutant.identity()));
    println!("{} mutants to try, {measured_in} s", mutants.len());
    let hunt = Hunt {
        runner: &runner,
        tests: &tests,
        jobs: options.jobs,
        patience: Duration::from_secs(options.patience),
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
        unviable: project.unviable(&|file| options.wants_file(file)),
        passed_over: project.passed_over(&|file| options.wants_file(file)),
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

/// Returns the tests that count for one of the mutants, with the emulator's settings for them.
fn tests(runner: &Runner<'_>, mutants: &[Live], options: &Options) -> Result<Vec<Test>, String> {
    let mut tests = runner.list()?;
    let left_out = |test: &Test| {
        let name = runner.shown(test);
        options.without.iter().any(|text| name.contains(text))
    };
    tests.retain(|test| {
        let package = runner.built.programs[test.program].package.as_str();
        let counts = mutants.iter().any(|live| {
            targets::of(&live.mutant.file).is_some_and(|target| target.tests.contains(&package))
        });
        counts && !left_out(test)
    });
    for test in &mut tests {
        let program = runner.built.programs[test.program].shown();
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
    Ok(tests)
}

fn read_accepted(root: &Path) -> Result<BTreeMap<String, String>, String> {
    let path = root.join("scripts/mutants/accepted.txt");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    accepted::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the mutants that compile and are selected.
fn wanted(project: &Project, options: &Options, out: &Path) -> Result<Vec<Live>, String> {
    let missed = options
        .missed
        .then(|| missed(&out.join("report.json")))
        .transpose()?;
    Ok(project
        .live()
        .filter(|(number, mutant)| {
            options.wants(*number, mutant)
                && missed
                    .as_ref()
                    .is_none_or(|missed| missed.contains(&mutant.identity()))
        })
        .map(|(number, mutant)| Live {
            number,
            mutant: mutant.clone(),
        })
        .collect())
}

/// Returns the mutants that the last report lists as missed.
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
