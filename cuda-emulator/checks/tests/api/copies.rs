//! Linear copies and fills: every function transfers the right bytes, and waits or does not wait as
//! documented.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::{RELAXED, begin, end};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

// Functions that the newest headers no longer declare.
unsafe extern "C" {
    fn cuMemcpyBatchAsync(
        to: *mut CUdeviceptr,
        from: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        attributes: *mut CUmemcpyAttributes,
        indices: *mut usize,
        attribute_count: usize,
        failed: *mut usize,
        stream: CUstream,
    ) -> CUresult;
    fn cuMemcpyWithAttributesAsync(
        to: CUdeviceptr,
        from: CUdeviceptr,
        size: usize,
        attributes: *mut CUmemcpyAttributes,
        stream: CUstream,
    ) -> CUresult;
}

const NON_BLOCKING: u32 = 1;

/// Returns different bytes, none of which is zero.
fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251 + 1) as u8).collect()
}

/// Copies 17 of 64 bytes with `copy`, and checks all of them.
fn moves(name: &str, to: u64, from: u64, copy: impl FnOnce(u64, u64, usize)) {
    let source = pattern(64);
    ok!(cuMemcpy(from, source.as_ptr() as u64, 64));
    ok!(cuMemcpy(to, [0u8; 64].as_ptr() as u64, 64));
    copy(to + 3, from + 5, 17);
    ok!(cuCtxSynchronize());
    let mut expected = vec![0; 64];
    expected[3..20].copy_from_slice(&source[5..22]);
    let mut found = vec![0u8; 64];
    ok!(cuMemcpy(found.as_mut_ptr() as u64, to, 64));
    assert_eq!(found, expected, "{name}");
}

#[test]
fn linear_copies_move_exactly_the_given_bytes() {
    let own = Own::new();
    let (first, second) = (alloc(64), alloc(64));
    let (mut near, mut far) = ([0u8; 64], [0u8; 64]);
    let (near, far) = (near.as_mut_ptr() as u64, far.as_mut_ptr() as u64);
    let (mut pinned, none) = (null_mut(), null_mut());
    ok!(cuMemAllocHost_v2(&mut pinned, 64));
    let pinned = pinned as u64;
    let stream = stream(NON_BLOCKING);
    let context = own.0;
    for (to, from) in [(first, second), (pinned, first), (first, pinned)] {
        moves("DtoD", to, from, |to, from, n| {
            ok!(cuMemcpyDtoD_v2(to, from, n))
        });
        moves("DtoDAsync", to, from, |to, from, n| {
            ok!(cuMemcpyDtoDAsync_v2(to, from, n, stream))
        });
        moves("Peer", to, from, |to, from, n| {
            ok!(cuMemcpyPeer(to, context, from, context, n))
        });
        moves("PeerAsync", to, from, |to, from, n| {
            ok!(cuMemcpyPeerAsync(to, context, from, context, n, stream))
        });
    }
    for host in [near, pinned] {
        moves("HtoD", first, host, |to, from, n| {
            ok!(cuMemcpyHtoD_v2(to, from as *const c_void, n))
        });
        moves("HtoDAsync", first, host, |to, from, n| {
            ok!(cuMemcpyHtoDAsync_v2(to, from as *const c_void, n, stream))
        });
        moves("DtoH", host, first, |to, from, n| {
            ok!(cuMemcpyDtoH_v2(to as *mut c_void, from, n))
        });
        moves("DtoHAsync", host, first, |to, from, n| {
            ok!(cuMemcpyDtoHAsync_v2(to as *mut c_void, from, n, stream))
        });
    }
    for (to, from) in [
        (first, second),
        (first, near),
        (near, first),
        (near, far),
        (pinned, near),
        (near, pinned),
    ] {
        moves("unified", to, from, |to, from, n| {
            ok!(cuMemcpy(to, from, n))
        });
        moves("unified async", to, from, |to, from, n| {
            ok!(cuMemcpyAsync(to, from, n, stream))
        });
        moves("on the default stream", to, from, |to, from, n| {
            ok!(cuMemcpyAsync(to, from, n, none))
        });
    }
}

#[test]
fn peer_copies_need_live_contexts() {
    let own = Own::new();
    let (first, second) = (alloc(8), alloc(8));
    // Null means the current context.
    ok!(cuMemcpyPeer(first, null_mut(), second, null_mut(), 8));
    for wild in WILD {
        let wild = wild as CUcontext;
        for (to, from) in [(wild, own.0), (own.0, wild)] {
            no_context!(cuMemcpyPeer(first, to, second, from, 8));
            no_context!(cuMemcpyPeerAsync(first, to, second, from, 8, null_mut()));
        }
    }
}

