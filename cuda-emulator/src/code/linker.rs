//! `cuLink*`: links PTX texts, objects and libraries into one module.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use super::host_objects;
use super::image::{self, ImageError, Sources};
use super::jit_options::{Logs, Options};
use super::linker_output;
use super::register_counts::Bounds;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::handle::{Object, Table};
use crate::process::registry::Owner;
use cuda_emulator_engine::Unpoisoned;
use cuda_emulator_engine::{DEVICE_RUNTIME, Names, Prototypes};

/// A link in progress.
pub struct Linker {
    pub handle: u64,
    logs: Logs,
    /// The bounds from the options of `cuLinkCreate`. The bounds of an input take precedence.
    bounds: Bounds,
    /// `CU_JIT_TARGET`
    target: Option<u32>,
    inputs: Mutex<Inputs>,
    prototypes: Mutex<Prototypes>,
    /// The error code of an input whose PTX was rejected. If set, the link fails with this code.
    failed: Mutex<Option<Code>>,
    /// Members of libraries. Only those that are needed are linked.
    members: Mutex<Vec<host_objects::Object>>,
    /// Outputs, each with its number of inputs. The client may read them until the linker is
    /// destroyed.
    products: Mutex<Vec<(usize, Vec<u8>)>>,
}

/// Texts and the bounds for each.
#[derive(Default)]
struct Inputs {
    sources: Sources,
    bounds: Vec<Bounds>,
}

impl Inputs {
    fn add(&mut self, texts: Sources, bounds: Bounds) {
        self.sources.extend(texts);
        self.bounds.resize(self.sources.len(), bounds);
    }
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

/// Starts a link.
pub fn create(options: Options) -> Arc<Linker> {
    LINKERS.insert(|handle| Linker {
        handle,
        logs: options.logs(),
        bounds: options.bounds(),
        target: options.target(),
        inputs: Mutex::default(),
        prototypes: Mutex::default(),
        failed: Mutex::default(),
        members: Mutex::default(),
        products: Mutex::default(),
    })
}

/// Returns the linker of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live linker.
pub fn get(handle: u64) -> Result<Arc<Linker>> {
    LINKERS.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)
}

/// Destroys a linker.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live linker.
pub fn destroy(handle: u64) -> Result {
    LINKERS
        .remove(handle)
        .map(drop)
        .ok_or(Code::ERROR_INVALID_HANDLE)
}

impl Linker {
    /// Adds an input. `bounds` come from the input's own options.
    ///
    /// # Errors
    /// Returns:
    /// - the errors of [`image::from_bytes`];
    /// - `CUDA_ERROR_NO_BINARY_FOR_GPU` if the input contains only machine code;
    /// - `CUDA_ERROR_INVALID_IMAGE` if the input is not of the given kind;
    /// - the errors of loading the input as a module, if its PTX is invalid in itself;
    /// - `CUDA_ERROR_INVALID_SOURCE` if another input defines the same name or declares it
    ///   differently.
    pub fn add(&self, kind: u32, bytes: &[u8], name: &str, bounds: Bounds) -> Result {
        let read = match kind {
            CU_JIT_INPUT_PTX => image::from_bytes(bytes).map(|contents| contents.sources),
            CU_JIT_INPUT_FATBINARY => match host_objects::is_device_runtime(bytes) {
                true => Ok(vec![(String::new(), DEVICE_RUNTIME.into())]),
                false => image::from_bytes(bytes).map(|contents| contents.sources),
            },
            CU_JIT_INPUT_CUBIN | CU_JIT_INPUT_OBJECT => {
                host_objects::read(name, bytes).and_then(|object| {
                    let texts = object.texts()?.into_iter();
                    Ok(texts.map(|text| (String::new(), text)).collect())
                })
            }
            CU_JIT_INPUT_LIBRARY => host_objects::read_archive(name, bytes).map(|found| {
                self.members.lock().unpoisoned().extend(found);
                Sources::new()
            }),
            CU_JIT_INPUT_NVVM => Err((
                Code::ERROR_NOT_SUPPORTED,
                "the emulator's linker does not accept NVVM IR. Fix: pass PTX".into(),
            )),
            _ => Err((
                Code::ERROR_INVALID_VALUE,
                format!("{kind} is not a type of linker input"),
            )),
        };
        let fitting = read.and_then(|found| {
            self.check(name, &found).inspect_err(|(code, _)| {
                self.failed.lock().unpoisoned().get_or_insert(*code);
            })?;
            Ok(found)
        });
        match fitting {
            Ok(found) => {
                let texts = found.into_iter().map(|(_, text)| (name.to_string(), text));
                let mut inputs = self.inputs.lock().unpoisoned();
                inputs.add(texts.collect(), bounds.or(self.bounds));
                Ok(())
            }
            Err((code, text)) => {
                self.logs.write("", &format!("{name}: {text}"));
                Err(code)
            }
        }
    }

