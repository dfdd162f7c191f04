//! Linker inputs that contain code for other files: host objects, and archives of them.

use super::fat_binary;
use super::image::ImageError;
use super::{archive, coff, elf};
use crate::abi::status::Code;
use crate::process::device;
use cuda_emulator_engine::{DEVICE_RUNTIME, Names};

/// Sections of a host object with fat binaries: code to be linked, and complete code.
const LINKABLE: &str = "__nv_relfatbin";
const WHOLE: &str = ".nv_fatbin";
/// Every version of the device runtime defines one of these names.
const RUNTIME: [&str; 2] = ["cudaGetParameterBuffer", "__cudaCDP2GetParameterBuffer"];

/// An object: a member of an archive, or a separate file.
pub struct Object {
    /// The name for messages. It includes the archive's name.
    pub name: String,
    /// The names that it defines.
    pub defines: Vec<String>,
    /// The PTX texts. `None` if it contains only machine code.
    texts: Option<Vec<String>>,
}

fn damaged() -> ImageError {
    let text = "the input is damaged or does not have the given type";
    (Code::ERROR_INVALID_IMAGE, text.into())
}

/// Reads an archive's members.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_IMAGE` if the archive or a member is damaged, or if the archive is
/// thin.
pub fn read_archive(name: &str, bytes: &[u8]) -> Result<Vec<Object>, ImageError> {
    if bytes.starts_with(archive::THIN) {
        let text =
            "a thin archive contains no objects. Fix: create it with `ar` without the modifier T";
        return Err((Code::ERROR_INVALID_IMAGE, text.into()));
    }
    let members = archive::members(bytes).ok_or_else(damaged)?;
    let mut objects = Vec::new();
    for (member, contents) in members {
        let name = match name {
            "" => member,
            name => format!("{name}({member})"),
        };
        // Other members contain nothing for a GPU: objects of other machines, lists of names.
        if contents.starts_with(elf::MAGIC) || contents.starts_with(&coff::MAGIC) {
            let object = read(&name, contents);
            objects.push(object.map_err(|(code, text)| (code, format!("{name}: {text}")))?);
        }
    }
    Ok(objects)
}

/// Reads an object: a host object with fat binaries in it, or machine code.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_IMAGE` if the bytes are not such an object or are damaged.
pub fn read(name: &str, bytes: &[u8]) -> Result<Object, ImageError> {
    let mut object = Object {
        name: name.into(),
        defines: Vec::new(),
        texts: None,
    };
    let file = elf::Elf::read(bytes);
    if file.as_ref().is_some_and(elf::Elf::is_cubin) {
        object.add_code(bytes);
        return Ok(object);
    }
    let named = |name| match &file {
        Some(file) => Some(file.sections(name)),
        None => coff::sections(bytes, name),
    };
    let mut sections = named(LINKABLE).ok_or_else(damaged)?;
    if sections.is_empty() {
        sections = named(WHOLE).ok_or_else(damaged)?;
    }
    let capability = device::architecture().number();
    let (mut texts, mut only_code) = (Vec::new(), false);
    for section in sections {
        for image in split(section).ok_or_else(damaged)? {
            let found = fat_binary::find_ptx(image, capability).map_err(|_| damaged())?;
            let code = fat_binary::find_code(image, capability).map_err(|_| damaged())?;
            match (&code, &found.ptx) {
                // Reading the names of machine code is faster than parsing a text.
                (Some(code), _) => object.add_code(code),
                (None, Some(text)) => object.defines.extend(Names::of(text).defined),
                (None, None) => {}
            }
            only_code |= found.ptx.is_none() && found.has_machine_code;
            texts.extend(found.ptx);
        }
    }
    object.texts = (!only_code).then_some(texts);
    Ok(object)
}

/// Returns whether a fat binary is the device runtime. Returns false for damaged binaries, which
/// are reported elsewhere.
pub fn is_device_runtime(bytes: &[u8]) -> bool {
    let capability = device::architecture().number();
    let Ok(Some(code)) = fat_binary::find_code(bytes, capability) else {
        return false;
    };
    let file = elf::Elf::read(&code);
    file.is_some_and(|file| RUNTIME.iter().any(|name| file.defined().contains(name)))
}

/// Splits a section into its fat binaries, which are separated by zeros.
fn split(mut section: &[u8]) -> Option<Vec<&[u8]>> {
    let mut images = Vec::new();
    loop {
        let start = section.iter().position(|byte| *byte != 0);
        let Some(start) = start else {
            return Some(images);
        };
        section = &section[start..];
        if !section.starts_with(&fat_binary::MAGIC.to_le_bytes()) {
            return None;
        }
        let length = fat_binary::length(section.first_chunk()?)?;
        let (image, behind) = section.split_at_checked(length)?;
        images.push(image);
        section = behind;
    }
}

impl Object {
    fn add_code(&mut self, code: &[u8]) {
        if let Some(file) = elf::Elf::read(code) {
            let names = file.defined();
            self.defines.extend(names.into_iter().map(String::from));
        }
    }

    /// Returns a name that it defines and that `is_needed` accepts.
    pub fn wanted(&self, is_needed: impl Fn(&str) -> bool) -> Option<&str> {
        let mut names = self.defines.iter().map(String::as_str);
        names.find(|name| is_needed(name))
    }

    /// Returns whether it is the device runtime, which the engine provides.
    pub fn is_device_runtime(&self) -> bool {
        RUNTIME
            .iter()
            .any(|name| self.defines.iter().any(|one| one == name))
    }

    /// Returns its PTX.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NO_BINARY_FOR_GPU` if it contains only machine code.
    pub fn texts(&self) -> Result<Vec<String>, ImageError> {
        if self.is_device_runtime() {
            return Ok(vec![DEVICE_RUNTIME.into()]);
        }
        self.texts.clone().ok_or_else(|| {
            let text = "it contains only machine code, which the emulator can't run. Fix: include PTX in it (nvcc -rdc=true \
                        -gencode arch=compute_80,code=compute_80)";
            (Code::ERROR_NO_BINARY_FOR_GPU, text.into())
        })
    }
}