#[test]
fn batches_copy_all_parts_before_a_failing_one() {
    let _own = Own::new();
    let stream = stream(NON_BLOCKING);
    let source = pattern(64);
    let from = upload(&source);
    let mut attributes: [CUmemcpyAttributes; 1] = [CUmemcpyAttributes::default()];
    attributes[0].srcAccessOrder = CUmemcpySrcAccessOrder::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    let mut indices = [0usize];
    for old in [true, false] {
        // The part that refers to too much memory. 3 means none.
        for bad in 0..4usize {
            let to = upload(&[0u8; 64]);
            let mut targets = [to, to + 16, to + 32];
            let mut sources = [from + 1, from + 11, from + 21];
            let mut sizes = [4usize, 5, 6];
            if bad < 3 {
                sizes[bad] = 100;
            }
            let mut index = 77;
            let (targets, sources) = (targets.as_mut_ptr(), sources.as_mut_ptr());
            let (sizes, attributes) = (sizes.as_mut_ptr(), attributes.as_mut_ptr());
            let (indices, failed) = (indices.as_mut_ptr(), &raw mut index);
            // SAFETY: All arrays have the given lengths.
            let code = unsafe {
                match old {
                    true => cuMemcpyBatchAsync(
                        targets, sources, sizes, 3, attributes, indices, 1, failed, stream,
                    ),
                    false => cuMemcpyBatchAsync_v2(
                        targets, sources, sizes, 3, attributes, indices, 1, stream,
                    ),
                }
            };
            let wanted = match bad {
                3 => SUCCESS,
                _ => INVALID,
            };
            assert_eq!(code, wanted, "{old} {bad}");
            let failed = match bad {
                _ if !old => 77,
                3 => usize::MAX,
                bad => bad,
            };
            assert_eq!(index, failed, "{old} {bad}");
            ok!(cuStreamSynchronize(stream));
            let mut expected = [0u8; 64];
            for part in 0..bad.min(3) {
                let length = 4 + part;
                let start = 1 + 10 * part;
                expected[16 * part..][..length].copy_from_slice(&source[start..][..length]);
            }
            assert_eq!(download::<u8>(to, 64), expected, "{old} {bad}");
        }
    }
}

