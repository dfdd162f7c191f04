//! Checks that a cubin's headers are consistent, because the driver gets a pointer without a
//! length.
//!
//! A cubin is an ELF file. The check covers everything that says where to read: tables, sections,
//! segments and strings must be within the file, and every index must refer to an existing entry.
//! It cannot tell whether code and data are unchanged.

#[cfg(all(test, feature = "nvrtc"))]
mod compiled;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::image::{Kind, rejected, rejected_as};
use crate::error::Result;

/// The reason why a file is rejected.
type Check<T = ()> = std::result::Result<T, Cow<'static, str>>;

/// `EM_CUDA`
const MACHINE: u64 = 190;
/// The sizes in bytes of the file header, a section header, a segment header and a symbol.
const HEADER: usize = 64;
const SECTION: usize = 64;
const SEGMENT: usize = 56;
const SYMBOL: usize = 24;
/// The number is too large for the field and is stored in the header of section 0 (`SHN_XINDEX`,
/// `PN_XNUM`).
const ELSEWHERE: u64 = 0xffff;
/// Section numbers from this one on are reserved (`SHN_LORESERVE`).
const RESERVED: u64 = 0xff00;
/// `SHF_INFO_LINK`: `sh_info` is the number of a section.
const INFO_IS_SECTION: u64 = 0x40;

/// `SHT_*`, and NVIDIA's kinds from 0x7000_0000 on.
mod kind {
    pub const NULL: u64 = 0;
    pub const SYMBOLS: u64 = 2;
    pub const STRINGS: u64 = 3;
    pub const RELOCATIONS_WITH_ADDEND: u64 = 4;
    pub const NO_BITS: u64 = 8;
    pub const RELOCATIONS: u64 = 9;
    pub const DYNAMIC_SYMBOLS: u64 = 11;
    /// The section numbers of symbols, if 16 bits are too few.
    pub const SYMBOL_SECTIONS: u64 = 18;
    /// Uninitialized variables, local memory and shared memory. They have no bytes in the file.
    pub const GLOBAL: u64 = 0x7000_0007;
    pub const LOCAL: u64 = 0x7000_0009;
    pub const SHARED: u64 = 0x7000_000a;
    pub const SHARED_RESERVED: u64 = 0x7000_0015;
    /// Since compute capability 10.0.
    pub const MERCURY_SYMBOLS: u64 = 0x7000_0085;
}

/// Checks that the image is a 64-bit little-endian ELF file for NVIDIA GPUs, and that its headers
/// refer only to bytes within it.
pub(super) fn check(image: &[u8]) -> Result<()> {
    if Kind::of(image) != Kind::Cubin {
        return Err(rejected_as("a cubin", image));
    }
    check_file(image).map_err(|what| {
        rejected(format!(
            "the cubin of {} bytes is cut short or damaged: {what}",
            image.len()
        ))
    })
}

/// Returns a field of a header. The header's length has been checked.
fn number<const N: usize>(header: &[u8], at: usize) -> u64 {
    let mut value = [0; 8];
    value[..N].copy_from_slice(&header[at..at + N]);
    u64::from_le_bytes(value)
}

fn part(image: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let (offset, size) = (usize::try_from(offset).ok()?, usize::try_from(size).ok()?);
    image.get(offset..)?.get(..size)
}

/// Returns the rows of a table.
fn table<const N: usize>(image: &[u8], offset: u64, count: u64) -> Option<&[[u8; N]]> {
    Some(
        part(image, offset, count.checked_mul(N as u64)?)?
            .as_chunks()
            .0,
    )
}

#[derive(Clone, Copy)]
struct Section {
    name: u64,
    kind: u64,
    flags: u64,
    offset: u64,
    size: u64,
    link: u64,
    info: u64,
    entry: u64,
}

impl Section {
    /// Reads an `Elf64_Shdr`.
    fn read(row: &[u8; SECTION]) -> Self {
        Self {
            name: number::<4>(row, 0),
            kind: number::<4>(row, 4),
            flags: number::<8>(row, 8),
            offset: number::<8>(row, 24),
            size: number::<8>(row, 32),
            link: number::<4>(row, 40),
            info: number::<4>(row, 44),
            entry: number::<8>(row, 56),
        }
    }

    fn has_symbols(&self) -> bool {
        matches!(
            self.kind,
            kind::SYMBOLS | kind::DYNAMIC_SYMBOLS | kind::MERCURY_SYMBOLS
        )
    }

    fn has_strings(&self) -> bool {
        self.kind == kind::STRINGS
    }

    /// Returns whether `info` is the number of a section.
    fn info_is_section(&self) -> bool {
        let relocates = matches!(self.kind, kind::RELOCATIONS | kind::RELOCATIONS_WITH_ADDEND);
        relocates || self.flags & INFO_IS_SECTION != 0
    }

    /// Returns the section's bytes in the file. They are empty if it has none.
    fn contents<'a>(&self, image: &'a [u8]) -> Option<&'a [u8]> {
        match self.kind {
            kind::NULL
            | kind::NO_BITS
            | kind::GLOBAL
            | kind::LOCAL
            | kind::SHARED
            | kind::SHARED_RESERVED => Some(&[]),
            _ => part(image, self.offset, self.size),
        }
    }

    /// Returns the size of the entries in bytes, if the section's kind determines it.
    fn fixed_entry(&self) -> Option<u64> {
        match self.kind {
            _ if self.has_symbols() => Some(SYMBOL as u64),
            kind::RELOCATIONS => Some(16),
            kind::RELOCATIONS_WITH_ADDEND => Some(24),
            kind::SYMBOL_SECTIONS => Some(4),
            _ => None,
        }
    }
}

