//! Runs every form on the machine's driver.
//!
//! - `record data FILE` writes the results.
//! - `record compare` compares them with the recorded ones.
//! - `record ptx FOLDER` writes the modules for inspection.
//! - `record list` lists the forms.
//! - `record show FORM` prints a form's instructions and every recorded case.
//! - `record textures FILE` writes the results of textures and surfaces. Each case that may fault
//!   runs in a separate process.

use std::{
    fs,
    path::Path,
    process::{Command, ExitCode},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use cuda_conformance::texture::{self, Outcome};
use cuda_conformance::{Columns, Form, Runner, compare, data, forms, module};
use cuda_safe::module::JitOptions;

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["data", file] => record(Path::new(file)),
        ["compare"] => check(),
        ["ptx", folder] => write_ptx(Path::new(folder)),
        ["list"] => {
            for form in forms::all() {
                println!(
                    "{}\t{} cases, {} results",
                    form.name,
                    form.cases,
                    form.results.len()
                );
            }
            Ok(ExitCode::SUCCESS)
        }
        ["show", name] => show(name),
        ["textures", file] => record_textures(Path::new(file)),
        ["texture", number] => texture_alone(number.parse()?),
        _ => bail!(
            "usage: record data FILE | compare | ptx FOLDER | list | show FORM | textures FILE"
        ),
    }
}

fn record(file: &Path) -> Result<ExitCode> {
    let runner = Runner::new()?;
    let device = runner.device()?;
    println!("{device}");
    let forms = forms::all();
    let start = Instant::now();
    let outcomes = runner.run(&forms);
    // Unoptimized code must produce the same results. Otherwise the compiler causes the difference.
    let unoptimized = runner.options(JitOptions::default().optimization_level(0));
    let again = unoptimized.run(&forms);
    let mut results = Vec::new();
    for ((form, outcome), again) in forms.iter().zip(outcomes).zip(again) {
        match outcome {
            Ok(columns) => {
                if Ok(&columns) != again.as_ref() {
                    let place = again.as_ref().ok().and_then(|again| first(&columns, again));
                    let name = &form.name;
                    println!("{name}: the result differs without optimization: {place:x?}");
                }
                results.push((form, columns));
            }
            Err(why) => println!("{}: {why}", form.name),
        }
    }
    let packed = data::pack(&device, &results);
    fs::write(file, &packed).with_context(|| file.display().to_string())?;
    println!(
        "{} of {} forms recorded in {:.1} s, {} bytes",
        results.len(),
        forms.len(),
        start.elapsed().as_secs_f64(),
        packed.len()
    );
    Ok(ExitCode::SUCCESS)
}

/// Returns the first result that differs: its index, the case, and the values with and without
/// optimization.
fn first(columns: &Columns, others: &Columns) -> Option<(usize, usize, u64, u64)> {
    let both = columns.iter().zip(others).enumerate();
    both.flat_map(|(r, (a, b))| {
        a.iter()
            .zip(b)
            .enumerate()
            .map(move |(c, (a, b))| (r, c, *a, *b))
    })
    .find(|(_, _, a, b)| a != b)
}

fn check() -> Result<ExitCode> {
    let runner = Runner::new()?;
    let data = forms::recorded()?;
    println!("{}, against {}", runner.device()?, data.device);
    let forms = forms::all();
    let comparison = compare(&forms, &runner.run(&forms), &data);
    println!("{comparison}");
    Ok(ExitCode::from(u8::from(!comparison.passes())))
}

fn write_ptx(folder: &Path) -> Result<ExitCode> {
    fs::create_dir_all(folder)?;
    let forms = forms::all();
    let mut needs: Vec<_> = forms.iter().map(|f| (f.version, f.target)).collect();
    needs.sort_unstable();
    needs.dedup();
    for ((major, minor), target) in needs {
        let alike: Vec<&Form> = forms
            .iter()
            .filter(|f| (f.version, f.target) == ((major, minor), target))
            .collect();
        for (i, part) in alike.chunks(128).enumerate() {
            fs::write(
                folder.join(format!("{major}.{minor}-{target}-{i:02}.ptx")),
                module(part),
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(name: &str) -> Result<ExitCode> {
    let all = forms::all();
    let Some(form) = all.iter().find(|form| form.name == name) else {
        bail!("the form {name} does not exist. Fix: see `record list`");
    };
    println!("{}", form.body);
    let data = forms::recorded()?;
    let recorded = data.forms.get(name).context("nothing recorded")?;
    if recorded.fingerprint != form.fingerprint() {
        bail!("{name} was recorded with other operands. Fix: record again");
    }
    let inputs = form.inputs();
    for case in 0..form.cases {
        let operands = &inputs[case * form.operands.len()..][..form.operands.len()];
        let results: Vec<u64> = recorded.columns.iter().map(|column| column[case]).collect();
        println!("{case}: {operands:x?} -> {results:x?}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the outcomes of all cases of textures and surfaces.
fn record_textures(file: &Path) -> Result<ExitCode> {
    let cases = texture::cases();
    texture::start();
    let mut outcomes = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        if !case.may_fault() {
            outcomes.push(texture::run(case));
            continue;
        }
        let me = std::env::current_exe()?;
        let child = Command::new(me)
            .args(["texture", &number.to_string()])
            .output()?;
        let text = String::from_utf8(child.stdout)?;
        let mut words = text.split_whitespace().map(str::parse);
        let mut next = || words.next().context("no outcome")?.context("no number");
        let (step, code) = (next()?, next()?);
        let words = words.collect::<Result<_, _>>()?;
        outcomes.push(Outcome { step, code, words });
    }
    let packed = texture::pack(&cases, &outcomes);
    fs::write(file, &packed).with_context(|| file.display().to_string())?;
    println!("{} cases, {} bytes", cases.len(), packed.len());
    Ok(ExitCode::SUCCESS)
}

/// Runs one case, for the process that started this one.
fn texture_alone(number: usize) -> Result<ExitCode> {
    let cases = texture::cases();
    let case = cases.get(number).context("the case does not exist")?;
    texture::start();
    let outcome = texture::run(case);
    println!("{} {}", outcome.step, outcome.code);
    for word in outcome.words {
        println!("{word}");
    }
    Ok(ExitCode::SUCCESS)
}
