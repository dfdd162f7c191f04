//! Copies between two devices.

use cuda_safe::{
    DeviceBuffer, ErrorKind, Stream,
    array::CudaArray,
    memory::{
        CopyAttributes, CopyBatch, HostRegion, HostRegionMut, PitchedBuffer, RegionCopy, Staging,
        StagingOptions,
    },
};

use super::{failure, in_child, numbers, pair, rejection};

#[test]
fn linear_memory_is_copied_in_both_directions_on_either_stream() {
    let Some(pair) = pair() else { return };
    let streams = pair.streams;
    for (to, from) in [(0, 1), (1, 0)] {
        for on in [0, 1] {
            let source = DeviceBuffer::from_slice(&streams[from], &numbers(1000)).unwrap();
            let mut target = DeviceBuffer::<u32>::zeroed(&streams[to], 1000).unwrap();
            target.copy_from(&streams[on], &source).unwrap();
            drop(source); // freed on its own stream after the copy
            assert_eq!(target.to_vec(&streams[to]).unwrap(), numbers(1000));
            let part = target.slice(10..20).unwrap();
            let mut other = DeviceBuffer::<u32>::zeroed(&streams[from], 10).unwrap();
            other.copy_from(&streams[on], &part).unwrap();
            assert_eq!(other.to_vec(&streams[from]).unwrap(), numbers(20)[10..]);
        }
    }
}

#[test]
fn boxes_are_copied_in_both_directions_on_either_stream() {
    let Some(pair) = pair() else { return };
    let contexts = pair.contexts;
    let streams = pair.streams;
    let third = Stream::new(&contexts[1]).unwrap();
    for (to, from) in [(0, 1), (1, 0)] {
        for on in [&streams[0], &streams[1], &third] {
            let data = numbers(60);
            let source = PitchedBuffer::from_slice(&streams[from], [5, 4, 3], &data).unwrap();
            let mut target = PitchedBuffer::<u32>::zeroed(&streams[to], [4, 3, 2]).unwrap();
            let copy = RegionCopy::new([2, 2, 2])
                .source_at([1, 2, 1])
                .target_at([2, 1]);
            copy.enqueue(on, &mut target, &source).unwrap();
            let mut wanted = vec![0; 24];
            for (z, y, x) in (0..8).map(|i| (i / 4, i / 2 % 2, i % 2)) {
                wanted[(z * 3 + y + 1) * 4 + x + 2] = data[((z + 1) * 4 + y + 2) * 5 + x + 1];
            }
            assert_eq!(target.to_vec(&streams[to]).unwrap(), wanted);
            // Rows of pool memory, and contiguous memory on both sides.
            let flat = DeviceBuffer::from_slice(&streams[from], &data).unwrap();
            let rows = flat.pitched([5, 12]).unwrap();
            let mut all = DeviceBuffer::<u32>::zeroed(&streams[to], 60).unwrap();
            let mut whole = all.pitched_mut([5, 12]).unwrap();
            whole.copy_from(on, &rows).unwrap();
            RegionCopy::new([1, 12])
                .enqueue(on, &mut whole, &rows.part(4, [1, 12]).unwrap())
                .unwrap();
            let mut wanted = data.clone();
            (0..12).for_each(|row| wanted[5 * row] = wanted[5 * row + 4]);
            assert_eq!(all.to_vec(&streams[to]).unwrap(), wanted);
        }
    }
    // A copy within one device, on a stream of the other.
    let source = DeviceBuffer::from_slice(&streams[1], &numbers(8)).unwrap();
    let mut target = DeviceBuffer::<u32>::zeroed(&streams[1], 8).unwrap();
    target.copy_from(&streams[0], &source).unwrap();
    assert_eq!(target.to_vec(&streams[1]).unwrap(), numbers(8));
}

#[test]
fn host_copies_reach_the_other_device_on_either_stream() {
    let Some(pair) = pair() else { return };
    let streams = pair.streams;
    let data = numbers(12);
    for (on, of) in [(0, 1), (1, 0), (0, 0)] {
        // Pool memory without access for the other device is copied by the call that names both
        // contexts.
        let mut flat = DeviceBuffer::<u32>::zeroed(&streams[of], 12).unwrap();
        let mut rows = flat.pitched_mut([4, 3]).unwrap();
        let copy = RegionCopy::new([2, 3]).source_at(1).target_at(2);
        let host = HostRegion::new(&data, [4, 3]).unwrap();
        copy.upload(&streams[on], &mut rows, host).unwrap();
        let mut back = [0; 6];
        let to = HostRegionMut::new(&mut back, [2, 3]).unwrap();
        RegionCopy::new([2, 3])
            .source_at(2)
            .download(&streams[on], to, &rows)
            .unwrap();
        assert_eq!(back, [2, 3, 6, 7, 10, 11]);
    }
    // Operations without such a call return an error with the remedy.
    let mut buffer = DeviceBuffer::from_slice(&streams[1], &data).unwrap();
    for result in [
        buffer.to_vec(&streams[0]).map(drop),
        buffer.fill(&streams[0], 1),
    ] {
        if result.is_err() {
            failure(result).mentions("use a stream of the memory's device");
        }
    }
}

#[test]
fn errors_of_staged_copies_name_the_remedy() {
    let Some(pair) = pair() else { return };
    let streams = pair.streams;
    let contexts = pair.contexts;
    let options = StagingOptions::default()
        .threads(1)
        .pieces(2)
        .piece_bytes(4096)
        .threshold_bytes(1);
    let stream = Stream::new(&contexts[0]).unwrap();
    let staging = Staging::with_options(&contexts[0], options).unwrap();
    stream.set_staging(Some(&staging)).unwrap();
    let data = numbers(4000);
    let mut buffer = DeviceBuffer::from_slice(&streams[1], &data).unwrap();
    for result in [
        buffer.to_vec(&stream).map(drop),
        buffer.copy_from_slice(&stream, &data),
    ] {
        if result.is_err() {
            failure(result).mentions("use a stream of the memory's device");
        }
    }
}

