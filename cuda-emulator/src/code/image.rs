//! Images that a client loads as modules: PTX text, fat binaries, the output of `cuLink*`, and
//! machine code.

use std::ffi::CStr;

use super::register_counts::Bounds;
use super::{fat_binary, linker_output};
use crate::abi::status::{Code, Result};
use crate::process::architecture::{compiles, name_of, target_of};
use crate::process::call;
use crate::process::device;
use cuda_emulator_engine::{LoadError, LoadErrorKind, Program};

/// The error for an image that cannot be loaded: the driver's code and the text for the log.
pub type ImageError = (Code, String);

const ELF: &[u8; 4] = b"\x7fELF";

pub use super::linker_output::Sources;

/// The contents of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    pub sources: Sources,
    /// The bounds that the linker received for each source, if the image is linker output. The
    /// linker has compiled the code, so options of the load have no effect.
    pub bounds: Option<Vec<Bounds>>,
}

impl From<Sources> for Contents {
    fn from(sources: Sources) -> Contents {
        Contents {
            sources,
            bounds: None,
        }
    }
}

fn reject<T>(code: Code, text: impl Into<String>) -> std::result::Result<T, ImageError> {
    Err((code, text.into()))
}

/// Returns bytes at an address for which the client is responsible.
///
/// A pointer has no length, so an image must be read in this order:
/// 1. bytes, as long as they match a magic number;
/// 2. the header after the magic number;
/// 3. the number of bytes that the header states, once the header has been checked.
///
/// Text is read up to its NUL.
fn bytes(address: u64, length: usize) -> &'static [u8] {
    // SAFETY: callers follow the rule above. The memory is valid for the duration of the client's
    // call, and the slice is not kept longer.
    unsafe { std::slice::from_raw_parts(address as *const u8, length) }
}

fn array<const N: usize>(address: u64) -> &'static [u8; N] {
    bytes(address, N)
        .try_into()
        .expect("as many as were asked for")
}

/// Returns whether the bytes at an address start with `magic`. It reads no further than the first
/// byte that differs.
fn begins(address: u64, magic: &[u8]) -> bool {
    (address..)
        .zip(magic)
        .all(|(address, byte)| bytes(address, 1) == [*byte])
}

/// Reads an image at an address. The image itself determines its length.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the address is null, and otherwise the errors of
/// [`from_bytes`].
pub fn read(address: u64) -> std::result::Result<Contents, ImageError> {
    let damaged = |what| reject(Code::ERROR_INVALID_IMAGE, format!("{what} is damaged"));
    if address == 0 {
        return reject(Code::ERROR_INVALID_VALUE, "the image is a null pointer");
    }
    if begins(address, &fat_binary::WRAPPER_MAGIC.to_le_bytes()) {
        // A wrapper points to a fat binary only, and in particular not to another wrapper.
        let fat_binary = fat_binary::wrapped(array(address));
        if fat_binary == 0 || !begins(fat_binary, &fat_binary::MAGIC.to_le_bytes()) {
            return damaged("the fat binary's wrapper");
        }
        return read(fat_binary);
    }
    if begins(address, &fat_binary::MAGIC.to_le_bytes()) {
        return match fat_binary::length(array(address)) {
            Some(length) => from_bytes(bytes(address, length)),
            None => damaged("the fat binary"),
        };
    }
    if begins(address, linker_output::MAGIC) {
        return match linker_output::length(array(address)) {
            Some(length) => from_bytes(bytes(address, length)),
            None => damaged("the linked image"),
        };
    }
    if begins(address, ELF) {
        return from_bytes(ELF);
    }
    match bytes(address, 1)[0] {
        // PTX starts with a comment, white space, a line marker or `.version`.
        b'.' | b'/' | b'#' | b' ' | b'\t' | b'\r' | b'\n' | b'\x0c' | 0xef => {
            // SAFETY: the client must end text images with NUL.
            let text = unsafe { CStr::from_ptr(address as *const _) };
            from_text(text.to_bytes())
        }
        _ => reject(
            Code::ERROR_INVALID_IMAGE,
            "the image is neither PTX text nor a fat binary",
        ),
    }
}

