//! Edges: the dependencies between nodes.

use std::ptr;

use cuda_sys::{CUgraphNode, CUresult};

use super::{Graph, Node};
pub use crate::raw::graph::Port;
use crate::{
    driver::newer,
    error::{Error, ErrorKind, Result},
    raw::structures::RawEdgeData,
};

/// The data of an edge, except for its nodes (`CUgraphEdgeData`). The default is the edge that
/// [`Graph::add_dependency`] adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EdgeData {
    /// The part of the first node for which the second one waits.
    pub port: Port,
    /// Whether both nodes are kernels, and the second one waits for the first one's memory itself,
    /// with `griddepcontrol.wait` (`cudaGridDependencySynchronize`).
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
    /// Returns an edge between two kernels. The second may start when all blocks of the first have
    /// executed `griddepcontrol.launch_dependents`. It waits for the first one's memory with
    /// `griddepcontrol.wait`.
    #[must_use]
    pub const fn programmatic() -> Self {
        Self {
            port: Port::TRIGGERED,
            programmatic: true,
        }
    }

    /// Returns an edge from a kernel. The second node may start when all blocks of the kernel have
    /// started.
    #[must_use]
    pub const fn started() -> Self {
        Self {
            port: Port::STARTED,
            programmatic: false,
        }
    }
}

impl EdgeData {
    /// Returns the attributes of the edge in Graphviz.
    pub(super) fn mark(self) -> &'static str {
        match self.port {
            Port::TRIGGERED => " [style=dashed label=\"triggered\"]",
            Port::STARTED => " [style=dashed label=\"started\"]",
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
    /// Returns the edges, as pairs of a node and a node that depends on it.
    /// [`edge_data`](Self::edge_data) returns the data of an edge.
    ///
    /// See [`cuGraphGetEdges`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
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
                // SAFETY: the graph is alive. `list_edges` passes arrays with room for the count,
                // or null.
                unsafe { get(raw, from, to, data, count) }
            }),
            // Drivers without this function have no edges with data.
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

    /// Returns the data of the edge from `before` to `node`, or `None` if there is no such edge.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if a node belongs to another graph. Also returns the
    /// errors of [`edges`](Self::edges).
    pub fn edge_data(&self, before: Node, node: Node) -> Result<Option<EdgeData>> {
        self.expect_own(before, "Graph::edge_data")?;
        self.expect_own(node, "Graph::edge_data")?;
        let edges = self.edges_with_data()?;
        let found = edges
            .into_iter()
            .find(|(from, to, _)| (*from, *to) == (before, node));
        Ok(found.map(|(.., data)| data))
    }

    /// Makes `node` depend on `before`.
    ///
    /// See [`cuGraphAddDependencies`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if a node belongs to another graph. Returns the
    /// driver's error if the edge exists already. The driver may report a cycle only when the graph
    /// is instantiated.
    #[doc(alias = "cuGraphAddDependencies")]
    pub fn add_dependency(&mut self, before: Node, node: Node) -> Result<()> {
        self.add_edge(before, node, EdgeData::default())
    }

    /// Makes `node` depend on a part of `before`, for the programmatic launch of one kernel after
    /// another.
    ///
    /// See [`cuGraphAddDependencies`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`add_dependency`](Self::add_dependency). Returns the driver's error
    /// for a port or a kind of edge that the two nodes cannot have. Returns
    /// [`ErrorKind::Unsupported`] if the driver is older than CUDA 12.3 and `data` is not the
    /// default.
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
    ///         asm volatile("griddepcontrol.wait;" ::: "memory"); // now the writes of the first
    /// // kernel are visible
    ///         *x += 1;
    ///     }"#)?;
    /// let (first, second) = (module.function("first")?, module.function("second")?);
    /// let mut graph = Graph::new(&context)?;
    /// let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 1)?);
    /// let one = LaunchConfig::new(1, 1);
    /// // SAFETY: one int. The second kernel waits for the first.
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
                (true, _) => "exists already, or leads from a node to itself",
                (_, true) => {
                    "exists already (from a node in `after` of the second node: call remove_dependency), or one of its \
                     nodes is not a kernel, or its port is `DONE`"
                }
                _ => "exists already, or its first node is not a kernel",
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
                error.with_detail(format!(
                    "the edge was rejected. Perhaps it {}: see Graph::edges",
                    why()
                ))
            }),
            _ => checked,
        }
    }

    /// Removes the dependency of `node` on `before`.
    ///
    /// See [`cuGraphRemoveDependencies`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if a node belongs to another graph. Returns the
    /// driver's error if the edge does not exist.
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
            // The driver needs the same data to remove an edge with data.
            let remove = newer::cuGraphRemoveDependencies_v2()?;
            let _current = self.context().enter(CALL)?;
            // SAFETY: as above.
            unsafe { remove(raw, &before.raw, &node.raw, &RawEdgeData::from(data), 1) }
        };
        self.checked_edge(CALL, code, || "does not exist")
    }
}
