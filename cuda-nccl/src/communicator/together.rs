//! NCCL group calls: several calls of one or several communicators.

use std::{collections::HashSet, sync::MutexGuard};

use cuda_safe::Stream;

use super::{
    call::Call,
    current::enter,
    inner::{Inner, Work},
    watch::Busy,
};
use crate::{error::Result, sys};

/// The owner of the calls' streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Streams {
    /// The user. The end of the communicator waits for these streams.
    Given,
    /// The caller, which waits for them itself.
    Own,
}

/// The name in errors of the group as a whole.
const END: &str = "ncclGroupEnd";

/// Enqueues all calls, or none if NCCL rejects a call.
///
/// # Safety
/// The requirements of [`Call::make`] apply to each call.
pub(super) unsafe fn enqueue(calls: &[(&Inner, Call, &Stream)], streams: Streams) -> Result<()> {
    let Some((first, ..)) = calls.first() else {
        return Ok(());
    };
    let library = first.library;
    let functions = library.functions();
    let start = library.need("ncclGroupStart", functions.ncclGroupStart)?;
    let end = library.need(END, functions.ncclGroupEnd)?;
    let _current = enter(&first.context).map_err(|error| first.failed(error))?;
    let mut works = Locked::all(calls.iter().map(|(inner, ..)| *inner))?;
    let marked = match streams {
        Streams::Given => each_stream(calls),
        Streams::Own => Vec::new(),
    };
    // Done before the other ranks see the calls, since it may fail.
    for of_one in marked.chunk_by(|(one, _), (other, _)| std::ptr::eq(*one, *other)) {
        works.prepare(of_one)?;
    }
    for (inner, call, _) in calls {
        works.compare(inner, call)?;
    }
    let mut failed: Option<(&'static str, sys::ncclResult_t)> = None;
    let mut lacks = None;
    {
        let _busy = works.busy();
        // SAFETY: ended below, on this thread.
        let started = unsafe { start() };
        if started != sys::ncclResult_t::ncclSuccess {
            failed = Some(("ncclGroupStart", started));
        } else {
            for (inner, call, stream) in calls {
                let comm = works.comm(inner);
                let name = call.kind.name();
                // SAFETY: guaranteed by this function's caller.
                match unsafe { call.make(functions, comm, stream) } {
                    Some(sys::ncclResult_t::ncclSuccess) => {}
                    Some(result) => _ = failed.get_or_insert((name, result)),
                    None => _ = lacks.get_or_insert(name),
                }
            }
            // SAFETY: started above, on this thread.
            let ended = unsafe { end() };
            if ended != sys::ncclResult_t::ncclSuccess {
                failed.get_or_insert((END, ended));
            }
        }
    }
    if let Some(name) = lacks {
        library.need::<()>(name, None)?;
    }
    let (call, result) = failed.unwrap_or((END, sys::ncclResult_t::ncclSuccess));
    works.after(call, result)?;
    marked
        .into_iter()
        .try_for_each(|(inner, stream)| works.mark(inner, stream))
}

/// Returns the streams of each communicator without duplicates. The streams of one communicator are
/// adjacent.
fn each_stream<'a>(calls: &[(&'a Inner, Call, &'a Stream)]) -> Vec<(&'a Inner, &'a Stream)> {
    let mut known = HashSet::new();
    let all = calls.iter().map(|(inner, _, stream)| (*inner, *stream));
    let mut each: Vec<(&Inner, &Stream)> = all
        .filter(|(inner, stream)| known.insert((std::ptr::from_ref(*inner), stream.as_raw())))
        .collect();
    each.sort_by_key(|(inner, _)| std::ptr::from_ref(*inner));
    each
}

/// The locks of several communicators, without duplicates, in the order of their addresses. A
/// common order prevents deadlocks.
struct Locked<'a>(Vec<(&'a Inner, MutexGuard<'a, Work>)>);

impl<'a> Locked<'a> {
    fn all(inners: impl Iterator<Item = &'a Inner>) -> Result<Self> {
        let mut inners: Vec<&Inner> = inners.collect();
        inners.sort_by_key(|inner| std::ptr::from_ref(*inner));
        inners.dedup_by_key(|inner| std::ptr::from_ref(*inner));
        let mut locked = Vec::with_capacity(inners.len());
        for inner in inners {
            let mut work = inner.lock();
            inner.usable(&mut work)?;
            locked.push((inner, work));
        }
        Ok(Self(locked))
    }

    fn find(&mut self, inner: &Inner) -> Option<&mut Work> {
        let place = std::ptr::from_ref(inner);
        let found = self
            .0
            .binary_search_by_key(&place, |(other, _)| std::ptr::from_ref(*other));
        found.ok().map(|number| &mut *self.0[number].1)
    }

    fn comm(&mut self, inner: &Inner) -> sys::ncclComm_t {
        self.find(inner)
            .map_or(std::ptr::null_mut(), |work| work.comm)
    }

    /// Compares a call with those of the ranks in this process.
    fn compare(&mut self, inner: &Inner, call: &Call) -> Result<()> {
        match self.find(inner) {
            Some(work) => inner.compare(work, call),
            None => Ok(()),
        }
    }

    /// Prepares the streams of one communicator.
    fn prepare(&mut self, streams: &[(&Inner, &Stream)]) -> Result<()> {
        let Some((inner, _)) = streams.first() else {
            return Ok(());
        };
        let streams = streams.iter().map(|(_, stream)| *stream);
        self.find(inner)
            .map_or(Ok(()), |work| inner.prepare(work, streams))
    }

    fn mark(&mut self, inner: &Inner, stream: &Stream) -> Result<()> {
        self.find(inner)
            .map_or(Ok(()), |work| inner.mark(work, stream))
    }

    /// Watches all of them until the result is dropped.
    fn busy(&self) -> Vec<Busy<'a>> {
        let inners = self.0.iter().map(|(inner, _)| *inner);
        inners.map(|inner| Busy::begin(&inner.calls)).collect()
    }

    /// Applies the result of a group to all communicators.
    fn after(&mut self, call: &'static str, result: sys::ncclResult_t) -> Result<()> {
        let mut all = Ok(());
        for (inner, work) in &mut self.0 {
            let one = inner.after(call, result, work);
            all = all.and(one);
        }
        all
    }
}
