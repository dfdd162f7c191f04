//! The ends of a rank's calls, which a wait polls.

use cuda_safe::{Event, Stream};

use super::captured::Graphs;
use crate::{error::Result, stream_ends::StreamEnds};

/// The calls of a communicator that a wait has to consider.
#[derive(Default)]
pub(super) struct Marks {
    ends: StreamEnds,
    /// Graphs with captured calls. The communicator does not see on which streams they are
    /// launched.
    graphs: Graphs,
}

impl Marks {
    /// Prepares streams. Call this before calls are enqueued, since it may fail: see
    /// [`StreamEnds::prepare`].
    #[inline]
    pub(super) fn prepare<'s, I>(&mut self, streams: I) -> Result<()>
    where
        I: IntoIterator<Item = &'s Stream, IntoIter: Clone>,
    {
        self.ends.prepare(streams)
    }

    /// Marks the end of a call that was just enqueued on a prepared stream.
    #[inline]
    pub(super) fn record(&self, stream: &Stream) -> Result<()> {
        self.ends.record(stream)
    }

    /// Records that a call on this stream was captured instead of enqueued.
    pub(super) fn set_captured(&self, stream: &Stream) {
        self.graphs.add(stream);
    }

    /// Returns an event that is reached when this rank's calls on the stream are over, or `None` if
    /// they are already over.
    pub(super) fn end_of(&self, stream: &Stream) -> Result<Option<Event>> {
        self.end(stream, self.ends.of(stream))
    }

    /// Returns one event per known stream, which is reached when this rank's calls on that stream
    /// are over.
    pub(super) fn ends(&self) -> Result<Vec<Event>> {
        let ends = self.ends.iter();
        let ends = ends.filter_map(|(stream, end)| self.end(stream, Some(end)).transpose());
        ends.collect()
    }

    fn end(&self, stream: &Stream, of_calls: Option<&Event>) -> Result<Option<Event>> {
        // A launch of such a graph may come after the last call. A capturing stream cannot launch
        // anything, and an event would become part of the capture.
        if self.graphs.exist() && !stream.is_capturing()? {
            return Ok(Some(stream.record_event()?));
        }
        Ok(of_calls.cloned())
    }
}
