//! Copies of parts of arrays.

use cuda_safe::{
    DeviceBuffer, ErrorKind, Graph,
    array::{ArrayShape, CudaArray},
    memory::{CopyBatch, HostRegion, HostRegionMut, PitchedBuffer, RegionCopy},
};

use crate::{device, failure, since};

fn numbers(len: usize) -> Vec<u16> {
    (1..=len as u16).collect()
}

#[test]
fn region_copies_place_every_element_in_arrays() {
    let (_, stream) = device();
    let host = numbers(60);
    let source = CudaArray::from_slice(&stream, [5, 4, 3], &host).unwrap();
    let texels = source.texels::<u16>().unwrap();
    assert_eq!(texels.clone().array(), &source);
    let part = RegionCopy::new([2, 2, 2]).source_at([1, 2, 1]);
    let wanted: Vec<u16> = (0..8)
        .map(|i| host[((i / 4 + 1) * 4 + i / 2 % 2 + 2) * 5 + i % 2 + 1])
        .collect();
    // Copies to pitched memory, to the host, and to another array and back.
    let mut pitched = PitchedBuffer::<u16>::zeroed(&stream, [2, 2, 2]).unwrap();
    part.enqueue(&stream, &mut pitched, &texels).unwrap();
    assert_eq!(pitched.to_vec(&stream).unwrap(), wanted);
    let mut back = vec![0u16; 8];
    let to = HostRegionMut::new(&mut back, [2, 2, 2]).unwrap();
    part.download(&stream, to, &texels).unwrap();
    assert_eq!(back, wanted);
    let target = CudaArray::from_slice(&stream, [4, 3, 2], &[0u16; 24]).unwrap();
    let mut other = target.texels::<u16>().unwrap();
    part.target_at([2, 1])
        .enqueue(&stream, &mut other, &texels)
        .unwrap();
    let moved = RegionCopy::new([2, 2, 2]).source_at([2, 1]);
    pitched.memset_u8(&stream, 0).unwrap();
    moved.enqueue(&stream, &mut pitched, &other).unwrap();
    assert_eq!(pitched.to_vec(&stream).unwrap(), wanted);
    // Copies from the host and from linear memory, with rows that are parts of it.
    let ones = [1u16; 6];
    let row = RegionCopy::new([1, 3, 2]).target_at([1, 0]);
    row.upload(
        &stream,
        &mut other,
        HostRegion::new(&ones, [1, 3, 2]).unwrap(),
    )
    .unwrap();
    let linear = DeviceBuffer::from_slice(&stream, &numbers(8)).unwrap();
    let column = RegionCopy::new([1, 2]).source_at(3);
    column
        .enqueue(&stream, &mut other, &linear.pitched([4, 2]).unwrap())
        .unwrap();
    assert_eq!(
        target.to_vec::<u16>(&stream).unwrap()[..8],
        [4, 1, 0, 0, 8, 1, wanted[0], wanted[1]]
    );
}

