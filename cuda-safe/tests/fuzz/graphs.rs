//! Operations on graphs, both captured and built by hand, and the effect of a launch on their memory.

use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use cuda_safe::{
    DeviceBuffer, Error, GraphExec, PinnedBuffer, Result, Stream,
    graph::{Graph, Kept, Node},
};

use super::{
    canary::Canary,
    operation::Operation,
    thread::Thread,
    world::{context_of, is_per_thread, pattern},
};

/// An executable graph and its memory.
pub struct Launchable {
    // Fields are dropped in this order: the memory last.
    pub exec: GraphExec,
    pub memory: Of,
    /// How often the host function ran, and how often it should have run.
    pub calls: Arc<AtomicU32>,
    pub launches: u32,
    pub home: usize,
    /// Whether it was updated. `into_graph` then returns the new graph, whose nodes are not stored here.
    pub updated: bool,
}

pub enum Of {
    /// A captured graph. It fills the first half of the first buffer, adds 1 to all of it and copies it to the second. A
    /// joined stream fills the third.
    Captured {
        buffers: [DeviceBuffer<u32>; 3],
        models: [Vec<u32>; 3],
        value: u32,
        joined: bool,
    },
    /// A graph built by hand. It fills the first half of device memory and copies all of it to host memory.
    Built {
        parts: Parts,
        /// The fill and the host function of the first graph.
        nodes: (Node, Node),
        models: [Vec<u32>; 2],
        /// The fill values of the graph and of its executable graph.
        values: (u32, u32),
    },
}

pub struct Parts {
    device: Kept<DeviceBuffer<u32>>,
    host: Kept<PinnedBuffer<u32>>,
}

impl Of {
    /// Changes the models as a launch does.
    fn launch(&mut self) {
        match self {
            Self::Captured {
                models: [x, y, z],
                value,
                joined,
                ..
            } => {
                let half = x.len() / 2;
                x[..half].fill(*value);
                x.iter_mut().for_each(|one| *one = one.wrapping_add(1));
                y.clone_from(x);
                if *joined {
                    z.fill(*value);
                }
            }
            Self::Built {
                models: [device, host],
                values,
                ..
            } => {
                let half = device.len() / 2;
                device[..half].fill(values.1);
                host.clone_from(device);
            }
        }
    }
}

