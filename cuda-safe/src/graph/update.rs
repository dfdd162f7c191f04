//! Updates of whole instantiated graphs.

use cuda_sys::{self as sys, CUgraphExecUpdateResult, CUgraphExecUpdateResultInfo, CUresult};

use super::{Graph, GraphError, GraphExec};
use crate::error::{Error, ErrorKind, Result};

impl GraphExec {
    /// Replaces the parameters of all nodes by those of `graph`, which must have the same nodes and
    /// edges, added in the same order.
    ///
    /// This is much cheaper than instantiating `graph`. Earlier launches are not affected.
    ///
    /// This object now keeps everything that `graph` keeps, in place of the objects that were kept
    /// before. The previous objects are freed when their launches have finished, and their tokens
    /// are rejected from now on. Nodes are still named by the graph that was instantiated. Whether
    /// a node is [enabled](Self::set_enabled) does not change.
    ///
    /// See [`cuGraphExecUpdate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`], with the driver's reason, if the two graphs differ
    /// in more than parameters. Nothing has changed then, and the error contains the graph.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let fill = |value: u32| -> cuda_safe::Result<_> {
    ///     let mut graph = Graph::new(&context)?;
    ///     let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 3)?);
    ///     graph.add_fill(&[], x, value)?;
    ///     Ok((graph, x))
    /// };
    /// let (first, _) = fill(1)?;
    /// let mut exec = first.instantiate()?;
    /// let (second, y) = fill(2)?;
    /// exec.update(second)?;
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.memory(y)?.to_vec(&stream)?, [2; 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphExecUpdate")]
    pub fn update(&mut self, graph: Graph) -> Result<(), GraphError> {
        match self.try_update(&graph) {
            Ok(()) => {
                self.replace(graph);
                Ok(())
            }
            Err(error) => Err(GraphError::new(error, graph)),
        }
    }

    fn try_update(&mut self, graph: &Graph) -> Result<()> {
        const CALL: &str = "cuGraphExecUpdate_v2";
        self.context()
            .expect_same(graph.context(), "GraphExec::update", "the two graphs")?;
        let _current = self.context().enter("cuGraphExecUpdate_v2")?;
        let mut info = CUgraphExecUpdateResultInfo::default();
        // SAFETY: both handles are live, and `info` is valid for the write.
        let code = unsafe { sys::cuGraphExecUpdate_v2(self.as_raw(), graph.as_raw(), &mut info) };
        if code != CUresult::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE {
            return self.context().check(CALL, code);
        }
        Err(Error::checked(
            ErrorKind::InvalidArgument,
            CALL,
            format!(
                "{}{}. Fix: instantiate the graph instead",
                reason(info.result),
                graph
                    .describe_node(info.errorNode)
                    .map_or_else(String::new, |node| format!(", at {node} of the new graph"))
            ),
        ))
    }
}

/// Returns why an update was rejected.
fn reason(result: CUgraphExecUpdateResult) -> String {
    use CUgraphExecUpdateResult as R;
    let text = match result {
        R::CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED => {
            "the graphs have different nodes or edges"
        }
        R::CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED => "a node has another kind",
        R::CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED
        | R::CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE => {
            "a node launches another kernel, and this kind of change is not supported"
        }
        R::CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED => {
            "a parameter has changed in a way that is not supported"
        }
        R::CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED => "a node has a kind that can't be updated",
        R::CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED => "an attribute of a node has changed",
        other => return format!("{other:?}"),
    };
    text.into()
}
