//! Stream-ordered allocation.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::allocations::{self, Allocation, Request};
use super::arena;
use super::backing::Backing;
use super::graph_allocations;
use super::origin::Origin;
use super::pool::Pool;
use super::recorded_work::WorkKind;
use super::stream_races;
use crate::abi::pointers::opaque;
use crate::abi::status::{Code, Result};
use crate::process::context;
use crate::queue::stream::{self, How, Piece, Stream};
use crate::system::{self, MemoryFile};

/// Allocates memory from a pool, for `cuMemAllocAsync`. The address is known at once. The memory
/// becomes accessible in stream order.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the pool is imported or its device has no context, and
/// `CUDA_ERROR_OUT_OF_MEMORY` if the pool or the device has no room.
pub fn allocate(pool: &Arc<Pool>, size: u64, stream: &Arc<Stream>) -> Result<u64> {
    pool.expect_own()?;
    if size == 0 {
        return Ok(0);
    }
    // Memory of no device belongs to the context that allocates it.
    let context = match pool.is_on_host() || pool.is_managed() {
        true => stream.context.clone(),
        false => context::on(pool.ordinal, &stream.context)?,
    };
    let attempt = || {
        let make = || {
            let request = Request {
                pool: Some(pool.clone()),
                ready: false,
                align: alignment(pool),
                ..Request::new(size, Origin::Stream)
            };
            let made = allocations::allocate(&context, request)?;
            Ok((made.base, made))
        };
        pool.take(size, make, |made| {
            allocations::free(&made, "its pool, which is full");
        })
    };
    let allocation = attempt().or_else(|code| match code {
        // Pending frees may make room.
        Code::ERROR_OUT_OF_MEMORY => {
            context.drain();
            attempt()
        }
        other => Err(other),
    })?;
    let base = allocation.base;
    let work = Box::new(move || {
        allocation.ready.store(true, Ordering::Release);
        stream_races::record_write(WorkKind::Allocate, base, allocation.size)
    });
    stream.submit(Piece::new(How::AtOnce, work));
    Ok(base)
}

/// Frees memory in stream order, for `cuMemFreeAsync`.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the address is not the start of a stream-ordered
/// allocation, or if the allocation has already been freed.
pub fn free(address: u64, stream: &Arc<Stream>) -> Result {
    let allocation = allocations::starting_at(address).ok_or(Code::ERROR_INVALID_VALUE)?;
    if allocation.origin == Origin::Graph {
        return graph_allocations::free_async(&allocation, stream);
    }
    if allocation.origin != Origin::Stream || allocation.freeing.swap(true, Ordering::AcqRel) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if let Some(pool) = &allocation.pool {
        pool.freed_on(stream.id);
    }
    let how = format!("cuMemFreeAsync on {}", stream::name_of(stream.handle));
    let work = Box::new(move || {
        let allocation: Arc<Allocation> = allocation;
        let race = stream_races::record_write(WorkKind::Free, address, allocation.size);
        allocations::free(&allocation, how);
        race
    });
    stream.submit(Piece::new(How::AtOnce, work));
    Ok(())
}

/// Returns the alignment of a pool's memory. Memory in a file is in whole pages.
fn alignment(pool: &Pool) -> u64 {
    match pool.file() {
        Some(_) => system::PAGE,
        None => arena::ALIGNMENT,
    }
}

/// A pointer exported for another process that has imported the pool.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Exported {
    magic: u64,
    file: [u64; 2],
    place: u64,
    size: u64,
    rest: [u64; 3],
}

opaque!(Exported);

/// "pool ptr"
const MAGIC: u64 = 0x706f_6f6c_2070_7472;

/// Exports a pointer to an allocation of a shared pool.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the address is not the start of such an allocation, or if
/// the pool has not been exported.
pub fn export(address: u64) -> Result<Exported> {
    let allocation = allocations::starting_at(address).ok_or(Code::ERROR_INVALID_VALUE)?;
    let pool = allocation.pool.as_ref().ok_or(Code::ERROR_INVALID_VALUE)?;
    pool.expect_own()?;
    if !pool.is_exported() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let place = pool.place_of(address).ok_or(Code::ERROR_INVALID_VALUE)?;
    let file = pool.file().and_then(MemoryFile::identity);
    let file = file.ok_or(Code::ERROR_INVALID_VALUE)?;
    Ok(Exported {
        magic: MAGIC,
        file: [file.device, file.inode],
        place,
        size: allocation.size,
        rest: [0; 3],
    })
}

/// Maps an allocation of another process's pool and returns its address.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the pointer is not an allocation of this pool, and
/// `CUDA_ERROR_OUT_OF_MEMORY` if there is no room for the mapping.
pub fn import(pool: &Arc<Pool>, exported: &Exported) -> Result<u64> {
    let file = pool.file().filter(|_| pool.is_imported);
    let file = file.ok_or(Code::ERROR_INVALID_VALUE)?;
    let identity = file.identity().ok_or(Code::ERROR_INVALID_VALUE)?;
    let end = exported.size.checked_next_multiple_of(system::PAGE);
    let end = end.and_then(|size| exported.place.checked_add(size));
    let inside = end.zip(file.size()).is_some_and(|(end, size)| end <= size);
    let known = exported.magic == MAGIC && exported.file == [identity.device, identity.inode];
    if !known || !inside || exported.size == 0 || !exported.place.is_multiple_of(system::PAGE) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let current = context::current()?;
    // Memory of no device belongs to the current context, as in [`allocate`].
    let context = match current.ordinal == pool.ordinal || pool.is_on_host() {
        true => current,
        false => context::primary(pool.ordinal),
    };
    let backing = Backing::pages(exported.size)?;
    let pages = exported.size.next_multiple_of(system::PAGE);
    // SAFETY: addresses just allocated, in whole pages. The file has that many pages there.
    if !unsafe { file.map_at(backing.start(), exported.place, pages) } {
        backing.release();
        return Err(Code::ERROR_OUT_OF_MEMORY);
    }
    let pool = Some(pool.clone());
    let made = allocations::place_in(&context, backing, 0, exported.size, Origin::Stream, pool);
    Ok(made.base)
}