impl Thread<'_> {
    pub fn on_graphs(&self, operation: Operation) -> bool {
        match operation {
            Operation::Build {
                graph,
                stream,
                value,
                microseconds,
            } => {
                if !is_per_thread(stream)
                    && let Some(built) = self.build(stream, value, microseconds)
                {
                    self.put(graph, built);
                }
            }
            Operation::EmptyCaptures { stream, count } => self.capture_nothing(stream, count),
            Operation::CaptureInScope {
                stream,
                buffer,
                value,
            } => self.capture_in_scope(stream, buffer, value),
            Operation::Launch { graph, stream } => self.with_graph(graph, |one| {
                if context_of(one.home) != context_of(stream) {
                    return;
                }
                let launched = one.exec.launch(&self.world.stream(stream));
                if self.done(launched).is_some() {
                    one.launches += 1;
                    one.memory.launch();
                }
            }),
            Operation::ReadGraph { graph } => self.with_graph(graph, |one| self.read_graph(one)),
            Operation::SetFunction {
                graph,
                microseconds,
            } => self.with_graph(graph, |one| {
                if let Of::Built { nodes, .. } = &one.memory {
                    let (node, canary, calls) = (nodes.1, Canary::new(), one.calls.clone());
                    self.done(one.exec.set_host_function(node, move || {
                        canary.run(microseconds);
                        calls.fetch_add(1, Ordering::SeqCst);
                    }));
                }
            }),
            Operation::SetFill { graph, value } => self.with_graph(graph, |one| {
                let half = self.world.len / 2;
                if let Of::Built {
                    parts,
                    nodes,
                    values,
                    ..
                } = &mut one.memory
                {
                    let part = parts.device.slice(..half).unwrap();
                    if self.done(one.exec.set_fill(nodes.0, part, value)).is_some() {
                        values.1 = value;
                    }
                }
            }),
            Operation::Update { graph, value } => {
                self.with_graph(graph, |one| self.update(one, value));
            }
            Operation::Rebuild { graph } => self.rebuild(graph),
            Operation::DropGraph { graph } => {
                if let Some(mut slot) = self.lock(&self.world.graphs[graph]) {
                    let one = slot.take();
                    drop(slot);
                    drop(one);
                }
            }
            Operation::ForgetGraph { graph } => {
                if let Some(mut slot) = self.lock(&self.world.graphs[graph]) {
                    mem::forget(slot.take());
                }
            }
            _ => return false,
        }
        true
    }

    fn with_graph(&self, graph: usize, body: impl FnOnce(&mut Launchable)) {
        if let Some(mut slot) = self.lock(&self.world.graphs[graph])
            && let Some(one) = slot.as_mut()
        {
            body(one);
        }
    }

    pub fn put(&self, graph: usize, one: Launchable) {
        if let Some(mut slot) = self.lock(&self.world.graphs[graph]) {
            let before = slot.replace(one);
            drop(slot);
            drop(before);
        }
    }

    /// Builds a graph of three nodes. Returns its memory and the nodes that later operations change, too.
    fn template(
        &self,
        stream: &Stream,
        value: u32,
        microseconds: u64,
        calls: &Arc<AtomicU32>,
    ) -> Result<(Graph, Parts, (Node, Node))> {
        let len = self.world.len;
        let mut graph = Graph::new(stream.context())?;
        let device = graph.keep(DeviceBuffer::from_slice(stream, &pattern(1, len))?);
        let host = graph.keep(PinnedBuffer::from_slice(
            stream.context(),
            &pattern(2, len),
        )?);
        let fill = graph.add_fill(&[], device.slice(..len / 2)?, value)?;
        let copy = graph.add_copy(&[fill], host, device)?;
        let (canary, count) = (Canary::new(), calls.clone());
        let call = graph.add_host_function(&[copy], move || {
            canary.run(microseconds);
            count.fetch_add(1, Ordering::SeqCst);
        })?;
        Ok((graph, Parts { device, host }, (fill, call)))
    }

    fn build(&self, home: usize, value: u32, microseconds: u64) -> Option<Launchable> {
        let calls = Arc::new(AtomicU32::new(0));
        let stream = self.world.stream(home);
        let made = self.template(&stream, value, microseconds, &calls);
        let (graph, parts, nodes) = self.done(made)?;
        let exec = self.done(graph.instantiate())?;
        let memory = Of::Built {
            parts,
            nodes,
            models: [1, 2].map(|n| pattern(n, self.world.len)),
            values: (value, value),
        };
        Some(Launchable {
            exec,
            memory,
            calls,
            launches: 0,
            home,
            updated: false,
        })
    }

    fn read_graph(&self, one: &mut Launchable) {
        let home = self.world.stream(one.home);
        match &mut one.memory {
            Of::Captured {
                buffers, models, ..
            } => {
                for (buffer, model) in buffers.iter().zip(models) {
                    if let Some(found) = self.done(buffer.to_vec(&home)) {
                        self.expect_equal("memory of a captured graph", &found, model);
                    }
                }
            }
            Of::Built { parts, models, .. } => {
                let host = one.exec.memory(parts.host);
                let Some(host) = self.done(host) else { return };
                self.expect_equal("host memory of a graph", host, &models[1]);
                let calls = one.calls.load(Ordering::SeqCst);
                if calls != one.launches && !self.world.has_faulted() {
                    let launches = one.launches;
                    self.fail(format!(
                        "{calls} calls of a host function in {launches} launches"
                    ));
                }
                let device = one.exec.memory(parts.device);
                let Some(device) = self.done(device) else {
                    return;
                };
                if let Some(found) = self.done(device.to_vec(&home)) {
                    self.expect_equal("device memory of a graph", &found, &models[0]);
                }
            }
        }
    }

    /// Updates the executable graph from another one of the same shape with new memory.
    fn update(&self, one: &mut Launchable, value: u32) {
        let Of::Built {
            parts,
            models,
            values,
            ..
        } = &mut one.memory
        else {
            return;
        };
        let stream = self.world.stream(one.home);
        let made = self.template(&stream, value, 0, &one.calls);
        let Some((graph, new, _)) = self.done(made) else {
            return;
        };
        if self.done(one.exec.update(graph)).is_some() {
            *parts = new;
            *models = [1, 2].map(|n| pattern(n, self.world.len));
            *values = (value, value);
            one.updated = true;
        }
    }

    /// Takes the graph out of its executable graph and instantiates it again.
    fn rebuild(&self, number: usize) {
        let Some(mut slot) = self.lock(&self.world.graphs[number]) else {
            return;
        };
        let Some(one) = slot.take() else { return };
        let Launchable {
            exec,
            mut memory,
            calls,
            launches,
            home,
            updated,
        } = one;
        let made = exec
            .into_graph()
            .and_then(|graph| Ok::<_, Error>(graph.instantiate()?));
        // After an error the graph is lost.
        let Some(exec) = self.done(made) else { return };
        if let Of::Built { values, .. } = &mut memory {
            values.1 = values.0;
        }
        // The stored nodes are those of the first graph.
        if !updated {
            *slot = Some(Launchable {
                exec,
                memory,
                calls,
                launches,
                home,
                updated,
            });
        }
    }
}
