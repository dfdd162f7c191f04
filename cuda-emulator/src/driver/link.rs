//! `cuLink*`: several PTX texts into one module.

use std::sync::{Arc, Mutex};

use super::abi::*;
use super::handle::{Object, Table};
use super::image::{self, Sources};
use super::jit::{Logs, Options};
use super::linked;
use super::registry::Owner;
use super::status::{Code, Result};
use crate::lock::Unpoisoned;

/// A link under way.
pub struct Linker {
    pub handle: u64,
    logs: Logs,
    sources: Mutex<Sources>,
    /// The product, which the client may read until the linker is destroyed.
    product: Mutex<Option<Vec<u8>>>,
}

static LINKERS: Table<Linker> = Table::new();

impl Object for Linker {
    const NAME: &'static str = "linker";
    const TAG: u8 = 0x19;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        Some(format!("linker {:#x} (cuLinkCreate)", self.handle))
    }
}

/// Begins a link.
pub fn create(options: Options) -> Arc<Linker> {
    LINKERS.insert(|handle| Linker {
        handle,
        logs: options.logs(),
        sources: Mutex::default(),
        product: Mutex::default(),
    })
}

/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn get(handle: u64) -> Result<Arc<Linker>> {
    LINKERS.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)
}

/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn destroy(handle: u64) -> Result {
    LINKERS
        .remove(handle)
        .map(drop)
        .ok_or(Code::ERROR_INVALID_HANDLE)
}

impl Linker {
    /// Adds an input.
    ///
    /// # Errors
    /// What [`image::from_bytes`] gives; `CUDA_ERROR_INVALID_IMAGE` for kinds of input that hold no PTX.
    pub fn add(&self, kind: u32, bytes: &[u8], name: &str) -> Result {
        let read = match kind {
            CU_JIT_INPUT_PTX | CU_JIT_INPUT_FATBINARY => image::from_bytes(bytes),
            CU_JIT_INPUT_NVVM => Err((Code::ERROR_NOT_SUPPORTED, "the emulator's linker doesn't take NVVM IR: give it PTX".into())),
            CU_JIT_INPUT_CUBIN | CU_JIT_INPUT_OBJECT | CU_JIT_INPUT_LIBRARY => Err((
                Code::ERROR_NO_BINARY_FOR_GPU,
                "the emulator's linker doesn't take machine code (cubin, object or library): give it PTX".into(),
            )),
            _ => Err((Code::ERROR_INVALID_VALUE, format!("{kind} isn't a kind of input"))),
        };
        match read {
            Ok(found) => {
                let mut sources = self.sources.lock().unpoisoned();
                sources.extend(found.into_iter().map(|(_, text)| (name.to_string(), text)));
                Ok(())
            }
            Err((code, text)) => {
                self.logs.write("", &format!("{name}: {text}"));
                Err(code)
            }
        }
    }

    /// Links, and gives the product's place and size.
    ///
    /// # Errors
    /// As loading a module; the log says why.
    pub fn complete(&self) -> Result<(u64, u64)> {
        let sources = self.sources.lock().unpoisoned();
        if sources.is_empty() {
            self.logs.write("", "nothing to link");
            return Err(Code::ERROR_INVALID_VALUE);
        }
        match image::load(&sources) {
            Ok(program) => {
                self.logs.write(
                    &format!(
                        "linked {} inputs, {} kernels",
                        sources.len(),
                        program.kernels().len()
                    ),
                    "",
                );
                let mut product = self.product.lock().unpoisoned();
                if product.is_none() {
                    *product = linked::pack(&sources);
                }
                let bytes = product.as_ref().ok_or(Code::ERROR_OUT_OF_MEMORY)?;
                Ok((bytes.as_ptr() as u64, bytes.len() as u64))
            }
            Err((code, text)) => {
                self.logs.write("", &text);
                Err(code)
            }
        }
    }
}
