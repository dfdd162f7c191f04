//! Allocations in a stream's order.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::context;
use super::graph_memory;
use super::memory::{self, Allocation, Origin, Request};
use super::pool::Pool;
use super::status::{Code, Result};
use super::stream::{self, How, Piece, Stream};

/// `cuMemAllocAsync`: the address is known at once, the memory may be used in the stream's order from here on.
pub fn allocate(pool: &Arc<Pool>, size: u64, stream: &Arc<Stream>) -> Result<u64> {
    if size == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let context = context::on(pool.ordinal, &stream.context)?;
    let attempt = || {
        pool.take(size)?;
        let request = Request {
            pool: Some(pool.clone()),
            ready: false,
            ..Request::new(size, Origin::Stream)
        };
        memory::allocate(&context, request).inspect_err(|_| pool.returned(size))
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
    let allocation = memory::starting_at(address).ok_or(Code::ERROR_INVALID_VALUE)?;
    if allocation.origin == Origin::Graph {
        return graph_memory::free_async(&allocation, stream);
    }
    if allocation.origin != Origin::Stream || allocation.freeing.swap(true, Ordering::AcqRel) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let how = format!("cuMemFreeAsync on {}", stream::name_of(stream.handle));
    let work = Box::new(move || {
        let allocation: Arc<Allocation> = allocation;
        memory::free(&allocation, how);
        Ok(())
    });
    stream.submit(Piece::new(How::AtOnce, work));
    Ok(())
}
