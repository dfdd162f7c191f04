//! Fat binaries: containers of PTX and machine code for several architectures.
//!
//! Their contents are untrusted: every size is compared with the actual number of bytes before it
//! is used to read or allocate.

use std::io::Read as _;

use crate::abi::status::{Code, Result};

/// First word of a fat binary.
pub const MAGIC: u32 = 0xba55_ed50;
/// First word of the wrapper that points to a fat binary.
pub const WRAPPER_MAGIC: u32 = 0x4662_43b1;
/// Bytes of a fat binary's header: magic (4), version (2), length of the header (2), length of the
/// rest (8).
pub const HEADER: usize = 16;
/// Bytes of the wrapper that are read: magic (4), version (4), address of the fat binary (8).
pub const WRAPPER: usize = 16;

/// Bytes of an entry's header that are read. The header may be longer.
const ENTRY: usize = 64;
const KIND_PTX: u16 = 1;
const KIND_CODE: u16 = 2;
const FLAG_LZ4: u64 = 0x2000;
const FLAG_ZSTD: u64 = 0x8000;
const METHODS: u64 = FLAG_LZ4 | FLAG_ZSTD;
/// Maximum size of a fat binary in bytes. Real ones are smaller.
const MOST: u64 = 1 << 32;
/// Limit on the size of unpacked PTX. Real texts are smaller.
const MOST_TEXT: u64 = 1 << 28;
/// Maximum bytes of text per byte of LZ4: a byte can add 255 bytes to a match.
const LZ4_RATIO: u64 = 255;
/// The window that every zstd decoder should support (RFC 8878, 3.1.1.1.2), even for shorter texts.
const ZSTD_WINDOW: u64 = 8 << 20;

/// The best PTX for a device in a fat binary.
pub struct Found {
    /// The PTX text, if there is one.
    pub ptx: Option<String>,
    /// Whether there is machine code.
    pub has_machine_code: bool,
}

/// Returns the length of a whole fat binary from its header, or `None` if the header is invalid.
pub fn length(header: &[u8; HEADER]) -> Option<usize> {
    let header_size = u64::from(u16::from_le_bytes([header[6], header[7]]));
    let rest = u64::from_le_bytes(header[8..].try_into().expect("eight bytes"));
    let length = header_size.checked_add(rest)?;
    (header_size >= HEADER as u64 && length <= MOST).then_some(length as usize)
}

/// Returns the address in a wrapper.
pub fn wrapped(wrapper: &[u8; WRAPPER]) -> u64 {
    u64::from_le_bytes(wrapper[8..].try_into().expect("eight bytes"))
}

fn field<const N: usize>(bytes: &[u8], offset: usize) -> Result<[u8; N]> {
    bytes
        .get(offset..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .ok_or(Code::ERROR_INVALID_IMAGE)
}

/// One image in the container.
struct Entry<'a> {
    kind: u16,
    architecture: u32,
    flags: u64,
    /// Bytes of compressed text in the payload. The rest is padding.
    packed: usize,
    /// Bytes of the unpacked text.
    plain: u64,
    payload: &'a [u8],
    /// Bytes of header and payload.
    length: usize,
}

impl<'a> Entry<'a> {
    /// Reads the entry at the start of `bytes`, which must contain all of it.
    fn read(bytes: &'a [u8]) -> Result<Self> {
        let header_size = u32::from_le_bytes(field(bytes, 4)?) as usize;
        let size = usize::try_from(u64::from_le_bytes(field(bytes, 8)?))
            .map_err(|_| Code::ERROR_INVALID_IMAGE)?;
        let length = header_size
            .checked_add(size)
            .filter(|length| *length <= bytes.len() && header_size >= ENTRY)
            .ok_or(Code::ERROR_INVALID_IMAGE)?;
        Ok(Entry {
            kind: u16::from_le_bytes(field(bytes, 0)?),
            architecture: u32::from_le_bytes(field(bytes, 28)?),
            flags: u64::from_le_bytes(field(bytes, 40)?),
            packed: u32::from_le_bytes(field(bytes, 16)?) as usize,
            plain: u64::from_le_bytes(field(bytes, 56)?),
            payload: &bytes[header_size..length],
            length,
        })
    }

