//! Memory in rows and slices: layout, fills, rectangles and kernels.

use cuda_safe::{
    DeviceBuffer, DeviceViewMut, ErrorKind, LaunchConfig, Stream,
    memory::{Extent, Layout, PitchedBuffer, PitchedView},
};

use crate::{compile, device, failure, rejection};

/// Returns 0, 1, 2 and so on.
fn numbers(len: usize) -> Vec<u32> {
    (0..len as u32).collect()
}

#[test]
fn driver_chooses_the_pitch() {
    let (_, stream) = device();
    for (width, least) in [(1, 4), (100, 400), (129, 516), (5000, 20000)] {
        let buffer = PitchedBuffer::<u32>::zeroed(&stream, [width, 3]).unwrap();
        let pitch = buffer.pitch();
        assert!(pitch >= least && pitch.is_multiple_of(4), "{pitch}");
        assert_eq!(
            (buffer.width(), buffer.height(), buffer.depth()),
            (width, 3, 1)
        );
        assert_eq!((buffer.len(), buffer.slice_pitch()), (3 * width, 3 * pitch));
        assert_eq!(buffer.to_vec(&stream).unwrap(), vec![0; 3 * width]);
        assert_eq!(buffer.stream(), &stream);
        let text = format!("{buffer:?}");
        assert!(
            text.contains(&format!("{width}x3x1, pitch {pitch}")),
            "{text}"
        );
        buffer.close().unwrap();
    }
    let wide = PitchedBuffer::<[f64; 2]>::zeroed(&stream, [3, 2, 2]).unwrap();
    assert!(wide.pitch().is_multiple_of(16) && wide.as_device_ptr().is_multiple_of(16));
    assert_eq!(wide.to_vec(&stream).unwrap(), [[0.0; 2]; 12]);
}

#[test]
fn empty_pitched_buffers_are_allowed() {
    let (_, stream) = device();
    for extent in [[0, 3, 2], [3, 0, 2], [3, 2, 0], [0, 0, 0]] {
        let mut buffer = PitchedBuffer::<u32>::zeroed(&stream, extent).unwrap();
        assert!(buffer.is_empty() && buffer.as_device_ptr() == 0);
        buffer.fill(&stream, 1).unwrap();
        buffer.copy_from_slice(&stream, &[]).unwrap();
        assert!(buffer.to_vec(&stream).unwrap().is_empty());
    }
    let some = PitchedBuffer::<u32>::zeroed(&stream, [3, 2]).unwrap();
    assert!(!some.is_empty() && some.part([3, 2], [0, 0]).unwrap().is_empty());
}

#[test]
fn pitched_copies_round_trip() {
    let (_, stream) = device();
    let host = numbers(5 * 3 * 2);
    let mut buffer = PitchedBuffer::from_slice(&stream, [5, 3, 2], &host).unwrap();
    assert_eq!(buffer.extent(), Extent::from([5, 3, 2]));
    assert_eq!(buffer.to_vec(&stream).unwrap(), host);
    let mut back = vec![0; 30];
    buffer.copy_to_slice(&stream, &mut back).unwrap();
    assert_eq!(back, host);
    let mut other = PitchedBuffer::<u32>::zeroed(&stream, [5, 3, 2]).unwrap();
    other.copy_from(&stream, &buffer).unwrap();
    assert_eq!(other.to_vec(&stream).unwrap(), host);
    for result in [
        buffer.copy_from_slice(&stream, &host[1..]),
        buffer.copy_to_slice(&stream, &mut back[1..]),
        PitchedBuffer::from_slice(&stream, [5, 3], &host).map(drop),
        PitchedBuffer::from_slice(&stream, [usize::MAX, 3], &host).map(drop),
        PitchedBuffer::<u32>::uninit(&stream, [usize::MAX / 2, 1]).map(drop),
        other.copy_from(&stream, &buffer.part(0, [5, 3]).unwrap()),
    ] {
        rejection(result);
    }
    let huge = PitchedBuffer::<u8>::uninit(&stream, [1 << 30, 1 << 30]).unwrap_err();
    assert!(
        matches!(huge.kind(), ErrorKind::OutOfMemory { requested, .. } if *requested == 1 << 60),
        "{huge}"
    );
}