#[test]
fn invalid_batches_are_rejected_as_on_an_h200() {
    let _own = Own::new();
    let own = stream(NON_BLOCKING);
    let (to, from) = (alloc(64), alloc(64));
    // Takes the orders and flags of the attributes, the index at which each begins, and the sizes
    // of the copies. Returns the reported index of the failed copy.
    let run = |attributes: &[(i32, u32)], indices: &[usize], sizes: &[usize], stream| {
        let mut attributes: Vec<CUmemcpyAttributes> = attributes
            .iter()
            .map(|&(order, flags)| CUmemcpyAttributes {
                srcAccessOrder: CUmemcpySrcAccessOrder(order as _),
                flags,
                ..Default::default()
            })
            .collect();
        let (mut targets, mut sources) = (vec![to; sizes.len()], vec![from; sizes.len()]);
        let (mut indices, mut sizes) = (indices.to_vec(), sizes.to_vec());
        let mut failed = 77;
        let code = call!(cuMemcpyBatchAsync(
            targets.as_mut_ptr(),
            sources.as_mut_ptr(),
            sizes.as_mut_ptr(),
            sizes.len(),
            attributes.as_mut_ptr(),
            indices.as_mut_ptr(),
            attributes.len(),
            &mut failed,
            stream,
        ));
        (code, failed)
    };
    let (good, bad) = (SUCCESS, INVALID);
    const NONE: usize = usize::MAX;
    for (attributes, indices, sizes, wanted) in [
        (&[(1, 0)][..], &[0][..], &[16, 16][..], (good, NONE)),
        (&[(2, 1)], &[0], &[16, 16], (good, NONE)),
        (&[(1, 0), (3, 0)], &[0, 1], &[16, 16], (good, NONE)),
        (&[(0, 0)], &[0], &[16, 16], (bad, NONE)),
        (&[(4, 0)], &[0], &[16, 16], (bad, NONE)),
        (&[(1, 2)], &[0], &[16, 16], (bad, NONE)),
        (&[(1, 0)], &[1], &[16, 16], (bad, NONE)),
        (&[(1, 0), (1, 0)], &[0, 0], &[16, 16], (bad, NONE)),
        (&[(1, 0), (1, 0)], &[0, 2], &[16, 16], (bad, NONE)),
        (&[(1, 0); 3], &[0, 1, 2], &[16, 16], (bad, NONE)),
        (&[], &[], &[16, 16], (bad, NONE)),
        (&[(1, 0)], &[0], &[], (bad, NONE)),
        (&[(1, 0)], &[0], &[16, 0], (bad, 1)),
        (&[(1, 0)], &[0], &[16, 65], (bad, 1)),
    ] {
        let got = run(attributes, indices, sizes, own);
        assert_eq!(got, wanted, "{attributes:?} {indices:?} {sizes:?}");
    }
    let default = [(null_mut(), 77), (1 as CUstream, NONE)];
    for (stream, failed_index) in default {
        assert_eq!(run(&[(1, 0)], &[0], &[16], stream), (bad, failed_index));
    }
    assert_eq!(run(&[(1, 0)], &[0], &[16], 2 as CUstream).0, good);
    begin(own, RELAXED);
    let code = run(&[(1, 0)], &[0], &[16], own).0;
    assert_eq!(code, STREAM_CAPTURE_UNSUPPORTED);
    ok!(cuGraphDestroy(end(own)));
    let mut attributes = CUmemcpyAttributes {
        srcAccessOrder: CUmemcpySrcAccessOrder::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
        ..Default::default()
    };
    let source = upload(&[9u8; 16]);
    let copy = |one: *mut _| call!(cuMemcpyWithAttributesAsync(to, source, 16, one, own));
    assert_eq!(copy(&mut attributes), SUCCESS);
    ok!(cuStreamSynchronize(own));
    assert_eq!(download::<u8>(to, 16), [9; 16]);
    attributes.flags = 2;
    assert_eq!(copy(&mut attributes), INVALID);
    ok!(cuStreamDestroy_v2(own));
}

/// Fills 64 bytes of 0xee, and checks the result.
fn fills(name: &str, expected: &[(usize, &[u8])], fill: impl FnOnce(CUdeviceptr)) {
    let place = upload(&[0xee_u8; 64]);
    fill(place);
    ok!(cuCtxSynchronize());
    let mut all = [0xee_u8; 64];
    for (at, bytes) in expected {
        all[*at..][..bytes.len()].copy_from_slice(bytes);
    }
    assert_eq!(download::<u8>(place, 64), all, "{name}");
    ok!(cuMemFree_v2(place));
}

#[test]
fn fills_write_exactly_the_given_elements() {
    let _own = Own::new();
    let stream = stream(NON_BLOCKING);
    const BYTES: &[u8] = &[0xa1; 3];
    const HALVES: &[u8] = &[0x34, 0x12, 0x34, 0x12, 0x34, 0x12];
    const WORDS: &[u8] = &[4, 3, 2, 1, 4, 3, 2, 1];
    let (half, word) = (0x1234, 0x0102_0304);
    fills("D8", &[(5, BYTES)], |at| {
        ok!(cuMemsetD8_v2(at + 5, 0xa1, 3))
    });
    fills("D8Async", &[(5, BYTES)], |at| {
        ok!(cuMemsetD8Async(at + 5, 0xa1, 3, stream))
    });
    fills("D16", &[(6, HALVES)], |at| {
        ok!(cuMemsetD16_v2(at + 6, half, 3))
    });
    fills("D16Async", &[(6, HALVES)], |at| {
        ok!(cuMemsetD16Async(at + 6, half, 3, stream))
    });
    fills("D32", &[(4, WORDS)], |at| {
        ok!(cuMemsetD32_v2(at + 4, word, 2))
    });
    fills("D32Async", &[(4, WORDS)], |at| {
        ok!(cuMemsetD32Async(at + 4, word, 2, stream))
    });
    let rows = [(5, BYTES), (17, BYTES), (29, BYTES)];
    fills("D2D8", &rows, |at| {
        ok!(cuMemsetD2D8_v2(at + 5, 12, 0xa1, 3, 3))
    });
    fills("D2D8Async", &rows, |at| {
        ok!(cuMemsetD2D8Async(at + 5, 12, 0xa1, 3, 3, stream))
    });
    let rows = [(6, HALVES), (20, HALVES), (34, HALVES)];
    fills("D2D16", &rows, |at| {
        ok!(cuMemsetD2D16_v2(at + 6, 14, half, 3, 3))
    });
    fills("D2D16Async", &rows, |at| {
        ok!(cuMemsetD2D16Async(at + 6, 14, half, 3, 3, stream))
    });
    let rows = [(4, WORDS), (16, WORDS), (28, WORDS)];
    fills("D2D32", &rows, |at| {
        ok!(cuMemsetD2D32_v2(at + 4, 12, word, 2, 3))
    });
    fills("D2D32Async", &rows, |at| {
        ok!(cuMemsetD2D32Async(at + 4, 12, word, 2, 3, stream))
    });
    // Empty fills.
    fills("none", &[], |at| {
        ok!(cuMemsetD32_v2(at, 1, 0));
        ok!(cuMemsetD2D32_v2(at, 16, 1, 0, 2));
        ok!(cuMemsetD2D32_v2(at, 16, 1, 2, 0));
    });
}

