//! Groups of calls.

use cuda_safe::{
    DeviceMemory, DeviceView, DeviceViewMut, Owner, PlainData, Stream,
    memory::{Storage, StorageMut},
};

use super::{
    Communicator,
    agree::{Mine, agree, expect_uncaptured},
    call::Call,
    inner::Inner,
    partners,
    pending::Pending,
    together::{self, Streams},
};
use crate::{
    element::{Reducible, Reduction},
    error::Result,
};

/// Several calls that NCCL executes as one.
///
/// Use a group for sends and receives that wait for each other, for calls of several devices from
/// one thread, and for small collectives, which cost less together.
///
/// A group collects calls together with the memory that they borrow. Nothing is enqueued before
/// [`run`](Self::run). Collectives on one communicator must be in the same order on all ranks.
///
/// See [Group Calls](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/groups.html)
/// in NVIDIA's manual.
///
/// ```no_run
/// use cuda_nccl::{Communicator, CommunicatorOptions, Group, Reduction};
/// use cuda_safe::{Context, DeviceBuffer, Stream};
///
/// # fn main() -> cuda_nccl::Result<()> {
/// let contexts = [Context::primary(0)?, Context::primary(1)?];
/// let ranks = Communicator::for_devices(&contexts, CommunicatorOptions::default())?;
/// let streams = [Stream::new(&contexts[0])?, Stream::new(&contexts[1])?];
/// let mut a = DeviceBuffer::from_slice(&streams[0], &[1.0f32, 2.0])?;
/// let mut b = DeviceBuffer::from_slice(&streams[1], &[10.0f32, 20.0])?;
/// let mut group = Group::new();
/// group.all_reduce(&ranks[0], &streams[0], &mut a, Reduction::Sum)?;
/// group.all_reduce(&ranks[1], &streams[1], &mut b, Reduction::Sum)?;
/// group.run()?;
/// ranks[0].wait(&streams[0])?;
/// assert_eq!(a.to_vec(&streams[0])?, [11.0, 22.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
#[doc(alias = "ncclGroupStart")]
#[doc(alias = "ncclGroupEnd")]
#[must_use = "nothing is enqueued before `run`"]
pub struct Group<'a> {
    pub(super) calls: Vec<Pending<'a>>,
    /// Set if all ranks have already compared the sends and receives.
    quiet: bool,
}

impl<'a> Group<'a> {
    /// Creates a group without calls.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a group whose collectives the ranks have already compared.
    pub(super) fn compared() -> Self {
        Self {
            calls: Vec::new(),
            quiet: true,
        }
    }

    pub(super) fn push(&mut self, call: Pending<'a>) {
        self.calls.push(call);
    }

    /// Enqueues all calls, on their streams.
    ///
    /// # Errors
    /// Nothing is enqueued if NCCL rejects a call. Returns:
    /// - [`Error::Value`](crate::Error::Value) if the ranks make different calls and the options
    ///   [verify](super::CommunicatorOptions::verifies) calls;
    /// - [`Error::Lost`](crate::Error::Lost) if a communicator has ended;
    /// - [`Error::Nccl`](crate::Error::Nccl) if an NCCL call fails.
    pub fn run(mut self) -> Result<()> {
        self.compare()?;
        self.calls.retain(|call| call.call.count > 0);
        if self.calls.is_empty() {
            return Ok(());
        }
        let mut streams: Vec<&Stream> = Vec::new();
        for call in &self.calls {
            if !streams.contains(&call.stream) {
                streams.push(call.stream);
            }
        }
        self.ordered(&streams)
    }

    /// Orders each stream with the memory that is used on it.
    fn ordered(&self, streams: &[&Stream]) -> Result<()> {
        let Some((stream, others)) = streams.split_first() else {
            return self.enqueue();
        };
        let owners = self.calls.iter().filter(|call| call.stream == *stream);
        let owners: Vec<Owner<'_>> = owners.flat_map(|call| call.owners).collect();
        stream.ordered_with(owners, || self.ordered(others))
    }

    fn enqueue(&self) -> Result<()> {
        let calls: Vec<_> = self
            .calls
            .iter()
            .map(|pending| (&*pending.communicator.0, pending.call, pending.stream))
            .collect();
        // SAFETY: this group borrows the memory, and the memory is ordered with the enqueued work.
        unsafe { together::enqueue(&calls, Streams::Given) }
    }

