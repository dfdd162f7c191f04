//! What a graph keeps alive: everything that its nodes use.

use std::{
    any::Any,
    mem,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    host::HostFunction,
    kept::{Keep, Kept, Part},
};
use crate::{
    code::function::Function,
    error::{Error, Result},
    memory::{CopySource, PlainData},
    share::ExternalSemaphore,
    stream::{Owner, Stream, event::Event},
};

/// A number that nothing else has.
pub(super) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Something of whatever type, reached through `&mut` alone.
struct Owned(Box<dyn Any + Send>);

// SAFETY: a shared reference to this gives no access to what is inside. So a graph can say itself, in clearer words than
// `dyn Any`, that threads don't share it.
unsafe impl Sync for Owned {}

impl Owned {
    fn new(value: impl Send + 'static) -> Self {
        Self(Box::new(value))
    }

    fn get_mut(&mut self) -> &mut dyn Any {
        &mut *self.0
    }
}

/// The address of the node that needs something, so that it goes when the node is changed.
pub(super) type Tag = usize;
/// For what stays as long as the graph.
pub(super) const UNTAGGED: Tag = 0;

/// The tag of everything that a node of an executable graph was changed to. What the graph itself needs for the node stays
/// under the node's own tag, for [`GraphExec::into_graph`](super::GraphExec::into_graph).
pub(super) fn changed(tag: Tag) -> Tag {
    tag | CHANGED
}

/// Nodes are at even addresses.
const CHANGED: Tag = 1;

/// What a graph keeps alive. Its memory is reached through the graph alone, by tokens.
#[derive(Default)]
pub(super) struct Held {
    memory: Vec<(Tag, u64, Owned)>,
    functions: Vec<Function>,
    events: Vec<(Tag, Event)>,
    semaphores: Vec<ExternalSemaphore>,
    /// Memory that nodes allocate, and whether others free it.
    allocated: Vec<(u64, bool)>,
    hosts: Vec<(Tag, HostFunction)>,
    others: Vec<(Tag, Owned)>,
    /// The streams in whose order the memory is used and freed. Each launch is ordered with them.
    owners: Vec<Stream>,
    /// Whether something is used or freed in no stream's order.
    unordered: bool,
}

impl Held {
    pub(super) fn keep<M: Keep>(&mut self, memory: M) -> Kept<M> {
        let kept = Kept::new(next_number(), memory.place());
        match memory.stream() {
            Some(stream) => self.order_with(stream),
            None => self.unordered = true,
        }
        self.memory
            .push((UNTAGGED, kept.number, Owned::new(memory)));
        kept
    }

    /// The same for memory whose elements lie in rows and slices, or in an array: the number it gets.
    pub(super) fn keep_region<T: PlainData, M>(&mut self, memory: M) -> u64
    where
        M: CopySource<T> + Send + 'static,
    {
        let number = next_number();
        match memory.region().owner() {
            Owner::Stream(stream) => self.order_with(stream),
            Owner::Context(_) => self.unordered = true,
        }
        self.memory.push((UNTAGGED, number, Owned::new(memory)));
        number
    }