#[test]
fn misaligned_fills_and_small_pitches_are_rejected() {
    let _own = Own::new();
    // (offset in bytes, pitch, words per row, rows, whether the fill is valid)
    let table = [
        (0, 16, 4, 2, true),
        (0, 12, 4, 2, false),
        (0, 12, 4, 3, false),
        (0, 12, 4, 1, true),
        (0, 0, 4, 1, true),
        (0, 6, 1, 1, true),
        (0, 6, 1, 2, false),
        (0, 6, 1, 3, false),
        (0, 4, 1, 3, true),
        (4, 20, 4, 3, true),
        (1, 16, 4, 1, false),
        (2, 16, 4, 2, false),
        // Up to the last byte, and one word more.
        (0, 48, 4, 2, true),
        (4, 48, 4, 2, false),
        (0, 24, 4, 3, true),
        (0, 28, 4, 3, false),
    ];
    for (at, pitch, width, rows, good) in table {
        let place = upload(&[0u8; 64]);
        let mut expected = [0u32; 16];
        let code = call!(cuMemsetD2D32_v2(place + at, pitch, 7, width, rows));
        if good {
            for row in 0..rows {
                let start = (at as usize + row * pitch) / 4;
                expected[start..start + width].fill(7);
            }
        }
        let wanted = match good {
            true => SUCCESS,
            false => INVALID,
        };
        let row = (at, pitch, width, rows);
        assert_eq!(code, wanted, "{row:?}");
        assert_eq!(download::<u32>(place, 16), expected, "{row:?}");
    }
    let place = alloc(64);
    invalid!(cuMemsetD16_v2(place + 1, 0, 1));
    invalid!(cuMemsetD32_v2(place, 0, usize::MAX));
    invalid!(cuMemsetD2D8_v2(place, 1 << 63, 0, 1, 3));
}

/// Returns whether a call returns within `patience` while the stream is blocked. Unblocks it in
/// either case.
fn lets_return(stream: CUstream, patience: Duration, call: impl FnOnce()) -> bool {
    let (gate, done) = (block(stream), AtomicBool::new(false));
    let opened = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let start = Instant::now();
            while !done.load(Ordering::SeqCst) && start.elapsed() < patience {
                std::thread::sleep(Duration::from_millis(1));
            }
            opened.store(true, Ordering::SeqCst);
            gate.open();
        });
        call();
        let returned = !opened.load(Ordering::SeqCst);
        done.store(true, Ordering::SeqCst);
        returned
    })
}

