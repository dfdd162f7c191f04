//! Faults of work on the device: the report for the developer, the sticky error for the client.

use std::io::Write as _;

use super::context::Context;
use super::status::Code;
use super::{call, config};
use crate::engine;

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

    /// The same with one more line of report.
    pub fn with(mut self, line: &str) -> Fault {
        self.report = format!("{}\n  {line}", self.report.trim_end());
        self
    }

    /// Work that panicked: a defect of the emulator. The panic hook has printed where.
    pub fn internal() -> Fault {
        Fault::new(
            Code::ERROR_LAUNCH_FAILED,
            "the emulator itself failed (see the panic message above); please report it",
        )
    }

    /// Prints the report and poisons the context.
    pub fn strike(self, context: &Context) {
        let Fault { code, report } = self;
        let text = format!(
            "[cuda-emulator] {code}\n{}\n[cuda-emulator] Every later call in this context gives {code} until the context \
             is destroyed or reset.\n",
            report.trim_end()
        );
        // Nobody could be told of a failure to tell.
        let _ = std::io::stderr().write_all(text.as_bytes());
        if let Some(path) = &config::get().report {
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
        context.poison(code, report.trim_end());
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
