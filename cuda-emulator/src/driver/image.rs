//! What a client hands in as a module: PTX text, a fat binary, the product of `cuLink*`, or machine code.

use std::ffi::CStr;

use super::device;
use super::fatbin;
use super::status::{Code, Result};
use crate::engine::{LoadError, LoadErrorKind, Program};

/// Why an image can't be loaded: the driver's code, and the text for the log.
pub type Refusal = (Code, String);

/// First bytes of what the linker makes.
const LINKED: &[u8; 8] = b"EMULINK\x01";

/// A module's source: PTX texts by name.
pub type Sources = Vec<(String, String)>;

fn refuse<T>(code: Code, text: impl Into<String>) -> std::result::Result<T, Refusal> {
    Err((code, text.into()))
}

/// Bytes at an address that the client vouches for.
fn bytes(address: u64, length: usize) -> &'static [u8] {
    // SAFETY: callers have taken `length` from the image's own header, or from the client; the memory is the client's
    // for the duration of the call, and nothing keeps the slice longer.
    unsafe { std::slice::from_raw_parts(address as *const u8, length) }
}

/// Reads an image at an address, whose length its own contents tell.
pub fn read(address: u64) -> std::result::Result<Sources, Refusal> {
    if address == 0 {
        return refuse(Code::ERROR_INVALID_VALUE, "the image is a null pointer");
    }
    let first = bytes(address, 1)[0];
    match first {
        // PTX begins with a comment, white space or `.version`.
        b'.' | b'/' | b' ' | b'\t' | b'\r' | b'\n' | 0xef => {
            // SAFETY: text images end in NUL; it is the client's duty.
            let text = unsafe { CStr::from_ptr(address as *const _) };
            from_text(text.to_bytes())
        }
        0x7f | 0x50 | 0xb1 | b'E' => {
            let magic: [u8; 4] = bytes(address, 4).try_into().expect("four bytes");
            match u32::from_le_bytes(magic) {
                fatbin::WRAPPER_MAGIC => {
                    let pointer =
                        u64::from_le_bytes(bytes(address + 8, 8).try_into().expect("eight bytes"));
                    read(pointer)
                }
                fatbin::MAGIC => {
                    let header = bytes(address, 16).try_into().expect("sixteen bytes");
                    from_bytes(bytes(address, fatbin::length(header) as usize))
                }
                _ if bytes(address, 8) == LINKED => {
                    let length =
                        u64::from_le_bytes(bytes(address + 8, 8).try_into().expect("eight bytes"));
                    from_bytes(bytes(address, length as usize))
                }
                _ => from_bytes(bytes(address, 4)),
            }
        }
        _ => refuse(
            Code::ERROR_INVALID_IMAGE,
            "the image is neither PTX text nor a fat binary",
        ),
    }
}

/// Reads an image of known length.
pub fn from_bytes(image: &[u8]) -> std::result::Result<Sources, Refusal> {
    if image.starts_with(b"\x7fELF") {
        return refuse(
            Code::ERROR_NO_BINARY_FOR_GPU,
            "the image is machine code (a cubin), which the emulator can't run: load the PTX instead, or a fat binary \
             that holds it (nvcc -gencode arch=compute_80,code=compute_80)",
        );
    }
    if image.starts_with(&fatbin::MAGIC.to_le_bytes()) {
        let (major, minor) = device::CAPABILITY;
        let found = fatbin::find_ptx(image, (major * 10 + minor) as u32)
            .map_err(|code| (code, "the fat binary is damaged".into()))?;
        return match found.ptx {
            Some(text) => from_text(text.as_bytes()),
            None if found.has_machine_code => refuse(
                Code::ERROR_NO_BINARY_FOR_GPU,
                "the fat binary holds only machine code, which the emulator can't run: have PTX put into it (nvcc \
                 -gencode arch=compute_80,code=compute_80)",
            ),
            None => refuse(Code::ERROR_NO_BINARY_FOR_GPU, "the fat binary is empty"),
        };
    }
    if image.starts_with(LINKED) {
        return unpack(image).ok_or((
            Code::ERROR_INVALID_IMAGE,
            "the linked image is damaged".into(),
        ));
    }
    from_text(image)
}

