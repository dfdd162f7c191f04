//! The linker's output: PTX texts and the options given to the linker, packed into one image.
//!
//! A GPU driver's linker produces a cubin. A client may load it in place, copy it, or write it to a
//! file and load it in another process. So the image contains everything that is needed to read it,
//! and nothing that depends on this process.
//!
//! A load from memory passes a pointer without a length, so the length is read from the image. The
//! length is trusted if the header's checksum is correct, and the contents if their checksum is
//! correct. This detects images that were truncated, overwritten, or never linker output. It does
//! not detect an image that was crafted with correct checksums and a length beyond its memory. No
//! driver can detect that from a pointer.

use super::register_counts::{Bounds, WORDS};

/// A module's sources: PTX texts with their names.
pub type Sources = Vec<(String, String)>;

/// The contents of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    pub sources: Sources,
    /// The bounds given to the linker for each source.
    pub bounds: Vec<Bounds>,
    /// `CU_JIT_TARGET`
    pub target: Option<u32>,
}

/// First bytes. The last one is the version of the layout.
pub const MAGIC: &[u8; 8] = b"EMULINK\x05";
/// Bytes of the header: magic, length of the whole image, checksum of the bytes after the header,
/// checksum of these three.
pub const HEADER: usize = 32;
/// Limit on the length of an image. Real ones are shorter.
const MOST: usize = 1 << 30;

