//! The protocol between this process and a worker, over the worker's standard input and output.
//!
//! A worker runs forms on the driver of its process. The two drivers of a comparison need two
//! processes, because each uses the name `libcuda.so.1`, and so that a crash can be attributed to
//! one of them.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::form::Form;
use crate::operand::{Operand, Width};
use crate::run::{Outcome, Runner};

/// Maximum length of a text or list.
const LIMIT: u64 = 1 << 28;

/// A worker process.
pub struct Worker {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
    /// The device's name and driver.
    pub device: String,
}

impl Worker {
    /// Starts a process that calls [`serve`], and waits for its greeting.
    ///
    /// # Errors
    ///
    /// Returns an error if the process does not start or finds no device. The message is the
    /// process's own.
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the worker process did not start")?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("the worker process has no pipes");
        };
        let mut worker = Self {
            child,
            to: BufWriter::new(to),
            from: BufReader::new(from),
            device: String::new(),
        };
        match take_text(&mut worker.from) {
            Ok(greeting) => match greeting.strip_prefix("ready ") {
                Some(device) => worker.device = device.into(),
                None => bail!("{greeting}"),
            },
            Err(_) => bail!(
                "the worker process ended before it had a device: {}",
                worker.end()
            ),
        }
        Ok(worker)
    }

    /// Runs forms in the worker, in the order given.
    ///
    /// # Errors
    ///
    /// Returns an error if the process has ended.
    pub fn run(&mut self, forms: &[Form]) -> Result<Vec<Outcome>> {
        self.exchange(forms).map_err(|error| {
            let end = self.end();
            error.context(format!("{}: the worker {end}", self.device))
        })
    }

    fn exchange(&mut self, forms: &[Form]) -> Result<Vec<Outcome>> {
        put(&mut self.to, forms.len() as u64)?;
        for form in forms {
            put_form(&mut self.to, form)?;
        }
        self.to.flush()?;
        forms.iter().map(|_| take_outcome(&mut self.from)).collect()
    }

    fn end(&mut self) -> String {
        match self.child.wait() {
            Ok(status) => format!("ended with {status}"),
            Err(error) => error.to_string(),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The worker may be waiting for a request that never comes. A failure could not be
        // reported.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the worker's side: sends a greeting, then answers until its input ends.
///
/// # Errors
///
/// Returns an error if a pipe breaks.
pub fn serve(runner: Result<Runner>) -> Result<()> {
    let mut from = std::io::stdin().lock();
    let mut to = BufWriter::new(std::io::stdout().lock());
    let runner = match runner.and_then(|runner| Ok((runner.device()?, runner))) {
        Ok((device, runner)) => {
            put_text(&mut to, &format!("ready {device}"))?;
            runner
        }
        Err(error) => {
            put_text(&mut to, &format!("{error:#}"))?;
            to.flush()?;
            return Ok(());
        }
    };
    to.flush()?;
    while !from.fill_buf()?.is_empty() {
        let count = take(&mut from)?;
        let forms = (0..count)
            .map(|_| take_form(&mut from))
            .collect::<Result<Vec<_>>>()?;
        for outcome in runner.run(&forms) {
            put_outcome(&mut to, &outcome)?;
        }
        to.flush()?;
    }
    Ok(())
}

fn put(to: &mut impl Write, number: u64) -> Result<()> {
    Ok(to.write_all(&number.to_le_bytes())?)
}

fn take(from: &mut impl Read) -> Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn put_text(to: &mut impl Write, text: &str) -> Result<()> {
    put(to, text.len() as u64)?;
    Ok(to.write_all(text.as_bytes())?)
}

fn length(from: &mut impl Read) -> Result<usize> {
    match take(from)? {
        length if length <= LIMIT => Ok(length as usize),
        length => bail!("{length} is too long"),
    }
}

fn take_text(from: &mut impl Read) -> Result<String> {
    let mut bytes = vec![0; length(from)?];
    from.read_exact(&mut bytes)?;
    Ok(String::from_utf8(bytes)?)
}

fn put_list(to: &mut impl Write, list: &[u64]) -> Result<()> {
    put(to, list.len() as u64)?;
    list.iter().try_for_each(|&number| put(to, number))
}

fn take_list(from: &mut impl Read) -> Result<Vec<u64>> {
    let count = length(from)?;
    (0..count).map(|_| take(from)).collect()
}

fn put_form(to: &mut impl Write, form: &Form) -> Result<()> {
    put_text(to, &form.name)?;
    put_text(to, &form.body)?;
    let widths = |w: Width| u64::from(w.bits());
    let operands: Vec<u64> = form.operands.iter().map(|o| widths(o.width())).collect();
    let results: Vec<u64> = form.results.iter().map(|&w| widths(w)).collect();
    let (major, minor) = form.version;
    let numbers = [form.cases as u64, major.into(), minor.into()];
    for list in [&operands[..], &results, &form.given, &numbers] {
        put_list(to, list)?;
    }
    Ok(())
}

fn take_form(from: &mut impl Read) -> Result<Form> {
    let (name, body) = (take_text(from)?, take_text(from)?);
    let operand = |bits: u64| match bits {
        1 => Operand::Truth,
        16 => Operand::I16,
        32 => Operand::I32,
        _ => Operand::I64,
    };
    let operands: Vec<Operand> = take_list(from)?.into_iter().map(operand).collect();
    let results = take_list(from)?
        .into_iter()
        .map(|bits| operand(bits).width());
    let mut form = Form::new(name, &operands, &results.collect::<Vec<_>>()).body(body);
    form.given = take_list(from)?;
    match take_list(from)?[..] {
        [cases, major, minor] => {
            form.cases = cases as usize;
            form.version = (major as u32, minor as u32);
        }
        _ => bail!("the request is corrupt"),
    }
    Ok(form)
}

fn put_outcome(to: &mut impl Write, outcome: &Outcome) -> Result<()> {
    match outcome {
        Ok(columns) => {
            put(to, 1 + columns.len() as u64)?;
            columns.iter().try_for_each(|column| put_list(to, column))
        }
        Err(why) => {
            put(to, 0)?;
            put_text(to, why)
        }
    }
}

fn take_outcome(from: &mut impl Read) -> Result<Outcome> {
    Ok(match length(from)? {
        0 => Err(take_text(from)?),
        count => Ok((1..count).map(|_| take_list(from)).collect::<Result<_>>()?),
    })
}