    /// Compares the calls with those of the other ranks, for communicators that verify their calls.
    fn compare(&self) -> Result<()> {
        if self.quiet {
            return Ok(());
        }
        let mut parts: Vec<(&Inner, Vec<&Call>)> = Vec::new();
        let mut uncaptured = Ok(());
        for pending in &self.calls {
            let inner = &*pending.communicator.0;
            if !inner.options.verify {
                continue;
            }
            uncaptured = uncaptured.and_then(|()| expect_uncaptured(pending.stream));
            if !pending.call.kind.is_collective() {
                continue;
            }
            match parts
                .iter_mut()
                .find(|(other, _)| std::ptr::eq(*other, inner))
            {
                Some((_, calls)) => calls.push(&pending.call),
                None => parts.push((inner, vec![&pending.call])),
            }
        }
        let calls = self
            .calls
            .iter()
            .map(|one| (&*one.communicator.0, &one.call));
        let partners = match uncaptured {
            Ok(()) => partners::agree(calls),
            Err(error) => {
                // The error of this rank takes precedence.
                let _ = partners::report_no_call(calls, &error);
                Err(error)
            }
        };
        // After an error too, because the other ranks compare collectives with this rank, and would
        // wait.
        let mine = partners.as_ref();
        let parts: Vec<(&Inner, Mine<'_>)> = parts
            .iter()
            .map(|(inner, calls)| (*inner, mine.map(|()| calls.as_slice())))
            .collect();
        let collectives = agree(&parts);
        partners.and(collectives)
    }
}

/// Calls of a group. Each corresponds to the [`Communicator`] method of the same name, which
/// documents requirements and errors. Memory stays borrowed until the group has run.
impl<'a> Group<'a> {
    /// Adds [`Communicator::all_reduce`].
    ///
    /// # Errors
    /// Returns the errors of that method that can be detected before anything is enqueued.
    pub fn all_reduce<T: Reducible>(
        &mut self,
        communicator: &'a Communicator,
        stream: &'a Stream,
        data: &'a mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        self.push(communicator.prepare_all_reduce(stream, data, reduction)?);
        Ok(())
    }

    /// Adds [`Communicator::reduce`].
    ///
    /// # Errors
    /// Returns the errors of that method that can be detected before anything is enqueued.
    pub fn reduce<T: Reducible>(
        &mut self,
        communicator: &'a Communicator,
        stream: &'a Stream,
        data: &'a mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
        root: usize,
    ) -> Result<()> {
        self.push(communicator.prepare_reduce(stream, data, reduction, root)?);
        Ok(())
    }

    /// Adds [`Communicator::broadcast`].
    ///
    /// # Errors
    /// Returns the errors of that method that can be detected before anything is enqueued.
    pub fn broadcast<T: PlainData>(
        &mut self,
        communicator: &'a Communicator,
        stream: &'a Stream,
        data: &'a mut DeviceMemory<impl StorageMut, T>,
        root: usize,
    ) -> Result<()> {
        self.push(communicator.prepare_broadcast(stream, data, root)?);
        Ok(())
    }

    /// Adds [`Communicator::all_gather`].
    ///
    /// # Errors
    /// Returns the errors of that method that can be detected before anything is enqueued.
    pub fn all_gather<T: PlainData>(
        &mut self,
        communicator: &'a Communicator,
        stream: &'a Stream,
        part: &'a DeviceMemory<impl Storage, T>,
        all: &'a mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        self.push(communicator.prepare_all_gather(stream, part, all)?);
        Ok(())
    }

    /// Adds [`Communicator::reduce_scatter`].
    ///
    /// # Errors
    /// Returns the errors of that method that can be detected before anything is enqueued.
    pub fn reduce_scatter<T: Reducible>(
        &mut self,
        communicator: &'a Communicator,
        stream: &'a Stream,
        all: &'a DeviceMemory<impl Storage, T>,
        part: &'a mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        self.push(communicator.prepare_reduce_scatter(stream, all, part, reduction)?);
        Ok(())
    }

    /// Adds [`Communicator::send`].
    ///
    /// # Errors
    /// Returns the errors of that method that can be detected before anything is enqueued.
    pub fn send<T: PlainData>(
        &mut self,
        communicator: &'a Communicator,
        stream: &'a Stream,
        data: &'a DeviceMemory<impl Storage, T>,
        to: usize,
    ) -> Result<()> {
        self.push(communicator.prepare_send(
            stream,
            data.as_device_ptr(),
            data.len(),
            data.owner(),
            to,
            None::<T>,
        )?);
        Ok(())
    }

    /// Adds [`Communicator::receive`].
    ///
    /// # Errors
    /// Returns the errors of that method that can be detected before anything is enqueued.
    pub fn receive<T: PlainData>(
        &mut self,
        communicator: &'a Communicator,
        stream: &'a Stream,
        data: &'a mut DeviceMemory<impl StorageMut, T>,
        from: usize,
    ) -> Result<()> {
        let (ptr, len) = (data.as_device_ptr(), data.len());
        self.push(communicator.prepare_receive(stream, ptr, len, data.owner(), from, None::<T>)?);
        Ok(())
    }

    /// Adds the sends and receives of [`Communicator::exchange`].
    ///
    /// # Errors
    /// Returns the errors of that method that can be detected before anything is enqueued.
    pub fn exchange<T: PlainData>(
        &mut self,
        communicator: &'a Communicator,
        stream: &'a Stream,
        sends: &'a [(usize, DeviceView<'a, T>)],
        receives: &'a mut [(usize, DeviceViewMut<'a, T>)],
    ) -> Result<()> {
        let before = self.calls.len();
        let all = sends
            .iter()
            .try_for_each(|(to, view)| self.send(communicator, stream, view, *to))
            .and_then(|()| {
                receives
                    .iter_mut()
                    .try_for_each(|(from, view)| self.receive(communicator, stream, view, *from))
            });
        if all.is_err() {
            // Adds either all calls or none.
            self.calls.truncate(before);
        }
        all
    }
}
