//! The objects that a graph keeps alive because its nodes use them.

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

/// Returns a number that is used only once.
pub(super) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A value of any type, accessible only through `&mut`.
struct Owned(Box<dyn Any + Send>);

// SAFETY: a shared reference gives no access to the value. With this implementation, the compiler's
// message about sharing a graph names the graph's own marker instead of `dyn Any`.
unsafe impl Sync for Owned {}

impl Owned {
    fn new(value: impl Send + 'static) -> Self {
        Self(Box::new(value))
    }

    fn get_mut(&mut self) -> &mut dyn Any {
        &mut *self.0
    }
}

/// The address of the node that needs an object. The object is dropped when the node is changed.
pub(super) type Tag = usize;
/// The tag of objects that stay as long as the graph.
pub(super) const UNTAGGED: Tag = 0;

/// Returns the tag of all objects that a change gave to a node of an executable graph. Objects that
/// the graph itself needs for the node keep the node's own tag, for
/// [`GraphExec::into_graph`](super::GraphExec::into_graph).
pub(super) fn changed(tag: Tag) -> Tag {
    tag | CHANGED
}

/// Nodes are at even addresses.
const CHANGED: Tag = 1;

/// The objects that a graph keeps alive. Its memory is accessible only through the graph, by
/// tokens.
#[derive(Default)]
pub(super) struct Held {
    memory: Vec<(Tag, u64, Owned)>,
    functions: Vec<Function>,
    events: Vec<(Tag, Event)>,
    semaphores: Vec<ExternalSemaphore>,
    /// Memory that nodes allocate, and whether other nodes free it.
    allocated: Vec<(u64, bool)>,
    hosts: Vec<(Tag, HostFunction)>,
    others: Vec<(Tag, Owned)>,
    /// The streams in whose order the memory is used and freed. Each launch is ordered with them.
    owners: Vec<Stream>,
    /// Whether objects are used or freed outside of any stream's order.
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

    /// Keeps pitched memory or an array, and returns its number.
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

    /// Returns the memory with a number.
    pub(super) fn region<M: 'static>(&mut self, number: u64, call: &'static str) -> Result<&mut M> {
        let found = self.memory.iter_mut().find(|(_, n, _)| *n == number);
        let memory = found.and_then(|(_, _, memory)| memory.get_mut().downcast_mut::<M>());
        memory.ok_or_else(|| foreign(call))
    }

    /// Returns access to the memory behind a token.
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

    /// Returns an error unless this graph allocates the memory and none of its nodes frees it yet.
    pub(super) fn expect_allocated(&self, number: u64) -> Result<()> {
        match self.allocated.iter().find(|(n, _)| *n == number) {
            Some((_, false)) => Ok(()),
            Some((_, true)) => Err(Error::invalid(
                "Graph::add_free",
                "another node frees the memory already",
            )),
            None => Err(Error::invalid(
                "Graph::add_free",
                "another graph allocates the memory. Fix: free it in that graph",
            )),
        }
    }

    /// Returns the number of allocations that no node frees.
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

    /// Holds a function that a node calls.
    pub(super) fn host(&mut self, tag: Tag, function: HostFunction) {
        self.unordered = true;
        self.hosts.push((tag, function));
    }

    /// Holds an event that a node records or waits for. The driver keeps the parts that launches
    /// need.
    pub(super) fn event(&mut self, tag: Tag, event: &Event) {
        self.events.push((tag, event.clone()));
    }

    /// Holds semaphores that nodes use. Their drops wait for all work.
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

    /// Returns the same objects for another graph, or `None` if they cannot be shared.
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

    /// Removes and returns the objects that changes gave to one node.
    pub(super) fn take_changed(&mut self, tag: Tag) -> Self {
        self.take_if(|one| one == changed(tag))
    }

    /// Removes and returns the objects that changes gave to nodes.
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

    /// Keeps memory as long as the graph, because a second node uses it.
    pub(super) fn share(&mut self, number: u64) {
        for (tag, _, _) in self.memory.iter_mut().filter(|one| one.1 == number) {
            *tag = UNTAGGED;
        }
    }

    /// Leaks the objects that a raw host function may still use after a fault. The device does not
    /// use them any more, and functions of [`hosts`](Self::host) own the objects that they use.
    pub(super) fn leak_for_host_functions(&mut self) {
        mem::forget(mem::take(&mut self.memory));
        mem::forget(mem::take(&mut self.others));
    }

    /// Takes the objects of another graph, for the node with a tag.
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
        "the memory belongs to another graph. Fix: pass it to `keep` of this graph",
    )
}
