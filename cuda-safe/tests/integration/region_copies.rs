//! Copies of rectangles and boxes between all kinds of memory that this device has.

use cuda_safe::{
    DeviceBuffer, ManagedBuffer, PinnedBuffer, Result, Stream,
    memory::{CopySource, HostRegion, HostRegionMut, Layout, PitchedBuffer, Region, RegionCopy},
};

use crate::{device, rejection};

/// Returns 1, 2, 3 and so on.
fn numbers(len: usize) -> Vec<u32> {
    (1..=len as u32).collect()
}

/// Returns the expected result: zeros of size `to` into which the box `extent` was copied from
/// numbers of size `from`, all densely packed.
fn expected([to, from, extent]: [[usize; 3]; 3], [target, source]: [[usize; 3]; 2]) -> Vec<u32> {
    let index = |size: [usize; 3], at: [usize; 3]| (at[2] * size[1] + at[1]) * size[0] + at[0];
    let data = numbers(from.iter().product());
    let mut result = vec![0; to.iter().product()];
    for z in 0..extent[2] {
        for y in 0..extent[1] {
            for x in 0..extent[0] {
                let at = |first: [usize; 3]| [first[0] + x, first[1] + y, first[2] + z];
                result[index(to, at(target))] = data[index(from, at(source))];
            }
        }
    }
    result
}

/// Counts of elements, rows and slices.
type Box3 = [usize; 3];

/// The sizes of the destination, the source and the copy, and the copy's start in the first two.
const CASES: [([Box3; 3], [Box3; 2]); 7] = [
    // Copies of a box, a rectangle and a row.
    ([[7, 5, 4], [6, 4, 3], [3, 2, 2]], [[2, 1, 1], [1, 2, 1]]),
    ([[7, 5, 4], [6, 4, 3], [3, 2, 1]], [[4, 3, 3], [3, 2, 2]]),
    ([[7, 5, 4], [6, 4, 3], [5, 1, 1]], [[2, 4, 3], [1, 3, 2]]),
    // Copies of everything (contiguous), of whole slices and of whole rows.
    ([[4, 3, 2], [4, 3, 2], [4, 3, 2]], [[0; 3]; 2]),
    ([[4, 3, 3], [4, 3, 2], [4, 3, 2]], [[0, 0, 1], [0; 3]]),
    ([[4, 5, 1], [4, 3, 1], [4, 2, 1]], [[0, 3, 0], [0, 1, 0]]),
    // A column, with the same counts of rows and slices on both sides.
    ([[3, 2, 5], [4, 2, 5], [1, 2, 5]], [[2, 0, 0], [0, 0, 0]]),
];

#[test]
fn region_copies_within_the_device_place_every_element() {
    let (_, stream) = device();
    for (sizes, places) in CASES {
        let [to, from, extent] = sizes;
        let copy = RegionCopy::new(extent)
            .target_at(places[0])
            .source_at(places[1]);
        let wanted = expected(sizes, places);
        let data = numbers(from.iter().product());
        // From pitched to pitched, linear to pitched, and pitched to linear.
        let source = PitchedBuffer::from_slice(&stream, from, &data).unwrap();
        let linear = DeviceBuffer::from_slice(&stream, &data).unwrap();
        let rows = linear.pitched(from).unwrap();
        let mut target = PitchedBuffer::<u32>::zeroed(&stream, to).unwrap();
        copy.enqueue(&stream, &mut target, &source).unwrap();
        assert_eq!(target.to_vec(&stream).unwrap(), wanted, "{copy:?}");
        target.memset_u8(&stream, 0).unwrap();
        copy.enqueue(&stream, &mut target, &rows).unwrap();
        assert_eq!(target.to_vec(&stream).unwrap(), wanted, "{copy:?}");
        let mut flat = ManagedBuffer::<u32>::zeroed(&stream, wanted.len()).unwrap();
        copy.enqueue(&stream, &mut flat.pitched_mut(to).unwrap(), &source)
            .unwrap();
        assert_eq!(flat.to_vec(&stream).unwrap(), wanted, "{copy:?}");
    }
}

