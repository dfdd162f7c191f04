//! Runs the tests in the same way as `cargo test`.
//!
//! Whether a machine has OpenGL is known only at run time, when an attribute can no longer ignore a
//! test. OpenGL's context also stays on one thread. So the tests run one after another on the main
//! thread, with the arguments and the output of the standard harness.

use std::{
    cell::OnceCell,
    env,
    panic::{self, AssertUnwindSafe},
    process::{Command, ExitCode},
    time::Instant,
};

use crate::{Shared, gl::NoOpenGl};

pub struct Test {
    /// The name of the function, with its module path.
    pub name: &'static str,
    pub body: Body,
}

#[derive(Clone, Copy)]
pub enum Body {
    /// Needs no OpenGL.
    Host(fn()),
    /// Shares memory with OpenGL.
    Shared(fn(&Shared<'_>)),
    /// Shares memory with OpenGL in a separate process, because the test leaves resources mapped.
    InProcess(fn(&Shared<'_>)),
}

/// Lists the tests of a module: `[Shared a, Host b]`.
macro_rules! tests {
    ($($body:ident $name:ident),* $(,)?) => {
        &[$(crate::harness::Test {
            name: concat!(module_path!(), "::", stringify!($name)),
            body: crate::harness::Body::$body($name),
        }),*]
    };
}
pub(crate) use tests;

/// Environment variable that is set in the process of a [`Body::InProcess`] test.
const CHILD: &str = "CUDA_SAFE_TEST_OPENGL";

/// Runs the tests that the arguments select.
pub fn run<'a>(
    tests: impl Iterator<Item = &'a Test>,
    open: impl Fn() -> Result<crate::OpenGl, NoOpenGl>,
) -> ExitCode {
    let arguments = match Arguments::parse(env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(unknown) => {
            eprintln!("unknown argument {unknown}");
            return ExitCode::FAILURE;
        }
    };
    let opengl = OnceCell::new();
    let opengl = || opengl.get_or_init(&open);
    let reason = |test: &Test| match (test.body, arguments.needs_reasons()) {
        (Body::Shared(_) | Body::InProcess(_), true) => match opengl() {
            Err(NoOpenGl::Missing(reason)) => Some(reason),
            _ => None,
        },
        _ => None,
    };
    let (chosen, left): (Vec<_>, Vec<_>) = tests.partition(|test| arguments.chooses(test.name()));
    if arguments.is_list {
        for test in chosen {
            if arguments.ignored != Ignored::Only || reason(test).is_some() {
                println!("{}: test", test.name());
            }
        }
        return ExitCode::SUCCESS;
    }
    let since = Instant::now();
    let (mut passed, mut ignored, mut filtered, mut failed) = (0, 0, left.len(), Vec::new());
    println!("\nrunning {} tests", chosen.len());
    for test in chosen {
        let reason = reason(test);
        match (arguments.ignored, reason) {
            (Ignored::Only, None) => {
                filtered += 1;
                continue;
            }
            (Ignored::Skipped, Some(reason)) => {
                println!("test {} ... ignored, {reason}", test.name());
                ignored += 1;
                continue;
            }
            _ => {}
        }
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| test.run(opengl)));
        let shown = if outcome.is_ok() { "ok" } else { "FAILED" };
        println!("test {} ... {shown}", test.name());
        match outcome {
            Ok(()) => passed += 1,
            Err(_) => failed.push(test.name()),
        }
    }
    if !failed.is_empty() {
        println!("\nfailures:\n    {}", failed.join("\n    "));
    }
    println!(
        "\ntest result: {}. {passed} passed; {} failed; {ignored} ignored; 0 measured; {filtered} filtered out; finished in \
         {:.2}s\n",
        if failed.is_empty() { "ok" } else { "FAILED" },
        failed.len(),
        since.elapsed().as_secs_f64()
    );
    // The exit code is that of the standard harness.
    if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(101)
    }
}

impl Test {
    /// Returns the name without the program's name.
    fn name(&self) -> &'static str {
        self.name
            .split_once("::")
            .map_or(self.name, |(_, name)| name)
    }

    fn run<'a>(&self, opengl: impl Fn() -> &'a Result<crate::OpenGl, NoOpenGl>) {
        let body = match self.body {
            Body::Host(body) => return body(),
            Body::InProcess(_) if env::var_os(CHILD).is_none() => return self.run_in_process(),
            Body::InProcess(body) | Body::Shared(body) => body,
        };
        match opengl() {
            Ok(opengl) => opengl.share(body),
            Err(NoOpenGl::Missing(reason) | NoOpenGl::Failed(reason)) => {
                panic!("there is no OpenGL to share with: {reason}")
            }
        }
    }

    fn run_in_process(&self) {
        let output = Command::new(env::current_exe().unwrap())
            .args([self.name(), "--exact", "--include-ignored"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains(" 1 passed;"),
            "{}\n{text}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// Selects which ignored tests run.
#[derive(Clone, Copy, PartialEq)]
enum Ignored {
    Skipped,
    Only,
    Included,
}

/// The arguments of the standard harness that select tests.
struct Arguments {
    filters: Vec<String>,
    skipped: Vec<String>,
    is_exact: bool,
    is_list: bool,
    ignored: Ignored,
}

impl Arguments {
    fn parse(mut given: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Self {
            filters: Vec::new(),
            skipped: Vec::new(),
            is_exact: false,
            is_list: false,
            ignored: Ignored::Skipped,
        };
        while let Some(argument) = given.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with('-') => (name, Some(value.to_owned())),
                _ => (&*argument, None),
            };
            match name {
                "--exact" => arguments.is_exact = true,
                "--list" => arguments.is_list = true,
                "--ignored" => arguments.ignored = Ignored::Only,
                "--include-ignored" => arguments.ignored = Ignored::Included,
                "--skip" => arguments.skipped.extend(value.or_else(|| given.next())),
                "--test-threads" | "--format" | "--color" | "-Z" => {
                    let _ = value.or_else(|| given.next());
                }
                // Output is never captured, so these have no effect.
                "--nocapture" | "--no-capture" | "--show-output" | "--quiet" | "-q" => {}
                _ if name.starts_with('-') => return Err(argument),
                _ => arguments.filters.push(argument),
            }
        }
        Ok(arguments)
    }

    fn chooses(&self, name: &str) -> bool {
        let fits = |filter: &String| match self.is_exact {
            true => name == filter,
            false => name.contains(filter.as_str()),
        };
        (self.filters.is_empty() || self.filters.iter().any(fits)) && !self.skipped.iter().any(fits)
    }

    /// Whether the selection depends on which tests are ignored, which takes seconds to find out.
    fn needs_reasons(&self) -> bool {
        self.ignored != Ignored::Included && !(self.is_list && self.ignored == Ignored::Skipped)
    }
}