/// Reads an image of known length.
///
/// # Errors
/// Returns:
/// - `CUDA_ERROR_INVALID_IMAGE` if the image is damaged or of an unknown kind;
/// - `CUDA_ERROR_NO_BINARY_FOR_GPU` if it contains no PTX, or none that the device can run.
pub fn from_bytes(image: &[u8]) -> std::result::Result<Contents, ImageError> {
    if image.starts_with(ELF) {
        return reject(
            Code::ERROR_NO_BINARY_FOR_GPU,
            format!(
                "the image is machine code (a cubin), which the emulator can't run. Fix: load the PTX instead, or a \
                 fat binary that contains it (nvcc -gencode arch=compute_80,code=compute_80). With NVRTC, pass \
                 --gpu-architecture=compute_{0} instead of sm_{0}, and get the program with nvrtcGetPTX instead of \
                 nvrtcGetCUBIN",
                device::architecture().number()
            ),
        );
    }
    if image.starts_with(&fat_binary::MAGIC.to_le_bytes()) {
        let device = device::architecture();
        let found = fat_binary::find_ptx(image, device.number())
            .map_err(|code| (code, "the fat binary is damaged".into()))?;
        return match found.ptx {
            Some(text) => match target_of(&text).filter(|target| !device.runs(target)) {
                Some(target) => reject(
                    Code::ERROR_NO_BINARY_FOR_GPU,
                    format!(
                        "the fat binary has PTX only for {target} and newer, and {}",
                        advice()
                    ),
                ),
                None => from_text(text.as_bytes()),
            },
            None if found.has_machine_code => reject(
                Code::ERROR_NO_BINARY_FOR_GPU,
                "the fat binary contains only machine code, which the emulator can't run. Fix: include PTX in it (nvcc \
                 -gencode arch=compute_80,code=compute_80)",
            ),
            None => reject(Code::ERROR_NO_BINARY_FOR_GPU, "the fat binary is empty"),
        };
    }
    if image.starts_with(linker_output::MAGIC) {
        return match linker_output::unpack(image) {
            Some(product) => match product.target {
                Some(target) if !device::architecture().runs_code(target) => reject(
                    Code::ERROR_NO_BINARY_FOR_GPU,
                    format!(
                        "the image was linked for {}, and the device is {}. Fix: omit CU_JIT_TARGET, or set it to \
                         the device's architecture",
                        name_of(target),
                        device::architecture().name
                    ),
                ),
                _ => Ok(Contents {
                    sources: product.sources,
                    bounds: Some(product.bounds),
                }),
            },
            None => reject(Code::ERROR_INVALID_IMAGE, "the linked image is damaged"),
        };
    }
    from_text(image)
}

fn from_text(text: &[u8]) -> std::result::Result<Contents, ImageError> {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    match std::str::from_utf8(text) {
        Ok(text) if text.contains(".version") => Ok(vec![(String::new(), text.to_string())].into()),
        _ => reject(
            Code::ERROR_INVALID_IMAGE,
            "the image is neither PTX text nor a fat binary",
        ),
    }
}

/// Returns the device's name and the remedy, for messages about PTX of another architecture.
fn advice() -> String {
    let device = device::architecture();
    format!(
        "the device is {0}. Fix: compile for compute_{1} or older, or choose another device (CUDA_EMULATOR_DEVICE)",
        device.name,
        device.number()
    )
}

/// Parses and links the sources of a module.
///
/// # Errors
/// Returns:
/// - `CUDA_ERROR_INVALID_PTX` if a source is invalid, if it is for another architecture, or if
///   names are undefined or declared differently;
/// - `CUDA_ERROR_UNSUPPORTED_PTX_VERSION` for a PTX version that is too new;
/// - `CUDA_ERROR_NOT_SUPPORTED` if the emulator does not support an instruction.
pub fn load(sources: &Sources) -> std::result::Result<Program, ImageError> {
    build(sources, Code::ERROR_INVALID_PTX)
}

/// Parses and links the inputs of a linker, each of which was [compiled](compile) before.
///
/// # Errors
/// Returns the errors of [`load`], but `CUDA_ERROR_INVALID_SOURCE` if names are undefined or
/// declared differently.
pub fn link(sources: &Sources) -> std::result::Result<Program, ImageError> {
    build(sources, Code::ERROR_INVALID_SOURCE)
}

/// Compiles a linker input on its own, without the names that other inputs define. `target` is the
/// value of `CU_JIT_TARGET`, if given.
///
/// # Errors
/// Returns the errors of [`load`], except those about names of other inputs. Returns
/// `CUDA_ERROR_INVALID_PTX` if the input cannot be compiled for the target.
pub fn compile(text: &str, target: Option<u32>) -> std::result::Result<(), ImageError> {
    if let Some(target) = target
        && let Some(own) = target_of(text).filter(|own| !compiles(own, target))
    {
        return reject(
            Code::ERROR_INVALID_PTX,
            format!(
                "the PTX is for {own}, which cannot be compiled for CU_JIT_TARGET, {}",
                name_of(target)
            ),
        );
    }
    match assemble(&[("", text)], Code::ERROR_INVALID_SOURCE) {
        Err((code, text)) if code != Code::ERROR_INVALID_SOURCE => Err((code, text)),
        _ => Ok(()),
    }
}

