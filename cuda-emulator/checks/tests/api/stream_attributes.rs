//! Attributes of streams.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;

#[test]
fn unknown_attributes_are_rejected() {
    let _context = Own::new();
    let one = stream(0);
    for id in 0..24 {
        let known = [1, 3, 8, 9, 10].contains(&id);
        let mut value: CUstreamAttrValue = filled(0);
        let read = call!(cuStreamGetAttribute(one, CUstreamAttrID(id), &mut value));
        // A new stream's policy cannot be set explicitly.
        if id == 3 {
            value.syncPolicy = CUsynchronizationPolicy::CU_SYNC_POLICY_AUTO;
        }
        let id = CUstreamAttrID(id);
        let codes = [read, call!(cuStreamSetAttribute(one, id, &value))];
        let expected = if known { SUCCESS } else { INVALID };
        assert_eq!(codes, [expected; 2], "attribute {}", id.0);
        invalid!(cuStreamGetAttribute(one, id, null_mut()));
        invalid!(cuStreamSetAttribute(one, id, std::ptr::null()));
    }
}

/// Returns the bytes of a stream's attribute. Bytes after its value stay unchanged.
fn preference(stream: CUstream, id: u32) -> [u8; 64] {
    let mut value = [0xee; 64];
    let place = value.as_mut_ptr().cast();
    ok!(cuStreamGetAttribute(stream, CUstreamAttrID(id), place));
    value
}

/// Sets a stream's attribute to a value that begins with these bytes.
fn prefer(stream: CUstream, id: u32, bytes: &[u8]) -> CUresult {
    let mut value: CUstreamAttrValue = filled(0);
    // SAFETY: The union has plain data and is 64 bytes long.
    unsafe {
        value.pad[..bytes.len()].copy_from_slice(&bytes.iter().map(|b| *b as _).collect::<Vec<_>>())
    };
    call!(cuStreamSetAttribute(stream, CUstreamAttrID(id), &value))
}

/// Returns an access policy window at an address, with its ratio and the properties of hits and
/// misses.
fn window(ratio: f32, hit: u32, miss: u32) -> Vec<u8> {
    let parts: [&[u8]; 5] = [
        &0x1000u64.to_ne_bytes(),
        &64u64.to_ne_bytes(),
        &ratio.to_ne_bytes(),
        &hit.to_ne_bytes(),
        &miss.to_ne_bytes(),
    ];
    parts.concat()
}

#[test]
fn stream_attributes_are_stored_and_checked() {
    let _context = Own::new();
    let (one, other) = (stream(0), stream(0));
    // The defaults of a new stream: no window, no policy (-1 on the H200), priority 0, domains by
    // number, the default domain.
    let defaults: [(u32, Vec<u8>); 5] = [
        (1, vec![0; 28]),
        (3, (-1i32).to_ne_bytes().into()),
        (8, vec![0; 4]),
        (9, vec![0, 1]),
        (10, vec![0; 4]),
    ];
    for (id, bytes) in &defaults {
        let value = preference(one, *id);
        assert_eq!(value[..bytes.len()], bytes[..], "attribute {id}");
        let rest = &value[bytes.len()..];
        assert!(rest.iter().all(|byte| *byte == 0xee), "attribute {id}");
    }
    let word = |value: u32| value.to_ne_bytes().to_vec();
    let good = [
        (1, window(1.0, 2, 1)),
        (1, window(0.5, 1, 0)),
        // An H200 also accepts meaningless values.
        (1, window(f32::NAN, 0, 0)),
        (1, window(1.0, 3, 3)),
        (3, word(4)),
        (3, word(2)),
        (8, word(-5i32 as u32)),
        (8, word(-3i32 as u32)),
        (9, vec![1, 0]),
        (10, word(1)),
    ];
    for (id, bytes) in &good {
        assert_eq!(prefer(one, *id, bytes), SUCCESS, "attribute {id}");
        assert_eq!(preference(one, *id)[..bytes.len()], bytes[..]);
    }
    let bad = [
        (1, window(1.5, 0, 0)),
        (1, window(-0.5, 0, 0)),
        (1, window(1.0, 0, 2)),
        (3, word(0)),
        (3, word(5)),
        (9, vec![200, 0]),
        (9, vec![0, 200]),
        (10, word(2)),
    ];
    let before = [1, 3, 8, 9, 10].map(|id| preference(one, id));
    for (id, bytes) in &bad {
        let code = prefer(one, *id, bytes);
        assert_eq!(code, INVALID, "attribute {id}, {bytes:?}");
    }
    assert_eq!([1, 3, 8, 9, 10].map(|id| preference(one, id)), before);
    // The attribute and the stream's priority are the same.
    assert_eq!(priority(one), -3);
    // Another stream is unaffected until the attributes are copied.
    for (id, bytes) in &defaults {
        assert_eq!(preference(other, *id)[..bytes.len()], bytes[..]);
    }
    ok!(cuStreamCopyAttributes(other, one));
    assert_eq!([1, 3, 8, 9, 10].map(|id| preference(other, id)), before);
}

