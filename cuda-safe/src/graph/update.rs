//! Updating a graph that is instantiated already, as a whole.

use cuda_sys::{self as sys, CUgraphExecUpdateResult, CUgraphExecUpdateResultInfo, CUresult};

use super::{Graph, GraphError, GraphExec};
use crate::error::{Error, ErrorKind, Result};

impl GraphExec {
    /// Takes over the parameters of all nodes of `graph`, which has the same nodes and edges, made in the same order.
    /// This is much cheaper than instantiating it. Launches that were made before are not changed.
    ///
    /// What the graph keeps is kept here from now on, in place of what was kept before: that is freed when its launches are
    /// over, and its tokens are refused. Nodes are still named by those of the graph that was instantiated. Whether a node
    /// is [enabled](Self::set_enabled) does not change.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`], with the driver's reason, where the two differ in more than parameters: nothing has
    /// changed then, and the error returns the graph.
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
        // SAFETY: both handles are live; `info` is valid for the write.
        let code = unsafe { sys::cuGraphExecUpdate_v2(self.as_raw(), graph.as_raw(), &mut info) };
        if code != CUresult::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE {
            return self.context().check(CALL, code);
        }
        Err(Error::checked(
            ErrorKind::InvalidArgument,
            CALL,
            format!(
                "{}{}: instantiate the graph instead",
                reason(info.result),
                graph
                    .culprit(info.errorNode)
                    .map_or_else(String::new, |node| format!(", at {node} of the new one"))
            ),
        ))
    }
}

/// In words, why an update was refused.
fn reason(result: CUgraphExecUpdateResult) -> String {
    use CUgraphExecUpdateResult as R;
    let text = match result {
        R::CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED => {
            "the graphs have different nodes or edges"
        }
        R::CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED => "a node is of another kind",
        R::CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED
        | R::CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE => {
            "a node launches another kernel, of a kind that can't be exchanged"
        }
        R::CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED => {
            "a parameter has changed in a way that is not supported"
        }
        R::CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED => "a node is of a kind that can't be updated",
        R::CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED => "an attribute of a node has changed",
        other => return format!("{other:?}"),
    };
    text.into()
}
