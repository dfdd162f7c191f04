//! Edges: which node waits for which, and for what of it.

use std::ptr;

use cuda_sys::{CUgraphNode, CUresult};

use super::{Graph, Node};
pub use crate::raw::graph::Port;
use crate::{
    driver::newer,
    error::{Error, ErrorKind, Result},
    raw::structures::RawEdgeData,
};

/// What an edge says beside its nodes (`CUgraphEdgeData`). The default is an edge as [`Graph::add_dependency`] adds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EdgeData {
    /// What of the first node the second one waits for.
    pub port: Port,
    /// Whether both are kernels, and the second one waits for the memory of the first one by itself, by
    /// `griddepcontrol.wait` (`cudaGridDependencySynchronize`).
    pub programmatic: bool,
}

impl Default for EdgeData {
    fn default() -> Self {
        Self {
            port: Port::DONE,
            programmatic: false,
        }
    }
}

impl EdgeData {
    /// Between two kernels: the second may begin when all blocks of the first have run
    /// `griddepcontrol.launch_dependents`, and waits for its memory by `griddepcontrol.wait`.
    #[must_use]
    pub const fn programmatic() -> Self {
        Self {
            port: Port::TRIGGERED,
            programmatic: true,
        }
    }

    /// From a kernel: the second node may begin when all its blocks have begun.
    #[must_use]
    pub const fn begun() -> Self {
        Self {
            port: Port::BEGUN,
            programmatic: false,
        }
    }
}

impl EdgeData {
    /// How pictures show it.
    pub(super) fn mark(self) -> &'static str {
        match self.port {
            Port::TRIGGERED => " [style=dashed label=\"triggered\"]",
            Port::BEGUN => " [style=dashed label=\"begun\"]",
            _ => "",
        }
    }
}

impl From<EdgeData> for RawEdgeData {
    fn from(data: EdgeData) -> Self {
        Self {
            from_port: data.port.0,
            kind: data.programmatic.into(),
            ..Self::default()
        }
    }
}

type EdgesOf<'a> =
    &'a dyn Fn(*mut CUgraphNode, *mut CUgraphNode, *mut RawEdgeData, *mut usize) -> CUresult;

impl Graph {
    /// Which node waits for which: pairs of a node and one that waits for it. [`edge_data`](Self::edge_data) says for what.
    ///
    /// # Errors
    /// The context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let mut graph = Graph::new(&context)?;
    /// let a = graph.add_empty(&[])?;
    /// let b = graph.add_empty(&[a])?;
    /// assert_eq!(graph.nodes()?.len(), 2);
    /// assert_eq!(graph.roots()?, [a]);
    /// assert_eq!(graph.edges()?, [(a, b)]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphGetEdges")]
    pub fn edges(&self) -> Result<Vec<(Node, Node)>> {
        Ok(self
            .edges_with_data()?
            .into_iter()
            .map(|(from, to, _)| (from, to))
            .collect())
    }

    pub(super) fn edges_with_data(&self) -> Result<Vec<(Node, Node, EdgeData)>> {
        let raw = self.as_raw();
        match newer::cuGraphGetEdges_v2() {
            Ok(get) => self.list_edges(&|from, to, data, count| {
                // SAFETY: a live graph; `list_edges` passes arrays with room for the count, or null.
                unsafe { get(raw, from, to, data, count) }
            }),
            // No such driver has edges with data.
            Err(error) if *error.kind() == ErrorKind::Unsupported => {
                let get = newer::cuGraphGetEdges()?;
                // SAFETY: as above.
                self.list_edges(&|from, to, _, count| unsafe { get(raw, from, to, count) })
            }
            Err(error) => Err(error),
        }
    }

    fn list_edges(&self, get: EdgesOf<'_>) -> Result<Vec<(Node, Node, EdgeData)>> {
        const CALL: &str = "cuGraphGetEdges";
        let _current = self.context().enter(CALL)?;
        let mut count = 0;
        let code = get(
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
            &mut count,
        );
        self.context().check(CALL, code)?;
        let (mut from, mut to) = (vec![ptr::null_mut(); count], vec![ptr::null_mut(); count]);
        let mut data = vec![RawEdgeData::default(); count];
        if count > 0 {
            let code = get(
                from.as_mut_ptr(),
                to.as_mut_ptr(),
                data.as_mut_ptr(),
                &mut count,
            );
            self.context().check(CALL, code)?;
        }
        let node = |raw| Node {
            raw,
            graph: self.number,
        };
        let edges = from.into_iter().zip(to).zip(data);
        Ok(edges
            .map(|((from, to), data)| {
                let data = EdgeData {
                    port: Port(data.from_port),
                    programmatic: data.kind != 0,
                };
                (node(from), node(to), data)
            })
            .collect())
    }

