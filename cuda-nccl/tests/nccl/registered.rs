//! Memory allocated by NCCL, and registered memory.

use cuda_nccl::{NcclAllocated, Reduction};
use cuda_safe::DeviceBuffer;

use crate::pair::{options, ranks, turn};

#[test]
fn registered_memory_is_reduced() {
    let Some(_turn) = turn() else { return };
    ranks(&options(), |rank, stream| {
        let mut memory = NcclAllocated::zeroed::<f32>(stream, 1 << 20).unwrap();
        memory.fill(stream, rank.rank() as f32 + 1.0).unwrap();
        let mut data = rank.register(memory).unwrap();
        for round in 0..3 {
            rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
            rank.wait(stream).unwrap();
            assert_eq!(
                data.slice(..2).unwrap().to_vec(stream).unwrap(),
                [3.0 * (1 << round) as f32; 2]
            );
        }
        let len = data.len();
        drop(data.into_storage().into_inner());
        assert_eq!(len, 1 << 20);
        // Memory of the driver's pools, which NCCL may copy nevertheless.
        let memory = DeviceBuffer::from_slice(stream, &[1u64; 100]).unwrap();
        let mut data = rank.register(memory).unwrap();
        rank.all_reduce(stream, &mut data, Reduction::Sum).unwrap();
        assert_eq!(data.to_vec(stream).unwrap(), [2; 100]);
        let none = rank
            .register(DeviceBuffer::<u8>::zeroed(stream, 0).unwrap())
            .unwrap();
        assert!(none.is_empty());
        NcclAllocated::zeroed::<u8>(stream, 77)
            .unwrap()
            .close()
            .unwrap();
    });
}