fn priority(stream: CUstream) -> i32 {
    out!(cuStreamGetPriority(stream, _))
}

/// Requested and actual priorities on an H200 (driver 580, range 0 to -5), set in both ways.
#[test]
fn priorities_are_clamped() {
    let _context = Own::new();
    let (mut least, mut greatest) = (7, 7);
    ok!(cuCtxGetStreamPriorityRange(&mut least, &mut greatest));
    assert_eq!((least, greatest), (0, -5));
    for (requested, given) in [
        (0, 0),
        (-1, -1),
        (-4, -4),
        (-5, -5),
        (-6, -5),
        (1, 0),
        (2, 0),
        (100, 0),
        (-100, -5),
        (i32::MAX, 0),
        (i32::MIN, -5),
    ] {
        for flags in [0, 1] {
            let made = out!(cuStreamCreateWithPriority(_, flags, requested));
            assert_eq!(priority(made), given, "{requested}");
            assert_eq!(out!(cuStreamGetFlags(made, _)), flags);
            let value = preference(made, 8)[..4].to_vec();
            assert_eq!(value, i32::to_ne_bytes(given), "{requested}");
            ok!(cuStreamDestroy_v2(made));
        }
        let one = stream(0);
        assert_eq!(prefer(one, 8, &requested.to_ne_bytes()), SUCCESS);
        let found = preference(one, 8)[..4].to_vec();
        assert_eq!(found, i32::to_ne_bytes(given), "{requested}");
        assert_eq!(priority(one), given, "{requested}");
    }
}

/// An H200 (driver 580) copies the priority and the policy between streams of one context,
/// whichever context is current.
#[test]
fn attributes_are_copied_within_a_context() {
    let first = Own::new();
    let (same, from) = (stream(0), out!(cuStreamCreateWithPriority(_, 0, -2)));
    let seen = |stream| {
        [3, 8].map(|id| i32::from_ne_bytes(*preference(stream, id).first_chunk().unwrap()))
    };
    let second = Own::new();
    let other = stream(0);
    assert_eq!(prefer(from, 3, &2u32.to_ne_bytes()), SUCCESS);
    assert_eq!([from, same, other].map(seen), [[2, -2], [-1, 0], [-1, 0]]);
    invalid!(cuStreamCopyAttributes(other, from));
    assert_eq!(seen(other), [-1, 0]);
    ok!(cuStreamCopyAttributes(same, from));
    assert_eq!([from, same, other].map(seen), [[2, -2], [2, -2], [-1, 0]]);
    ok!(cuCtxSetCurrent(first.0));
    let legacy = 1 as CUstream;
    for (to, from) in [
        (other, from),
        (from, other),
        (null_mut(), other),
        (other, null_mut()),
    ] {
        invalid!(cuStreamCopyAttributes(to, from));
    }
    ok!(cuStreamCopyAttributes(legacy, from));
    assert_eq!([from, same, other].map(seen), [[2, -2], [2, -2], [-1, 0]]);
    ok!(cuCtxSetCurrent(second.0));
}
