//! Recognizes the kind of an image.
//!
//! The driver gets a pointer without a length and looks at the first bytes. So an image that is
//! passed on as text must not begin like an image of a different kind.

use cuda_sys::CUresult;

use crate::error::{Error, ErrorKind, Result};

const ELF: &[u8] = b"\x7fELF";
const FATBIN: [u8; 4] = 0xBA55_ED50_u32.to_le_bytes();
/// The wrapper around a fat binary in a program that nvcc compiled. It contains an address.
const WRAPPER: [u8; 4] = 0x4662_43B1_u32.to_le_bytes();
/// The output of the emulator's linker. A GPU driver's linker produces a cubin.
const LINKED: &[u8] = b"EMULINK";

/// The kind of an image, according to its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Cubin,
    FatBinary,
    Wrapper,
    Linked,
    /// PTX, or nothing that can be loaded.
    Other,
}

impl Kind {
    pub(super) fn of(image: &[u8]) -> Self {
        if image.starts_with(ELF) {
            Self::Cubin
        } else if image.starts_with(&FATBIN) {
            Self::FatBinary
        } else if image.starts_with(&WRAPPER) {
            Self::Wrapper
        } else if image.starts_with(LINKED) {
            Self::Linked
        } else {
            Self::Other
        }
    }

    /// Returns a description of the kind and how to load it, if the first bytes are known.
    fn words(self) -> Option<&'static str> {
        match self {
            Self::Cubin => Some("machine code (an ELF file): load it with Module::from_cubin"),
            Self::FatBinary => Some("a fat binary: load it with Module::from_fatbin"),
            Self::Wrapper => Some(
                "the wrapper that nvcc puts around a fat binary, which only points to the fat binary: \
                 load the fat binary itself with Module::from_fatbin",
            ),
            Self::Linked => Some(
                "the output of the emulator's linker, which replaces machine code: load it with \
                 Module::from_cubin",
            ),
            Self::Other => None,
        }
    }
}

#[cold]
pub(super) fn rejected(why: impl std::fmt::Display) -> Error {
    Error::checked(
        ErrorKind::Load { log: String::new() },
        "cuModuleLoadDataEx",
        format!("cannot load the image: {why}"),
    )
}

/// Returns the error for an image of an unexpected kind.
#[cold]
pub(super) fn rejected_as(what: &str, image: &[u8]) -> Error {
    match Kind::of(image).words() {
        Some(words) => rejected(format!("it is not {what} but {words}")),
        None => rejected(format!("it does not begin as {what} does")),
    }
}

/// Returns the text of an image that should be PTX, without a NUL at its end.
pub(crate) fn text(image: &[u8]) -> Result<&str> {
    if Kind::of(image) != Kind::Other {
        return Err(rejected_as("PTX", image));
    }
    let text = image.strip_suffix(b"\0").unwrap_or(image);
    std::str::from_utf8(text)
        .map_err(|_| rejected("it is neither PTX text nor a cubin nor a fat binary"))
}

/// Checks that an image from the emulator's linker is as long as its header says: magic number (8
/// bytes), length (8), checksums (16). The emulator itself checks the rest.
pub(super) fn check_linked(image: &[u8]) -> Result<()> {
    let length = image
        .first_chunk::<32>()
        .and_then(|header| header[8..].first_chunk())
        .map(|length| u64::from_le_bytes(*length));
    if length.is_some_and(|length| length <= image.len() as u64) {
        Ok(())
    } else {
        Err(rejected(format!(
            "the linked image is cut short ({} bytes)",
            image.len()
        )))
    }
}

/// Returns PTX in the form that the driver needs: it begins with `.version`, ends with a NUL and
/// contains no other one.
pub(super) fn ptx(text: &str) -> Result<Vec<u8>> {
    if Kind::of(text.as_bytes()) != Kind::Other {
        return Err(rejected_as("PTX", text.as_bytes()));
    }
    if let Some(at) = text.find('\0') {
        return Err(rejected(format!(
            "the PTX has a NUL character at byte {at}"
        )));
    }
    check_beginning(text)?;
    let mut bytes = Vec::with_capacity(text.len() + 1);
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(0);
    Ok(bytes)
}

