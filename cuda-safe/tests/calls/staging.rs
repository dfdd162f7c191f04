//! Copies on a stream with staging: in pieces or by one call.

use cuda_safe::memory::{Staging, StagingOptions};

use super::*;

/// Returns the number of copies between host and device that `act` makes.
fn copies(act: impl FnOnce()) -> usize {
    let before = calls("cuMemcpy").len();
    act();
    calls("cuMemcpy").len() - before
}

#[test]
fn only_pageable_memory_is_copied_in_pieces() {
    traced("", || {
        let (context, stream) = device();
        let options = StagingOptions::default()
            .threads(1)
            .pieces(2)
            .piece_bytes(4096)
            .threshold_bytes(1);
        let staging = Staging::with_options(&context, options).unwrap();
        stream.set_staging(Some(&staging)).unwrap();
        let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 4096).unwrap();
        let mut pageable = vec![1u32; 4096];
        let up = copies(|| buffer.copy_from_slice(&stream, &pageable).unwrap());
        assert!(up >= 4, "{up} copies");
        let down = copies(|| buffer.copy_to_slice(&stream, &mut pageable).unwrap());
        assert!(down >= 4, "{down} copies");
        let mut pinned = PinnedBuffer::from_slice(&context, &pageable).unwrap();
        let up = copies(|| buffer.copy_from_slice(&stream, &pinned).unwrap());
        let down = copies(|| buffer.copy_to_slice(&stream, &mut pinned).unwrap());
        assert_eq!((up, down), (1, 1));
        let mut managed = ManagedBuffer::<u32>::zeroed(&stream, 4096).unwrap();
        let host = managed.host_mut().unwrap();
        assert_eq!(copies(|| buffer.copy_from_slice(&stream, host).unwrap()), 1);
    });
}

#[test]
fn copies_below_the_threshold_are_one_call() {
    traced("", || {
        let (context, stream) = device();
        let options = StagingOptions::default()
            .threads(1)
            .pieces(2)
            .piece_bytes(4096)
            .threshold_bytes(16_384);
        let staging = Staging::with_options(&context, options).unwrap();
        stream.set_staging(Some(&staging)).unwrap();
        for (bytes, in_pieces) in [(16_383, false), (16_384, true), (16_385, true)] {
            let mut buffer = DeviceBuffer::<u8>::zeroed(&stream, bytes).unwrap();
            let mut host = vec![1u8; bytes];
            let up = copies(|| buffer.copy_from_slice(&stream, &host).unwrap());
            let down = copies(|| buffer.copy_to_slice(&stream, &mut host).unwrap());
            assert_eq!((up > 1, down > 1), (in_pieces, in_pieces), "{bytes}");
        }
    });
}

#[test]
fn number_of_staging_threads_is_limited() {
    passes("", || {
        let (context, _) = device();
        let detail = |threads| {
            let options = StagingOptions::default().threads(threads).pieces(1);
            let error = Staging::with_options(&context, options).unwrap_err();
            error.detail().to_owned()
        };
        assert_eq!(detail(0), "the number of threads is 0. Fix: use at least 1");
        assert_eq!(
            detail(1025),
            "the number of threads is 1025. Fix: use at most 1024"
        );
        for allowed in [1, 1024] {
            assert!(
                detail(allowed).starts_with("the number of pieces is 1"),
                "{allowed}"
            );
        }
    });
}