/// Fills a rectangle with a value and checks that nothing else changes.
fn fill<T: cuda_safe::PlainData + PartialEq + std::fmt::Debug>(
    stream: &Stream,
    before: T,
    value: T,
) {
    let mut buffer = PitchedBuffer::<T>::uninit(stream, [6, 4, 3]).unwrap();
    buffer.fill(stream, before).unwrap();
    buffer
        .part_mut([1, 1, 1], [3, 2, 2])
        .unwrap()
        .fill(stream, value)
        .unwrap();
    let mut wanted = vec![before; 72];
    for z in 1..3 {
        for y in 1..3 {
            wanted[(z * 4 + y) * 6 + 1..][..3].fill(value);
        }
    }
    assert_eq!(buffer.to_vec(stream).unwrap(), wanted);
}

#[test]
fn fills_stay_within_their_rectangle() {
    let (_, stream) = device();
    fill(&stream, 1u8, 2);
    fill(&stream, 1u16, 0x0203);
    fill(&stream, 1u32, 0x0203_0405);
    fill(&stream, 1u32, 0x0707_0707);
    fill(&stream, 1u64, 0x0203_0405_0203_0405);
    fill(&stream, 1u64, 0x0203_0405_0607_0809);
    fill(&stream, [1u8; 3], [2, 3, 4]);
    fill(&stream, [1.0f32; 3], [2.0, 3.0, 4.0]);
    let mut buffer = PitchedBuffer::<u8>::zeroed(&stream, [8, 2]).unwrap();
    buffer.memset_u16(&stream, 0x0102).unwrap();
    let [a, b] = 0x0102u16.to_ne_bytes();
    assert_eq!(buffer.to_vec(&stream).unwrap(), [a, b].repeat(8));
    buffer.memset_u32(&stream, 0x0102_0304).unwrap();
    let word = 0x0102_0304u32.to_ne_bytes();
    assert_eq!(buffer.to_vec(&stream).unwrap(), word.repeat(4));
    // Rows of 3 bytes that start at an odd address.
    let mut odd = buffer.part_mut(1, [3, 2]).unwrap();
    odd.memset_u8(&stream, 9).unwrap();
    odd.memset_u32(&stream, 0x0808_0808).unwrap(); // all four bytes are equal
    for result in [odd.memset_u16(&stream, 0x0102), odd.memset_u32(&stream, 1)] {
        rejection(result);
    }
    // The pitch is aligned, but the rows start at odd addresses.
    let mut part = buffer.part_mut(1, [4, 2]).unwrap();
    part.memset_u32(&stream, 0x0102_0304).unwrap();
    assert_eq!(part.to_vec(&stream).unwrap(), word.repeat(2));
}

/// The driver's word fills need aligned addresses, but these elements have no alignment.
#[test]
fn elements_at_odd_addresses_can_be_filled() {
    fn check<const N: usize>(stream: &Stream)
    where
        [u8; N]: cuda_safe::PlainData,
    {
        let value: [u8; N] = std::array::from_fn(|i| i as u8 + 1);
        let buffer = DeviceBuffer::<u8>::zeroed(stream, 64).unwrap();
        // Rows of one element, with a pitch that is one byte longer than the element.
        let start = buffer.as_device_ptr();
        let mut wanted = vec![0; 64];
        // SAFETY: the memory is within the buffer, which nothing else uses.
        let mut odd = unsafe { DeviceViewMut::<[u8; N]>::borrow_raw(start, 4, stream) };
        let layout = Layout::new([1, 3]).pitch(N + 1);
        let mut rows = odd.pitched_mut(layout).unwrap();
        rows.fill(stream, value).unwrap();
        for row in 0..3 {
            wanted[row * (N + 1)..][..N].copy_from_slice(&value);
        }
        assert_eq!(buffer.to_vec(stream).unwrap(), wanted, "rows of {N} bytes");
        // SAFETY: as above.
        let mut odd = unsafe { DeviceViewMut::<[u8; N]>::borrow_raw(start + 39, 2, stream) };
        odd.fill(stream, value).unwrap();
        wanted[39..][..2 * N].copy_from_slice(&value.repeat(2));
        assert_eq!(buffer.to_vec(stream).unwrap(), wanted, "{N} bytes in line");
    }
    let (_, stream) = device();
    check::<2>(&stream);
    check::<3>(&stream);
    check::<4>(&stream);
    check::<8>(&stream);
}