    /// What `node` waits for of `before`; `None` where it doesn't.
    ///
    /// # Errors
    /// As [`edges`](Self::edges), and [`ErrorKind::InvalidArgument`] for nodes of another graph.
    pub fn edge_data(&self, before: Node, node: Node) -> Result<Option<EdgeData>> {
        self.expect_own(before, "Graph::edge_data")?;
        self.expect_own(node, "Graph::edge_data")?;
        let edges = self.edges_with_data()?;
        let found = edges
            .into_iter()
            .find(|(from, to, _)| (*from, *to) == (before, node));
        Ok(found.map(|(.., data)| data))
    }

    /// Has `node` wait for `before` too.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for nodes of another graph. The driver's code where the edge is there already. That
    /// nodes wait for each other in a circle, the driver may say only when the graph is instantiated.
    #[doc(alias = "cuGraphAddDependencies")]
    pub fn add_dependency(&mut self, before: Node, node: Node) -> Result<()> {
        self.add_edge(before, node, EdgeData::default())
    }

    /// Has `node` wait for a part of `before`: for the programmatic launch of one kernel after another.
    ///
    /// # Errors
    /// As [`add_dependency`](Self::add_dependency). The driver's code for a port or a kind of edge that the two nodes can't
    /// have. [`ErrorKind::Unsupported`] where the driver is older than CUDA 12.3, but for the default.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, graph::{EdgeData, Graph}};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let module = Module::compile(&context, r#"
    ///     extern "C" __global__ void first(int *x) {
    ///         asm volatile("griddepcontrol.launch_dependents;");
    ///         *x = 3;
    ///     }
    ///     extern "C" __global__ void second(int *x) {
    ///         asm volatile("griddepcontrol.wait;" ::: "memory"); // now the first one's writes are there
    ///         *x += 1;
    ///     }"#)?;
    /// let (first, second) = (module.function("first")?, module.function("second")?);
    /// let mut graph = Graph::new(&context)?;
    /// let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 1)?);
    /// let one = LaunchConfig::new(1, 1);
    /// // SAFETY: one int; the second kernel waits for the first one.
    /// let (a, b) = unsafe { (graph.add_kernel(&[], &first, one, (x,))?, graph.add_kernel(&[], &second, one, (x,))?) };
    /// graph.add_edge(a, b, EdgeData::programmatic())?;
    /// assert_eq!(graph.edge_data(a, b)?, Some(EdgeData::programmatic()));
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.memory(x)?.to_vec(&stream)?, [4]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphAddDependencies")]
    pub fn add_edge(&mut self, before: Node, node: Node, data: EdgeData) -> Result<()> {
        const CALL: &str = "cuGraphAddDependencies";
        self.expect_own(before, CALL)?;
        self.expect_own(node, CALL)?;
        let (raw, edge) = (self.as_raw(), RawEdgeData::from(data));
        let code = if data == EdgeData::default() {
            let add = newer::cuGraphAddDependencies()?;
            let _current = self.context().enter(CALL)?;
            // SAFETY: live nodes of this graph.
            unsafe { add(raw, &before.raw, &node.raw, 1) }
        } else {
            let add = newer::cuGraphAddDependencies_v2()?;
            let _current = self.context().enter(CALL)?;
            // SAFETY: as above.
            unsafe { add(raw, &before.raw, &node.raw, &edge, 1) }
        };
        self.checked_edge(CALL, code, || {
            match (data == EdgeData::default(), data.programmatic) {
                (true, _) => "is there already, or leads from a node to itself",
                (_, true) => {
                    "is there already (from the nodes that the second was added behind: remove_dependency), or one of its \
                     nodes is no kernel, or its port is `DONE`"
                }
                _ => "is there already, or its first node is no kernel",
            }
        })
    }

    fn checked_edge(
        &self,
        call: &'static str,
        code: CUresult,
        why: impl FnOnce() -> &'static str,
    ) -> Result<()> {
        let checked = self.context().check(call, code);
        match code {
            CUresult::CUDA_ERROR_INVALID_VALUE => checked.map_err(|error: Error| {
                error.with_detail(format!("perhaps the edge {}: see Graph::edges", why()))
            }),
            _ => checked,
        }
    }

    /// Has `node` no longer wait for `before`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for nodes of another graph. The driver's code where there is no such edge.
    #[doc(alias = "cuGraphRemoveDependencies")]
    pub fn remove_dependency(&mut self, before: Node, node: Node) -> Result<()> {
        const CALL: &str = "cuGraphRemoveDependencies";
        self.expect_own(before, CALL)?;
        self.expect_own(node, CALL)?;
        let data = self.edge_data(before, node)?.unwrap_or_default();
        let raw = self.as_raw();
        let code = if data == EdgeData::default() {
            let remove = newer::cuGraphRemoveDependencies()?;
            let _current = self.context().enter(CALL)?;
            // SAFETY: live nodes of this graph.
            unsafe { remove(raw, &before.raw, &node.raw, 1) }
        } else {
            // An edge with data is removed by the same data.
            let remove = newer::cuGraphRemoveDependencies_v2()?;
            let _current = self.context().enter(CALL)?;
            // SAFETY: as above.
            unsafe { remove(raw, &before.raw, &node.raw, &RawEdgeData::from(data), 1) }
        };
        self.checked_edge(CALL, code, || "is not there")
    }
}