    /// Returns whether this entry fits a device better than another: the newest architecture up to
    /// the device's is best, otherwise the oldest.
    fn is_better_than(&self, other: &Entry, capability: u32) -> bool {
        if self.architecture > capability {
            self.architecture < other.architecture
        } else {
            other.architecture > capability || self.architecture > other.architecture
        }
    }

    fn text(&self) -> Result<Vec<u8>> {
        let damaged = Code::ERROR_INVALID_IMAGE;
        let method = self.flags & METHODS;
        if method == 0 {
            return Ok(self.payload.to_vec());
        }
        let packed = self.payload.get(..self.packed).ok_or(damaged)?;
        if self.plain > most_text(method, packed.len()) {
            return Err(damaged);
        }
        let text = if method == FLAG_LZ4 {
            lz4_flex::block::decompress(packed, self.plain as usize).map_err(|_| damaged)?
        } else {
            unpack_zstd(packed, self.plain)?
        };
        if text.len() as u64 == self.plain {
            Ok(text)
        } else {
            Err(damaged)
        }
    }
}

/// Finds the machine code for the newest architecture up to `capability`, or else the oldest.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_IMAGE` if the container is damaged.
pub fn find_code(bytes: &[u8], capability: u32) -> Result<Option<Vec<u8>>> {
    let mut best: Option<Entry> = None;
    let mut rest = entries(bytes)?;
    while !rest.is_empty() {
        let entry = Entry::read(rest)?;
        rest = &rest[entry.length..];
        let better = |best: &Entry| entry.is_better_than(best, capability);
        if entry.kind == KIND_CODE && best.as_ref().is_none_or(better) {
            best = Some(entry);
        }
    }
    best.map(|entry| entry.text()).transpose()
}

/// Returns the bytes after a fat binary's header.
fn entries(bytes: &[u8]) -> Result<&[u8]> {
    let whole = length(&field(bytes, 0)?).and_then(|length| bytes.get(..length));
    let whole = whole.ok_or(Code::ERROR_INVALID_IMAGE)?;
    Ok(&whole[usize::from(u16::from_le_bytes(field(whole, 6)?))..])
}

/// Finds the PTX for the newest architecture up to `capability` (90 for 9.0), or else the oldest.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_IMAGE` if the container is damaged.
pub fn find_ptx(bytes: &[u8], capability: u32) -> Result<Found> {
    let mut rest = entries(bytes)?;
    let mut best: Option<Entry> = None;
    let mut has_machine_code = false;
    while !rest.is_empty() {
        let entry = Entry::read(rest)?;
        rest = &rest[entry.length..];
        if entry.kind != KIND_PTX {
            has_machine_code = true;
        } else if best
            .as_ref()
            .is_none_or(|best| entry.is_better_than(best, capability))
        {
            best = Some(entry);
        }
    }
    let text = |entry: Entry| {
        let mut text = entry.text()?;
        text.truncate(
            text.iter()
                .position(|byte| *byte == 0)
                .unwrap_or(text.len()),
        );
        String::from_utf8(text).map_err(|_| Code::ERROR_INVALID_IMAGE)
    };
    Ok(Found {
        ptx: best.map(text).transpose()?,
        has_machine_code,
    })
}

/// Returns the maximum number of bytes to which `packed` bytes can be unpacked.
fn most_text(method: u64, packed: usize) -> u64 {
    if method == FLAG_LZ4 {
        MOST_TEXT.min(LZ4_RATIO * packed as u64)
    } else {
        MOST_TEXT
    }
}

