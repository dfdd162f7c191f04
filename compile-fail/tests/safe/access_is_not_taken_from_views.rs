use cuda_safe::{memory::{virtual_memory::Mapping, MemoryAccess, MemoryLocation}, MemoryPool, Result, Stream};

fn mapped(mapping: &mut Mapping, stream: &Stream, device: MemoryLocation) -> Result<Vec<u32>> {
    // SAFETY: this is the only mapping.
    let view = unsafe { mapping.view::<u32>(stream)? };
    mapping.set_access(device, MemoryAccess::NONE)?;
    view.to_vec(stream)
}

fn of_a_pool(pool: &MemoryPool, device: MemoryLocation) -> Result<()> {
    pool.set_access(&[(device, MemoryAccess::NONE)])
}

fn main() {}
