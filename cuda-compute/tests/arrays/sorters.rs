//! Sorts of device memory.

use cuda_compute::{Kernels, Ordered, Sorter};
use cuda_safe::{Context, DeviceBuffer, Stream};

use crate::{
    failure::failure,
    sort_keys::{Key, random_keys, sorted_places},
    stream,
};

fn pick<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&place| values[place]).collect()
}

fn sorted_by<K: Key + Ordered>(lengths: &[usize]) {
    let stream = stream();
    let most = lengths.iter().copied().max().unwrap();
    let mut sorter = Sorter::<K, u64>::new(&stream, most).unwrap();
    assert_eq!(sorter.capacity(), most);
    let bits = |keys: &[K]| -> Vec<u64> { keys.iter().map(|&key| key.to_bits()).collect() };
    for &length in lengths {
        let host = random_keys::<K>(length, 5000);
        let values: Vec<u64> = (0..length as u64).map(|i| i << 33).collect();
        for descending in [false, true] {
            let places = sorted_places(&host, descending);
            let mut keys = DeviceBuffer::from_slice(&stream, &host).unwrap();
            match descending {
                false => sorter.sort(&mut keys).unwrap(),
                true => sorter.sort_descending(&mut keys).unwrap(),
            }
            let wanted = bits(&pick(&host, &places));
            assert!(
                bits(&keys.to_vec(&stream).unwrap()) == wanted,
                "{:?} {length}",
                K::DATA_TYPE
            );
            // On another stream.
            let other = Stream::new(stream.context()).unwrap();
            let mut keys = DeviceBuffer::from_slice(&other, &host).unwrap();
            let mut moved = DeviceBuffer::from_slice(&other, &values).unwrap();
            match descending {
                false => sorter.sort_by_key(&mut keys, &mut moved).unwrap(),
                true => sorter
                    .sort_by_key_descending(&mut keys, &mut moved)
                    .unwrap(),
            }
            assert!(
                bits(&keys.to_vec(&other).unwrap()) == wanted,
                "{:?} {length}",
                K::DATA_TYPE
            );
            assert!(moved.to_vec(&other).unwrap() == pick(&values, &places));
        }
    }
}

#[test]
fn device_memory_is_sorted_in_place() {
    sorted_by::<u32>(&[1, 1000, 9000]);
    sorted_by::<f64>(&[0, 4097]);
    sorted_by::<i8>(&[9, 8193]);
    sorted_by::<u16>(&[8200]);
}

#[test]
fn sorts_can_be_captured() {
    let stream = stream();
    let mut sorter = Sorter::<f32>::new(&stream, 10_000).unwrap();
    let mut keys = DeviceBuffer::<f32>::zeroed(&stream, 10_000).unwrap();
    sorter.sort(&mut keys).unwrap(); // compiles the kernels
    // SAFETY: the keys and the sorter outlive the graph.
    let graph = unsafe { stream.capture(|_| sorter.sort(&mut keys)) }.unwrap();
    let mut graph = graph.instantiate().unwrap();
    for seed in [20, 30] {
        let host: Vec<f32> = random_keys(10_000, seed);
        keys.copy_from_slice(&stream, &host).unwrap();
        graph.launch(&stream).unwrap();
        let wanted = pick(&host, &sorted_places(&host, false));
        let bits = |keys: &[f32]| -> Vec<u32> { keys.iter().map(|key| key.to_bits()).collect() };
        assert!(bits(&keys.to_vec(&stream).unwrap()) == bits(&wanted));
    }
}

#[test]
fn sorters_reject_wrong_lengths() {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let kernels = Kernels::new(&context).unwrap();
    let mut sorter = Sorter::<u32, u8>::with_kernels(&kernels, &stream, 4).unwrap();
    let mut keys = DeviceBuffer::<u32>::zeroed(&stream, 5).unwrap();
    failure(sorter.sort(&mut keys)).mentions("5 keys exceed the sorter's capacity of 4");
    let mut values = DeviceBuffer::<u8>::zeroed(&stream, 3).unwrap();
    let four = &mut keys.slice_mut(1..).unwrap();
    failure(sorter.sort_by_key(four, &mut values)).mentions("4 keys can't be sorted with 3 values");
}