    /// The memory of a number.
    pub(super) fn region<M: 'static>(&mut self, number: u64, call: &'static str) -> Result<&mut M> {
        let found = self.memory.iter_mut().find(|(_, n, _)| *n == number);
        let memory = found.and_then(|(_, _, memory)| memory.get_mut().downcast_mut::<M>());
        memory.ok_or_else(|| foreign(call))
    }

    /// The memory behind a token.
    pub(super) fn memory<M: Keep>(
        &mut self,
        kept: Kept<M>,
        call: &'static str,
    ) -> Result<M::Access<'_>> {
        let found = self.memory.iter_mut().find(|(_, n, _)| *n == kept.number);
        let memory = found.and_then(|(_, _, memory)| memory.get_mut().downcast_mut::<M>());
        memory.map(M::access).ok_or_else(|| foreign(call))
    }

    pub(super) fn expect<T>(&self, part: &Part<T>, call: &'static str) -> Result<()> {
        self.expect_number(part.number, call)
    }

    pub(super) fn expect_number(&self, number: u64, call: &'static str) -> Result<()> {
        let kept = self.memory.iter().any(|(_, kept, _)| *kept == number);
        if kept || self.allocated.iter().any(|(n, _)| *n == number) {
            Ok(())
        } else {
            Err(foreign(call))
        }
    }

    pub(super) fn allocate(&mut self, number: u64) {
        self.allocated.push((number, false));
    }

    pub(super) fn free(&mut self, number: u64) {
        for (n, freed) in &mut self.allocated {
            *freed |= *n == number;
        }
    }

    /// An error unless the memory is allocated by this graph, and freed by none of its nodes.
    pub(super) fn expect_allocated(&self, number: u64) -> Result<()> {
        match self.allocated.iter().find(|(n, _)| *n == number) {
            Some((_, false)) => Ok(()),
            Some((_, true)) => Err(Error::invalid(
                "Graph::add_free",
                "the memory is freed by another node already",
            )),
            None => Err(Error::invalid(
                "Graph::add_free",
                "the memory is allocated by another graph, which has to free it",
            )),
        }
    }

    /// How many allocations have no node that frees them.
    pub(super) fn unfreed(&self) -> usize {
        self.allocated.iter().filter(|(_, freed)| !freed).count()
    }

    pub(super) fn function(&mut self, function: &Function) {
        if !self.functions.contains(function) {
            self.functions.push(function.clone());
        }
    }

    pub(super) fn functions(&self) -> &[Function] {
        &self.functions
    }

    pub(super) fn other(&mut self, other: impl Send + 'static) {
        self.unordered = true;
        self.others.push((UNTAGGED, Owned::new(other)));
    }

    /// A function that a node calls.
    pub(super) fn host(&mut self, tag: Tag, function: HostFunction) {
        self.unordered = true;
        self.hosts.push((tag, function));
    }

    /// An event that a node records or waits for. The driver keeps what launches need of it.
    pub(super) fn event(&mut self, tag: Tag, event: &Event) {
        self.events.push((tag, event.clone()));
    }

    /// Semaphores that nodes use, which wait themselves for all work before they go.
    pub(super) fn semaphores(&mut self, used: &[(&ExternalSemaphore, u64)]) {
        for &(semaphore, _) in used {
            if !self.semaphores.contains(semaphore) {
                self.semaphores.push(semaphore.clone());
            }
        }
    }

    pub(super) fn order_with(&mut self, stream: &Stream) {
        if !self.owners.contains(stream) {
            self.owners.push(stream.clone());
        }
    }

    pub(super) fn owners(&self) -> &[Stream] {
        &self.owners
    }

    pub(super) fn is_unordered(&self) -> bool {
        self.unordered
    }

    /// The same for another graph; `None` where it can't be shared.
    pub(super) fn try_clone(&self) -> Option<Self> {
        let shareable = self.hosts.is_empty() && self.others.is_empty();
        (shareable && self.memory.is_empty() && self.allocated.is_empty()).then(|| Self {
            functions: self.functions.clone(),
            events: self.events.clone(),
            semaphores: self.semaphores.clone(),
            owners: self.owners.clone(),
            ..Self::default()
        })
    }

    /// Takes out everything that one node was changed to.
    pub(super) fn take_changed(&mut self, tag: Tag) -> Self {
        self.take_if(|one| one == changed(tag))
    }

    /// Takes out everything that nodes were changed to.
    pub(super) fn take_all_changed(&mut self) -> Self {
        self.take_if(|one| one & CHANGED != 0)
    }

    fn take_if(&mut self, taken: impl Fn(Tag) -> bool) -> Self {
        Self {
            memory: self.memory.extract_if(.., |one| taken(one.0)).collect(),
            events: self.events.extract_if(.., |one| taken(one.0)).collect(),
            hosts: self.hosts.extract_if(.., |one| taken(one.0)).collect(),
            others: self.others.extract_if(.., |one| taken(one.0)).collect(),
            unordered: self.unordered,
            ..Self::default()
        }
    }

    /// Keeps memory as long as the graph, since another node than the one that brought it uses it.
    pub(super) fn share(&mut self, number: u64) {
        for (tag, _, _) in self.memory.iter_mut().filter(|one| one.1 == number) {
            *tag = UNTAGGED;
        }
    }

    /// After a fault: leaks what a raw host function may still use. The device uses nothing of it any more, and functions of
    /// [`hosts`](Self::host) own what they use.
    pub(super) fn leak_for_host_functions(&mut self) {
        mem::forget(mem::take(&mut self.memory));
        mem::forget(mem::take(&mut self.others));
    }

    /// Takes what another graph held, for the node of a tag.
    pub(super) fn absorb(&mut self, tag: Tag, other: &mut Held) {
        let other = mem::take(other);
        self.memory.extend(
            other
                .memory
                .into_iter()
                .map(|(_, number, one)| (tag, number, one)),
        );
        self.others
            .extend(other.others.into_iter().map(|(_, one)| (tag, one)));
        self.hosts
            .extend(other.hosts.into_iter().map(|(_, one)| (tag, one)));
        self.events
            .extend(other.events.into_iter().map(|(_, one)| (tag, one)));
        self.semaphores.extend(other.semaphores);
        self.allocated.extend(other.allocated);
        self.unordered |= other.unordered;
        other.functions.iter().for_each(|one| self.function(one));
        other.owners.iter().for_each(|one| self.order_with(one));
    }
}

#[cold]
fn foreign(call: &'static str) -> Error {
    Error::invalid(
        call,
        "the memory belongs to another graph: hand it to this one with `keep`",
    )
}
