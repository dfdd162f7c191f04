//! `cuLink*`: several PTX texts, objects and libraries into one module.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::abi::*;
use super::handle::{Object, Table};
use super::image::{self, Refusal, Sources};
use super::jit::{Logs, Options};
use super::linked::{self, Asked};
use super::object::{self, Names};
use super::registry::Owner;
use super::status::{Code, Result};
use crate::engine::{LoadError, Prototypes, device_runtime};
use crate::lock::Unpoisoned;
use crate::ptx;

/// A link under way.
pub struct Linker {
    pub handle: u64,
    logs: Logs,
    asked: Asked,
    sources: Mutex<Sources>,
    prototypes: Mutex<Prototypes>,
    /// An input didn't fit to others: nothing comes of the link.
    failed: AtomicBool,
    /// Members of libraries: those are linked that somebody needs.
    members: Mutex<Vec<object::Object>>,
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
        asked: Asked {
            bounds: options.bounds(),
            target: options.target(),
        },
        sources: Mutex::default(),
        prototypes: Mutex::default(),
        failed: AtomicBool::new(false),
        members: Mutex::default(),
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
    /// What [`image::from_bytes`] gives; `CUDA_ERROR_NO_BINARY_FOR_GPU` for machine code alone;
    /// `CUDA_ERROR_INVALID_IMAGE` for what isn't of the kind that it is said to be; `CUDA_ERROR_INVALID_SOURCE` for a
    /// function that another input declares or defines in another way.
    pub fn add(&self, kind: u32, bytes: &[u8], name: &str) -> Result {
        let read = match kind {
            CU_JIT_INPUT_PTX => image::from_bytes(bytes).map(|contents| contents.sources),
            CU_JIT_INPUT_FATBINARY => match object::is_device_runtime(bytes) {
                true => Ok(vec![(String::new(), device_runtime::SOURCE.into())]),
                false => image::from_bytes(bytes).map(|contents| contents.sources),
            },
            CU_JIT_INPUT_CUBIN | CU_JIT_INPUT_OBJECT => {
                object::read(name, bytes).and_then(|object| {
                    let texts = object.texts()?.into_iter();
                    Ok(texts.map(|text| (String::new(), text)).collect())
                })
            }
            CU_JIT_INPUT_LIBRARY => object::read_archive(name, bytes).map(|found| {
                self.members.lock().unpoisoned().extend(found);
                Sources::new()
            }),
            CU_JIT_INPUT_NVVM => Err((
                Code::ERROR_NOT_SUPPORTED,
                "the emulator's linker doesn't take NVVM IR: give it PTX".into(),
            )),
            _ => Err((
                Code::ERROR_INVALID_VALUE,
                format!("{kind} isn't a kind of input"),
            )),
        };
        let fitting = read.and_then(|found| match self.compare(name, &found) {
            Ok(()) => Ok(found),
            Err(error) => {
                self.failed.store(true, Ordering::Relaxed);
                Err((Code::ERROR_INVALID_SOURCE, error.to_string()))
            }
        });
        match fitting {
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

    /// Compares an input's functions with those of the inputs before. Text that is no PTX is the link's matter.
    fn compare(&self, name: &str, found: &Sources) -> std::result::Result<(), LoadError> {
        let mut prototypes = self.prototypes.lock().unpoisoned();
        for (_, text) in found {
            if let Ok(module) = ptx::parse(text) {
                prototypes.add(name, &module)?;
            }
        }
        Ok(())
    }

    /// Links, and gives the product's place and size.
    ///
    /// # Errors
    /// As loading a module, but `CUDA_ERROR_INVALID_SOURCE` for inputs that don't fit together, as an H200's driver gives
    /// it: a name that none defines, or a definition that isn't like a declaration. The log says why.
    pub fn complete(&self) -> Result<(u64, u64)> {
        if self.failed.load(Ordering::Relaxed) {
            // The log says so already.
            return Err(Code::ERROR_INVALID_SOURCE);
        }
        let mut sources = self.sources.lock().unpoisoned();
        if sources.is_empty() {
            self.logs.write("", "nothing to link");
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let loaded = match self.add_members(&mut sources) {
            Ok(()) => image::link(&sources, self.asked.target),
            Err(refusal) => Err(refusal),
        };
        match loaded {
            Ok(program) => {
                let info = format!(
                    "linked {} inputs, {} kernels",
                    sources.len(),
                    program.kernels().len()
                );
                self.logs.write(&info, "");
                let mut product = self.product.lock().unpoisoned();
                if product.is_none() {
                    *product = linked::pack(&sources, &self.asked);
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

    /// Adds those members of libraries that define what is needed and isn't there.
    fn add_members(&self, sources: &mut Sources) -> std::result::Result<(), Refusal> {
        let mut members = self.members.lock().unpoisoned();
        if members.is_empty() {
            return Ok(());
        }
        let (mut defined, mut needed) = (HashSet::new(), HashSet::new());
        let mut read = 0;
        loop {
            for (_, text) in &sources[read..] {
                let names = Names::of(text);
                defined.extend(names.defined);
                needed.extend(names.needed);
            }
            read = sources.len();
            let missing = |name: &str| needed.contains(name) && !defined.contains(name);
            let wanted = |object: &object::Object| object.wanted(missing).map(String::from);
            let mut found = members.iter().enumerate();
            let found = found.find_map(|(at, object)| wanted(object).map(|name| (at, name)));
            let Some((at, name)) = found else {
                return Ok(());
            };
            let texts = members[at].texts();
            let texts = texts.map_err(|(code, text)| {
                (
                    code,
                    format!("`{name}` is needed of {}: {text}", members[at].name),
                )
            })?;
            let object = members.remove(at);
            let named = texts.into_iter().map(|text| (object.name.clone(), text));
            sources.extend(named);
            // Also what it defines only in its machine code.
            defined.extend(object.defines);
        }
    }
}