/// Unpacks one frame. It stops after `plain` + 1 bytes, so that a longer text is detected.
fn unpack_zstd(bytes: &[u8], plain: u64) -> Result<Vec<u8>> {
    let window = plain.max(ZSTD_WINDOW);
    let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(bytes, window)
        .map_err(|_| Code::ERROR_INVALID_IMAGE)?;
    let mut text = Vec::new();
    decoder
        .take(plain + 1)
        .read_to_end(&mut text)
        .map_err(|_| Code::ERROR_INVALID_IMAGE)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: u16, architecture: u32, flags: u64, payload: &[u8], plain: usize) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[0..2].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&64u32.to_le_bytes());
        bytes[8..16].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        bytes[16..20].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        bytes[28..32].copy_from_slice(&architecture.to_le_bytes());
        bytes[40..48].copy_from_slice(&flags.to_le_bytes());
        bytes[56..64].copy_from_slice(&(plain as u64).to_le_bytes());
        bytes.extend_from_slice(payload);
        bytes
    }

    fn container(entries: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        bytes.extend_from_slice(&[1, 0, 16, 0]);
        let size: usize = entries.iter().map(Vec::len).sum();
        bytes.extend_from_slice(&(size as u64).to_le_bytes());
        bytes.extend(entries.concat());
        bytes
    }

    fn header_of(header: u16, rest: u64) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[6..8].copy_from_slice(&header.to_le_bytes());
        bytes[8..].copy_from_slice(&rest.to_le_bytes());
        bytes
    }

    #[test]
    fn length_is_bounded() {
        let length = |header, rest| length(&header_of(header, rest));
        assert_eq!(length(15, 100), None, "the header has 16 bytes");
        assert_eq!(length(16, 100), Some(116));
        assert_eq!(length(u16::MAX, 0), Some(65535));
        assert_eq!(length(16, MOST - 16), Some(MOST as usize));
        for wild in [MOST - 15, 1 << 56, u64::MAX - 16, u64::MAX] {
            assert_eq!(length(16, wild), None, "{wild}");
        }
    }

    #[test]
    fn wrapper_holds_the_address_in_its_third_word() {
        let mut wrapper = [0xee; WRAPPER];
        wrapper[8..].copy_from_slice(&0x1234_5678_9abc_def0_u64.to_le_bytes());
        assert_eq!(wrapped(&wrapper), 0x1234_5678_9abc_def0);
    }

    #[test]
    fn best_architecture_is_chosen() {
        let text = |name: &str| format!(".version 7.0 // {name}\0");
        let make = |architectures: &[u32]| {
            let entries: Vec<_> = architectures
                .iter()
                .map(|a| entry(KIND_PTX, *a, 0, text(&a.to_string()).as_bytes(), 0))
                .collect();
            find_ptx(&container(&entries), 90).unwrap().ptx.unwrap()
        };
        assert!(make(&[75, 90, 80]).ends_with("90"));
        assert!(make(&[75, 89, 80]).ends_with("89"));
        assert!(make(&[100, 80, 120]).ends_with("80"));
        assert!(make(&[91, 80]).ends_with("80"));
        assert!(make(&[120, 100]).ends_with("100"));
        assert!(make(&[100, 120]).ends_with("100"));
        // The first of two equally good ones.
        for architecture in [80, 100] {
            let entry = |text: &[u8]| entry(KIND_PTX, architecture, 0, text, 0);
            let both = container(&[entry(b"first"), entry(b"second")]);
            assert_eq!(find_ptx(&both, 90).unwrap().ptx.unwrap(), "first");
        }
    }

    #[test]
    fn ptx_and_machine_code_are_distinguished() {
        let code = entry(2, 90, 0, b"machine code", 0);
        let text = entry(KIND_PTX, 80, 0, b".version 8.0", 0);
        let find = |entries: &[Vec<u8>]| {
            let found = find_ptx(&container(entries), 90).unwrap();
            (found.ptx.is_some(), found.has_machine_code)
        };
        assert_eq!(find(&[]), (false, false));
        assert_eq!(find(std::slice::from_ref(&code)), (false, true));
        assert_eq!(find(std::slice::from_ref(&text)), (true, false));
        assert_eq!(find(&[text, code]), (true, true));
    }

    #[test]
    fn compressed_text_is_unpacked() {
        let text = ".version 8.0\n".repeat(50);
        let packed = lz4_flex::block::compress(text.as_bytes());
        let bytes = container(&[
            entry(2, 90, 0, b"machine code", 0),
            entry(KIND_PTX, 80, FLAG_LZ4, &packed, text.len()),
        ]);
        let found = find_ptx(&bytes, 90).unwrap();
        assert_eq!(found.ptx.unwrap(), text);
        assert!(found.has_machine_code);
    }

    /// Returns a zstd frame with one block that repeats a byte, and a window of 1 KiB or more.
    fn zstd(window: u8, repeat: u32) -> Vec<u8> {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, window];
        let block = 1 | 1 << 1 | repeat << 3;
        frame.extend_from_slice(&block.to_le_bytes()[..3]);
        frame.push(b'x');
        frame
    }

    #[test]
    fn unpacked_length_must_match_the_entry() {
        let find = |flag, payload: &[u8], plain| {
            let bytes = container(&[entry(KIND_PTX, 80, flag, payload, plain)]);
            find_ptx(&bytes, 90).map(|found| found.ptx.unwrap().len())
        };
        let damaged = Err(Code::ERROR_INVALID_IMAGE);
        let text = lz4_flex::block::compress(&[b'x'; 1000]);
        let frame = zstd(0, 1000);
        for (flag, payload) in [(FLAG_LZ4, text), (FLAG_ZSTD, frame)] {
            assert_eq!(find(flag, &payload, 1000), Ok(1000));
            for wrong in [0, 999, 1001, MOST_TEXT as usize, usize::MAX] {
                assert_eq!(find(flag, &payload, wrong), damaged, "{wrong}");
            }
        }
    }

    #[test]
    fn memory_is_bounded_before_allocation() {
        assert_eq!(most_text(FLAG_LZ4, 0), 0);
        assert_eq!(most_text(FLAG_LZ4, 4), 1020);
        assert_eq!(most_text(FLAG_LZ4, 1 << 30), MOST_TEXT);
        assert_eq!(most_text(FLAG_ZSTD, 4), MOST_TEXT);
        let wild = container(&[entry(KIND_PTX, 80, FLAG_LZ4, &[0; 4], 1021)]);
        assert!(find_ptx(&wild, 90).is_err());
        // A window as large as every decoder should support, and a larger one.
        let window = |exponent: u8| unpack_zstd(&zstd(exponent << 3, 9), 9);
        assert_eq!(window(13).unwrap(), [b'x'; 9]);
        assert_eq!(window(14), Err(Code::ERROR_INVALID_IMAGE));
        assert_eq!(window(30), Err(Code::ERROR_INVALID_IMAGE));
        // Unless the text is as long.
        assert_eq!(unpack_zstd(&zstd(14 << 3, 9), 16 << 20).unwrap(), [b'x'; 9]);
        // A text that is too long is not unpacked to its end.
        assert_eq!(unpack_zstd(&zstd(7 << 3, 100_000), 9).unwrap().len(), 10);
    }

    #[test]
    fn damaged_containers_are_rejected() {
        let good = container(&[entry(KIND_PTX, 80, 0, b".version 8.0", 0)]);
        assert!(find_ptx(&good, 90).is_ok());
        for cut in 0..good.len() {
            assert!(find_ptx(&good[..cut], 90).is_err(), "{cut}");
        }
        // Bytes after the container do not belong to it.
        let longer = [&good[..], b"whatever"].concat();
        assert!(find_ptx(&longer, 90).is_ok());
        // The entry: a header shorter than the part that is read, and lengths beyond the entry.
        let with = |at: usize, bytes: &[u8]| {
            let mut changed = good.clone();
            changed[at..at + bytes.len()].copy_from_slice(bytes);
            find_ptx(&changed, 90).map(|found| found.ptx)
        };
        assert!(with(20, &63u32.to_le_bytes()).is_err());
        assert!(with(20, &65u32.to_le_bytes()).is_err());
        assert!(with(20, &u32::MAX.to_le_bytes()).is_err());
        assert!(with(24, &13u64.to_le_bytes()).is_err());
        assert!(with(24, &u64::MAX.to_le_bytes()).is_err());
        assert!(with(24, &(u64::MAX - 63).to_le_bytes()).is_err());
        assert!(with(6, &15u16.to_le_bytes()).is_err());
        assert!(with(6, &u16::MAX.to_le_bytes()).is_err());
        assert!(with(HEADER + ENTRY, b"\xff").is_err(), "no UTF-8");
        let bad = container(&[entry(KIND_PTX, 80, FLAG_LZ4, &[0xff; 9], 100)]);
        assert!(find_ptx(&bad, 90).is_err());
        let mut beyond = container(&[entry(KIND_PTX, 80, FLAG_ZSTD, &zstd(0, 9), 9)]);
        assert!(find_ptx(&beyond, 90).is_ok());
        beyond[HEADER + 16] += 1;
        assert!(find_ptx(&beyond, 90).is_err(), "packed beyond the payload");
    }
}
