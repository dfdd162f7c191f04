//! Memory of another library, kept alive by it until this library's work is over.

use std::{any::Any, fmt};

use cuda_safe::{
    DeviceMemory, Owner, Settled, Stream,
    memory::{Storage, StorageMut},
};

/// What gives memory back when it is dropped.
pub(super) type Keeper = Box<dyn Any + Send + Sync>;

/// Memory of another library, used in the order of a stream of ours.
pub(crate) struct Foreign {
    address: u64,
    stream: Stream,
    read_only: bool,
    /// The stream in whose order the other library uses the memory again.
    behind: Option<Stream>,
    keeper: Option<Keeper>,
}

impl Foreign {
    /// # Safety
    /// Device memory of so many bytes in the stream's context, which stays until the keeper is dropped, on whatever
    /// thread. What is enqueued on `stream` from now on may read it, and write to it unless it is `read_only`. If `behind`
    /// is given, it is enough if that stream waits for `stream` before the keeper is dropped.
    pub(super) unsafe fn memory(
        address: u64,
        bytes: usize,
        stream: &Stream,
        read_only: bool,
        behind: Option<&Stream>,
        keeper: Keeper,
    ) -> DeviceMemory<Self, u8> {
        let storage = Self {
            address,
            stream: stream.clone(),
            read_only,
            behind: behind.cloned(),
            keeper: Some(keeper),
        };
        // SAFETY: room for so many bytes, by this function's contract.
        unsafe { DeviceMemory::from_storage(storage, bytes) }
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Whether the other library may have the memory back.
    fn is_over(&self) -> bool {
        if self.address == 0 {
            return true;
        }
        let behind = self.behind.as_ref();
        behind.is_some_and(|behind| behind.wait_stream(&self.stream).is_ok())
            || !matches!(self.stream.settle(), Settled::Unknown(_))
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        let keeper = self.keeper.take();
        match self.is_over() {
            true => drop(keeper),
            // A kernel may still write to it.
            false => std::mem::forget(keeper),
        }
    }
}

// SAFETY: by the contract of `memory`; it is given back after the stream's work, or not at all.
unsafe impl Storage for Foreign {
    const NAME: &'static str = "Foreign";

    fn as_device_ptr(&self) -> u64 {
        self.address
    }

    fn owner(&self) -> Owner<'_> {
        Owner::Stream(&self.stream)
    }
}

// SAFETY: arrays write to it only where `is_read_only` allows it. What the other library does meanwhile is ordered with
// the stream, by the contracts of those who make arrays of it.
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
        // SAFETY: no memory at all.
        let memory = unsafe { Foreign::memory(0, 0, &stream, true, None, Box::new(())) };
        let text = format!("{:?}", memory.storage());
        assert_eq!(text, format!("Foreign(0x0 on {stream:?})"));
        assert!(memory.storage().is_read_only());
    }
}
