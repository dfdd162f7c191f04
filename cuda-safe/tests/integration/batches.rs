//! Batches: many copies in one call.

use cuda_safe::{
    DeviceBuffer, Result, Stream,
    memory::{
        CopyAttributes, CopyBatch, HostRegion, HostRegionMut, PitchedBuffer, RegionCopy,
        SourceAccessOrder,
    },
};

use crate::{device, failure, since};

fn numbers(len: usize) -> Vec<u32> {
    (1..=len as u32).collect()
}

#[test]
fn batch_copies_contiguous_bytes() {
    let (context, stream) = device();
    let other = Stream::new(&context).unwrap();
    for order in [
        None,
        Some(SourceAccessOrder::STREAM),
        Some(SourceAccessOrder::DURING_API_CALL),
        Some(SourceAccessOrder::ANY),
    ] {
        for len in [3usize, 100_000] {
            let (host, mut back) = (numbers(len), vec![0; len]);
            let from = DeviceBuffer::from_slice(&stream, &host).unwrap();
            let mut up = DeviceBuffer::<u32>::zeroed(&stream, len).unwrap();
            let mut across = DeviceBuffer::<u32>::zeroed(&other, len + 1).unwrap();
            let mut batch = CopyBatch::new();
            assert!(batch.is_empty());
            if let Some(order) = order {
                batch.set_attributes(CopyAttributes::default().source_order(order));
            }
            batch
                .upload(
                    RegionCopy::new(len),
                    &mut up,
                    HostRegion::new(&host, len).unwrap(),
                )
                .unwrap();
            batch
                .copy(RegionCopy::new(len).target_at(1), &mut across, &from)
                .unwrap();
            batch.set_attributes(CopyAttributes::default().prefer_overlap_with_compute(true));
            let down = HostRegionMut::new(&mut back, len).unwrap();
            batch.download(RegionCopy::new(len), down, &from).unwrap();
            assert_eq!(batch.len(), 3);
            assert_eq!(format!("{batch:?}"), "CopyBatch(3 copies)");
            let Some(result) = since(12, 8, batch.enqueue(&stream)) else {
                return;
            };
            result.unwrap();
            assert_eq!(back, host);
            assert_eq!(up.to_vec(&stream).unwrap(), host);
            assert_eq!(across.to_vec(&other).unwrap()[1..], host);
        }
    }
}

#[test]
fn batch_copies_boxes() {
    let (_, stream) = device();
    let (host, mut back) = (numbers(24), vec![0; 8]);
    let from = PitchedBuffer::from_slice(&stream, [4, 3, 2], &host).unwrap();
    let mut up = PitchedBuffer::<u32>::zeroed(&stream, [4, 3, 2]).unwrap();
    let mut across = PitchedBuffer::<u32>::zeroed(&stream, [2, 2, 2]).unwrap();
    let part = RegionCopy::new([2, 2, 2]).source_at([1, 1]);
    let mut batch = CopyBatch::new();
    let all = HostRegion::new(&host, [4, 3, 2]).unwrap();
    batch.upload(part.target_at([2, 0]), &mut up, all).unwrap();
    batch.copy(part, &mut across, &from).unwrap();
    batch
        .download(
            part,
            HostRegionMut::new(&mut back, [2, 2, 2]).unwrap(),
            &from,
        )
        .unwrap();
    let Some(result) = since(12, 8, batch.enqueue(&stream)) else {
        return;
    };
    result.unwrap();
    let wanted = [6, 7, 10, 11, 18, 19, 22, 23];
    assert_eq!(across.to_vec(&stream).unwrap(), wanted);
    assert_eq!(back, wanted);
    let placed = up.part([2, 0], [2, 2, 2]).unwrap();
    assert_eq!(placed.to_vec(&stream).unwrap(), wanted);
    assert_eq!(
        up.to_vec(&stream).unwrap().iter().sum::<u32>(),
        wanted.iter().sum::<u32>()
    );
}

#[test]
fn empty_batches_succeed_and_invalid_copies_are_rejected() {
    let (context, stream) = device();
    CopyBatch::new().enqueue(&stream).unwrap();
    let from = DeviceBuffer::from_slice(&stream, &numbers(4)).unwrap();
    let mut a = from.view();
    let mut b = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    let mut batch = CopyBatch::new();
    let error = batch.copy(RegionCopy::new(5), &mut b, &from).unwrap_err();
    assert!(
        error.to_string().contains("the source has 4 elements"),
        "{error}"
    );
    let mut none = DeviceBuffer::<u32>::zeroed(&stream, 0).unwrap();
    let mut batch = CopyBatch::new();
    batch.copy(RegionCopy::new(0), &mut none, &from).unwrap();
    assert!(batch.is_empty());
    batch.enqueue(&stream).unwrap();
    a = a.into_slice(..2).unwrap();
    // The legacy default stream is rejected, and the error names it.
    let mut batch = CopyBatch::new();
    batch.copy(RegionCopy::new(2), &mut b, &a).unwrap();
    let Some(result) = since(12, 8, batch.enqueue(&Stream::legacy_default(&context))) else {
        return;
    };
    failure(result).mentions("the legacy default stream");
    assert_eq!(b.to_vec(&stream).unwrap(), [0; 4]);
}

#[test]
fn batches_are_rejected_during_a_capture() {
    let (_, stream) = device();
    let from = DeviceBuffer::from_slice(&stream, &numbers(4)).unwrap();
    let mut to = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    let mut rejection = None;
    // SAFETY: the capture records nothing.
    let graph = unsafe {
        stream.capture(|_| -> Result<()> {
            let mut batch = CopyBatch::new();
            batch.copy(RegionCopy::new(4), &mut to, &from)?;
            rejection = batch.enqueue(&stream).err();
            Ok(())
        })
    };
    graph.unwrap(); // the capture is still valid
    let error = rejection.unwrap();
    assert_eq!(error.call(), "CopyBatch::enqueue");
    assert!(error.to_string().contains("capture"), "{error}");
}

#[test]
fn copy_with_attributes() {
    let (_, stream) = device();
    let from = PitchedBuffer::from_slice(&stream, [3, 2], &numbers(6)).unwrap();
    let mut to = PitchedBuffer::<u32>::zeroed(&stream, [3, 2]).unwrap();
    let beside = CopyAttributes::default().prefer_overlap_with_compute(true);
    let row = RegionCopy::new(3).source_at([0, 1]);
    let Some(result) = since(13, 2, row.enqueue_with(&stream, &mut to, &from, beside)) else {
        return;
    };
    result.unwrap();
    let column = RegionCopy::new([1, 2]).target_at(2);
    column
        .enqueue_with(&stream, &mut to, &from, beside)
        .unwrap();
    assert_eq!(to.to_vec(&stream).unwrap(), [4, 5, 1, 0, 0, 4]);
    RegionCopy::new(0)
        .enqueue_with(&stream, &mut to, &from, beside)
        .unwrap();
}