#[test]
fn calls_wait_for_their_work_as_documented() {
    let _own = Own::new();
    const LARGE: usize = (64 << 10) + 1;
    let blocking = stream(0);
    let (device, other) = (alloc(LARGE), alloc(LARGE));
    let pinned = out!(cuMemAllocHost_v2(_, LARGE));
    let address = pinned as u64;
    let mut host = vec![0u8; LARGE];
    let mut near = vec![0u8; 8];
    let (host, near): (*mut c_void, *mut c_void) =
        (host.as_mut_ptr().cast(), near.as_mut_ptr().cast());
    type Call<'a> = (&'a str, bool, &'a dyn Fn());
    let calls: [Call<'_>; 15] = [
        ("HtoDAsync of little", true, &|| {
            ok!(cuMemcpyHtoDAsync_v2(device, host, LARGE - 1, blocking))
        }),
        ("DtoDAsync", true, &|| {
            ok!(cuMemcpyDtoDAsync_v2(device, other, LARGE, blocking))
        }),
        ("HtoDAsync of page-locked memory", true, &|| {
            ok!(cuMemcpyHtoDAsync_v2(device, pinned, LARGE, blocking))
        }),
        ("DtoHAsync to page-locked memory", true, &|| {
            ok!(cuMemcpyDtoHAsync_v2(pinned, device, LARGE, blocking))
        }),
        ("DtoHAsync to pageable memory", false, &|| {
            ok!(cuMemcpyDtoHAsync_v2(host, device, 8, blocking))
        }),
        ("host to host", false, &|| {
            ok!(cuMemcpyAsync(near as u64, host as u64, 8, blocking))
        }),
        ("HtoD", false, &|| ok!(cuMemcpyHtoD_v2(device, host, 8))),
        ("DtoH", false, &|| ok!(cuMemcpyDtoH_v2(host, device, 8))),
        ("HtoD of page-locked memory", false, &|| {
            ok!(cuMemcpyHtoD_v2(device, pinned, 8))
        }),
        ("D8 of device memory", true, &|| {
            ok!(cuMemsetD8_v2(device, 1, 8))
        }),
        ("D8 of page-locked memory", false, &|| {
            ok!(cuMemsetD8_v2(address, 1, 8))
        }),
        ("D2D32 of page-locked memory", false, &|| {
            ok!(cuMemsetD2D32_v2(address, 8, 1, 1, 2))
        }),
        ("D8Async of page-locked memory", true, &|| {
            ok!(cuMemsetD8Async(address, 1, 8, blocking))
        }),
        ("D8Async of device memory", true, &|| {
            ok!(cuMemsetD8Async(device, 1, 8, blocking))
        }),
        ("nothing", true, &|| ok!(cuMemcpyDtoH_v2(host, device, 0))),
    ];
    for (name, returns, call) in calls {
        // A call that does not wait gets plenty of time to return.
        let patience = Duration::from_millis(if returns { 20_000 } else { 50 });
        assert_eq!(lets_return(blocking, patience, call), returns, "{name}");
        ok!(cuCtxSynchronize());
    }
}

#[test]
fn a_pageable_source_may_be_overwritten_after_the_call() {
    let _own = Own::new();
    let blocking = stream(0);
    for length in [1, 64 << 10, (64 << 10) + 1] {
        let (device, source) = (upload(&vec![0u8; length]), pattern(length));
        let mut host = source.clone();
        lets_return(blocking, Duration::from_millis(100), || {
            let from = host.as_ptr().cast();
            ok!(cuMemcpyHtoDAsync_v2(device, from, length, blocking));
            host.fill(0);
        });
        assert!(download::<u8>(device, length) == source, "{length} bytes");
    }
}

#[test]
fn only_host_to_host_copies_wait_while_work_is_held() {
    let hour = [("CUDA_EMULATOR_HOLD", "3600000")];
    passes(&hour, || {
        let _own = Own::new();
        let stream = stream(NON_BLOCKING);
        let pinned = out!(cuMemAllocHost_v2(_, 64)) as u64;
        let device = upload(&[5u8; 64]);
        let source = [1u8; 64];
        let mut target = [0u8; 64];
        let (to, from) = (target.as_mut_ptr() as u64, source.as_ptr() as u64);
        for (name, to, from, waits) in [
            ("pageable to pageable", to, from, true),
            ("pageable to page-locked", pinned, from, true),
            ("page-locked to pageable", to, pinned, true),
            ("page-locked to page-locked", pinned, pinned, false),
            ("pageable to device", device, from, false),
            ("device to pageable", to, device, false),
            ("device to page-locked", pinned, device, false),
        ] {
            ok!(cuMemcpyAsync(to, from, 64, stream));
            let wanted = if waits { SUCCESS } else { NOT_READY };
            assert_eq!(call!(cuStreamQuery(stream)), wanted, "{name}");
            ok!(cuStreamSynchronize(stream));
        }
        // A fill of device memory uses no host memory, but a fill of page-locked memory does.
        for (at, uses) in [(device, false), (pinned, true)] {
            ok!(cuMemsetD8Async(at, 1, 64, stream));
            let work = cuda_emulator::pending_host_work(at as *const u8, 64);
            assert_eq!(work.is_some(), uses, "{work:?}");
            ok!(cuStreamSynchronize(stream));
        }
    });
}
