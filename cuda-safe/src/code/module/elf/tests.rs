use super::*;
use crate::error::ErrorKind;

/// The offsets of the parts of [`cubin`]. Each part ends where the next one begins, except for a
/// byte of padding.
const NAMES: u64 = 64;
const STRINGS: u64 = 68;
const SYMBOLS: u64 = 72;
const CODE: u64 = 120;
const RELOCATIONS: u64 = 136;
const PLACES: u64 = 160;
const SEGMENTS: u64 = 168;
const SECTIONS: u64 = 224;
const END: u64 = 736;

/// Fields of the file header: offset and size in bytes.
const MACHINE_FIELD: Field = (18, 2);
const SEGMENTS_AT: Field = (32, 8);
const SECTIONS_AT: Field = (40, 8);
const HEADER_SIZE: Field = (52, 2);
const SEGMENT_SIZE: Field = (54, 2);
const SEGMENT_COUNT: Field = (56, 2);
const SECTION_SIZE: Field = (58, 2);
const SECTION_COUNT: Field = (60, 2);
const NAMES_INDEX: Field = (62, 2);

type Field = (u64, usize);

/// Returns a field of a section header.
fn of(section: u64, (at, bytes): Field) -> Field {
    (SECTIONS + 64 * section + at, bytes)
}
const NAME: Field = (0, 4);
const KIND: Field = (4, 4);
const FLAGS: Field = (8, 8);
const OFFSET: Field = (24, 8);
const SIZE: Field = (32, 8);
const LINK: Field = (40, 4);
const INFO: Field = (44, 4);
const ENTRY: Field = (56, 8);

/// Sections of [`cubin`].
const IN_ZERO: u64 = 0;
const THE_NAMES: u64 = 1;
const THE_STRINGS: u64 = 2;
const THE_SYMBOLS: u64 = 3;
const THE_CODE: u64 = 4;
const THE_RELOCATIONS: u64 = 5;
const NOTHING: u64 = 6;
const THE_PLACES: u64 = 7;

/// Returns a file with one section of each kind that the check reads, and a segment.
fn cubin() -> Vec<u8> {
    let mut image = vec![0; END as usize];
    let mut put = |at: u64, bytes: &[u8]| {
        image[at as usize..][..bytes.len()].copy_from_slice(bytes);
    };
    put(0, b"\x7fELF\x02\x01");
    put(NAMES, b"\0.a\0");
    put(STRINGS, b"\0k\0");
    // Symbol 1, named `k`, is in section 4.
    put(SYMBOLS + 24, &[1, 0, 0, 0, 0, 0, 4, 0]);
    put(PLACES, &[0, 0, 0, 0, 4, 0, 0, 0]);
    for (field, value) in [
        (MACHINE_FIELD, 190),
        (SEGMENTS_AT, SEGMENTS),
        (SECTIONS_AT, SECTIONS),
        (HEADER_SIZE, 64),
        (SEGMENT_SIZE, 56),
        (SEGMENT_COUNT, 1),
        (SECTION_SIZE, 64),
        (SECTION_COUNT, 8),
        (NAMES_INDEX, THE_NAMES),
    ] {
        set(&mut image, field, value);
    }
    // The segment holds the code.
    for (at, value) in [(8, CODE), (32, 16), (40, 16)] {
        set(&mut image, (SEGMENTS + at, 8), value);
    }
    // Kind, offset, size, link, info, size of an entry.
    let sections = [
        (kind::STRINGS, NAMES, 4, 0, 0, 0),
        (kind::STRINGS, STRINGS, 3, 0, 0, 0),
        (kind::SYMBOLS, SYMBOLS, 48, THE_STRINGS, 1, 24),
        // As in real cubins: the number of registers and the kernel's symbol, not the number of a
        // section.
        (1, CODE, 16, THE_SYMBOLS, 0x0800_0001, 0),
        (
            kind::RELOCATIONS_WITH_ADDEND,
            RELOCATIONS,
            24,
            THE_SYMBOLS,
            THE_CODE,
            24,
        ),
        (kind::NO_BITS, u64::MAX, u64::MAX, 0, 0, 0),
        (kind::SYMBOL_SECTIONS, PLACES, 8, THE_SYMBOLS, 0, 4),
    ];
    for (index, (kind, offset, size, link, info, entry)) in (1..).zip(sections) {
        for (field, value) in [
            (NAME, 1),
            (KIND, kind),
            (OFFSET, offset),
            (SIZE, size),
            (LINK, link),
            (INFO, info),
            (ENTRY, entry),
        ] {
            set(&mut image, of(index, field), value);
        }
    }
    image
}

