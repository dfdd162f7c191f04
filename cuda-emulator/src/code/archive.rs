//! `ar` archives in the GNU and BSD formats, and libraries of Windows.
//!
//! Their contents are untrusted: every size is compared with the actual number of bytes.

/// First bytes of an archive.
pub const MAGIC: &[u8; 8] = b"!<arch>\n";
/// First bytes of a thin archive, which contains only the names of its members' files.
pub const THIN: &[u8; 8] = b"!<thin>\n";
/// Bytes of a member's header: name (16), date (12), owner (6), group (6), mode (8), size (10), and
/// two bytes that end it.
const HEADER: usize = 60;
const END: &[u8; 2] = b"`\n";

/// A member's name and contents.
pub type Member<'a> = (String, &'a [u8]);

/// Parses a decimal number that is padded with blanks.
fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.trim_end().parse().ok()
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Returns the members, without the tables of symbols and names. Returns `None` if the bytes are
/// not an archive or are damaged.
pub fn members(bytes: &[u8]) -> Option<Vec<Member<'_>>> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut members = Vec::new();
    let mut long_names: &[u8] = &[];
    while !rest.is_empty() {
        let (header, behind) = rest.split_at_checked(HEADER)?;
        if !header.ends_with(END) {
            return None;
        }
        let size = number(&header[48..58])?;
        let (contents, behind) = behind.split_at_checked(size)?;
        // Members start at even offsets. The padding after the last one may be missing.
        rest = match size % 2 {
            0 => behind,
            _ => behind.get(1..).unwrap_or_default(),
        };
        let name = header[..16].trim_ascii_end();
        match name {
            b"//" => long_names = contents,
            b"/" | b"/SYM64/" => {}
            _ => {
                let (name, contents) = named(name, contents, long_names)?;
                if !name.starts_with("__.SYMDEF") {
                    members.push((name, contents));
                }
            }
        }
    }
    Some(members)
}

/// Returns the name of a member and its contents without the name.
fn named<'a>(name: &[u8], contents: &'a [u8], long_names: &[u8]) -> Option<Member<'a>> {
    // BSD: the name is the first part of the contents.
    if let Some(length) = name.strip_prefix(b"#1/") {
        let (name, contents) = contents.split_at_checked(number(length)?)?;
        let end = name.iter().position(|byte| *byte == 0);
        return Some((lossy(&name[..end.unwrap_or(name.len())]), contents));
    }
    // GNU: an offset into the table of names, each of which ends in `/` and a line feed. On Windows,
    // a zero ends it.
    if let Some(place) = name.strip_prefix(b"/") {
        let name = long_names.get(number(place)?..)?;
        let end = name.iter().position(|byte| matches!(byte, b'\n' | 0))?;
        let name = &name[..end];
        return Some((lossy(name.strip_suffix(b"/").unwrap_or(name)), contents));
    }
    Some((lossy(name.strip_suffix(b"/").unwrap_or(name)), contents))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, contents: &[u8]) -> Vec<u8> {
        let header = format!(
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
            0,
            0,
            0,
            644,
            contents.len()
        );
        assert_eq!(header.len(), HEADER);
        let padding = &b"\n"[..contents.len() % 2];
        [header.as_bytes(), contents, padding].concat()
    }

    fn archive(members: &[Vec<u8>]) -> Vec<u8> {
        [MAGIC.to_vec(), members.concat()].concat()
    }

    #[test]
    fn names_of_all_formats_are_read() {
        let table = b"a_rather_long_name.o/\nanother_long_name.o/\n";
        let gnu = archive(&[
            member("/", b"symbols"),
            member("//", table),
            member("short.o/", b"1"),
            member("/0", b"22"),
            member("/22", b"333"),
        ]);
        let found: Vec<(String, &[u8])> = vec![
            ("short.o".into(), b"1"),
            ("a_rather_long_name.o".into(), b"22"),
            ("another_long_name.o".into(), b"333"),
        ];
        assert_eq!(members(&gnu).unwrap(), found);
        // Without the last padding.
        assert_eq!(members(&gnu[..gnu.len() - 1]).unwrap(), found);
        let windows = archive(&[
            member("/", b"symbols"),
            member("/", b"symbols, sorted"),
            member("//", b"a_rather_long_name.o\0"),
            member("/0", b"22"),
        ]);
        assert_eq!(members(&windows).unwrap(), found[1..2]);
        let bsd = archive(&[
            member("__.SYMDEF SORTED", b"symbols"),
            member("short.o", b"1"),
            member("#1/24", b"a_rather_long_name.o\0\0\0\x0022"),
        ]);
        assert_eq!(members(&bsd).unwrap(), found[..2]);
        assert_eq!(members(MAGIC).unwrap(), []);
    }

    #[test]
    fn damaged_archives_are_rejected() {
        let whole = archive(&[member("//", b"name.o/\n"), member("/0", b"contents")]);
        assert!(members(&whole).is_some());
        let boundaries = [MAGIC.len(), MAGIC.len() + HEADER + 8];
        for cut in (0..whole.len()).filter(|cut| !boundaries.contains(cut)) {
            assert_eq!(members(&whole[..cut]), None, "{cut}");
        }
        let with = |at: usize, text: &str| {
            let mut changed = whole.clone();
            changed[at..at + text.len()].copy_from_slice(text.as_bytes());
            members(&changed).map(|members| members.len())
        };
        let second = MAGIC.len() + HEADER + 8;
        for size in ["9         ", "9999999999", "-1        ", "x         "] {
            assert_eq!(with(second + 48, size), None, "{size}");
        }
        for name in ["/8 ", "/99", "/x ", "#1/9", "#1/x"] {
            assert_eq!(with(second, &format!("{name:<16}")), None, "{name}");
        }
        assert_eq!(with(second + 58, "``"), None);
        assert_eq!(members(THIN), None);
    }
}
