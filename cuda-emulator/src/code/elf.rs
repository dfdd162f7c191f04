//! ELF files: host objects that contain fat binaries, and GPU machine code, of which only the names
//! are read.
//!
//! Their contents are untrusted: every offset is compared with the actual number of bytes.

/// First bytes of an ELF file.
pub const MAGIC: &[u8; 4] = b"\x7fELF";

/// `e_machine` of GPU code.
const CUDA: u16 = 190;
const SYMBOL_TABLE: u32 = 2;
const NO_BITS: u32 = 8;
/// Bytes of a section header and of a symbol.
const SECTION: usize = 64;
const SYMBOL: usize = 24;
/// Bindings of symbols that are visible to other files.
const GLOBAL: u8 = 1;
const WEAK: u8 = 2;

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    field(bytes, at).map(u16::from_le_bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    field(bytes, at).map(u32::from_le_bytes)
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    field(bytes, at).and_then(|bytes| usize::try_from(u64::from_le_bytes(bytes)).ok())
}

fn part(bytes: &[u8], at: usize, size: usize) -> Option<&[u8]> {
    bytes.get(at..)?.get(..size)
}

/// Returns the text up to the next NUL.
fn text(bytes: &[u8], at: usize) -> Option<&str> {
    let rest = bytes.get(at..)?;
    std::str::from_utf8(&rest[..rest.iter().position(|byte| *byte == 0)?]).ok()
}

/// A 64-bit little-endian ELF file.
pub struct Elf<'a> {
    bytes: &'a [u8],
    /// Section headers.
    headers: &'a [u8],
    /// Section names.
    names: &'a [u8],
}

impl<'a> Elf<'a> {
    /// Reads the headers. Returns `None` if the bytes are not such a file or are damaged.
    pub fn read(bytes: &'a [u8]) -> Option<Elf<'a>> {
        if !bytes.starts_with(MAGIC) || bytes.get(4..6)? != [2, 1] {
            return None;
        }
        let (at, size) = (long(bytes, 40)?, half(bytes, 58)?);
        if usize::from(size) != SECTION {
            return None;
        }
        let first = part(bytes, at, SECTION)?;
        // If there are too many sections for the ELF header, the first section header holds the
        // number.
        let count = match half(bytes, 60)? {
            0 => long(first, 32)?,
            count => count.into(),
        };
        let names = match half(bytes, 62)? {
            0xffff => word(first, 40)? as usize,
            index => index.into(),
        };
        let headers = part(bytes, at, count.checked_mul(SECTION)?)?;
        let elf = Elf {
            bytes,
            headers,
            names: &[],
        };
        let names = elf.contents(elf.header(names)?)?;
        Some(Elf { names, ..elf })
    }

    /// Returns whether it contains GPU code.
    pub fn is_cubin(&self) -> bool {
        half(self.bytes, 18) == Some(CUDA)
    }

    fn header(&self, index: usize) -> Option<&'a [u8]> {
        part(self.headers, index.checked_mul(SECTION)?, SECTION)
    }

    fn contents(&self, header: &'a [u8]) -> Option<&'a [u8]> {
        if word(header, 4)? == NO_BITS {
            return Some(&[]);
        }
        part(self.bytes, long(header, 24)?, long(header, 32)?)
    }

    /// Returns the contents of the sections with a name.
    pub fn sections(&self, name: &str) -> Vec<&'a [u8]> {
        let named = |header: &&[u8]| {
            let at = word(header, 0).map(|at| at as usize);
            at.and_then(|at| text(self.names, at)) == Some(name)
        };
        let headers = self.headers.chunks_exact(SECTION).filter(named);
        headers.filter_map(|header| self.contents(header)).collect()
    }

