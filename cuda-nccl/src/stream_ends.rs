//! Events that mark the end of the last call on each stream.
//!
//! `wait` waits for such an event. Polling the stream instead would also wait for later work of the
//! user, and a long kernel there would look like a lost rank.

use cuda_safe::{Event, Stream};

use crate::error::Result;

/// If more streams are kept, those whose calls have finished are removed.
const MANY: usize = 16;

/// The streams that calls were enqueued on, each with the event after its last call. The most
/// recently used stream is last.
#[derive(Default)]
pub(crate) struct StreamEnds(Vec<StreamEnd>);

struct StreamEnd {
    stream: Stream,
    /// Recorded after the last call.
    end: Event,
}

impl StreamEnds {
    /// Creates an event for each stream that has none.
    ///
    /// Call this before anything is enqueued, since it may fail. A group of calls must pass all its
    /// streams at once: streams passed here are kept until the next call of `prepare`.
    #[inline]
    pub(crate) fn prepare<'s, I>(&mut self, streams: I) -> Result<()>
    where
        I: IntoIterator<Item = &'s Stream, IntoIter: Clone>,
    {
        let streams = streams.into_iter();
        let mut all = streams.clone();
        match self.0.last() {
            Some(last) if all.all(|stream| last.stream == *stream) => Ok(()),
            _ => self.use_others(streams),
        }
    }

    #[cold]
    fn use_others<'s>(&mut self, streams: impl Iterator<Item = &'s Stream>) -> Result<()> {
        if self.0.len() >= MANY {
            self.0.retain(|one| !matches!(one.end.query(), Ok(true)));
        }
        for stream in streams {
            let known = self.0.iter().position(|one| one.stream == *stream);
            let newest = match known {
                Some(place) => self.0.remove(place),
                None => StreamEnd {
                    stream: stream.clone(),
                    end: Event::without_timing(stream.context())?,
                },
            };
            self.0.push(newest);
        }
        Ok(())
    }

    /// Marks the end of a call that was just enqueued on a prepared stream.
    #[inline]
    pub(crate) fn record(&self, stream: &Stream) -> Result<()> {
        let mut newest = self.0.iter().rev();
        match newest.find(|one| one.stream == *stream) {
            Some(one) => Ok(one.end.record(stream)?),
            None => Ok(()),
        }
    }

    /// Returns the most recently prepared stream and the event after its last call.
    pub(crate) fn last(&self) -> Option<(&Stream, &Event)> {
        self.0.last().map(|one| (&one.stream, &one.end))
    }

    /// Returns the event after the last call on a stream. Returns `None` if there was no call, or
    /// if it finished long ago.
    pub(crate) fn of(&self, stream: &Stream) -> Option<&Event> {
        let one = self.0.iter().find(|one| one.stream == *stream);
        one.map(|one| &one.end)
    }

    /// Returns all streams with the events after their last calls.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Stream, &Event)> {
        self.0.iter().map(|one| (&one.stream, &one.end))
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::{
        Context,
        memory::{Signal, WaitUntil},
    };

    use super::*;

    #[test]
    fn streams_without_unfinished_calls_are_removed() {
        let _device = crate::wait_for_device();
        let context = Context::primary(0).unwrap();
        let streams: Vec<_> = (0..3 * MANY)
            .map(|_| Stream::new(&context).unwrap())
            .collect();
        let signal = Signal::<u32>::new(&context, 0).unwrap();
        let mut ends = StreamEnds::default();
        let (busy, others) = streams.split_first().unwrap();
        busy.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
        ends.prepare([busy]).unwrap();
        ends.record(busy).unwrap();
        for stream in others {
            ends.prepare([stream]).unwrap(); // the call itself fails, or is captured
            assert_eq!(ends.last().unwrap().0, stream);
        }
        assert!(ends.iter().count() <= MANY);
        assert!(!ends.of(busy).unwrap().query().unwrap());
        // All streams of a group are kept at once.
        ends.prepare(others).unwrap();
        assert!(others.iter().all(|stream| ends.of(stream).is_some()));
        signal.set(1);
        busy.synchronize().unwrap();
    }
    #[test]
    fn finished_calls_are_forgotten_when_there_are_many() {
        let _device = crate::wait_for_device();
        let context = Context::primary(0).unwrap();
        let streams: Vec<_> = (0..MANY + 2)
            .map(|_| Stream::new(&context).unwrap())
            .collect();
        let record = |ends: &mut StreamEnds, streams: &[Stream]| {
            ends.prepare(streams).unwrap();
            for stream in streams {
                ends.record(stream).unwrap();
                stream.synchronize().unwrap();
            }
        };
        let mut ends = StreamEnds::default();
        record(&mut ends, &streams[..MANY - 1]);
        record(&mut ends, &streams[MANY..=MANY]);
        assert_eq!(ends.iter().count(), MANY);
        record(&mut ends, &streams[MANY + 1..]);
        assert_eq!(ends.iter().count(), 1);
        assert!(ends.of(&streams[MANY]).is_none());
    }

    #[test]
    fn the_last_stream_was_used_last() {
        let _device = crate::wait_for_device();
        let context = Context::primary(0).unwrap();
        let [a, b, c] = [0; 3].map(|_| Stream::new(&context).unwrap());
        let mut ends = StreamEnds::default();
        assert!(ends.last().is_none());
        ends.prepare([&a, &b]).unwrap();
        assert_eq!(ends.last().unwrap().0, &b);
        ends.prepare([&a]).unwrap();
        assert_eq!(ends.last().unwrap().0, &a);
        assert_eq!(ends.iter().count(), 2);
        assert!(ends.of(&c).is_none());
        // Only the stream's own event is recorded.
        let signal = Signal::<u32>::new(&context, 0).unwrap();
        b.wait_signal(&signal, WaitUntil::EQUAL, 1).unwrap();
        ends.record(&b).unwrap();
        ends.record(&c).unwrap();
        assert!(ends.of(&a).unwrap().query().unwrap());
        assert!(!ends.of(&b).unwrap().query().unwrap());
        signal.set(1);
        b.synchronize().unwrap();
    }
}