fn check_file(image: &[u8]) -> Check {
    let header: &[u8; HEADER] = image.first_chunk().ok_or("its header")?;
    if header[4..6] != [2, 1] {
        return Err("it is not a 64-bit little-endian file".into());
    }
    let machine = number::<2>(header, 18);
    if machine != MACHINE {
        return Err(format!("it is for another machine (ELF's number {machine})").into());
    }
    if number::<2>(header, 52) != HEADER as u64 {
        return Err("its header has an unexpected size".into());
    }
    let sections = Sections::read(image, header)?;
    check_segments(image, header, &sections)?;
    for index in 1..sections.all.len() {
        sections
            .check(image, index)
            .map_err(|what| format!("{what} of section {index}"))?;
    }
    Ok(())
}

fn check_segments(image: &[u8], header: &[u8; HEADER], sections: &Sections) -> Check {
    let count = match number::<2>(header, 56) {
        0 => return Ok(()),
        ELSEWHERE => sections.all[0].info,
        count => count,
    };
    if number::<2>(header, 54) != SEGMENT as u64 {
        return Err("its segment headers have an unexpected size".into());
    }
    let segments = table::<SEGMENT>(image, number::<8>(header, 32), count);
    for (index, segment) in segments.ok_or("its segment headers")?.iter().enumerate() {
        let (in_file, in_memory) = (number::<8>(segment, 32), number::<8>(segment, 40));
        if part(image, number::<8>(segment, 8), in_file).is_none() || in_file > in_memory {
            return Err(format!("the extent of segment {index}").into());
        }
    }
    Ok(())
}

struct Sections {
    /// All sections, including number 0, which has no meaning.
    all: Vec<Section>,
    /// The section that contains the names of the sections.
    names: Section,
}

impl Sections {
    fn read(image: &[u8], header: &[u8; HEADER]) -> Check<Self> {
        let offset = number::<8>(header, 40);
        if offset == 0 {
            return Err("it has no sections".into());
        }
        if number::<2>(header, 58) != SECTION as u64 {
            return Err("its section headers have an unexpected size".into());
        }
        let first = table(image, offset, 1).ok_or("its section headers")?;
        let first = Section::read(&first[0]);
        let count = match number::<2>(header, 60) {
            0 => first.size,
            count => count,
        };
        let all = table(image, offset, count).ok_or("its section headers")?;
        let all: Vec<_> = all.iter().map(Section::read).collect();
        let names = match number::<2>(header, 62) {
            ELSEWHERE => first.link,
            names => names,
        };
        let names = *find(&all, names, Section::has_strings)
            .ok_or("the number of the section with the names")?;
        Ok(Self { all, names })
    }

    fn holds(&self, index: u64) -> bool {
        index < self.all.len() as u64
    }

    fn check(&self, image: &[u8], index: usize) -> Check {
        let section = &self.all[index];
        let contents = section.contents(image).ok_or("the extent")?;
        if section.name >= self.names.size {
            return Err("the name".into());
        }
        if !self.holds(section.link) {
            return Err("the link".into());
        }
        if section.info_is_section() && !self.holds(section.info) {
            return Err("the number of another section in the header".into());
        }
        let entry_is_right = section
            .fixed_entry()
            .is_none_or(|bytes| section.entry == bytes);
        if !entry_is_right || (section.entry != 0 && !section.size.is_multiple_of(section.entry)) {
            return Err("the size of the entries".into());
        }
        if section.has_strings() && contents.last() != Some(&0) {
            return Err("the end of the strings".into());
        }
        if section.has_symbols() {
            return self.check_symbols(index, contents.as_chunks().0);
        }
        if section.kind == kind::SYMBOL_SECTIONS {
            return self.check_symbol_sections(section, contents.as_chunks().0);
        }
        Ok(())
    }

    fn check_symbols(&self, index: usize, symbols: &[[u8; SYMBOL]]) -> Check {
        let section = &self.all[index];
        let names = find(&self.all, section.link, Section::has_strings).ok_or("the strings")?;
        if section.info > symbols.len() as u64 {
            return Err("the number of local symbols".into());
        }
        // If 16 bits are too few for the section number, another table holds it.
        let has_numbers =
            |other: &Section| other.kind == kind::SYMBOL_SECTIONS && other.link == index as u64;
        for (number, symbol) in symbols.iter().enumerate() {
            let placed = match self::number::<2>(symbol, 6) {
                ELSEWHERE => self.all.iter().any(has_numbers),
                RESERVED.. => true,
                place => self.holds(place),
            };
            if !placed || self::number::<4>(symbol, 0) >= names.size {
                return Err(format!("symbol {number}").into());
            }
        }
        Ok(())
    }

    fn check_symbol_sections(&self, section: &Section, places: &[[u8; 4]]) -> Check {
        let symbols = find(&self.all, section.link, Section::has_symbols).ok_or("the symbols")?;
        let known = places
            .iter()
            .all(|place| self.holds(u32::from_le_bytes(*place).into()));
        if !known || places.len() as u64 != symbols.size / SYMBOL as u64 {
            return Err("the section numbers".into());
        }
        Ok(())
    }
}

/// Returns the section with this number if it satisfies `is`. Number 0 means no section.
fn find(all: &[Section], index: u64, is: impl Fn(&Section) -> bool) -> Option<&Section> {
    let section = all.get(usize::try_from(index).ok()?)?;
    (index != 0 && is(section)).then_some(section)
}