    /// Returns the names that it defines for other files.
    pub fn defined(&self) -> Vec<&'a str> {
        let mut names = Vec::new();
        for header in self.headers.chunks_exact(SECTION) {
            if word(header, 4) != Some(SYMBOL_TABLE) {
                continue;
            }
            let strings = word(header, 40).and_then(|index| self.header(index as usize));
            let strings = strings.and_then(|header| self.contents(header));
            let (Some(symbols), Some(strings)) = (self.contents(header), strings) else {
                continue;
            };
            for symbol in symbols.chunks_exact(SYMBOL) {
                let binding = symbol[4] >> 4;
                let here = half(symbol, 6) != Some(0);
                if here && matches!(binding, GLOBAL | WEAK) {
                    let at = word(symbol, 0).map(|at| at as usize);
                    names.extend(at.and_then(|at| text(strings, at)));
                }
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file with a section `.data` of four bytes, and the symbols `defined` (global),
    /// `local` and `missing`.
    fn file() -> Vec<u8> {
        let names = b"\0.data\0.symtab\0.names\0defined\0local\0missing\0";
        let at = |name: &str| {
            let name = [&[0], name.as_bytes(), &[0]].concat();
            names
                .windows(name.len())
                .position(|part| part == name)
                .unwrap() as u32
                + 1
        };
        let symbol = |name: &str, info: u8, section: u16| {
            let mut symbol = vec![0; SYMBOL];
            symbol[..4].copy_from_slice(&at(name).to_le_bytes());
            symbol[4] = info;
            symbol[6..8].copy_from_slice(&section.to_le_bytes());
            symbol
        };
        let symbols = [
            symbol("defined", GLOBAL << 4 | 2, 1),
            symbol("local", 2, 1),
            symbol("missing", GLOBAL << 4, 0),
        ]
        .concat();
        let mut file = vec![0; 64];
        file[..4].copy_from_slice(MAGIC);
        file[4..6].copy_from_slice(&[2, 1]);
        file[18..20].copy_from_slice(&CUDA.to_le_bytes());
        let mut headers = vec![vec![0; SECTION]];
        for (name, kind, link, contents) in [
            (".data", 1u32, 0u32, &b"four"[..]),
            (".symtab", SYMBOL_TABLE, 3, &symbols),
            (".names", 3, 0, names),
        ] {
            let mut header = vec![0; SECTION];
            header[..4].copy_from_slice(&at(name).to_le_bytes());
            header[4..8].copy_from_slice(&kind.to_le_bytes());
            header[24..32].copy_from_slice(&(file.len() as u64).to_le_bytes());
            header[32..40].copy_from_slice(&(contents.len() as u64).to_le_bytes());
            header[40..44].copy_from_slice(&link.to_le_bytes());
            headers.push(header);
            file.extend_from_slice(contents);
        }
        let place = file.len() as u64;
        file[40..48].copy_from_slice(&place.to_le_bytes());
        file[58..64].copy_from_slice(&[64, 0, 4, 0, 3, 0]);
        file.extend(headers.concat());
        file
    }

    #[test]
    fn sections_and_symbols_are_found() {
        let file = file();
        let elf = Elf::read(&file).unwrap();
        assert!(elf.is_cubin());
        assert_eq!(elf.sections(".data"), [b"four"]);
        assert!(elf.sections(".text").is_empty());
        assert_eq!(elf.defined(), ["defined"]);
        // The number of sections and the index of the name section may be in the first section
        // header.
        let mut many = file.clone();
        many[60..64].copy_from_slice(&[0, 0, 0xff, 0xff]);
        let first = many.len() - 4 * SECTION;
        many[first + 32] = 4;
        many[first + 40] = 3;
        let elf = Elf::read(&many).unwrap();
        assert_eq!(
            (elf.sections(".data"), elf.defined()),
            (vec![&b"four"[..]], vec!["defined"])
        );
    }

    #[test]
    fn damaged_files_cause_no_reads_out_of_bounds() {
        let file = file();
        for cut in 0..file.len() {
            // The headers are last.
            assert!(Elf::read(&file[..cut]).is_none(), "{cut}");
        }
        for at in 0..file.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = file.clone();
                let end = changed.len().min(at + 8);
                changed[at..end].fill(value);
                if let Some(elf) = Elf::read(&changed) {
                    let found = elf.sections(".data").concat().len();
                    assert!(found <= 4 * file.len());
                    assert!(elf.defined().len() <= 3 * 4);
                }
            }
        }
    }
}
