//! Memory of another library, which that library keeps alive until this library's work has
//! finished.

use std::{any::Any, fmt};

use cuda_safe::{
    DeviceMemory, Owner, Settled, Stream,
    memory::{Storage, StorageMut},
};

/// An object that frees the memory when it is dropped.
type Keeper = Box<dyn Any + Send + Sync>;

/// Memory of another library, used in the order of one of this library's streams.
pub(crate) struct Foreign {
    address: u64,
    stream: Stream,
    read_only: bool,
    /// The stream in whose order the other library reuses the memory.
    producer: Option<Stream>,
    keeper: Option<Keeper>,
}

impl Foreign {
    /// Wraps memory of another library.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `address` is device memory of `bytes` bytes in the stream's context, which stays valid
    ///   until the keeper is dropped;
    /// - work enqueued on `stream` from now on may read the memory, and write it unless it is
    ///   `read_only`;
    /// - if `producer` is given, the memory may be reused once that stream has been made to wait
    ///   for `stream`.
    pub(crate) unsafe fn memory(
        address: u64,
        bytes: usize,
        stream: &Stream,
        read_only: bool,
        producer: Option<&Stream>,
        keeper: Keeper,
    ) -> DeviceMemory<Self, u8> {
        let storage = Self {
            address,
            stream: stream.clone(),
            read_only,
            producer: producer.cloned(),
            keeper: Some(keeper),
        };
        // SAFETY: the caller ensures that this many bytes are valid.
        unsafe { DeviceMemory::from_storage(storage, bytes) }
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Returns whether the memory can be returned to the other library.
    fn is_over(&self) -> bool {
        if self.address == 0 {
            return true;
        }
        let producer = self.producer.as_ref();
        producer.is_some_and(|producer| producer.wait_stream(&self.stream).is_ok())
            || !matches!(self.stream.settle(), Settled::Unknown(_))
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        let keeper = self.keeper.take();
        match self.is_over() {
            true => drop(keeper),
            // A kernel may still write to the memory, so leak it.
            false => std::mem::forget(keeper),
        }
    }
}

// SAFETY: the contract of `memory` guarantees valid memory. It is returned after the stream's work
// has finished, or never.
unsafe impl Storage for Foreign {
    const NAME: &'static str = "Foreign";

    fn as_device_ptr(&self) -> u64 {
        self.address
    }

    fn owner(&self) -> Owner<'_> {
        Owner::Stream(&self.stream)
    }
}

// SAFETY: arrays write to it only if it is not `is_read_only`. The functions that create such
// arrays require that the other library's work is ordered with the stream.
unsafe impl StorageMut for Foreign {}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Foreign({:#x} on {:?})", self.address, self.stream)
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::Context;

    use super::*;

    #[test]
    fn memory_of_another_library_names_its_address_and_stream() {
        let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
        // SAFETY: the memory is empty.
        let memory = unsafe { Foreign::memory(0, 0, &stream, true, None, Box::new(())) };
        let text = format!("{:?}", memory.storage());
        assert_eq!(text, format!("Foreign(0x0 on {stream:?})"));
        assert!(memory.storage().is_read_only());
    }
}
