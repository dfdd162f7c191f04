//! Allocations in a stream's order.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::allocations::{self, Allocation, Request};
use super::arena;
use super::backing::Ground;
use super::graph_allocations;
use super::origin::Origin;
use super::pool::Pool;
use crate::abi::pointers::opaque;
use crate::abi::status::{Code, Result};
use crate::process::context;
use crate::process::memory_file::{self, Memfd};
use crate::queue::stream::{self, How, Piece, Stream};

/// `cuMemAllocAsync`: the address is known at once, the memory may be used in the stream's order from here on.
pub fn allocate(pool: &Arc<Pool>, size: u64, stream: &Arc<Stream>) -> Result<u64> {
    pool.expect_own()?;
    if size == 0 {
        return Ok(0);
    }
    // Memory that is no device's belongs to whoever asks for it.
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
        // Frees that are still under way may make room.
        Code::ERROR_OUT_OF_MEMORY => {
            context.drain();
            attempt()
        }
        other => Err(other),
    })?;
    let base = allocation.base;
    let work = Box::new(move || {
        allocation.ready.store(true, Ordering::Release);
        Ok(())
    });
    stream.submit(Piece::new(How::AtOnce, work));
    Ok(base)
}

/// `cuMemFreeAsync`.
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
        allocations::free(&allocation, how);
        Ok(())
    });
    stream.submit(Piece::new(How::AtOnce, work));
    Ok(())
}

/// Memory of a file is whole pages.
fn alignment(pool: &Pool) -> u64 {
    match pool.file() {
        Some(_) => memory_file::PAGE,
        None => arena::ALIGNMENT,
    }
}

/// What one process says of an allocation, for another that has imported the pool.
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

/// What another process needs to reach an allocation of a pool that is shared.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for any other memory, and for an address within.
pub fn export(address: u64) -> Result<Exported> {
    let allocation = allocations::starting_at(address).ok_or(Code::ERROR_INVALID_VALUE)?;
    let pool = allocation.pool.as_ref().ok_or(Code::ERROR_INVALID_VALUE)?;
    pool.expect_own()?;
    if !pool.is_exported() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let place = pool.place_of(address).ok_or(Code::ERROR_INVALID_VALUE)?;
    let file = pool.file().and_then(Memfd::identity);
    let file = file.ok_or(Code::ERROR_INVALID_VALUE)?;
    Ok(Exported {
        magic: MAGIC,
        file: [file.device, file.inode],
        place,
        size: allocation.size,
        rest: [0; 3],
    })
}

/// An allocation of another process's pool, at an address of this one's.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for what no allocation of this pool is; `CUDA_ERROR_OUT_OF_MEMORY`.
pub fn import(pool: &Arc<Pool>, exported: &Exported) -> Result<u64> {
    let file = pool.file().filter(|_| pool.is_imported);
    let file = file.ok_or(Code::ERROR_INVALID_VALUE)?;
    let identity = file.identity().ok_or(Code::ERROR_INVALID_VALUE)?;
    let end = exported.size.checked_next_multiple_of(memory_file::PAGE);
    let end = end.and_then(|size| exported.place.checked_add(size));
    let inside = end.zip(file.size()).is_some_and(|(end, size)| end <= size);
    let known = exported.magic == MAGIC && exported.file == [identity.device, identity.inode];
    if !known || !inside || exported.size == 0 || !exported.place.is_multiple_of(memory_file::PAGE)
    {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let current = context::current()?;
    // Memory that is no device's belongs to whoever asks for it, as where it is allocated.
    let context = match current.ordinal == pool.ordinal || pool.is_on_host() {
        true => current,
        false => context::primary(pool.ordinal),
    };
    let ground = Ground::pages(exported.size)?;
    let pages = exported.size.next_multiple_of(memory_file::PAGE);
    // SAFETY: addresses just taken, in whole pages, as many as the file has there.
    if !unsafe { file.map_at(ground.start(), exported.place, pages) } {
        ground.release();
        return Err(Code::ERROR_OUT_OF_MEMORY);
    }
    let pool = Some(pool.clone());
    let made = allocations::place_in(&context, ground, 0, exported.size, Origin::Stream, pool);
    Ok(made.base)
}
