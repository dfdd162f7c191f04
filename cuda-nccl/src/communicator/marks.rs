//! The ends of a rank's calls, which a wait for the rank polls.
//!
//! An event behind each call tells when it is over. Polling the stream would also wait for work that the user enqueues later,
//! and a long kernel there would look like a lost rank.

use cuda_safe::{Event, Stream};

use crate::error::Result;

/// How many streams are kept before those whose calls are over are forgotten.
const MANY: usize = 16;

/// The streams that a communicator has enqueued calls on. The last one was used last.
#[derive(Default)]
pub(super) struct Marks {
    streams: Vec<Mark>,
    /// A call was captured. The communicator does not see on which streams its graph is launched.
    is_captured: bool,
}

struct Mark {
    stream: Stream,
    /// Recorded behind the last call.
    end: Event,
    /// A call is about to be enqueued.
    is_due: bool,
}

impl Marks {
    /// Makes an event for the calls on a stream, unless there is one. Call it before a call is enqueued, since it may fail.
    #[inline]
    pub(super) fn prepare(&mut self, stream: &Stream) -> Result<()> {
        match self.streams.last_mut() {
            Some(last) if last.stream == *stream => {
                last.is_due = true;
                Ok(())
            }
            _ => self.use_another(stream),
        }
    }

    #[cold]
    fn use_another(&mut self, stream: &Stream) -> Result<()> {
        let known = self.streams.iter().position(|mark| mark.stream == *stream);
        let end = match known {
            Some(place) => self.streams.remove(place).end,
            None => Event::without_timing(stream.context())?,
        };
        if self.streams.len() >= MANY {
            self.streams
                .retain(|mark| mark.is_due || !matches!(mark.end.query(), Ok(true)));
        }
        self.streams.push(Mark {
            stream: stream.clone(),
            end,
            is_due: true,
        });
        Ok(())
    }

    /// Marks the end of a call that was just enqueued on a prepared stream.
    #[inline]
    pub(super) fn record(&mut self, stream: &Stream) -> Result<()> {
        let mut newest = self.streams.iter_mut().rev();
        if let Some(mark) = newest.find(|mark| mark.stream == *stream) {
            mark.is_due = false;
            mark.end.record(stream)?;
        }
        Ok(())
    }

    /// Remembers that a call was captured instead of enqueued.
    pub(super) fn set_captured(&mut self) {
        self.is_captured = true;
    }

    /// An event that is reached when this rank's calls on the stream are over. `None` if they are.
    pub(super) fn end_of(&self, stream: &Stream) -> Result<Option<Event>> {
        if self.is_captured {
            return Ok(Some(stream.record_event()?));
        }
        let mut marks = self.streams.iter();
        let mark = marks.find(|mark| mark.stream == *stream);
        Ok(mark.map(|mark| mark.end.clone()))
    }

    /// Such an event for each stream.
    pub(super) fn ends(&self) -> Result<Vec<Event>> {
        let ends = self.streams.iter().map(|mark| self.end_of(&mark.stream));
        Ok(ends
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    }
}
