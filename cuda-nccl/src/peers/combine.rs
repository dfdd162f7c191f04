//! The kernel that combines the corresponding elements of all ranks, in the order of ranks.

use std::ffi::c_void;

use cuda_safe::{Context, Function, LaunchConfig, Module, Program, Stream};

use crate::{
    element::{DataType, Reduction},
    error::Result,
};

/// The number of addresses the kernel takes. Common hosts have at most this number of devices.
pub(super) const MOST_RANKS: usize = 16;
const THREADS: u32 = 512;

/// A kernel for a type, an operation and a number of inputs.
#[derive(Debug)]
pub(super) struct Combine {
    kernel: Function,
    inputs: usize,
    /// The number of blocks that can be resident on the device at the same time.
    most_blocks: u32,
}

impl Combine {
    pub(super) fn compile(
        context: &Context,
        data: DataType,
        reduction: Reduction,
        inputs: usize,
    ) -> Result<Self> {
        let element = match data {
            DataType::I8 => "signed char",
            DataType::U8 => "unsigned char",
            DataType::I32 => "int",
            DataType::U32 => "unsigned",
            DataType::I64 => "long long",
            DataType::U64 => "unsigned long long",
            DataType::F16 => "Half",
            DataType::Bf16 => "Bfloat",
            DataType::F32 => "float",
            DataType::F64 => "double",
        };
        let operation = match reduction {
            Reduction::Sum => "SUM",
            Reduction::Product => "PRODUCT",
            Reduction::Min => "MIN",
            Reduction::Max => "MAX",
            Reduction::Mean => "MEAN",
        };
        let program = Program::new(include_str!("combine.cu"))
            .name("combine.cu")
            .define("ELEMENT", element)
            .define("OPERATION", operation)
            .define("INPUTS", inputs);
        let kernel = Module::compile(context, program)?.function("combine")?;
        let resident = kernel.max_active_blocks(THREADS, 0)?.max(1);
        Ok(Self {
            inputs,
            most_blocks: resident * context.device().multiprocessor_count()?,
            kernel,
        })
    }

    /// Enqueues the combination of `count` elements of each input into `to`, which may be one of
    /// the inputs.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `inputs` has one address per input of the kernel;
    /// - in the order of `stream`, each input has `count` elements of the kernel's type that the
    ///   stream's device may read;
    /// - in the order of `stream`, `to` has space for `count` elements that the device may write.
    pub(super) unsafe fn launch(
        &self,
        stream: &Stream,
        inputs: &[u64],
        mut to: u64,
        count: usize,
        element_bytes: usize,
    ) -> Result<()> {
        debug_assert_eq!(inputs.len(), self.inputs);
        let mut addresses = [0u64; MOST_RANKS];
        addresses[..inputs.len()].copy_from_slice(inputs);
        let mut aligned = i32::from(inputs.iter().chain([&to]).all(|address| address % 16 == 0));
        let vectors = (count * element_bytes).div_ceil(16);
        let blocks = vectors.div_ceil(THREADS as usize);
        let blocks = blocks.clamp(1, self.most_blocks as usize) as u32;
        let mut count = count as u64;
        let mut pointers: [*mut c_void; 4] = [
            (&raw mut addresses).cast(),
            (&raw mut to).cast(),
            (&raw mut count).cast(),
            (&raw mut aligned).cast(),
        ];
        // SAFETY: the kernel's parameters are an array of addresses, an address, a count and an
        // int. It accesses `count` elements, which the caller guarantees.
        unsafe {
            self.kernel
                .launch_raw(stream, LaunchConfig::new(blocks, THREADS), &mut pointers)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::DeviceBuffer;

    use super::*;

    #[test]
    fn a_launch_has_at_most_as_many_blocks_as_the_device_holds() {
        let _device = crate::wait_for_device();
        let context = Context::primary(0).unwrap();
        let combine = Combine::compile(&context, DataType::U32, Reduction::Sum, 2).unwrap();
        let resident = combine.kernel.max_active_blocks(THREADS, 0).unwrap();
        let processors = context.device().multiprocessor_count().unwrap();
        assert_eq!(combine.most_blocks, resident * processors);
        assert_eq!(combine.inputs, 2);
    }

    #[test]
    fn all_elements_are_combined_from_any_address() {
        let _device = crate::wait_for_device();
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let combine = Combine::compile(&context, DataType::U8, Reduction::Max, 2).unwrap();
        const MOST: usize = 3 * 16 * THREADS as usize;
        let bytes = |factor: usize| {
            let bytes: Vec<u8> = (0..MOST + 32).map(|i| (i * factor % 251) as u8).collect();
            let memory = DeviceBuffer::from_slice(&stream, &bytes).unwrap();
            (bytes, memory)
        };
        let ((a, on_a), (b, on_b)) = (bytes(3), bytes(7));
        for at in [0, 1, 15, 16] {
            for count in [0, 1, 15, 16, 17, MOST - 1, MOST] {
                let to = DeviceBuffer::<u8>::zeroed(&stream, MOST + 32).unwrap();
                let inputs = [&on_a, &on_b].map(|memory| memory.as_device_ptr() + at as u64);
                let place = to.as_device_ptr() + at as u64;
                // SAFETY: all of it lies within the buffers, which are of this stream.
                unsafe { combine.launch(&stream, &inputs, place, count, 1) }.unwrap();
                let mut wanted = vec![0; MOST + 32];
                for i in at..at + count {
                    wanted[i] = a[i].max(b[i]);
                }
                assert!(
                    to.to_vec(&stream).unwrap() == wanted,
                    "{count} from {at} on"
                );
            }
        }
    }
}