#[test]
fn pitched_memory_can_be_split() {
    let (_, stream) = device();
    let mut image = PitchedBuffer::from_slice(&stream, [4, 3, 2], &numbers(24)).unwrap();
    let part = image.part([1, 1, 1], [2, 2]).unwrap();
    assert_eq!(part.to_vec(&stream).unwrap(), [17, 18, 21, 22]);
    let inner = part.part([1, 1], [1, 1]).unwrap();
    assert_eq!(inner.to_vec(&stream).unwrap(), [22]);
    assert_eq!(
        image
            .view()
            .row(2, 1, 1..3)
            .unwrap()
            .to_vec(&stream)
            .unwrap(),
        [21, 22]
    );
    image.row_mut(0, 1, ..2).unwrap().fill(&stream, 99).unwrap();
    let (mut left, right) = image.split_columns_mut(1).unwrap();
    assert_eq!((left.width(), right.width()), (1, 3));
    left.copy_from(&stream, &right.part(2, [1, 3, 2]).unwrap())
        .unwrap();
    let (upper, lower) = image.split_rows_mut(2).unwrap();
    assert_eq!((upper.height(), lower.height()), (2, 1));
    assert_eq!(
        lower.to_vec(&stream).unwrap(),
        [11, 9, 10, 11, 23, 21, 22, 23]
    );
    assert_eq!(
        upper.to_vec(&stream).unwrap()[..8],
        [3, 1, 2, 3, 7, 5, 6, 7]
    );
    assert_eq!(
        image.row(0, 1, ..).unwrap().to_vec(&stream).unwrap(),
        [15, 99, 14, 15]
    );
    for (result, text) in [
        (
            image.part([1, 0], [4, 1]).map(drop),
            "4 elements of a row (axis x), so 4 starting at 1",
        ),
        (
            image.part([0, 1], [4, 3]).map(drop),
            "3 rows (axis y), so 3 starting at 1",
        ),
        (
            image.part([0, 0, 2], 1).map(drop),
            "2 slices (axis z), so 1 starting at 2",
        ),
        (image.part(usize::MAX, 2).map(drop), "axis x"),
        (image.row(3, 0, ..).map(drop), "axis y"),
        (image.row(0, 0, 3..5).map(drop), "3..5"),
        (image.split_columns_mut(5).map(drop), "axis x"),
        (image.split_rows_mut(4).map(drop), "axis y"),
    ] {
        failure(result).mentions(text);
    }
}

#[test]
fn linear_memory_can_be_viewed_as_rows() {
    let (_, stream) = device();
    let mut buffer = DeviceBuffer::from_slice(&stream, &numbers(20)).unwrap();
    let padded = Layout::new([3, 2, 2]).pitch(16).slice_rows(3);
    let rows = buffer.pitched(padded).unwrap();
    assert_eq!(
        rows.to_vec(&stream).unwrap(),
        [0, 1, 2, 4, 5, 6, 12, 13, 14, 16, 17, 18]
    );
    assert_eq!(rows.layout(), padded);
    let copied: PitchedView<'_, u32> = rows;
    assert_eq!((rows.slice_pitch(), copied.pitch()), (48, 16));
    buffer
        .pitched_mut([5, 4])
        .unwrap()
        .part_mut([4, 0], [1, 4])
        .unwrap()
        .fill(&stream, 0)
        .unwrap();
    assert_eq!(
        buffer.slice(3..10).unwrap().to_vec(&stream).unwrap(),
        [3, 0, 5, 6, 7, 8, 0]
    );
    for (layout, text) in [
        (Layout::new([5, 5]), "has 80 bytes"),
        (padded.pitch(11), "the pitch of 11 bytes is too small"),
        (padded.slice_rows(1), "distance of 1 rows between slices"),
        (
            Layout::new([1, 2]).pitch(6),
            "not a multiple of the elements' alignment",
        ),
    ] {
        rejection(buffer.pitched(layout)).mentions(text);
        assert!(buffer.pitched_mut(layout).is_err());
    }
}

