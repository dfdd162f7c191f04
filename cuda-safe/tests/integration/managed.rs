//! Managed memory, which the host and the device use in turns.

use cuda_safe::{DeviceBuffer, LaunchConfig, ManagedBuffer, Stream};

use crate::{compile, device};

const SLOW_DOUBLE: &str = r#"
extern "C" __global__ void slow_double(unsigned *x, unsigned rounds) {
    unsigned wasted = 0;
    for (unsigned i = 0; i < rounds; ++i) wasted += i * wasted + clock();
    x[threadIdx.x] = 2 * x[threadIdx.x] + (wasted == 12345 && rounds == 0);
}"#;

#[test]
fn host_access_waits_for_the_device() {
    let (context, stream) = device();
    let slow_double = compile(&context, SLOW_DOUBLE, "slow_double");
    let mut x = ManagedBuffer::<u32>::zeroed(&stream, 32).unwrap();
    assert_eq!(x.host().unwrap(), [0; 32]);
    for (i, value) in x.host_mut().unwrap().iter_mut().enumerate() {
        *value = i as u32;
    }
    for _ in 0..3 {
        // SAFETY: there are 32 threads and 32 elements.
        unsafe { slow_double.launch(&stream, LaunchConfig::new(1, 32), (&mut x, 1000u32)) }
            .unwrap();
    }
    let expected: Vec<u32> = (0..32).map(|i| 8 * i).collect();
    assert_eq!(x.host().unwrap(), expected);
    assert_eq!(x.stream(), &stream);
    x.close().unwrap();
}

#[test]
fn managed_memory_supports_copies_and_slices() {
    let (context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let mut x = ManagedBuffer::<u16>::zeroed(&stream, 6).unwrap();
    // On another stream, ordered with the buffer's own stream.
    x.slice_mut(1..3).unwrap().fill(&other, 7).unwrap();
    x.slice_mut(4..)
        .unwrap()
        .copy_from_slice(&other, &[8, 9])
        .unwrap();
    assert_eq!(x.host().unwrap(), [0, 7, 7, 0, 8, 9]);
    let mut copy = DeviceBuffer::<u16>::zeroed(&stream, 2).unwrap();
    copy.copy_from(&stream, &x.slice(3..5).unwrap()).unwrap();
    assert_eq!(copy.to_vec(&stream).unwrap(), [0, 8]);
    assert!(format!("{x:?}").starts_with("ManagedBuffer(0x"), "{x:?}");
}

#[test]
fn empty_managed_buffer_needs_no_memory() {
    let (_, stream) = device();
    let mut none = ManagedBuffer::<u64>::zeroed(&stream, 0).unwrap();
    assert_eq!(none.host().unwrap(), [0u64; 0]);
    assert!(none.host_mut().unwrap().is_empty());
    assert_eq!(none.as_device_ptr(), 0);
    none.close().unwrap();
}