#[test]
fn region_copies_between_host_and_device_place_every_element() {
    let (context, stream) = device();
    for (sizes, places) in CASES {
        let [to, from, extent] = sizes;
        let copy = RegionCopy::new(extent)
            .target_at(places[0])
            .source_at(places[1]);
        let wanted = expected(sizes, places);
        let data = numbers(from.iter().product());
        let mut target = PitchedBuffer::<u32>::zeroed(&stream, to).unwrap();
        copy.upload(&stream, &mut target, HostRegion::new(&data, from).unwrap())
            .unwrap();
        assert_eq!(target.to_vec(&stream).unwrap(), wanted, "{copy:?}");

        let source = PitchedBuffer::from_slice(&stream, from, &data).unwrap();
        let mut host = vec![0; wanted.len()];
        copy.download(&stream, HostRegionMut::new(&mut host, to).unwrap(), &source)
            .unwrap();
        assert_eq!(host, wanted, "{copy:?}");

        // In a scope, and with page-locked memory that the transfer owns.
        host.fill(0);
        target.memset_u8(&stream, 0).unwrap();
        let all = RegionCopy::new(to);
        stream
            .scope(|scope| {
                scope.upload_region(copy, &mut target, HostRegion::new(&data, from)?)?;
                scope.download_region(all, HostRegionMut::new(&mut host, to)?, &target)
            })
            .unwrap();
        assert_eq!(host, wanted, "{copy:?}");
        target.memset_u8(&stream, 0).unwrap();
        let pinned = PinnedBuffer::from_slice(&context, &data).unwrap();
        let up = stream
            .upload_region(copy, pinned, from, &mut target)
            .unwrap();
        let pinned = PinnedBuffer::<u32>::zeroed(&context, wanted.len()).unwrap();
        let down = stream.download_region(all, &target, pinned, to).unwrap();
        assert_eq!(*down.wait().unwrap(), *wanted, "{copy:?}");
        assert_eq!(*up.wait().unwrap(), *data);
    }
}

#[test]
fn host_layouts_with_pitches() {
    let (_, stream) = device();
    // Unaligned distances: rows of 3 bytes every 5 bytes, and slices every 3 rows.
    let odd = Layout::new([3, 2, 2]).pitch(5).slice_rows(3);
    let host: Vec<u8> = (0..23).collect();
    let mut target = PitchedBuffer::<u8>::zeroed(&stream, [3, 2, 2]).unwrap();
    let copy = RegionCopy::new([3, 2, 2]);
    copy.upload(&stream, &mut target, HostRegion::new(&host, odd).unwrap())
        .unwrap();
    let wanted = [0, 1, 2, 5, 6, 7, 15, 16, 17, 20, 21, 22];
    assert_eq!(target.to_vec(&stream).unwrap(), wanted);
    let mut back = vec![99; 23];
    copy.download(
        &stream,
        HostRegionMut::new(&mut back, odd).unwrap(),
        &target,
    )
    .unwrap();
    for (at, value) in back.into_iter().enumerate() {
        let inside = wanted.contains(&(at as u8));
        assert_eq!(value, if inside { at as u8 } else { 99 });
    }
    assert!(HostRegion::new(&host[..22], odd).is_err());
    // Rejected, because rows would begin within an element.
    let mut words = [0u32; 20];
    let cut = Layout::new([4, 3]).pitch(18);
    for error in [
        rejection(HostRegion::new(&words, cut)),
        rejection(HostRegionMut::new(&mut words, cut)),
    ] {
        error
            .mentions("the pitch of 18 bytes is not a multiple")
            .mentions("use 20");
    }
}

#[test]
fn out_of_bounds_errors_name_side_axis_and_lengths() {
    let (context, stream) = device();
    let source = PitchedBuffer::<u32>::zeroed(&stream, [6, 4, 3]).unwrap();
    let mut target = PitchedBuffer::<u32>::zeroed(&stream, [7, 5, 4]).unwrap();
    let mut host = vec![0u32; 140];
    for (copy, text) in [
        (
            RegionCopy::new([7, 1]),
            "the source has 6 elements of a row (axis x), so 7 starting at 0",
        ),
        (
            RegionCopy::new(2).source_at(5),
            "the source has 6 elements of a row (axis x), so 2 starting at 5",
        ),
        (
            RegionCopy::new([1, 3]).source_at([0, 2]),
            "the source has 4 rows (axis y), so 3 starting at 2",
        ),
        (
            RegionCopy::new([1, 1, 2]).source_at([0, 0, 2]),
            "the source has 3 slices (axis z), so 2 starting at 2",
        ),
        (
            RegionCopy::new(3).target_at(5),
            "the destination has 7 elements of a row (axis x), so 3 starting at 5",
        ),
        (
            RegionCopy::new([1, 2]).target_at([0, 4]),
            "the destination has 5 rows (axis y), so 2 starting at 4",
        ),
        (
            RegionCopy::new([1, 1, 2]).target_at([0, 0, 3]),
            "the destination has 4 slices (axis z), so 2 starting at 3",
        ),
        (
            RegionCopy::new(1).target_at(usize::MAX),
            "the destination has 7 elements",
        ),
        (
            RegionCopy::new(1).source_at([0, usize::MAX]),
            "the source has 4 rows",
        ),
        (RegionCopy::new(0).source_at(7), "the source has 6 elements"),
    ] {
        let on_host = HostRegionMut::new(&mut host, [7, 5, 4]).unwrap();
        let results = [
            copy.enqueue(&stream, &mut target, &source),
            copy.download(&stream, on_host, &source),
        ];
        for result in results {
            rejection(result).mentions(text);
        }
    }
    // A rejected transfer returns the memory.
    let pinned = PinnedBuffer::from_slice(&context, &[1u32; 4]).unwrap();
    let too_wide = RegionCopy::new(5);
    let failed = stream
        .upload_region(too_wide, pinned, 4, &mut target)
        .unwrap_err();
    assert!(
        failed.to_string().contains("the source has 4 elements"),
        "{failed}"
    );
    let failed = stream
        .download_region(too_wide, &source, failed.host.unwrap(), 5)
        .unwrap_err();
    assert!(
        failed.to_string().contains("the host memory has 16 bytes"),
        "{failed}"
    );
    assert_eq!(*failed.host.unwrap(), [1; 4]);
    assert_eq!(target.to_vec(&stream).unwrap(), vec![0; 140]);
}

