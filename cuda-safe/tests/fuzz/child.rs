//! Child processes: starting one, the programs that it runs, and the verdict on how it ended.

use std::{
    env,
    fmt::Write,
    os::unix::process::{CommandExt, ExitStatusExt},
    panic,
    process::{Command, Output},
    thread,
};

use super::{
    memory,
    program::{Class, Program, Settings},
    thread::{FAILED, Thread, fail},
    world::World,
};

/// The variable with the programs that a child runs.
const CHILD: &str = "CUDA_FUZZ_CHILD";
const DONE: &str = "fuzz: done";
const BEGUN: &str = "fuzz: program ";
/// The number of seconds after which a child counts as hung. A program takes some milliseconds.
pub const PATIENCE: u32 = 30;
/// The exit code of a process that has leaked.
const LEAKED: i32 = 99;

/// A program, whole or without some of its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    pub seed: u64,
    /// The numbers of the kept steps, or `None` for all.
    pub keep: Option<Vec<usize>>,
}

impl Selection {
    pub fn whole(seed: u64) -> Self {
        Self { seed, keep: None }
    }

    pub fn program(&self) -> Program {
        let program = Program::generate(self.seed);
        match &self.keep {
            Some(keep) => program.keep(keep),
            None => program,
        }
    }

    /// Returns the form that [`parse`](Self::parse) reads.
    pub fn text(&self) -> String {
        let mut text = self.seed.to_string();
        if let Some(keep) = &self.keep {
            text.push(':');
            for (i, number) in keep.iter().enumerate() {
                let comma = if i > 0 { "," } else { "" };
                let _ = write!(text, "{comma}{number}");
            }
        }
        text
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (seed, keep) = match text.split_once(':') {
            Some((seed, keep)) => (seed, Some(keep)),
            None => (text, None),
        };
        let numbers = |keep: &str| -> Option<Vec<usize>> {
            let numbers = keep.split(',').filter(|one| !one.is_empty());
            numbers.map(|one| one.parse().ok()).collect()
        };
        Some(Self {
            seed: seed.parse().ok()?,
            keep: match keep {
                Some(keep) => Some(numbers(keep)?),
                None => None,
            },
        })
    }
}

/// A failure of a child.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The program that ran last. A leak is found only after all programs have run.
    pub seed: Option<u64>,
    /// The reason in one line.
    pub reason: String,
    /// The child's output.
    pub text: String,
}

/// Runs programs of one batch in a child, which may take `patience` seconds.
pub fn run(programs: &[Selection], patience: u32) -> Result<(), Failure> {
    let settings = Settings::of(programs[0].seed);
    let names: Vec<String> = programs.iter().map(Selection::text).collect();
    let checks = match settings.class {
        Class::Clean => "race,uninit,host,leak",
        _ => "race,uninit,host",
    };
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args([
            "child::programs",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(CHILD, names.join(";"))
        .env("CUDA_EMULATOR_DEVICES", "2")
        .env("CUDA_EMULATOR_HOLD", settings.hold.to_string())
        .env("CUDA_EMULATOR_SEED", settings.seed.to_string())
        .env("CUDA_EMULATOR_CHECK", checks)
        .env("CUDA_EMULATOR_MEMORY", "256M")
        .env("CUDA_EMULATOR_REPORT", "/dev/stderr")
        // Reports with stacks take long.
        .env("RUST_BACKTRACE", "0")
        .env("CUDA_EMULATOR_QUIET", "1");
    if let Some((call, later)) = settings.failure {
        let later = if later { "+" } else { "" };
        let rule = format!("*:{call}{later}:CUDA_ERROR_UNKNOWN");
        command.env("CUDA_EMULATOR_FAIL", rule);
    }
    // SAFETY: between fork and exec, the closure makes only two system calls, which are allowed
    // there.
    unsafe {
        command.pre_exec(move || {
            let none = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            libc::alarm(patience);
            Ok(())
        });
    }
    judge(&command.output().unwrap(), settings.class)
}

fn judge(output: &Output, class: Class) -> Result<(), Failure> {
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let reason = match reason(output, &text, class) {
        None => return Ok(()),
        Some(reason) => reason,
    };
    let last = text.lines().rev().find_map(|line| line.strip_prefix(BEGUN));
    Err(Failure {
        seed: last.and_then(|seed| seed.parse().ok()),
        reason,
        text,
    })
}

/// Returns the reason why a child has failed, or `None` if it has not.
fn reason(output: &Output, text: &str, class: Class) -> Option<String> {
    let status = output.status;
    let may_abort = matches!(class, Class::Faults | Class::Failures);
    let line = |part: &str| {
        text.lines()
            .find(|line| line.contains(part))
            .map(str::to_owned)
    };
    if let Some(line) = line(FAILED) {
        return Some(line.replace(FAILED, ""));
    }
    if status.signal() == Some(libc::SIGALRM) {
        return Some("it does not end".into());
    }
    // An intended abort: the device may still use borrowed memory.
    if status.signal() == Some(libc::SIGABRT) && text.contains("cuda-safe: the driver cannot tell")
    {
        return (!may_abort)
            .then(|| "it aborts: the driver cannot tell whether a copy is over".into());
    }
    if let Some(signal) = status.signal() {
        return Some(format!("it ends with signal {signal}"));
    }
    if let Some(line) = line("unfinished work uses it") {
        return Some(line);
    }
    if status.code() == Some(LEAKED) {
        let leak = line("leak").unwrap_or_default();
        return Some(format!("it leaks: {leak}"));
    }
    if !text.contains(DONE) || !status.success() {
        return Some(format!("it ends with {status}"));
    }
    if class == Class::Clean {
        return line("[cuda-emulator]");
    }
    None
}

/// Runs the child's programs. A child is this executable, started again with this test alone.
#[test]
fn programs() {
    let Ok(names) = env::var(CHILD) else { return };
    panic::set_hook(Box::new(|panic| {
        fail(format!("panic: {panic}").replace('\n', " "))
    }));
    memory::watch();
    for name in names.split(';') {
        let program = Selection::parse(name).expect("a seed").program();
        eprintln!("{BEGUN}{}", program.seed);
        execute(&program);
    }
    memory::check_freed();
    println!("{DONE}");
}

fn execute(program: &Program) {
    let world = match World::new(program) {
        Ok(world) => world,
        Err(_) if program.settings.class == Class::Failures => return,
        Err(error) => fail(format!("before the first step: {error}")),
    };
    thread::scope(|threads| {
        for number in program.threads() {
            let world = &world;
            threads.spawn(move || Thread::new(world, program, number).run());
        }
    });
    Thread::new(&world, program, usize::MAX).read_all();
    world.settle();
}

#[test]
fn selections_round_trip_as_text() {
    for keep in [None, Some(vec![]), Some(vec![3]), Some(vec![0, 2, 17])] {
        let selection = Selection { seed: 42, keep };
        assert_eq!(Selection::parse(&selection.text()), Some(selection));
    }
    assert_eq!(Selection::parse("x"), None);
    assert_eq!(Selection::parse("1:2,y"), None);
}