/// Parses and links sources. `mismatch` is the error code for names that are undefined or declared
/// differently.
fn build(sources: &Sources, mismatch: Code) -> std::result::Result<Program, ImageError> {
    let inputs: Vec<(&str, &str)> = sources
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let program = assemble(&inputs, mismatch)?;
    call::trace_code(|| program.listing());
    Ok(program)
}

fn assemble(inputs: &[(&str, &str)], mismatch: Code) -> std::result::Result<Program, ImageError> {
    for (_, text) in inputs {
        if let Some(target) = target_of(text).filter(|target| !device::architecture().runs(target))
        {
            return reject(
                Code::ERROR_INVALID_PTX,
                format!("the PTX is for {target}, and {}", advice()),
            );
        }
    }
    // The text is untrusted. If the engine panics on it, the process must continue.
    let number = device::architecture().number();
    let loaded = std::panic::catch_unwind(|| match inputs[..] {
        // A single input needs no name in messages.
        [(_, text)] => Program::link_for(&[("", text)], number),
        _ => Program::link_for(inputs, number),
    });
    match loaded {
        Ok(Ok(program)) => Ok(program),
        Ok(Err(error)) => Err((code_of(&error, mismatch), format!("{error}"))),
        Err(_) => reject(
            Code::ERROR_INVALID_PTX,
            "the emulator's PTX loader panicked on this text (see the panic message). This is a bug in the emulator: \
             please report it",
        ),
    }
}

fn code_of(error: &LoadError, mismatch: Code) -> Code {
    match error.kind {
        LoadErrorKind::Link => mismatch,
        LoadErrorKind::Version => Code::ERROR_UNSUPPORTED_PTX_VERSION,
        LoadErrorKind::Unsupported => Code::ERROR_NOT_SUPPORTED,
        _ => Code::ERROR_INVALID_PTX,
    }
}

