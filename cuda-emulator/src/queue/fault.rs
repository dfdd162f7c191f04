//! Faults of work on the device: the report for the developer and the sticky error for the client.

use std::io::Write as _;
use std::sync::Mutex;

use crate::abi::failure_reason;
use crate::abi::status::Code;
use crate::process::context::Context;
use crate::process::first_fault::{self, FirstFault};
use crate::process::{call, configuration};
use crate::queue::fault_output;
use cuda_emulator_engine as engine;
use cuda_emulator_engine::Unpoisoned;

/// A fault of work on a stream.
pub struct Fault {
    code: Code,
    report: String,
}

impl Fault {
    pub fn new(code: Code, report: impl Into<String>) -> Fault {
        Fault {
            code,
            report: report.into(),
        }
    }

    /// Adds a line to the report.
    pub fn with(mut self, line: &str) -> Fault {
        self.report = format!("{}\n  {line}", self.report.trim_end());
        self
    }

    /// Creates the fault of work that panicked, which is a defect of the emulator. The panic hook
    /// has printed the location.
    pub fn internal() -> Fault {
        Fault::new(
            Code::ERROR_LAUNCH_FAILED,
            "the emulator panicked (see the panic message above). This is a bug in the emulator: please report it",
        )
    }

    /// Prints the report and poisons the context. The process's first fault also ends all other
    /// contexts.
    pub fn strike(self, context: &Context) {
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unpoisoned();
        let Fault { code, report } = self;
        let report = report.trim_end();
        let own = context.own_fault().unwrap_or(code);
        let later = match first_fault::get() {
            Some(first) if first.code != own => format!(
                "Every later call in this context returns {own}, and in other contexts {}. Only a new process can \
                 use CUDA again.",
                first.code
            ),
            _ => format!(
                "Every later call in any context of this process returns {own}. Only a new process can use CUDA again."
            ),
        };
        let text = format!("[cuda-emulator] {code}\n{report}\n[cuda-emulator] {later}\n");
        fault_output::print(report, &text);
        if let Some(path) = &configuration::get().report {
            let file = std::fs::File::options()
                .create(true)
                .append(true)
                .open(path);
            if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
                eprintln!(
                    "[cuda-emulator] CUDA_EMULATOR_REPORT={}: {error}",
                    path.display()
                );
            }
        }
        call::trace(|line| line.push_str(&format!("fault {code} in context {}", context.id)));
        context.poison(code, report);
        first_fault::note(|| {
            let device = match context.primary {
                true => String::new(),
                false => format!(" on device {}", context.ordinal),
            };
            let name = context.name();
            FirstFault {
                code: own,
                report: first_fault::into_static(&format!(
                    "a fault in {name}{device} ended all contexts of this process:\n{report}"
                )),
            }
        });
    }
}

/// Returns the code of a call that cannot create a context because of the process's first fault,
/// and stores the fault's report as the reason.
#[cold]
pub fn explained(code: Code) -> Code {
    match first_fault::get().and_then(|first| first.report) {
        Some(report) => failure_reason::rejected(code, report.to_string_lossy()),
        None => code,
    }
}

impl From<engine::Fault> for Fault {
    fn from(fault: engine::Fault) -> Fault {
        use engine::FaultKind::*;
        let code = match fault.kind {
            IllegalAddress => Code::ERROR_ILLEGAL_ADDRESS,
            MisalignedAddress => Code::ERROR_MISALIGNED_ADDRESS,
            IllegalInstruction => Code::ERROR_ILLEGAL_INSTRUCTION,
            InvalidAddressSpace => Code::ERROR_INVALID_ADDRESS_SPACE,
            InvalidPc => Code::ERROR_INVALID_PC,
            Assert => Code::ERROR_ASSERT,
            Trap | Check => Code::ERROR_LAUNCH_FAILED,
            StackOverflow => Code::ERROR_HARDWARE_STACK_ERROR,
            Timeout => Code::ERROR_LAUNCH_TIMEOUT,
            _ => Code::ERROR_LAUNCH_FAILED,
        };
        Fault::new(code, fault.report)
    }
}
