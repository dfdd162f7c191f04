//! Checks that a fat binary's headers are consistent, because the driver gets a pointer without a
//! length.
//!
//! A fat binary is a header, followed by images that each have a header. The check covers two
//! things: the images must fill the length in the first header, and the file must have this many
//! bytes.

use super::image::{Kind, rejected, rejected_as};
use crate::error::Result;

/// The sizes of the magic number and the version (4 + 2 bytes), the header's length (2) and the
/// remaining length (8).
const HEADER: u64 = 16;
/// The minimum length of an image's header: kind and version (2 + 2 bytes), the header's length
/// (4), the image's length (8), and the compression.
const ENTRY: u64 = 64;

pub(super) fn check(image: &[u8]) -> Result<()> {
    if Kind::of(image) != Kind::FatBinary {
        return Err(rejected_as("a fat binary", image));
    }
    let cut = || {
        rejected(format!(
            "the fat binary's header is cut short or damaged ({} bytes)",
            image.len()
        ))
    };
    let header = number::<2>(image, 6).filter(|header| *header >= HEADER);
    let whole = header.and_then(|header| header.checked_add(number::<8>(image, 8)?));
    let (Some(header), Some(whole)) = (header, whole) else {
        return Err(cut());
    };
    if whole > image.len() as u64 {
        return Err(rejected(format!(
            "the fat binary is cut short: its header says {whole} bytes, but there are {}",
            image.len()
        )));
    }
    let mut at = header;
    while at < whole {
        at = end_of_entry(image, at)
            .filter(|end| *end <= whole)
            .ok_or_else(|| {
                rejected(format!(
                    "the fat binary is damaged: the image at byte {at} extends beyond its end"
                ))
            })?;
    }
    Ok(())
}

fn end_of_entry(image: &[u8], at: u64) -> Option<u64> {
    let header = number::<4>(image, at.checked_add(4)?).filter(|header| *header >= ENTRY)?;
    at.checked_add(header)?
        .checked_add(number::<8>(image, at.checked_add(8)?)?)
}

fn number<const N: usize>(image: &[u8], at: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    bytes[..N].copy_from_slice(image.get(usize::try_from(at).ok()?..)?.get(..N)?);
    Some(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REAL: &[u8] = include_bytes!("../../../tests/data/kernels.fatbin");

    /// Returns a fat binary with two images, of 8 and 0 bytes.
    fn fatbin() -> Vec<u8> {
        let mut image = b"\x50\xed\x55\xba".to_vec();
        image.extend_from_slice(&[1, 0, 16, 0]);
        image.extend_from_slice(&(64 + 8 + 80_u64).to_le_bytes());
        for (header, size) in [(64_u32, 8_u64), (80, 0)] {
            let start = image.len();
            image.extend_from_slice(&[2, 0, 1, 1]);
            image.extend_from_slice(&header.to_le_bytes());
            image.extend_from_slice(&size.to_le_bytes());
            image.resize(start + header as usize + size as usize, 0);
        }
        image
    }

    fn with<const N: usize>(at: usize, value: [u8; N]) -> Result<()> {
        let mut image = fatbin();
        image[at..at + N].copy_from_slice(&value);
        check(&image)
    }

    #[test]
    fn truncated_fat_binaries_are_rejected() {
        for image in [&fatbin(), REAL] {
            check(image).unwrap();
            check(&[image, b"trailing bytes"].concat()).unwrap();
            for length in 0..image.len() {
                assert!(check(&image[..length]).is_err(), "cut to {length}");
            }
        }
        let error = check(&fatbin()[..167]).unwrap_err();
        assert!(
            error.detail().contains("168 bytes, but there are 167"),
            "{error}"
        );
        // A fat binary without images.
        assert!(with(8, 0_u64.to_le_bytes()).is_ok());
    }

    #[test]
    fn invalid_lengths_are_rejected() {
        for rest in [151, 153, 1 << 40, u64::MAX - 16, u64::MAX] {
            assert!(with(8, rest.to_le_bytes()).is_err(), "{rest}");
        }
        for header in [0, 15, 17, u16::MAX] {
            assert!(with(6, header.to_le_bytes()).is_err(), "{header}");
        }
    }

    #[test]
    fn images_must_fill_the_fat_binary() {
        let (first, second) = (16, 88);
        for header in [0, 63, 65, 145, u32::MAX] {
            assert!(with(first + 4, header.to_le_bytes()).is_err(), "{header}");
        }
        for size in [7, 9, 88, 89, u64::MAX - 80, u64::MAX - 79, u64::MAX] {
            let result = with(first + 8, size.to_le_bytes());
            // The first image can fill the whole fat binary.
            assert_eq!(result.is_ok(), size == 88, "{size}");
        }
        for header in [63, 81, u32::MAX] {
            assert!(with(second + 4, header.to_le_bytes()).is_err(), "{header}");
        }
        for size in [1, u64::MAX - 167, u64::MAX] {
            let error = with(second + 8, size.to_le_bytes()).unwrap_err();
            assert!(error.detail().contains("the image at byte 88"), "{error}");
        }
        // A header of the minimum length, with the matching size.
        let mut image = fatbin();
        image[second + 4] = 64;
        image[second + 8] = 16;
        check(&image).unwrap();
    }

    #[test]
    fn other_kinds_of_images_are_rejected() {
        assert!(check(b"\x50\xed\x55").is_err());
        assert!(check(b"\x7fELF").is_err());
        let error = check(b"\xb1CbF\x01\0\0\0").unwrap_err();
        assert!(error.detail().contains("wrapper"), "{error}");
    }
}
