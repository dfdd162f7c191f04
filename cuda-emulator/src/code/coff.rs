//! Object files of Windows on x86-64, which contain fat binaries like those of Linux.
//!
//! Their contents are untrusted: every size is compared with the actual number of bytes.

/// The first bytes: the machine.
pub const MAGIC: [u8; 2] = 0x8664u16.to_le_bytes();

const HEADER: usize = 20;
const SECTION: usize = 40;
const SYMBOL: usize = 18;

fn half(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*bytes).into())
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    usize::try_from(u32::from_le_bytes(*bytes)).ok()
}

/// Returns the contents of the sections with a name. Returns `None` if the file is damaged.
pub fn sections<'a>(file: &'a [u8], wanted: &str) -> Option<Vec<&'a [u8]>> {
    file.starts_with(&MAGIC).then_some(())?;
    let (count, optional) = (half(file, 2)?, half(file, 16)?);
    // The names that do not fit into a header are behind the symbols.
    let (symbols, symbol_count) = (word(file, 8)?, word(file, 12)?);
    let strings = symbols.checked_add(symbol_count.checked_mul(SYMBOL)?)?;
    let headers = file.get(HEADER + optional..)?.get(..count * SECTION)?;
    let mut found = Vec::new();
    for header in headers.chunks_exact(SECTION) {
        let name = match &header[..8] {
            [b'/', digits @ ..] => {
                let digits = str::from_utf8(digits).ok()?.trim_end_matches('\0');
                file.get(strings.checked_add(digits.parse().ok()?)?..)?
            }
            short => short,
        };
        if name.split(|&byte| byte == 0).next() == Some(wanted.as_bytes()) {
            let (size, place) = (word(header, 16)?, word(header, 20)?);
            found.push(file.get(place..)?.get(..size)?);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with two sections, the second with a long name.
    fn file() -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend(2u16.to_le_bytes());
        let contents = HEADER + 2 * SECTION;
        // The time, the place and the number of the symbols, the optional header's size, flags.
        for number in [0, contents as u32 + 7, 1] {
            file.extend(number.to_le_bytes());
        }
        file.extend([0; 4]);
        for (name, size, place) in [(b".a\0\0\0\0\0\0", 4, 0), (b"/4\0\0\0\0\0\0", 3, 4)] {
            file.extend(name);
            file.extend([0; 8]);
            file.extend((size as u32).to_le_bytes());
            file.extend((contents as u32 + place).to_le_bytes());
            file.extend([0; 16]);
        }
        file.extend(b"fourtwo");
        file.extend([0; SYMBOL]);
        file.extend(b"\x12\0\0\0.long_section\0");
        file
    }

    #[test]
    fn sections_with_short_and_long_names_are_found() {
        let file = file();
        assert_eq!(sections(&file, ".a").unwrap(), [b"four"]);
        assert_eq!(sections(&file, ".long_section").unwrap(), [b"two"]);
        assert!(sections(&file, ".long").unwrap().is_empty());
        assert_eq!(sections(b"\x7fELF", ".a"), None);
    }

    #[test]
    fn damaged_files_cause_no_reads_out_of_bounds() {
        let file = file();
        for length in 0..file.len() {
            let _ = sections(&file[..length], ".long_section");
        }
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] = 0xff;
            let _ = sections(&damaged, ".long_section");
        }
    }
}