#[test]
fn batches_stay_within_a_device() {
    let Some(pair) = pair() else { return };
    let streams = pair.streams;
    let far = DeviceBuffer::from_slice(&streams[1], &numbers(4)).unwrap();
    let mut here = DeviceBuffer::<u32>::zeroed(&streams[0], 4).unwrap();
    let mut none = DeviceBuffer::<u32>::zeroed(&streams[1], 0).unwrap();
    let mut batch = CopyBatch::new();
    batch.copy(RegionCopy::new(0), &mut none, &far).unwrap();
    let error = batch.copy(RegionCopy::new(4), &mut here, &far).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
    let text = error.to_string();
    assert!(text.contains("from memory of device 1"), "{text}");
    assert!(text.contains("copy 1 of the batch"), "{text}"); // also after copies of no elements
    assert!(text.contains("RegionCopy::enqueue"), "{text}");
    assert!(batch.is_empty());
}

#[test]
fn errors_of_batches_on_another_device_name_the_remedy() {
    let Some(pair) = pair() else { return };
    let streams = pair.streams;
    let source = DeviceBuffer::from_slice(&streams[1], &numbers(8)).unwrap();
    let mut target = DeviceBuffer::<u32>::zeroed(&streams[1], 8).unwrap();
    let mut batch = CopyBatch::new();
    batch
        .copy(RegionCopy::new(8), &mut target, &source)
        .unwrap();
    let batched = batch.enqueue(&streams[0]);
    let attributes = CopyAttributes::default();
    let single = RegionCopy::new(8).enqueue_with(&streams[0], &mut target, &source, attributes);
    for result in [batched, single] {
        let Err(error) = result else { continue };
        if *error.kind() == ErrorKind::Unsupported {
            continue; // the driver is older than the call
        }
        let remedy = "use a stream of the memory's device";
        assert!(error.to_string().contains(remedy), "{error}");
    }
}

#[test]
fn copies_between_devices_are_rejected_during_a_capture() {
    // In a child process, because a capture forbids allocation on other threads.
    in_child(|| {
        let Some(pair) = pair() else { return };
        let streams = pair.streams;
        let source = DeviceBuffer::from_slice(&streams[0], &numbers(4)).unwrap();
        let mut target = DeviceBuffer::<u32>::zeroed(&streams[0], 4).unwrap();
        let far = DeviceBuffer::from_slice(&streams[1], &numbers(4)).unwrap();
        // SAFETY: the memory outlives the graph.
        let graph: cuda_safe::Result<_> = unsafe {
            streams[0].capture(|_| {
                let stream = &streams[0];
                target.copy_from(stream, &source)?;
                for result in [
                    target.copy_from(stream, &far),
                    RegionCopy::new(2).enqueue(stream, &mut target, &far),
                ] {
                    rejection(result).mentions("between devices");
                }
                Ok(())
            })
        };
        assert_eq!(graph.unwrap().nodes().unwrap().len(), 1); // the capture is still valid
    });
}

#[test]
fn arrays_are_copied_in_both_directions_between_devices() {
    let Some(pair) = pair() else { return };
    let contexts = pair.contexts;
    let streams = pair.streams;
    let data = numbers(60);
    for (to, from) in [(0, 1), (1, 0)] {
        let source = CudaArray::from_slice(&streams[from], [5, 4, 3], &data).unwrap();
        let texels = source.texels::<u32>().unwrap();
        let copy = RegionCopy::new([2, 2, 2]).source_at([1, 2, 1]);
        let wanted: Vec<u32> = (0..8)
            .map(|i| data[((i / 4 + 1) * 4 + i / 2 % 2 + 2) * 5 + i % 2 + 1])
            .collect();
        // From an array to linear memory of the other device.
        let mut target = PitchedBuffer::<u32>::zeroed(&streams[to], [2, 2, 2]).unwrap();
        copy.enqueue(&streams[to], &mut target, &texels).unwrap();
        assert_eq!(target.to_vec(&streams[to]).unwrap(), wanted);
        // From there to an array of the first device.
        let array = CudaArray::from_slice(&streams[from], [4, 3, 2], &[0u32; 24]).unwrap();
        let mut place = array.texels::<u32>().unwrap();
        let back = RegionCopy::new([2, 2, 1])
            .source_at([0, 0, 1])
            .target_at([2, 1, 1]);
        back.enqueue(&streams[from], &mut place, &target).unwrap();
        let mut expected = vec![0; 24];
        for (y, x) in (0..4).map(|i| (i / 2, i % 2)) {
            expected[(3 + y + 1) * 4 + x + 2] = wanted[4 + 2 * y + x];
        }
        assert_eq!(array.to_vec::<u32>(&streams[from]).unwrap(), expected);
        // Between arrays of two devices.
        let array = CudaArray::uninit::<u32>(&contexts[to], [5, 4, 3]).unwrap();
        array.copy_from_slice(&streams[to], &[0u32; 60]).unwrap();
        let mut place = array.texels::<u32>().unwrap();
        let moved = copy.target_at([3, 1, 1]);
        moved.enqueue(&streams[to], &mut place, &texels).unwrap();
        let mut expected = vec![0; 60];
        for (z, y, x) in (0..8).map(|i| (i / 4, i / 2 % 2, i % 2)) {
            expected[((z + 1) * 4 + y + 1) * 5 + x + 3] = wanted[4 * z + 2 * y + x];
        }
        assert_eq!(array.to_vec::<u32>(&streams[to]).unwrap(), expected);
    }
}