/// Skips the text that ptxas skips before the first directive: white space, comments, and the `#`
/// lines in which a preprocessor records the origin of a line. Returns `None` if a comment has no
/// end.
fn after_blank(mut text: &str) -> Option<&str> {
    loop {
        text = text.trim_start_matches([' ', '\t', '\r', '\n', '\x0c']);
        let line_is_skipped = text.starts_with("//") || text.starts_with('#');
        text = if line_is_skipped {
            text.split_once('\n').map_or("", |(_, rest)| rest)
        } else if let Some(comment) = text.strip_prefix("/*") {
            comment.split_once("*/")?.1
        } else {
            return Some(text);
        };
    }
}

/// Checks that the first directive is `.version`, as in all PTX.
fn check_beginning(text: &str) -> Result<()> {
    if text.starts_with('\u{feff}') {
        return Err(rejected(
            "the text begins with a byte order mark, which PTX does not allow. Fix: save it without one",
        ));
    }
    let Some(text) = after_blank(text) else {
        return Err(rejected(
            "the text begins with an unterminated comment, and contains no PTX",
        ));
    };
    let is_more_of_the_word = |c: char| c.is_alphanumeric() || "_$%.".contains(c);
    if text
        .strip_prefix(".version")
        .is_some_and(|rest| !rest.starts_with(is_more_of_the_word))
    {
        return Ok(());
    }
    if text.is_empty() {
        return Err(rejected("the text contains no PTX, not even `.version`"));
    }
    let shown: String = text.chars().take(30).collect();
    let hint = if text.contains("__global__") {
        ". Fix: compile CUDA C++ with Module::compile"
    } else {
        ""
    };
    Err(rejected(format!(
        "the text begins with {shown:?} and does not begin with `.version`, as PTX does{hint}"
    )))
}

