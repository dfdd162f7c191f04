//! Captures: their steps, their graphs and the effect of other threads' calls.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use cuda_safe::{
    DeviceBuffer, LaunchConfig, Result,
    graph::{CaptureMode, Graph},
};

use super::{
    canary::Canary,
    graphs::{Launchable, Of},
    operation::{Mode, Operation},
    thread::Thread,
    world::{context_of, is_legacy, is_per_thread, pattern},
};

impl Thread<'_> {
    /// Captures a stream and runs other steps meanwhile.
    pub fn capture(&self, step: usize, operation: Operation) {
        let Operation::Capture {
            graph,
            stream,
            joined,
            mode,
            value,
            microseconds,
        } = operation
        else {
            return;
        };
        let joins = context_of(joined) == context_of(stream)
            && joined != stream
            && !is_legacy(joined)
            && !is_per_thread(joined);
        if is_legacy(stream) {
            return;
        }
        let streams = [Some(stream), joins.then_some(joined)];
        let own = self.own(&streams.into_iter().flatten().collect::<Vec<_>>());
        let (home, len) = (self.world.stream(stream), self.world.len);
        let other = joins.then(|| self.world.stream(joined));
        let models = [1, 2, 3].map(|n| pattern(n, len));
        let buffers = models
            .each_ref()
            .map(|model| DeviceBuffer::from_slice(&home, model));
        let [Some(mut x), Some(mut y), Some(mut z)] = buffers.map(|buffer| self.done(buffer))
        else {
            return;
        };
        let calls = Arc::new(AtomicU32::new(0));
        let (canary, count) = (Canary::new(), calls.clone());
        let add = &self.world.kernels[context_of(stream)].add;
        let config = LaunchConfig::for_elements(len);
        // SAFETY: the memory and the kernel outlive the graph. The buffers belong to the stream. No other thread enqueues
        // on the streams, since their locks are held.
        let captured = unsafe {
            home.capture_with_mode(capture_mode(mode), |capture| -> Result<()> {
                x.slice_mut(..len / 2)?.fill(&home, value)?;
                self.run_inside(step);
                add.launch(&home, config, (&mut x, len as u32, 1u32))?;
                if let Some(other) = &other {
                    other.wait_stream(&home)?;
                    z.fill(other, value)?;
                }
                thread::sleep(Duration::from_micros(microseconds));
                capture.host_function(move || {
                    canary.run(microseconds / 2);
                    count.fetch_add(1, Ordering::SeqCst);
                })?;
                y.copy_from(&home, &x)?;
                if let Some(other) = &other {
                    home.wait_stream(other)?;
                }
                Ok(())
            })
        };
        drop(own);
        let Some(captured) = self.captured(captured) else {
            return;
        };
        let instantiated = captured.instantiate();
        let Some(exec) = self.done(instantiated) else {
            return;
        };
        let memory = Of::Captured {
            buffers: [x, y, z],
            models,
            value,
            joined: joins,
        };
        let launchable = Launchable {
            exec,
            memory,
            calls,
            launches: 0,
            home: stream,
            updated: false,
        };
        self.put(graph, launchable);
    }

    /// Captures nothing, several times.
    pub fn capture_nothing(&self, number: usize, count: usize) {
        if self.is_capturing() || is_legacy(number) {
            return;
        }
        let _own = self.own(&[number]);
        let stream = self.world.stream(number);
        for _ in 0..count {
            // SAFETY: nothing is recorded.
            let graph = unsafe { stream.capture(|_| -> Result<()> { Ok(()) }) };
            let Some(graph) = self.captured(graph) else {
                return;
            };
            if let Some(nodes) = self.done(graph.nodes())
                && !nodes.is_empty()
            {
                self.fail(format!("{} nodes in an empty capture", nodes.len()));
            }
        }
    }

    /// Captures a stream within its scope. A copy of the scope must not be recorded.
    pub fn capture_in_scope(&self, number: usize, buffer: usize, value: u32) {
        if self.is_capturing() || is_legacy(number) {
            return;
        }
        let _own = self.own(&[number]);
        let (stream, host) = (self.world.stream(number), pattern(value, self.world.len));
        self.with_buffer(buffer, |one| {
            let (mut copied, mut graph) = (None, None);
            let ended = stream.scope(|scope| {
                let target = &mut one.memory.view_mut();
                // SAFETY: nothing is recorded.
                graph = Some(unsafe {
                    stream.capture(|_| -> Result<()> {
                        copied = Some(scope.upload(&host, target));
                        Ok(())
                    })
                });
                Ok(())
            });
            self.done(ended);
            if let Some(copied) = copied {
                let effect = self.effect(copied);
                one.model.change(effect, |all| all.copy_from_slice(&host));
            }
            let graph = graph.and_then(|graph| self.captured(graph));
            let nodes = graph.and_then(|graph| self.done(graph.nodes()));
            if nodes.is_some_and(|nodes| !nodes.is_empty()) {
                self.fail("a copy of a scope is recorded");
            }
        });
    }

    /// Returns the graph of a capture. No safe call of any thread may invalidate it.
    fn captured(&self, captured: Result<Graph>) -> Option<Graph> {
        match captured {
            Ok(graph) => Some(graph),
            Err(error) => {
                if !self.world.has_faulted() && !self.is_of_global(&error) {
                    self.fail(format!("a capture failed: {error}"));
                }
                None
            }
        }
    }
}

fn capture_mode(mode: Mode) -> CaptureMode {
    match mode {
        Mode::Relaxed => CaptureMode::RELAXED,
        Mode::ThreadLocal => CaptureMode::THREAD_LOCAL,
        Mode::Global => CaptureMode::GLOBAL,
    }
}