fn set(image: &mut [u8], (at, bytes): Field, value: u64) {
    image[at as usize..][..bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
}

/// Returns whether [`cubin`] is accepted with other values in some fields.
fn is_accepted(changes: &[(Field, u64)]) -> bool {
    let mut image = cubin();
    for &(field, value) in changes {
        set(&mut image, field, value);
    }
    match check(&image) {
        Ok(()) => true,
        Err(error) => {
            assert_eq!(*error.kind(), ErrorKind::Load { log: String::new() });
            assert!(error.detail().contains("736 bytes"), "{error}");
            false
        }
    }
}

/// Asserts that a field can have the good values and not the bad ones.
fn field(field: Field, good: &[u64], bad: &[u64]) {
    field_with(&[], field, good, bad);
}

/// Changes a field like [`field`], and others too.
fn field_with(others: &[(Field, u64)], field: Field, good: &[u64], bad: &[u64]) {
    for (values, expected) in [(good, true), (bad, false)] {
        for &value in values {
            let changes = [others, &[(field, value)]].concat();
            assert_eq!(is_accepted(&changes), expected, "{field:?} = {value:#x}");
        }
    }
}

const WILD: u64 = u64::MAX;

#[test]
fn only_complete_cubins_are_accepted() {
    let image = cubin();
    check(&image).unwrap();
    check(&[&image[..], b"trailing bytes"].concat()).unwrap();
    for length in 0..image.len() {
        let error = check(&image[..length]).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Load { .. }),
            "cut to {length}"
        );
    }
}

#[test]
fn other_kinds_of_files_are_reported() {
    let reason = |image: &[u8]| check(image).unwrap_err().detail().to_owned();
    assert!(reason(b"PTX").contains("does not begin as a cubin does"));
    assert!(reason(b"\x50\xed\x55\xba").contains("Module::from_fatbin"));
    let mut other = cubin();
    set(&mut other, MACHINE_FIELD, 62);
    assert!(reason(&other).contains("another machine (ELF's number 62)"));
    // Files with 32 bits or big-endian numbers.
    field((4, 1), &[2], &[0, 1, 3]);
    field((5, 1), &[1], &[0, 2]);
    field(MACHINE_FIELD, &[190], &[0, 189, 191]);
    field(HEADER_SIZE, &[64], &[0, 63, 65]);
}

#[test]
fn section_headers_must_be_within_the_file() {
    field(
        SECTIONS_AT,
        &[SECTIONS],
        &[0, END - 63, END, END + 1, WILD - 63, WILD],
    );
    field(SECTION_SIZE, &[64], &[0, 63, 65, 128]);
    // Fewer sections are accepted if the names are among them and no symbol is in a missing
    // section.
    field(
        SECTION_COUNT,
        &[2, 3, 5, 6, 7, 8],
        &[1, 4, 9, 0xfeff, 0xffff],
    );
}

#[test]
fn large_numbers_are_read_from_section_0() {
    let beside = |elsewhere: (Field, u64), place: Field, good: &[u64], bad: &[u64]| {
        field_with(&[elsewhere], of(IN_ZERO, place), good, bad);
    };
    let more = 1 << 58;
    beside(
        (SECTION_COUNT, 0),
        SIZE,
        &[8, 7],
        &[0, 9, more, more + 8, WILD],
    );
    beside(
        (NAMES_INDEX, 0xffff),
        LINK,
        &[THE_NAMES, THE_STRINGS],
        &[0, THE_CODE, 8, 0xffff_ffff],
    );
    beside((SEGMENT_COUNT, 0xffff), INFO, &[0, 1], &[11, 0xffff_ffff]);
    // Its other fields have no meaning.
    assert!(is_accepted(&[
        (of(IN_ZERO, SIZE), WILD),
        (of(IN_ZERO, LINK), WILD),
        (of(IN_ZERO, NAME), WILD)
    ]));
}

#[test]
fn section_names_must_be_within_their_section() {
    field(
        NAMES_INDEX,
        &[THE_NAMES, THE_STRINGS],
        &[0, THE_CODE, 8, 0xfffe],
    );
    for section in 1..8 {
        field(of(section, NAME), &[0, 3], &[4, 0xffff_ffff]);
    }
}