    /// Compiles an input's texts, and compares their names with those of earlier inputs.
    fn check(&self, name: &str, found: &[(String, String)]) -> std::result::Result<(), ImageError> {
        let mut prototypes = self.prototypes.lock().unpoisoned();
        for (_, text) in found {
            image::compile(text, self.target)?;
            prototypes
                .add_text(name, text)
                .map_err(|error| (Code::ERROR_INVALID_SOURCE, error.to_string()))?;
        }
        Ok(())
    }

    /// Links the inputs. Returns the address and size of the output.
    ///
    /// # Errors
    /// Returns the errors of [`image::link`], with the reason in the log. As on an H200, the code
    /// is `CUDA_ERROR_INVALID_SOURCE` if a name is not defined, or if a definition differs from a
    /// declaration.
    pub fn complete(&self) -> Result<(u64, u64)> {
        if let Some(code) = *self.failed.lock().unpoisoned() {
            // The reason is already in the log.
            return Err(code);
        }
        let mut inputs = self.inputs.lock().unpoisoned();
        let loaded = self.add_members(&mut inputs).and_then(|()| {
            let program = image::link(&inputs.sources)?;
            // Also checks names that no code uses.
            match self.prototypes.lock().unpoisoned().undefined() {
                Ok(()) => Ok(program),
                Err(error) => Err((Code::ERROR_INVALID_SOURCE, error.to_string())),
            }
        });
        match loaded {
            Ok(program) => {
                let count = inputs.sources.len();
                let info = format!(
                    "linked {count} inputs, {} kernels\n{}",
                    program.kernels().len(),
                    self.bounds.remark()
                );
                self.logs.write(info.trim_end(), "");
                let mut products = self.products.lock().unpoisoned();
                if products.last().is_none_or(|last| last.0 != count) {
                    let bytes = linker_output::pack(&inputs.sources, &inputs.bounds, self.target);
                    products.push((count, bytes.ok_or(Code::ERROR_OUT_OF_MEMORY)?));
                }
                let (_, bytes) = products.last().ok_or(Code::ERROR_OUT_OF_MEMORY)?;
                Ok((bytes.as_ptr() as u64, bytes.len() as u64))
            }
            Err((code, text)) => {
                self.logs.write("", &text);
                Err(code)
            }
        }
    }

    /// Adds the members of libraries that define needed names.
    fn add_members(&self, inputs: &mut Inputs) -> std::result::Result<(), ImageError> {
        let mut members = self.members.lock().unpoisoned();
        if members.is_empty() {
            return Ok(());
        }
        let (mut defined, mut needed) = (HashSet::new(), HashSet::new());
        let mut read = 0;
        loop {
            for (_, text) in &inputs.sources[read..] {
                let names = Names::of(text);
                defined.extend(names.defined);
                needed.extend(names.needed);
            }
            read = inputs.sources.len();
            let missing = |name: &str| needed.contains(name) && !defined.contains(name);
            let wanted = |object: &host_objects::Object| object.wanted(missing).map(String::from);
            let mut found = members.iter().enumerate();
            let found = found.find_map(|(at, object)| wanted(object).map(|name| (at, name)));
            let Some((at, name)) = found else {
                return Ok(());
            };
            let texts = members[at].texts();
            let texts = texts.map_err(|(code, text)| {
                (
                    code,
                    format!("`{name}` is needed from {}: {text}", members[at].name),
                )
            })?;
            let object = members.remove(at);
            let named = texts.into_iter().map(|text| (object.name.clone(), text));
            let named: Sources = named.collect();
            self.check(&object.name, &named)
                .map_err(|(code, text)| (code, format!("{}: {text}", object.name)))?;
            inputs.add(named, self.bounds);
            // Also the names that it defines only in its machine code.
            defined.extend(object.defines);
        }
    }
}