#[test]
fn layers_are_copied_as_slices() {
    let (_, stream) = device();
    for shape in [ArrayShape::planes(3, 2, 4), ArrayShape::lines(6, 4)] {
        let array = CudaArray::from_slice(&stream, shape, &numbers(24)).unwrap();
        let mut layers = array.texels::<u16>().unwrap();
        let second = RegionCopy::new([3, 1, 1]).source_at([0, 0, 1]);
        let mut row = DeviceBuffer::<u16>::zeroed(&stream, 3).unwrap();
        second.enqueue(&stream, &mut row, &layers).unwrap();
        assert_eq!(row.to_vec(&stream).unwrap(), [7, 8, 9]);
        // Copies between layers of the same array. For planes, drivers report success but do not
        // copy, so the library rejects such copies.
        let source = layers.clone();
        let (copy, moved) = (second.target_at([0, 0, 3]), [18, 7, 8, 9, 22, 23, 24]);
        match shape.height() {
            1 => copy.enqueue(&stream, &mut layers, &source).unwrap(),
            _ => {
                let error = copy.enqueue(&stream, &mut layers, &source).unwrap_err();
                assert_eq!(*error.kind(), ErrorKind::Unsupported, "{error}");
                let back = RegionCopy::new([3, 1, 1]).target_at([0, 0, 3]);
                back.enqueue(&stream, &mut layers, &row).unwrap();
            }
        }
        assert_eq!(array.to_vec::<u16>(&stream).unwrap()[17..], moved);
        // Copies within a layer and to a layer of another array.
        let other = CudaArray::from_slice(&stream, shape, &[0u16; 24]).unwrap();
        let mut others = other.texels::<u16>().unwrap();
        copy.enqueue(&stream, &mut others, &source).unwrap();
        assert_eq!(other.to_vec::<u16>(&stream).unwrap()[18..21], [7, 8, 9]);
        let within = RegionCopy::new(1).target_at(1);
        within.enqueue(&stream, &mut layers, &source).unwrap();
        assert_eq!(array.to_vec::<u16>(&stream).unwrap()[..3], [1, 1, 3]);
        for (copy, text) in [
            (second.source_at([0, 0, 4]), "the source has 4 slices"),
            (second.target_at([0, 0, 1]), "overlap"),
        ] {
            failure(copy.enqueue(&stream, &mut layers, &source)).mentions(text);
        }
    }
}

#[test]
fn batches_and_graphs_accept_arrays() {
    let (context, stream) = device();
    let array = CudaArray::from_slice(&stream, [4, 2], &numbers(8)).unwrap();
    let texels = array.texels::<u16>().unwrap();
    let mut part = PitchedBuffer::<u16>::zeroed(&stream, [2, 2]).unwrap();
    let copy = RegionCopy::new([2, 2]).source_at(1);
    let mut batch = CopyBatch::new();
    batch.copy(copy, &mut part, &texels).unwrap();
    if let Some(result) = since(12, 8, batch.enqueue(&stream)) {
        result.unwrap();
        assert_eq!(part.to_vec(&stream).unwrap(), [2, 3, 6, 7]);
    }
    assert!(
        format!("{texels:?}").starts_with("ArrayTexels(CudaArray(0x"),
        "{texels:?}"
    );
    let mut graph = Graph::new(&context).unwrap();
    let (from, to) = (graph.keep_region(texels), graph.keep_region(part));
    graph
        .add_region_copy(&[], copy.source_at([2, 0]), to, from)
        .unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    assert_eq!(
        exec.region(to).unwrap().to_vec(&stream).unwrap(),
        [3, 4, 7, 8]
    );
    assert_eq!(exec.region(from).unwrap().array(), &array);
}

#[test]
fn copies_check_the_format() {
    let (_, stream) = device();
    let array = CudaArray::from_slice(&stream, [4, 2], &numbers(8)).unwrap();
    for error in [
        array.texels::<i16>().unwrap_err(),
        array.texels::<[u8; 2]>().unwrap_err(),
    ] {
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
}

#[test]
fn overlap_errors_show_the_extent() {
    let (_, stream) = device();
    let array = CudaArray::from_slice(&stream, [5, 4, 3], &numbers(60)).unwrap();
    let source = array.texels::<u16>().unwrap();
    let mut target = source.clone();
    for (extent, shown) in [
        ([3, 1, 1], "3 elements"),
        ([3, 2, 1], "3 x 2 elements"),
        ([3, 1, 2], "3 x 1 x 2 elements"),
        ([3, 2, 3], "3 x 2 x 3 elements"),
    ] {
        let copy = RegionCopy::new(extent);
        let error = copy.enqueue(&stream, &mut target, &source).unwrap_err();
        let shown = format!("overlap: {shown} of 2 bytes, from an array to an array");
        assert!(error.to_string().contains(&shown), "{error}");
    }
}