#[test]
fn contents_must_be_within_the_file() {
    field(
        of(THE_CODE, OFFSET),
        &[0, END - 16],
        &[END - 15, END, WILD - 15, WILD],
    );
    field(
        of(THE_CODE, SIZE),
        &[0, END - CODE],
        &[END - CODE + 1, WILD - CODE, WILD],
    );
    field_with(
        &[(of(THE_CODE, SIZE), 0)],
        of(THE_CODE, OFFSET),
        &[END],
        &[END + 1],
    );
    // Kinds without contents can have any extent.
    field(
        of(NOTHING, KIND),
        &[
            kind::NULL,
            kind::NO_BITS,
            kind::GLOBAL,
            kind::LOCAL,
            kind::SHARED,
            kind::SHARED_RESERVED,
        ],
        &[1, 7, 0x7000_0000, 0x7000_0008, 0x7000_000b],
    );
}

#[test]
fn section_numbers_must_exist() {
    for section in [THE_NAMES, THE_CODE, NOTHING] {
        field(of(section, LINK), &[0, 7], &[8, 0xffff_ffff]);
        // It is the number of a section only if the flag is set.
        field(of(section, INFO), &[0, 7, 8, 0xffff_ffff], &[]);
        field_with(
            &[(of(section, FLAGS), INFO_IS_SECTION)],
            of(section, INFO),
            &[0, 7],
            &[8, 0xffff_ffff],
        );
        field_with(
            &[(of(section, FLAGS), !INFO_IS_SECTION)],
            of(section, INFO),
            &[8],
            &[],
        );
    }
    // In relocations, it is always the number of a section.
    field(of(THE_RELOCATIONS, INFO), &[0, 7], &[8, 0xffff_ffff]);
    let without_addend = [
        (of(THE_RELOCATIONS, KIND), kind::RELOCATIONS),
        (of(THE_RELOCATIONS, SIZE), 16),
        (of(THE_RELOCATIONS, ENTRY), 16),
    ];
    field_with(&without_addend, of(THE_RELOCATIONS, INFO), &[0, 7], &[8]);
}

#[test]
fn entries_must_have_the_size_of_their_kind() {
    field(of(THE_SYMBOLS, ENTRY), &[24], &[0, 16, 23, 48]);
    field(of(THE_RELOCATIONS, ENTRY), &[24], &[0, 12, 23]);
    field(of(THE_PLACES, ENTRY), &[4], &[0, 2, 8]);
    field_with(
        &[
            (of(THE_RELOCATIONS, KIND), kind::RELOCATIONS),
            (of(THE_RELOCATIONS, SIZE), 16),
        ],
        of(THE_RELOCATIONS, ENTRY),
        &[16],
        &[0, 8, 24],
    );
    // For other kinds, any size that divides the contents is accepted. 0 means that there are no
    // entries.
    field(of(THE_CODE, ENTRY), &[0, 1, 8, 16], &[15, 17, 32, WILD]);
    field(of(THE_SYMBOLS, SIZE), &[48], &[23, 47, 49]);
    field(of(THE_RELOCATIONS, SIZE), &[0, 24, 48], &[23, 25]);
}

#[test]
fn strings_must_be_terminated() {
    field(of(THE_STRINGS, SIZE), &[3, 4], &[0, 1, 2]);
    field((STRINGS + 2, 1), &[0], &[1, 0xff]);
    field((NAMES + 3, 1), &[0], &[1]);
    assert!(is_accepted(&[((NAMES + 1, 1), 0)]));
}

#[test]
fn symbols_must_have_valid_names_and_sections() {
    let symbol = |at, bytes| (SYMBOLS + 24 + at, bytes);
    field(symbol(0, 4), &[0, 1, 2], &[3, 4, 0xffff_ffff]);
    field(
        symbol(6, 2),
        &[0, 7, 0xff00, 0xfff1, 0xfffe, 0xffff],
        &[8, 0xfeff],
    );
    // The first symbol is checked too.
    field((SYMBOLS, 4), &[2], &[3]);
    field(
        of(THE_SYMBOLS, LINK),
        &[THE_NAMES, THE_STRINGS],
        &[0, THE_SYMBOLS, THE_CODE, 8],
    );
    field(of(THE_SYMBOLS, INFO), &[0, 2], &[3, 0xffff_ffff]);
    for kind in [kind::SYMBOLS, kind::DYNAMIC_SYMBOLS, kind::MERCURY_SYMBOLS] {
        let this = (of(THE_SYMBOLS, KIND), kind);
        field_with(&[this], symbol(0, 4), &[2], &[3]);
        field_with(&[this], of(THE_SYMBOLS, ENTRY), &[24], &[16]);
    }
}