/// Reads an image file.
///
/// # Errors
/// Returns `CUDA_ERROR_FILE_NOT_FOUND` if the file cannot be read.
pub fn read_file(path: &str) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|_| Code::ERROR_FILE_NOT_FOUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// x\n.version 8.0\n";

    fn at(image: &[u8]) -> std::result::Result<Contents, Code> {
        read(image.as_ptr() as u64).map_err(|(code, text)| {
            assert!(!text.is_empty());
            code
        })
    }

    fn product() -> Vec<u8> {
        let sources = vec![("a".into(), TEXT.into()), ("b".into(), TEXT.into())];
        linker_output::pack(&sources, &[Bounds::default(); 2], None).unwrap()
    }

    fn fat_binary() -> Vec<u8> {
        let mut entry = vec![0; 64];
        entry[0] = 1;
        entry[4] = 64;
        entry[8] = TEXT.len() as u8;
        let mut image = fat_binary::MAGIC.to_le_bytes().to_vec();
        image.extend_from_slice(&[1, 0, 16, 0]);
        image.extend_from_slice(&(64 + TEXT.len() as u64).to_le_bytes());
        image.extend_from_slice(&entry);
        image.extend_from_slice(TEXT.as_bytes());
        image
    }

    fn wrapper(address: u64) -> Vec<u8> {
        let mut wrapper = fat_binary::WRAPPER_MAGIC.to_le_bytes().to_vec();
        wrapper.extend_from_slice(&1u32.to_le_bytes());
        wrapper.extend_from_slice(&address.to_le_bytes());
        wrapper
    }

    #[test]
    fn images_are_read_by_address() {
        let one = Ok(Contents::from(vec![(String::new(), TEXT.to_string())]));
        assert_eq!(at(format!("{TEXT}\0").as_bytes()), one);
        let fat_binary = fat_binary();
        assert_eq!(at(&fat_binary), one);
        assert_eq!(at(&wrapper(fat_binary.as_ptr() as u64)), one);
        let contents = at(&product()).unwrap();
        assert_eq!(contents, from_bytes(&product()).unwrap());
        assert_eq!(contents.sources[0], ("a".to_string(), TEXT.to_string()));
        assert_eq!(contents.bounds, Some(vec![Bounds::default(); 2]));
        // A copy at another address works without the original.
        assert_eq!(at(&[&product()[..], b"more"].concat()), Ok(contents));
        for head in ["\t", "\r\n", "\x0c", " ", "/**/", "# 1\n", "\u{feff}"] {
            let text = format!("{head}.version 8.0");
            assert_eq!(
                at(format!("{text}\0").as_bytes()).unwrap().sources[0].1,
                text,
                "{head:?}"
            );
        }
    }

    #[test]
    fn memory_without_an_image_is_rejected() {
        let null = read(0).unwrap_err();
        assert_eq!(null.0, Code::ERROR_INVALID_VALUE);
        assert_eq!(at(b"\x7fELF"), Err(Code::ERROR_NO_BINARY_FOR_GPU));
        // Only bytes that match are read: these slices are as short as their contents.
        for image in [
            &b"\x7fEL"[..],
            b"EMULIN",
            b"P\xed\x55",
            b"\xb1Cb",
            b"E",
            b"x",
        ] {
            let image = [image, b"\0"].concat();
            assert_eq!(at(&image), Err(Code::ERROR_INVALID_IMAGE), "{image:?}");
        }
    }

    #[test]
    fn wrappers_must_point_to_a_fat_binary() {
        let damaged = Err(Code::ERROR_INVALID_IMAGE);
        assert_eq!(at(&wrapper(0)), damaged);
        let text = format!("{TEXT}\0");
        assert_eq!(at(&wrapper(text.as_ptr() as u64)), damaged);
        // A wrapper that points to itself.
        let mut itself = wrapper(0);
        let address = itself.as_ptr() as u64;
        itself[8..].copy_from_slice(&address.to_le_bytes());
        assert_eq!(at(&itself), damaged);
    }

    #[test]
    fn invalid_lengths_in_memory_are_rejected() {
        let damaged = Err(Code::ERROR_INVALID_IMAGE);
        for wild in [0, 31, 1 << 30, 72 << 50, u64::MAX] {
            let mut image = product();
            image[8..16].copy_from_slice(&wild.to_le_bytes());
            assert_eq!(at(&image), damaged, "{wild}");
        }
        for wild in [1 << 40, 72 << 50, u64::MAX - 16, u64::MAX] {
            let mut image = fat_binary();
            image[8..16].copy_from_slice(&wild.to_le_bytes());
            assert_eq!(at(&image), damaged, "{wild}");
        }
        let mut image = product();
        *image.last_mut().unwrap() ^= 1;
        assert_eq!(at(&image), damaged, "contents");
    }

    #[test]
    fn fat_binaries_without_ptx_are_described() {
        let message = |image: &[u8]| {
            let (code, text) = from_bytes(image).unwrap_err();
            assert_eq!(code, Code::ERROR_NO_BINARY_FOR_GPU);
            text
        };
        let mut image = fat_binary();
        image[16] = 2;
        assert!(message(&image).contains("only machine code"));
        image.truncate(16);
        image[8..].fill(0);
        assert!(message(&image).contains("is empty"));
    }

    #[test]
    fn load_errors_have_the_right_code() {
        let code = |text: &str| load(&vec![(String::new(), text.into())]).err().unwrap().0;
        assert_eq!(code(".version 99.0\n"), Code::ERROR_UNSUPPORTED_PTX_VERSION);
        assert_eq!(code(".version 8.0\nx"), Code::ERROR_INVALID_PTX);
        let texture = ".version 8.0\n.target sm_80\n.address_size 64\n.global .texref t;\n";
        assert_eq!(code(texture), Code::ERROR_NOT_SUPPORTED);
        assert_eq!(
            read_file("/no/such/file").unwrap_err(),
            Code::ERROR_FILE_NOT_FOUND
        );
    }

    #[test]
    fn kinds_of_images_are_distinguished() {
        let code = |image: &[u8]| from_bytes(image).unwrap_err().0;
        assert_eq!(code(b"\x7fELF\x02\x01"), Code::ERROR_NO_BINARY_FOR_GPU);
        assert_eq!(code(b"rubbish"), Code::ERROR_INVALID_IMAGE);
        assert_eq!(code(b""), Code::ERROR_INVALID_IMAGE);
        assert_eq!(code(b".version \xff"), Code::ERROR_INVALID_IMAGE);
        assert!(from_bytes(b"// x\n.version 8.0\n\0ignored").is_ok());
    }
}
