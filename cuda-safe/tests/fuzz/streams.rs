//! Operations on streams: order, waits and host functions.

use std::{
    future::Future,
    mem,
    pin::pin,
    task::{Context as TaskContext, Waker},
    thread,
    time::Duration,
};

use cuda_safe::memory::{Signal, WaitUntil};

use super::{
    canary::Canary,
    operation::Operation,
    thread::Thread,
    world::{context_of, is_per_thread},
};

impl Thread<'_> {
    pub fn on_streams(&self, operation: Operation) -> bool {
        match operation {
            Operation::HostFunction {
                stream,
                microseconds,
            } => {
                let canary = Canary::new();
                let stream = self.world.stream(stream);
                self.done(stream.launch_host_function(move || canary.run(microseconds)));
            }
            Operation::Record { event, stream } => {
                let Some(_stream) = self.enqueue_on(&[stream]) else {
                    return true;
                };
                let recorded = self.done(self.world.stream(stream).record_event());
                if let Some(mut slot) = self.lock(&self.world.events[event]) {
                    *slot = recorded;
                }
            }
            Operation::WaitEvent { event, stream } => {
                let Some(_stream) = self.enqueue_on(&[stream]) else {
                    return true;
                };
                self.with_event(event, |event| {
                    self.done(self.world.stream(stream).wait_event(event));
                });
            }
            Operation::QueryEvent { event } => self.with_event(event, |event| {
                self.done(event.query());
            }),
            Operation::WaitStream { stream, other } => {
                let Some(_streams) = self.enqueue_on(&[stream, other]) else {
                    return true;
                };
                let other = self.world.stream(other);
                self.done(self.world.stream(stream).wait_stream(&other));
            }
            Operation::Query { stream } => {
                self.done(self.world.stream(stream).query());
            }
            Operation::Synchronize { stream } => {
                self.done(self.world.stream(stream).synchronize());
            }
            Operation::SynchronizeContext { context } => {
                self.done(self.world.contexts[context].synchronize());
            }
            Operation::Finished { stream, forget } => {
                let finished = self.world.stream(stream).finished();
                let Some(finished) = self.done(finished) else {
                    return true;
                };
                if forget {
                    mem::forget(finished);
                    return true;
                }
                let mut finished = pin!(finished);
                let _ = finished
                    .as_mut()
                    .poll(&mut TaskContext::from_waker(Waker::noop()));
            }
            Operation::Signal { stream, other } => self.signal(stream, other),
            Operation::Sleep { microseconds } => {
                thread::sleep(Duration::from_micros(microseconds));
            }
            _ => return false,
        }
        true
    }

    fn with_event(&self, event: usize, body: impl FnOnce(&cuda_safe::Event)) {
        if let Some(slot) = self.lock(&self.world.events[event])
            && let Some(event) = slot.as_ref()
        {
            body(event);
        }
    }

    /// Makes a stream wait for a signal. Another stream and the host write it.
    fn signal(&self, number: usize, other: usize) {
        if self.is_capturing() || is_per_thread(number) {
            return; // the stream could not be waited for later
        }
        let context = context_of(number);
        let Some(signal) = self.done(Signal::<u32>::new(&self.world.contexts[context], 0)) else {
            return;
        };
        let (stream, writer) = (self.world.stream(number), self.world.stream(other));
        if self
            .done(stream.wait_signal(&signal, WaitUntil::EQUAL, 1))
            .is_none()
        {
            return;
        }
        if context_of(other) == context && other != number && !is_per_thread(other) {
            // The writer may already wait for the first stream, so the host writes the signal in any case.
            self.done(writer.write_signal(&signal, 1));
        }
        signal.set(1);
        self.world.signals.lock().unwrap().push(signal);
    }
}
