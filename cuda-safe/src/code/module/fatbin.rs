//! Whether a fat binary's headers are consistent, before the driver gets a pointer without a length.
//!
//! A fat binary is a header, followed by images that each have a header of their own. What is checked: that the
//! images fill the length in the first header, and that this many bytes are there.

use super::image::{Kind, refused, refused_as};
use crate::error::Result;

/// Magic and version (4 + 2 bytes), the header's length (2), the length of what follows (8).
const HEADER: u64 = 16;
/// The least length of an image's header: kind and version (2 + 2 bytes), the header's length (4), the image's length
/// (8), and how it is compressed.
const ENTRY: u64 = 64;

pub(super) fn check(image: &[u8]) -> Result<()> {
    if Kind::of(image) != Kind::FatBinary {
        return Err(refused_as("a fat binary", image));
    }
    let cut = || {
        refused(format!(
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
        return Err(refused(format!(
            "the fat binary is cut short: its header says {whole} bytes, and there are {}",
            image.len()
        )));
    }
    let mut at = header;
    while at < whole {
        at = end_of_entry(image, at)
            .filter(|end| *end <= whole)
            .ok_or_else(|| {
                refused(format!(
                    "the fat binary is damaged: the image at byte {at} does not end within it"
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

    /// Two images, of 8 and of 0 bytes.
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
    fn a_fat_binary_is_as_long_as_it_says() {
        for image in [&fatbin(), REAL] {
            check(image).unwrap();
            check(&[image, b"whatever lies behind"].concat()).unwrap();
            for length in 0..image.len() {
                assert!(check(&image[..length]).is_err(), "cut to {length}");
            }
        }
        let told = check(&fatbin()[..167]).unwrap_err();
        assert!(
            told.detail().contains("168 bytes, and there are 167"),
            "{told}"
        );
        // No images at all.
        assert!(with(8, 0_u64.to_le_bytes()).is_ok());
    }

    #[test]
    fn wild_lengths_are_refused() {
        for rest in [151, 153, 1 << 40, u64::MAX - 16, u64::MAX] {
            assert!(with(8, rest.to_le_bytes()).is_err(), "{rest}");
        }
        for header in [0, 15, 17, u16::MAX] {
            assert!(with(6, header.to_le_bytes()).is_err(), "{header}");
        }
    }

    #[test]
    fn images_fill_the_fat_binary() {
        let (first, second) = (16, 88);
        for header in [0, 63, 65, 145, u32::MAX] {
            assert!(with(first + 4, header.to_le_bytes()).is_err(), "{header}");
        }
        for size in [7, 9, 88, 89, u64::MAX - 80, u64::MAX - 79, u64::MAX] {
            let told = with(first + 8, size.to_le_bytes());
            // The first image may well be all that there is.
            assert_eq!(told.is_ok(), size == 88, "{size}");
        }
        for header in [63, 81, u32::MAX] {
            assert!(with(second + 4, header.to_le_bytes()).is_err(), "{header}");
        }
        for size in [1, u64::MAX - 167, u64::MAX] {
            let told = with(second + 8, size.to_le_bytes()).unwrap_err();
            assert!(told.detail().contains("the image at byte 88"), "{told}");
        }
        // A header of the least length, and the size that is right then.
        let mut image = fatbin();
        image[second + 4] = 64;
        image[second + 8] = 16;
        check(&image).unwrap();
    }

    #[test]
    fn other_things_are_no_fat_binary() {
        assert!(check(b"\x50\xed\x55").is_err());
        assert!(check(b"\x7fELF").is_err());
        let told = check(b"\xb1CbF\x01\0\0\0").unwrap_err();
        assert!(told.detail().contains("wrapper"), "{told}");
    }
}