/// Computes FNV-1a with 64 bits. Each step is a bijection of the state, so one changed byte always
/// changes the result.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |state, byte| {
        (state ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Returns the length of an image with sources of these lengths, or `None` if it is too long.
fn packed_length(sources: impl IntoIterator<Item = [usize; 2]>) -> Option<usize> {
    let length = sources
        .into_iter()
        .try_fold(HEADER + 8, |sum, [name, text]| {
            let sum = sum.checked_add(8 * (WORDS + 2))?;
            sum.checked_add(name)?.checked_add(text)
        })?;
    (length <= MOST).then_some(length)
}

/// Packs sources. After the header come the target and, for each source, its bounds, its name and
/// its text. Name and text are preceded by their lengths. Returns `None` if the image would be too
/// long.
pub fn pack(sources: &Sources, bounds: &[Bounds], target: Option<u32>) -> Option<Vec<u8>> {
    let lengths = sources.iter().map(|(name, text)| [name.len(), text.len()]);
    let length = packed_length(lengths)?;
    let mut image = Vec::with_capacity(length);
    image.extend_from_slice(MAGIC);
    image.extend_from_slice(&(length as u64).to_le_bytes());
    image.resize(HEADER, 0);
    let target = target.map_or(0, |target| 1 << 32 | u64::from(target));
    image.extend_from_slice(&target.to_le_bytes());
    for ((name, text), bounds) in sources.iter().zip(bounds) {
        image.extend(bounds.words().into_iter().flat_map(u64::to_le_bytes));
        for part in [name, text] {
            image.extend_from_slice(&(part.len() as u64).to_le_bytes());
            image.extend_from_slice(part.as_bytes());
        }
    }
    let contents = checksum(&image[HEADER..]);
    image[16..24].copy_from_slice(&contents.to_le_bytes());
    let header = checksum(&image[..24]);
    image[24..HEADER].copy_from_slice(&header.to_le_bytes());
    Some(image)
}

fn word(header: &[u8; HEADER], at: usize) -> u64 {
    u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"))
}

/// Returns the length of a whole image from its header, or `None` if [`pack`] did not make the
/// header.
pub fn length(header: &[u8; HEADER]) -> Option<usize> {
    let sound = header.starts_with(MAGIC) && word(header, 24) == checksum(&header[..24]);
    let length = usize::try_from(word(header, 8)).ok()?;
    (sound && (HEADER..=MOST).contains(&length)).then_some(length)
}

fn take_word(rest: &mut &[u8]) -> Option<u64> {
    let (first, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(u64::from_le_bytes(*first))
}

/// Unpacks an image of known length. Other bytes may follow it.
pub fn unpack(image: &[u8]) -> Option<Product> {
    let header = image.first_chunk()?;
    let mut rest = image.get(HEADER..length(header)?)?;
    if word(header, 16) != checksum(rest) {
        return None;
    }
    let target = take_word(&mut rest)?;
    let mut product = Product {
        sources: Sources::new(),
        bounds: Vec::new(),
        target: (target >> 32 != 0).then_some(target as u32),
    };
    while !rest.is_empty() {
        let mut words = [0; WORDS];
        for word in &mut words {
            *word = take_word(&mut rest)?;
        }
        let mut next = || {
            let length = usize::try_from(take_word(&mut rest)?).ok()?;
            let (part, behind) = rest.split_at_checked(length)?;
            rest = behind;
            String::from_utf8(part.to_vec()).ok()
        };
        product.sources.push((next()?, next()?));
        product.bounds.push(Bounds::of_words(words));
    }
    Some(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources() -> Sources {
        vec![
            ("a".to_string(), ".version 8.0".to_string()),
            (String::new(), ".version 7.0 é".into()),
        ]
    }

    fn bounds() -> Vec<Bounds> {
        let first = Bounds {
            registers: Some(32),
            overrides: true,
            ..Bounds::default()
        };
        vec![first, Bounds::default()]
    }

    fn packed() -> Vec<u8> {
        pack(&sources(), &bounds(), Some(90)).unwrap()
    }

    /// Returns an image with arbitrary contents and correct checksums.
    fn seal(length: u64, contents: &[u8]) -> Vec<u8> {
        let mut image = MAGIC.to_vec();
        image.extend_from_slice(&length.to_le_bytes());
        image.extend_from_slice(&checksum(contents).to_le_bytes());
        let header = checksum(&image);
        image.extend_from_slice(&header.to_le_bytes());
        image.extend_from_slice(contents);
        image
    }

    fn sealed(contents: &[u8]) -> Vec<u8> {
        seal((HEADER + contents.len()) as u64, contents)
    }

    fn header(image: &[u8]) -> [u8; HEADER] {
        *image.first_chunk().unwrap()
    }

    #[test]
    fn sources_and_options_round_trip() {
        let mut image = packed();
        assert_eq!(length(&header(&image)), Some(image.len()));
        let product = Product {
            sources: sources(),
            bounds: bounds(),
            target: Some(90),
        };
        assert_eq!(unpack(&image).as_ref(), Some(&product));
        image.extend_from_slice(b"whatever comes after");
        assert_eq!(unpack(&image), Some(product));
    }

    #[test]
    fn layout_is_as_documented() {
        let source = ("n".to_string(), "text".to_string());
        let image = pack(&vec![source], &bounds(), Some(90)).unwrap();
        let contents = [
            &[90, 0, 0, 0, 1, 0, 0, 0][..],
            &[32, 0, 0, 0, 1, 0, 0, 0],
            &[0; 24],
            &[1, 0, 0, 0, 0, 0, 0, 0],
            &[1, 0, 0, 0, 0, 0, 0, 0],
            b"n",
            &[4, 0, 0, 0, 0, 0, 0, 0],
            b"text",
        ];
        assert_eq!(image, sealed(&contents.concat()));
        // The published test values of FNV-1a.
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn too_long_sources_are_rejected() {
        let (start, each) = (HEADER + 8, 8 * (WORDS + 2));
        let room = MOST - start - each;
        assert_eq!(packed_length([]), Some(start));
        assert_eq!(packed_length([[0, room]]), Some(MOST));
        assert_eq!(packed_length([[1, room]]), None);
        assert_eq!(packed_length([[0, room], [0, 0]]), None);
        assert_eq!(packed_length([[usize::MAX, 0]]), None);
        assert_eq!(packed_length([[0, usize::MAX - start - each]]), None);
        assert_eq!(packed_length([[8, usize::MAX - start - each]]), None);
    }

    #[test]
    fn truncated_and_changed_images_are_rejected() {
        let image = packed();
        for cut in 0..image.len() {
            assert_eq!(unpack(&image[..cut]), None, "cut to {cut}");
        }
        for at in 0..image.len() {
            for change in 1..=255 {
                let mut changed = image.clone();
                changed[at] ^= change;
                assert_eq!(unpack(&changed), None, "byte {at} changed by {change:#x}");
                if at < HEADER {
                    assert_eq!(length(&header(&changed)), None, "byte {at}");
                }
            }
        }
    }

    #[test]
    fn length_is_bounded_despite_a_correct_checksum() {
        let length = |length| super::length(&header(&seal(length, b"")));
        assert_eq!(length(HEADER as u64 - 1), None);
        assert_eq!(length(HEADER as u64), Some(HEADER));
        assert_eq!(length(MOST as u64), Some(MOST));
        for wild in [0, 1, MOST as u64 + 1, 1 << 56, u64::MAX] {
            assert_eq!(length(wild), None, "{wild}");
        }
        assert_eq!(
            unpack(&seal(MOST as u64, b"")),
            None,
            "longer than the bytes"
        );
    }

    #[test]
    fn contents_are_bounded_despite_a_correct_checksum() {
        let part = |length: u64, bytes: &[u8]| [&length.to_le_bytes(), bytes].concat();
        let name = [&[0; 8 * WORDS][..], &part(1, b"n")].concat();
        let unpack = |parts: &[&[u8]]| unpack(&sealed(&[&[0; 8], &parts.concat()[..]].concat()));
        assert!(unpack(&[&name, &part(1, b"t")]).is_some());
        assert_eq!(unpack(&[]).unwrap().sources, [], "no sources");
        assert_eq!(
            super::unpack(&sealed(&[0; 7])),
            None,
            "not all of the target"
        );
        assert_eq!(unpack(&[&name[..39]]), None, "not all of the options");
        assert_eq!(unpack(&[&name]), None, "a name without a text");
        for wild in [2, 1 << 30, 1 << 56, u64::MAX] {
            assert_eq!(unpack(&[&name, &part(wild, b"t")]), None, "{wild}");
            assert_eq!(unpack(&[&name[..40], &part(wild, b"n")]), None, "{wild}");
        }
        assert_eq!(unpack(&[&name, &part(1, b"t"), &[0; 7]]), None, "a rest");
        assert_eq!(unpack(&[&name, &part(1, &[0xff])]), None, "no UTF-8");
    }
}