/// Returns whether the driver rejected machine code in a case in which it may accept PTX.
pub(crate) fn is_rejected(error: &Error) -> bool {
    matches!(
        error.driver_code(),
        Some(
            CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
                | CUresult::CUDA_ERROR_INVALID_IMAGE
                | CUresult::CUDA_ERROR_INVALID_SOURCE
                | CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
                | CUresult::CUDA_ERROR_NOT_SUPPORTED
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(result: Result<impl Sized>) -> String {
        let error = result.err().expect("rejected");
        assert_eq!(*error.kind(), ErrorKind::Load { log: String::new() });
        assert!(error.detail().starts_with("cannot load the image: "));
        error.detail().to_owned()
    }

    #[test]
    fn ptx_ends_with_its_only_nul() {
        assert_eq!(ptx(".version 7.0").unwrap(), b".version 7.0\0");
        assert!(why(ptx(".version\0")).contains("byte 8"));
    }

    /// These results match those of ptxas of CUDA 13.0.
    #[test]
    fn ptx_must_begin_with_version() {
        for head in [
            "",
            " \t\r\n\x0c",
            "// a comment\n",
            "// one\r\n//\n// two\\\n",
            "/* a\ncomment */",
            "/*/ one comment */",
            "/***//* */ // and so on\n",
            "#line 1 \"a.cu\"\n",
            "  # 1 \"a.cu\"\n\n",
        ] {
            for end in ["", " 7.0", "\t7.0", "\r7.0", "\n7.0", "/**/ 7.0"] {
                let text = format!("{head}.version{end}");
                assert!(ptx(&text).is_ok(), "{text:?}");
            }
        }
        for text in [
            "this is not PTX",
            ";.version 7.0",
            "\x0b.version 7.0",
            "\u{a0}.version 7.0",
            ".target sm_75\n.version 7.0",
            "@ .version 7.0",
            "/ .version 7.0",
            "*/.version 7.0",
            "/ * */.version 7.0",
            "/*/.version 7.0\n*/k",
            ".Version 7.0",
            ".versio n7.0",
            "version 7.0",
            ".versions",
            ".version7.0",
            ".version_",
            ".version$",
            ".version%",
            ".version.",
            ".versioné",
        ] {
            let why = why(ptx(text));
            assert!(why.contains("does not begin with `.version`"), "{why}");
        }
    }

    #[test]
    fn other_beginnings_are_reported() {
        for text in ["", " \n", "// .version 7.0", "#.version 7.0", "/**/"] {
            assert!(
                why(ptx(text)).contains("contains no PTX, not even"),
                "{text:?}"
            );
        }
        for text in ["/*", "/* .version 7.0", "/*/", "// x\n/* *\n/ .version"] {
            assert!(why(ptx(text)).contains("unterminated comment"), "{text:?}");
        }
        assert!(why(ptx("\u{feff}.version 7.0")).contains("byte order mark"));
        let long = format!("x{}", "é".repeat(40));
        let error = why(ptx(&long));
        assert!(
            error.contains(&format!("\"x{}\"", "é".repeat(29))),
            "{error}"
        );
        assert!(!error.contains("Module::compile"));
        let error = why(ptx("extern \"C\" __global__ void k() {}"));
        assert!(error.contains("Module::compile"), "{error}");
    }

    #[test]
    fn other_kinds_of_images_are_recognized() {
        for (image, kind, word) in [
            (&b"\x7fELF\x02\x01"[..], Kind::Cubin, "Module::from_cubin"),
            (
                b"\x50\xed\x55\xba\x01\0",
                Kind::FatBinary,
                "Module::from_fatbin",
            ),
            (b"\xb1CbF\x01\0\0\0", Kind::Wrapper, "wrapper"),
            (b"EMULINK\x02", Kind::Linked, "emulator"),
        ] {
            assert_eq!(Kind::of(image), kind);
            let told = why(text(image));
            assert!(told.contains("it is not PTX but"), "{told}");
            let told = why(Err::<(), _>(rejected_as("a book", image)));
            assert!(told.contains("it is not a book but"), "{told}");
            assert!(told.contains(word), "{told}");
            // A prefix of the magic number is not enough.
            let magic = if kind == Kind::Linked { 7 } else { 4 };
            assert_eq!(Kind::of(&image[..magic]), kind);
            assert_eq!(Kind::of(&image[..magic - 1]), Kind::Other);
            if let Ok(text) = std::str::from_utf8(image) {
                let told = why(ptx(text));
                assert!(told.contains(word), "{told}");
            }
        }
        assert_eq!(Kind::of(b""), Kind::Other);
    }

    #[test]
    fn text_can_end_with_one_nul() {
        assert_eq!(text(b".version\0").unwrap(), ".version");
        assert_eq!(text(b".version").unwrap(), ".version");
        assert_eq!(text(b".version\0\0").unwrap(), ".version\0");
        let told = why(text(b"\xff\xfe"));
        assert!(told.contains("neither PTX text"), "{told}");
        let told = why(Err::<(), _>(rejected_as("a book", b"\xff")));
        assert!(told.contains("does not begin as a book does"), "{told}");
    }

    #[test]
    fn truncated_linked_images_are_rejected() {
        let image = |length: u64, bytes: usize| {
            let mut image = b"EMULINK\x02".to_vec();
            image.extend_from_slice(&length.to_le_bytes());
            image.resize(bytes, 0);
            check_linked(&image).is_ok()
        };
        assert!(image(40, 40) && image(40, 41) && image(32, 32));
        assert!(!image(41, 40) && !image(31, 31) && !image(u64::MAX, 40));
        assert!(check_linked(b"EMULINK\x02\0").is_err());
    }
}
