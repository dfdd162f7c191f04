//! Whether an image is as long as it says, before the driver gets a pointer without a length.

use crate::error::{Error, ErrorKind, Result};

const ELF: &[u8] = b"\x7fELF";
const FATBIN: [u8; 4] = 0xBA55_ED50_u32.to_le_bytes();

pub(super) fn is_cubin(image: &[u8]) -> bool {
    image.starts_with(ELF)
}

pub(super) fn is_fatbin(image: &[u8]) -> bool {
    image.starts_with(&FATBIN)
}

#[cold]
pub(super) fn refused(why: impl std::fmt::Display) -> Error {
    Error::checked(
        ErrorKind::Load { log: String::new() },
        "cuModuleLoadDataEx",
        format!("the image is refused: {why}"),
    )
}

/// PTX as the driver wants it: ended by a NUL, and with none inside.
pub(super) fn with_nul(ptx: &str) -> Result<Vec<u8>> {
    if let Some(at) = ptx.find('\0') {
        return Err(refused(format!("PTX with a NUL character at byte {at}")));
    }
    let mut bytes = Vec::with_capacity(ptx.len() + 1);
    bytes.extend_from_slice(ptx.as_bytes());
    bytes.push(0);
    Ok(bytes)
}

fn number<const N: usize>(image: &[u8], at: usize) -> Option<u64> {
    let mut bytes = [0; 8];
    bytes[..N].copy_from_slice(image.get(at..at.checked_add(N)?)?);
    Some(u64::from_le_bytes(bytes))
}

/// A 64-bit little-endian ELF file whose headers, sections and segments all lie within it.
pub(super) fn check_cubin(image: &[u8]) -> Result<()> {
    if !is_cubin(image) {
        return Err(refused(
            "it does not begin as an ELF file does, so it is no cubin",
        ));
    }
    if image.get(4..6) != Some(&[2, 1]) {
        return Err(refused(
            "it is no 64-bit little-endian ELF file, so it is no cubin",
        ));
    }
    match needed_by_elf(image) {
        Some(needed) if needed <= image.len() as u64 => Ok(()),
        Some(needed) => Err(refused(format!(
            "the cubin is cut short: its headers speak of {needed} bytes and there are {}",
            image.len()
        ))),
        None => Err(refused(format!(
            "the cubin's headers are cut short or broken ({} bytes)",
            image.len()
        ))),
    }
}

/// Field offsets are those of `Elf64_Ehdr`, `Elf64_Shdr` and `Elf64_Phdr`.
fn needed_by_elf(image: &[u8]) -> Option<u64> {
    const SHT_NOBITS: u64 = 8;
    let segments = (
        number::<8>(image, 32)?,
        number::<2>(image, 54)?,
        number::<2>(image, 56)?,
    );
    let sections = (
        number::<8>(image, 40)?,
        number::<2>(image, 58)?,
        number::<2>(image, 60)?,
    );
    let mut needed = 64;
    for ((offset, size, count), least) in [(segments, 56), (sections, 64)] {
        if count == 0 {
            continue;
        }
        if size < least {
            return None;
        }
        needed = needed.max(offset.checked_add(size * count)?);
        if needed > image.len() as u64 {
            return Some(needed);
        }
        for i in 0..count {
            let header = usize::try_from(offset + i * size).ok()?;
            let (place, length, present) = if least == 64 {
                let kind = number::<4>(image, header + 4)?;
                (
                    number::<8>(image, header + 24)?,
                    number::<8>(image, header + 32)?,
                    kind != SHT_NOBITS && kind != 0,
                )
            } else {
                (
                    number::<8>(image, header + 8)?,
                    number::<8>(image, header + 32)?,
                    true,
                )
            };
            if present {
                needed = needed.max(place.checked_add(length)?);
            }
        }
    }
    Some(needed)
}

/// A fat binary that is as long as its header says: magic and version (4 + 2 bytes), the header's
/// length (2), the length of what follows (8).
pub(super) fn check_fatbin(image: &[u8]) -> Result<()> {
    if !is_fatbin(image) {
        return Err(refused("it does not begin as a fat binary does"));
    }
    let needed = number::<2>(image, 6)
        .zip(number::<8>(image, 8))
        .and_then(|(header, rest)| header.checked_add(rest));
    match needed {
        Some(needed) if needed <= image.len() as u64 => Ok(()),
        Some(needed) => Err(refused(format!(
            "the fat binary is cut short: its header speaks of {needed} bytes and there are {}",
            image.len()
        ))),
        None => Err(refused("the fat binary's header is cut short")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(section: (u64, u64)) -> Vec<u8> {
        let mut image = vec![0u8; 64 + 64 + 16];
        image[..6].copy_from_slice(b"\x7fELF\x02\x01");
        image[40..48].copy_from_slice(&64u64.to_le_bytes());
        image[58..60].copy_from_slice(&64u16.to_le_bytes());
        image[60..62].copy_from_slice(&1u16.to_le_bytes());
        image[64 + 4..64 + 8].copy_from_slice(&1u32.to_le_bytes());
        image[64 + 24..64 + 32].copy_from_slice(&section.0.to_le_bytes());
        image[64 + 32..64 + 40].copy_from_slice(&section.1.to_le_bytes());
        image
    }

    #[test]
    fn a_whole_cubin_passes_and_every_shorter_one_does_not() {
        let image = elf((128, 16));
        check_cubin(&image).unwrap();
        for length in 0..image.len() {
            assert!(check_cubin(&image[..length]).is_err(), "cut to {length}");
        }
    }

    #[test]
    fn wild_extents_are_refused() {
        assert!(check_cubin(&elf((u64::MAX, 16))).is_err());
        assert!(check_cubin(&elf((128, u64::MAX))).is_err());
        assert!(check_cubin(b"\x7fELF\x01\x01").is_err());
        assert!(check_cubin(b"PTX").is_err());
    }

    #[test]
    fn a_fatbin_is_as_long_as_it_says() {
        let mut image = FATBIN.to_vec();
        image.extend_from_slice(&[1, 0, 16, 0]);
        image.extend_from_slice(&8u64.to_le_bytes());
        image.extend_from_slice(&[0; 8]);
        check_fatbin(&image).unwrap();
        for length in 0..image.len() {
            assert!(check_fatbin(&image[..length]).is_err(), "cut to {length}");
        }
        image[8..16].fill(0xff);
        assert!(check_fatbin(&image).is_err());
    }

    #[test]
    fn ptx_gets_its_nul_and_may_have_no_other() {
        assert_eq!(with_nul("x").unwrap(), b"x\0");
        assert!(with_nul("x\0y").is_err());
    }
}