/// A source that aliases other memory, which only unsafe code can create.
struct Alias(Option<PitchedBuffer<u32>>);

// SAFETY: the test enqueues no work that reads it.
unsafe impl CopySource<u32> for Alias {
    fn region(&self) -> Region<'_> {
        self.0.as_ref().unwrap().region()
    }
}

impl Drop for Alias {
    fn drop(&mut self) {
        let _freed_by_the_other = self.0.take().map(PitchedBuffer::into_raw);
    }
}

#[test]
fn overlapping_region_copies_are_rejected() {
    let (_, stream) = device();
    let mut buffer = PitchedBuffer::from_slice(&stream, [4, 4], &numbers(16)).unwrap();
    // SAFETY: only `buffer` frees the memory.
    let other = unsafe {
        PitchedBuffer::<u32>::from_raw(
            buffer.as_device_ptr(),
            buffer.layout(),
            4 * buffer.pitch(),
            &stream,
        )
    };
    let alias = Alias(Some(other.unwrap()));
    let copy = RegionCopy::new([2, 2]);
    for at in [[0, 0], [1, 0], [0, 1], [1, 1]] {
        let error = copy
            .target_at(at)
            .enqueue(&stream, &mut buffer, &alias)
            .unwrap_err();
        let shown = "overlap: 2 x 2 elements of 4 bytes, from device memory at 0x";
        assert!(error.to_string().contains(shown), "{error}");
    }
    for at in [[2, 0], [2, 1], [0, 2], [2, 2]] {
        copy.target_at(at)
            .enqueue(&stream, &mut buffer, &alias)
            .unwrap();
    }
    let wanted = [1, 2, 1, 2, 5, 6, 1, 2, 1, 2, 1, 2, 5, 6, 5, 6];
    assert_eq!(buffer.to_vec(&stream).unwrap(), wanted);
}

#[test]
fn empty_region_copies_make_no_calls() -> Result<()> {
    let (_, stream) = device();
    let source = PitchedBuffer::<u32>::zeroed(&stream, [4, 4])?;
    let mut target = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
    for extent in [[0, 4], [4, 0]] {
        RegionCopy::new(extent)
            .enqueue(&stream, &mut target.pitched_mut([3, 1])?, &source)
            .unwrap_err();
        let mut none = PitchedBuffer::<u32>::zeroed(&stream, extent)?;
        RegionCopy::new(extent).enqueue(&stream, &mut none, &source)?;
    }
    assert_eq!(target.to_vec(&stream)?, [1, 2, 3]);
    // A linear side is a single row.
    RegionCopy::new(2)
        .target_at(1)
        .source_at([2, 3])
        .enqueue(&stream, &mut target, &source)?;
    assert_eq!(target.to_vec(&stream)?, [1, 0, 0]);
    Ok(())
}

#[test]
fn region_copies_are_ordered_with_both_streams() {
    let (context, stream) = device();
    let other = Stream::new(&context).unwrap();
    for _ in 0..20 {
        let mut source = PitchedBuffer::<u32>::zeroed(&stream, [1000, 100]).unwrap();
        source.fill(&stream, 7).unwrap();
        let mut target = PitchedBuffer::<u32>::zeroed(&other, [1000, 100]).unwrap();
        target.copy_from(&other, &source).unwrap();
        source.fill(&stream, 8).unwrap(); // runs after the copy
        assert_eq!(target.to_vec(&other).unwrap(), vec![7; 100_000]);
    }
}

#[test]
fn row_counts_that_overflow_are_rejected() {
    let (_, stream) = device();
    assert!(Region::linear::<u32>(0, [5, 0], &stream).is_some());
    for extent in [
        [usize::MAX, 0],
        [usize::MAX / 2, 1],
        [usize::MAX, usize::MAX],
    ] {
        assert!(Region::linear::<u32>(0, extent, &stream).is_none());
    }
}