#[test]
fn section_number_tables_must_match_their_symbols() {
    field((PLACES, 4), &[0, 7], &[8, 0xffff_ffff]);
    field((PLACES + 4, 4), &[0, 7], &[8, 0xffff_ffff]);
    field(
        of(THE_PLACES, LINK),
        &[THE_SYMBOLS],
        &[0, THE_STRINGS, THE_RELOCATIONS, 8],
    );
    // There must be as many numbers as symbols.
    field(of(THE_PLACES, SIZE), &[8], &[0, 4, 12]);
    field_with(
        &[(of(THE_SYMBOLS, SIZE), 24)],
        of(THE_PLACES, SIZE),
        &[4],
        &[8],
    );
    // The table that the symbol's number refers to is missing.
    let place = (SYMBOLS + 24 + 6, 2);
    let no_table = [(of(THE_PLACES, KIND), 1), (of(THE_PLACES, ENTRY), 0)];
    field_with(&no_table, place, &[4], &[0xffff]);
    // The table belongs to other symbols: the bytes of the relocations.
    let others = [
        (of(THE_RELOCATIONS, KIND), kind::SYMBOLS),
        (of(THE_RELOCATIONS, LINK), THE_STRINGS),
        (of(THE_RELOCATIONS, INFO), 0),
        (of(THE_PLACES, LINK), THE_RELOCATIONS),
        (of(THE_PLACES, SIZE), 4),
    ];
    field_with(&others, place, &[4], &[0xffff]);
    field_with(&others, (RELOCATIONS + 6, 2), &[4, 0xffff], &[8]);
}

#[test]
fn segments_must_be_within_the_file() {
    let segment = |at| (SEGMENTS + at, 8);
    let (offset, in_file, in_memory) = (segment(8), segment(32), segment(40));
    field(
        offset,
        &[0, END - 16],
        &[END - 15, END + 1, WILD - 15, WILD],
    );
    field(in_memory, &[16, 17, WILD], &[0, 15]);
    field_with(
        &[(in_memory, WILD)],
        in_file,
        &[0, 16, END - CODE],
        &[END - CODE + 1, WILD],
    );
    field(SEGMENT_SIZE, &[56], &[0, 55, 57]);
    field(SEGMENT_COUNT, &[0, 1], &[11, 0xfffe]);
    // Fields of missing segments are not checked.
    field_with(&[(SEGMENT_COUNT, 0)], SEGMENT_SIZE, &[0], &[]);
    field_with(&[(SEGMENT_COUNT, 0)], SEGMENTS_AT, &[0, WILD], &[]);
    // The last possible offset of a segment header. It overlaps the last section header, which
    // stays valid.
    let extent = (END - 56 + 40, 8);
    field_with(
        &[(extent, WILD)],
        SEGMENTS_AT,
        &[END - 56],
        &[END - 55, END, WILD - 55, WILD],
    );
}

#[test]
fn damage_is_reported_with_its_place() {
    let reason = |change: (Field, u64)| {
        let mut image = cubin();
        set(&mut image, change.0, change.1);
        check(&image).unwrap_err().detail().to_owned()
    };
    let what = reason((of(THE_CODE, SIZE), WILD));
    assert!(what.contains("the extent of section 4"), "{what}");
    let what = reason(((SEGMENTS + 8, 8), WILD));
    assert!(what.contains("the extent of segment 0"), "{what}");
    let what = reason(((SYMBOLS + 24, 4), 99));
    assert!(what.contains("symbol 1 of section 3"), "{what}");
}

#[test]
fn no_changed_byte_makes_the_check_read_outside_the_file() {
    let image = cubin();
    let mut changed = image.clone();
    let mut rejected = 0;
    for at in 0..image.len() {
        for value in 0..=255 {
            changed[at] = value;
            rejected += usize::from(check(&changed).is_err());
        }
        changed[at] = image[at];
    }
    // Any change of the magic number, class, byte order or machine is detected.
    assert!(rejected > 8 * 255, "{rejected}");
}
