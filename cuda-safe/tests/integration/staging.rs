//! Copies of pageable memory through page-locked pieces.

use cuda_safe::{
    Context, ContextFlags, DeviceBuffer, ErrorKind, ManagedBuffer, PinnedBuffer, Result, Stream,
    memory::{Staging, StagingOptions},
};

use crate::{device, failure};

/// Options with small pieces, so that each transfer has many of them, and with the lowest
/// threshold, so that every copy is staged.
fn small() -> StagingOptions {
    StagingOptions::default()
        .threads(3)
        .pieces(2)
        .piece_bytes(8192)
        .threshold_bytes(1)
}

fn staged(context: &Context, options: StagingOptions) -> Result<Stream> {
    let stream = Stream::new(context)?;
    stream.set_staging(Some(&Staging::with_options(context, options)?))?;
    Ok(stream)
}

/// Returns floats with all kinds of bit patterns, including NaN.
fn bits(count: usize) -> Vec<f32> {
    let bits = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9) ^ 0x7f80_0001;
    (0..count).map(|i| f32::from_bits(bits(i))).collect()
}

fn same(a: &[f32], b: &[f32]) -> bool {
    bytemuck::cast_slice::<_, u32>(a) == bytemuck::cast_slice::<_, u32>(b)
}

#[test]
fn staged_copies_round_trip_at_all_sizes() -> Result<()> {
    let (context, _) = device();
    let stream = staged(&context, small())?;
    let plain = Stream::new(&context)?;
    for count in [1, 2, 1023, 1024, 1025, 2048, 2049, 5000, 40_001, 100_000] {
        let host = bits(count);
        let buffer = DeviceBuffer::from_slice(&stream, &host)?;
        assert!(same(&buffer.to_vec(&plain)?, &host), "{count} up");
        assert!(same(&buffer.to_vec(&stream)?, &host), "{count} down, new");
        let mut back = vec![0.0; count];
        buffer.copy_to_slice(&stream, &mut back)?;
        assert!(same(&back, &host), "{count} down");
    }
    Ok(())
}

#[test]
fn staged_copies_of_unaligned_parts() -> Result<()> {
    let (context, _) = device();
    let stream = staged(&context, small())?;
    let host: Vec<u8> = (0..50_003u32).map(|i| ((i * i) >> 3) as u8).collect();
    let mut buffer = DeviceBuffer::<u8>::zeroed(&stream, host.len() + 2)?;
    // Neither side is aligned.
    buffer
        .slice_mut(1..=host.len() - 1)?
        .copy_from_slice(&stream, &host[1..])?;
    let back = buffer.to_vec(&stream)?;
    assert_eq!(back[1..host.len()], host[1..]);
    assert_eq!((back[0], &back[host.len()..]), (0, &[0, 0][..]));
    let mut part = vec![7; 20_000];
    buffer
        .slice(3..19_001)?
        .copy_to_slice(&stream, &mut part[1..18_999])?;
    assert_eq!(part[1..18_999], host[3..19_001]);
    assert_eq!((part[0], part[18_999]), (7, 7));
    Ok(())
}

#[test]
fn staged_copies_are_ordered_with_both_streams() -> Result<()> {
    let (context, _) = device();
    let stream = staged(&context, small())?;
    let owner = Stream::new(&context)?;
    let mut buffer = DeviceBuffer::<u32>::zeroed(&owner, 30_000)?;
    buffer.fill(&owner, 5)?;
    assert_eq!(buffer.to_vec(&stream)?, [5; 30_000]);
    buffer.copy_from_slice(&stream, &[6; 30_000])?;
    buffer.slice_mut(..10)?.fill(&owner, 7)?;
    let back = buffer.to_vec(&owner)?;
    assert_eq!((&back[..10], &back[10..]), (&[7; 10][..], &[6; 29_990][..]));
    Ok(())
}

#[test]
fn staging_can_be_used_by_several_threads() -> Result<()> {
    let (context, _) = device();
    let staging = Staging::with_options(&context, small())?;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4usize)
            .map(|number| {
                let (context, staging) = (&context, &staging);
                scope.spawn(move || -> Result<()> {
                    let stream = Stream::new(context)?;
                    stream.set_staging(Some(staging))?;
                    for round in 0..3 {
                        let host = bits(10_000 + 1000 * number + round);
                        let buffer = DeviceBuffer::from_slice(&stream, &host)?;
                        assert!(same(&buffer.to_vec(&stream)?, &host));
                    }
                    Ok(())
                })
            })
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("a thread panicked"))
    })
}

#[test]
fn page_locked_managed_and_small_memory_is_not_staged() -> Result<()> {
    let (context, _) = device();
    let stream = staged(&context, small().threshold_bytes(4096))?;
    let host = bits(5000);
    let pinned = PinnedBuffer::from_slice(&context, &host)?;
    let buffer = DeviceBuffer::from_slice(&stream, &pinned)?;
    assert!(same(&buffer.to_vec(&stream)?, &host));
    let mut managed = ManagedBuffer::zeroed(&stream, host.len())?;
    managed.copy_from_slice(&stream, &pinned)?;
    assert!(same(&managed.to_vec(&stream)?, &host));
    assert!(same(&buffer.slice(..100)?.to_vec(&stream)?, &host[..100]));
    let empty = DeviceBuffer::<f32>::from_slice(&stream, &[])?;
    assert!(empty.to_vec(&stream)?.is_empty());
    Ok(())
}

#[test]
fn clones_of_a_stream_share_the_staging() -> Result<()> {
    let (context, _) = device();
    let stream = Stream::new(&context)?;
    let clone = stream.clone();
    assert!(clone.staging().is_none());
    let staging = Staging::with_options(&context, small())?;
    stream.set_staging(Some(&staging))?;
    assert_eq!(
        clone.staging().map(|staging| staging.options()),
        Some(small())
    );
    assert_eq!(
        format!("{staging:?}"),
        "Staging(3 threads, 2 pieces of 8192 bytes)"
    );
    drop(staging); // the stream keeps it alive
    let host = bits(20_000);
    assert!(same(
        &DeviceBuffer::from_slice(&clone, &host)?.to_vec(&clone)?,
        &host
    ));
    clone.set_staging(None)?;
    assert!(stream.staging().is_none());
    assert!(same(
        &DeviceBuffer::from_slice(&clone, &host)?.to_vec(&clone)?,
        &host
    ));
    Ok(())
}

#[test]
fn invalid_staging_options_are_rejected() -> Result<()> {
    let (context, _) = device();
    for (options, wanted) in [
        (small().threads(0), "the number of threads is 0"),
        (
            small().threads(1025),
            "the number of threads is 1025. Fix: use at most 1024",
        ),
        (
            small().threads(usize::MAX),
            "the number of threads is 18446744073709551615",
        ),
        (small().pieces(1), "the number of pieces is 1"),
        (small().piece_bytes(0), "the piece size of 0 bytes"),
        (small().piece_bytes(5000), "the piece size of 5000 bytes"),
    ] {
        let error = Staging::with_options(&context, options).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
        assert!(error.detail().starts_with(wanted), "{error}");
    }
    let other = Context::create(context.device(), ContextFlags::default())?;
    let stream = Stream::new(&other)?;
    let staging = Staging::with_options(&context, small())?;
    failure(stream.set_staging(Some(&staging))).detail_contains("another context");
    Ok(())
}