#[test]
fn kernels_can_use_the_pitch() {
    let (context, stream) = device();
    let source = r#"extern "C" __global__ void transpose(float *to, size_t to_pitch, const float *from, size_t from_pitch) {
        const unsigned x = threadIdx.x, y = threadIdx.y;
        float *row = (float *)((char *)to + x * to_pitch);
        row[y] = *((const float *)((const char *)from + y * from_pitch) + x);
    }"#;
    let transpose = compile(&context, source, "transpose");
    let host: Vec<f32> = (0..15u8).map(f32::from).collect();
    let from = PitchedBuffer::from_slice(&stream, [5, 3], &host).unwrap();
    let mut to = PitchedBuffer::<f32>::zeroed(&stream, [3, 5]).unwrap();
    let (to_pitch, from_pitch) = (to.pitch(), from.pitch());
    let arguments = (&mut to, to_pitch, &from, from_pitch);
    // SAFETY: there is one thread for each element of both buffers.
    unsafe { transpose.launch(&stream, LaunchConfig::new(1, (5, 3)), arguments) }.unwrap();
    let wanted: Vec<f32> = (0..15).map(|i| host[i % 3 * 5 + i / 3]).collect();
    assert_eq!(to.to_vec(&stream).unwrap(), wanted);
    // The same with parts as views: columns 1 and 2 of rows 1 and 2.
    let part = from.part([1, 1], [2, 2]).unwrap();
    let mut corner = to.part_mut([1, 3], [2, 2]).unwrap();
    let arguments = (&mut corner, to_pitch, part, from_pitch);
    // SAFETY: there is one thread for each element of both parts.
    unsafe { transpose.launch(&stream, LaunchConfig::new(1, (2, 2)), arguments) }.unwrap();
    assert_eq!(corner.to_vec(&stream).unwrap(), [6.0, 11.0, 7.0, 12.0]);
}

#[test]
fn pitched_memory_converts_to_and_from_raw() {
    let (_, stream) = device();
    let buffer = PitchedBuffer::from_slice(&stream, [3, 2], &numbers(6)).unwrap();
    let (layout, bytes) = (buffer.layout(), 2 * buffer.pitch());
    let raw = buffer.into_raw();
    // SAFETY: `into_raw` gave up the memory above.
    let again = unsafe { PitchedBuffer::<u32>::from_raw(raw, layout, bytes, &stream) }.unwrap();
    assert_eq!(again.as_device_ptr(), raw);
    assert_eq!(again.to_vec(&stream).unwrap(), numbers(6));
    // SAFETY: the call fails, and `again` still owns the memory.
    let refusal =
        unsafe { PitchedBuffer::<u32>::from_raw(raw, [3, 9].into(), bytes.min(64), &stream) };
    assert_eq!(*refusal.unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn layouts_return_row_sizes() {
    let plain = Layout::new([5, 3]);
    assert_eq!(plain.row_bytes::<u32>(), Some(20));
    assert_eq!(plain.row_bytes::<u8>(), Some(5));
    assert_eq!(plain.pitch(32).row_bytes::<u32>(), Some(32));
    assert_eq!(Layout::new([usize::MAX, 1]).row_bytes::<u16>(), None);
    assert_eq!(
        Layout::new([usize::MAX, 1]).row_bytes::<u8>(),
        Some(usize::MAX)
    );
}