fn from_text(text: &[u8]) -> std::result::Result<Sources, Refusal> {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    match std::str::from_utf8(text) {
        Ok(text) if text.contains(".version") => Ok(vec![(String::new(), text.to_string())]),
        _ => refuse(
            Code::ERROR_INVALID_IMAGE,
            "the image is neither PTX text nor a fat binary",
        ),
    }
}

/// Parses and links sources.
pub fn load(sources: &Sources) -> std::result::Result<Program, Refusal> {
    let inputs: Vec<(&str, &str)> = sources
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    // The engine is fed by strangers: whatever it makes of their text, the process goes on.
    let loaded = std::panic::catch_unwind(|| match inputs[..] {
        [(_, text)] => Program::load(text),
        _ => Program::link(&inputs),
    });
    match loaded {
        Ok(Ok(program)) => Ok(program),
        Ok(Err(error)) => Err((code_of(&error), format!("{error}"))),
        Err(_) => refuse(
            Code::ERROR_INVALID_PTX,
            "the emulator's PTX loader failed on this text (see the panic message); please report it",
        ),
    }
}

fn code_of(error: &LoadError) -> Code {
    match error.kind {
        LoadErrorKind::Version => Code::ERROR_UNSUPPORTED_PTX_VERSION,
        LoadErrorKind::Unsupported => Code::ERROR_NOT_SUPPORTED,
        _ => Code::ERROR_INVALID_PTX,
    }
}

/// Packs sources into one image: magic, total length, then each name and text with its length before it.
pub fn pack(sources: &Sources) -> Vec<u8> {
    let mut image = LINKED.to_vec();
    image.extend_from_slice(&[0; 8]);
    for part in sources.iter().flat_map(|(name, text)| [name, text]) {
        image.extend_from_slice(&(part.len() as u64).to_le_bytes());
        image.extend_from_slice(part.as_bytes());
    }
    let length = image.len() as u64;
    image[8..16].copy_from_slice(&length.to_le_bytes());
    image
}

fn unpack(image: &[u8]) -> Option<Sources> {
    let length = u64::from_le_bytes(image.get(8..16)?.try_into().ok()?) as usize;
    let mut rest = image.get(16..length)?;
    let mut next = || {
        let (length, behind) = rest.split_at_checked(8)?;
        let length = u64::from_le_bytes(length.try_into().ok()?);
        let (part, behind) = behind.split_at_checked(usize::try_from(length).ok()?)?;
        rest = behind;
        String::from_utf8(part.to_vec()).ok()
    };
    let mut sources = Sources::new();
    while let Some(name) = next() {
        sources.push((name, next()?));
    }
    (!sources.is_empty()).then_some(sources)
}

/// Reads a file as an image.
///
/// # Errors
/// `CUDA_ERROR_FILE_NOT_FOUND`.
pub fn read_file(path: &str) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|_| Code::ERROR_FILE_NOT_FOUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_images_round_trip() {
        let sources = vec![
            ("a".to_string(), ".version 8.0".to_string()),
            (String::new(), ".version 7.0 é".into()),
        ];
        let image = pack(&sources);
        assert_eq!(from_bytes(&image).unwrap(), sources);
        for cut in 0..image.len() {
            assert!(from_bytes(&image[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn images_are_told_apart() {
        let code = |image: &[u8]| from_bytes(image).unwrap_err().0;
        assert_eq!(code(b"\x7fELF\x02\x01"), Code::ERROR_NO_BINARY_FOR_GPU);
        assert_eq!(code(b"rubbish"), Code::ERROR_INVALID_IMAGE);
        assert_eq!(code(b""), Code::ERROR_INVALID_IMAGE);
        assert_eq!(code(b".version \xff"), Code::ERROR_INVALID_IMAGE);
        assert!(from_bytes(b"// x\n.version 8.0\n\0ignored").is_ok());
    }
}
