//! Runs programs of array operations that `peers/programs.py` generates, and measures each.
//!
//! The programs are read from the file in `PROGRAMS`. Each begins with `program NAME`, continues with a
//! line for each value, and ends with `out VALUE...`. See [`operation::Operation`] for the lines. A
//! line of JSON is printed for each program. With `PROGRAMS_PROFILE=1`, each program runs once for a
//! profiler instead.

#[path = "../common/mod.rs"]
mod common;
mod operation;
mod value;

use std::{collections::HashMap, env, fs, time::Instant};

use anyhow::{Context as _, Result, bail};
use common::{Bench, Queue, median_us};
use cuda_compute::Result as ArrayResult;
use cuda_safe::{MemoryPool, Stream, profiler};
use operation::{Computed, Operation};
use value::{Stored, Value};

/// A program: inputs, operations in order, and results.
struct Program {
    name: String,
    inputs: Vec<(String, Stored)>,
    operations: Vec<(String, Operation)>,
    outputs: Vec<String>,
}

impl Program {
    /// Computes the results from the expressions to the last launch, without waiting.
    fn run(&self, stream: &Stream) -> ArrayResult<Vec<Stored>> {
        let inputs = self.inputs.iter();
        let mut values: HashMap<&str, Value> = inputs
            .map(|(name, stored)| (name.as_str(), stored.expr()))
            .collect();
        // Results that are arrays already are not computed again.
        let mut arrays = HashMap::new();
        for (name, operation) in &self.operations {
            let value = match operation.apply(stream, &values)? {
                Computed::Expression(value) => value,
                Computed::Array(array) => {
                    let value = array.expr();
                    arrays.insert(name, array);
                    value
                }
            };
            values.insert(name, value);
        }
        if let [name] = &*self.outputs
            && let Some(array) = arrays.remove(name)
        {
            return Ok(vec![array]);
        }
        let outputs: Vec<&Value> = self.outputs.iter().map(|name| &values[&**name]).collect();
        value::eval(&outputs)
    }
}

/// Reads the programs of a text one by one, because their inputs need memory.
fn for_each(text: &str, stream: &Stream, mut run: impl FnMut(Program) -> Result<()>) -> Result<()> {
    let mut program = None;
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = || format!("line {}: {line}", number + 1);
        match (words.as_slice(), &mut program) {
            ([], _) => {}
            (["program", name], None) => {
                program = Some(Program {
                    name: (*name).to_owned(),
                    inputs: Vec::new(),
                    operations: Vec::new(),
                    outputs: Vec::new(),
                });
            }
            (["out", names @ ..], Some(_)) => {
                let mut done = program.take().context("no program")?;
                done.outputs = names.iter().map(|&name| name.to_owned()).collect();
                run(done)?;
            }
            ([name, "input", form @ ..], Some(program)) => {
                let stored = Stored::input(stream, form).with_context(at)?;
                program.inputs.push(((*name).to_owned(), stored));
            }
            ([name, form @ ..], Some(program)) => {
                let operation = Operation::parse(form).with_context(at)?;
                program.operations.push(((*name).to_owned(), operation));
            }
            _ => bail!("{}: no program begins here", at()),
        }
    }
    Ok(())
}

fn main() -> Result<()> {
    let Ok(path) = env::var("PROGRAMS") else {
        println!("programs: set PROGRAMS to a file that peers/programs.py has written");
        return Ok(());
    };
    let bench = Bench::new("programs")?;
    // Otherwise, every wait returns unused memory to the system: see MemoryPool.
    MemoryPool::current(bench.stream.context())?.set_release_threshold(u64::MAX)?;
    let text = fs::read_to_string(&path).with_context(|| path.clone())?;
    if env::var("PROGRAMS_PROFILE").is_ok_and(|value| value == "1") {
        return for_each(&text, &bench.stream, |program| {
            profiled(&bench.stream, &program)
        });
    }
    for_each(&text, &bench.stream, |program| {
        println!("{}", measured(&bench, &program)?);
        Ok(())
    })
}

/// Runs a compiled program once, between the calls that tell a profiler where to begin and to end.
fn profiled(stream: &Stream, program: &Program) -> Result<()> {
    program.run(stream)?;
    stream.synchronize()?;
    profiler::start(stream.context())?;
    program.run(stream)?;
    stream.synchronize()?;
    Ok(profiler::stop(stream.context())?)
}

/// Returns the line of JSON of a program: its device time, the host time of its first and of later
/// calls, and a part of its results.
fn measured(bench: &Bench, program: &Program) -> Result<String> {
    let stream = &bench.stream;
    let start = Instant::now();
    let outputs = match program.run(stream) {
        Ok(outputs) => outputs,
        Err(error) => {
            let text = error.to_string();
            return Ok(format!(
                "{{\"program\": {:?}, \"error\": {text:?}}}",
                program.name
            ));
        }
    };
    let first_us = start.elapsed().as_secs_f64() * 1e6;
    bench.stream.synchronize()?;
    let start = Instant::now();
    program.run(stream)?;
    let host_us = start.elapsed().as_secs_f64() * 1e6;
    // Calls are queued one at a time, as by peers/programs.py, because short kernels take up to 0.7 µs
    // longer when many calls are in the queue. Building and launching a program may take longer than the
    // calls of other benches.
    let queue = Queue {
        calls: 1,
        host_ns: 200_000,
    };
    let times = bench.device_times_in(queue, bench.choose(15, 1), |_| {
        program.run(stream)?;
        Ok(())
    })?;
    let us = median_us(times);
    let samples: Vec<String> = outputs.iter().map(Stored::samples).collect::<Result<_>>()?;
    Ok(format!(
        "{{\"program\": {:?}, \"us\": {us:.2}, \"host_us\": {host_us:.2}, \"first_us\": {first_us:.0}, \
         \"samples\": [{}]}}",
        program.name,
        samples.join(", ")
    ))
}
