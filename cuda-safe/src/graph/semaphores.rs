//! Nodes that signal semaphores of other interfaces or wait for them.

use std::mem::MaybeUninit;

use cuda_sys::{
    self as sys, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    CUexternalSemaphore, CUresult,
};

use super::{
    Graph, GraphExec,
    node::{Node, NodeKind},
};
use crate::{
    error::{Error, Result},
    raw::structures::RawSemaphoreValue,
    share::{ExternalSemaphore, RawValues},
};

impl RawValues {
    fn signal_parameters(&mut self) -> CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
            extSemArray: self.semaphores.as_mut_ptr(),
            paramsArray: self.values.as_ptr().cast(),
            numExtSems: self.count(),
        }
    }

    fn wait_parameters(&mut self) -> CUDA_EXT_SEM_WAIT_NODE_PARAMS {
        CUDA_EXT_SEM_WAIT_NODE_PARAMS {
            extSemArray: self.semaphores.as_mut_ptr(),
            paramsArray: self.values.as_ptr().cast(),
            numExtSems: self.count(),
        }
    }
}

impl Graph {
    /// Adds a node that sets semaphores to values in every launch, as
    /// [`Stream::signal_semaphores`](crate::Stream::signal_semaphores) does. It depends on the
    /// nodes in `after`.
    ///
    /// The value of a timeline semaphore must increase. Before the next launch, set the next value
    /// with [`GraphExec::set_semaphores`].
    ///
    /// See [`cuGraphAddExternalSemaphoresSignalNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if a semaphore
    /// belongs to another context. Also returns the errors of [`add_empty`](Self::add_empty).
    #[doc(alias = "cuGraphAddExternalSemaphoresSignalNode")]
    pub fn add_semaphore_signal(
        &mut self,
        after: &[Node],
        signals: &[(&ExternalSemaphore, u64)],
    ) -> Result<Node> {
        const CALL: &str = "cuGraphAddExternalSemaphoresSignalNode";
        if signals.is_empty() {
            return self.add_empty(after);
        }
        let mut raw = RawValues::new(self.context(), CALL, signals)?;
        let parameters = raw.signal_parameters();
        // SAFETY: as in `add_empty`. The graph holds the semaphores, the lists have equal lengths, and
        // the driver copies the lists.
        let node = self.add(CALL, after, |node, graph, nodes, count| unsafe {
            sys::cuGraphAddExternalSemaphoresSignalNode(node, graph, nodes, count, &parameters)
        })?;
        self.held.semaphores(signals);
        Ok(node)
    }

    /// Adds a node that waits for values of semaphores in every launch, as
    /// [`Stream::wait_semaphores`](crate::Stream::wait_semaphores) does. It also depends on the
    /// nodes in `after`.
    ///
    /// **A launch hangs forever if a semaphore is never signaled,** and everything that waits for
    /// the launch hangs too.
    ///
    /// See [`cuGraphAddExternalSemaphoresWaitNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`add_semaphore_signal`](Self::add_semaphore_signal).
    #[doc(alias = "cuGraphAddExternalSemaphoresWaitNode")]
    pub fn add_semaphore_wait(
        &mut self,
        after: &[Node],
        waits: &[(&ExternalSemaphore, u64)],
    ) -> Result<Node> {
        const CALL: &str = "cuGraphAddExternalSemaphoresWaitNode";
        if waits.is_empty() {
            return self.add_empty(after);
        }
        let mut raw = RawValues::new(self.context(), CALL, waits)?;
        let parameters = raw.wait_parameters();
        // SAFETY: as in `add_semaphore_signal`.
        let node = self.add(CALL, after, |node, graph, nodes, count| unsafe {
            sys::cuGraphAddExternalSemaphoresWaitNode(node, graph, nodes, count, &parameters)
        })?;
        self.held.semaphores(waits);
        Ok(node)
    }

    /// Returns the semaphores that a node signals or waits for, as driver handles, with their
    /// values.
    ///
    /// See [`cuGraphExternalSemaphoresSignalNodeGetParams`, `cuGraphExternalSemaphoresWaitNodeGetParams`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the node
    /// belongs to another graph, or does neither.
    #[doc(alias = "cuGraphExternalSemaphoresSignalNodeGetParams")]
    #[doc(alias = "cuGraphExternalSemaphoresWaitNodeGetParams")]
    pub fn semaphores(&self, node: Node) -> Result<Vec<(CUexternalSemaphore, u64)>> {
        let kind = self.expect_semaphores(node, "Graph::semaphores")?;
        let _current = self
            .context()
            .enter("cuGraphExternalSemaphoresSignalNodeGetParams")?;
        let (semaphores, values, count) = if kind == NodeKind::SEMAPHORE_SIGNAL {
            let mut found = MaybeUninit::<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>::zeroed();
            // SAFETY: the node is alive and has that kind. `found` is valid for the write.
            let code = unsafe {
                sys::cuGraphExternalSemaphoresSignalNodeGetParams(node.raw, found.as_mut_ptr())
            };
            self.context()
                .check("cuGraphExternalSemaphoresSignalNodeGetParams", code)?;
            // SAFETY: the fields are addresses and a number, which were zero before the driver
            // wrote them.
            let found = unsafe { found.assume_init() };
            (
                found.extSemArray,
                found.paramsArray.cast::<RawSemaphoreValue>(),
                found.numExtSems,
            )
        } else {
            let mut found = MaybeUninit::<CUDA_EXT_SEM_WAIT_NODE_PARAMS>::zeroed();
            // SAFETY: as above.
            let code = unsafe {
                sys::cuGraphExternalSemaphoresWaitNodeGetParams(node.raw, found.as_mut_ptr())
            };
            self.context()
                .check("cuGraphExternalSemaphoresWaitNodeGetParams", code)?;
            // SAFETY: as above.
            let found = unsafe { found.assume_init() };
            (
                found.extSemArray,
                found.paramsArray.cast::<RawSemaphoreValue>(),
                found.numExtSems,
            )
        };
        if semaphores.is_null() || values.is_null() {
            return Ok(Vec::new());
        }
        // SAFETY: the node owns the lists, which have that length. They stay until the node is
        // changed, which needs `&mut`.
        let one = |i| unsafe { (*semaphores.add(i), (*values.add(i)).value) };
        Ok((0..count as usize).map(one).collect())
    }

    /// Changes the semaphores or values of a node before the graph is instantiated.
    ///
    /// See [`cuGraphExternalSemaphoresSignalNodeSetParams`, `cuGraphExternalSemaphoresWaitNodeSetParams`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`add_semaphore_signal`](Self::add_semaphore_signal) and of
    /// [`semaphores`](Self::semaphores).
    #[doc(alias = "cuGraphExternalSemaphoresSignalNodeSetParams")]
    #[doc(alias = "cuGraphExternalSemaphoresWaitNodeSetParams")]
    pub fn set_semaphores(
        &mut self,
        node: Node,
        values: &[(&ExternalSemaphore, u64)],
    ) -> Result<()> {
        const CALL: &str = "Graph::set_semaphores";
        let kind = self.expect_semaphores(node, CALL)?;
        let mut raw = RawValues::new(self.context(), CALL, values)?;
        // Before the change, because a failed change may still have been made.
        self.held.semaphores(values);
        let _current = self
            .context()
            .enter("cuGraphExternalSemaphoresSignalNodeSetParams")?;
        let (call, code) = if kind == NodeKind::SEMAPHORE_SIGNAL {
            let signal = raw.signal_parameters();
            (
                "cuGraphExternalSemaphoresSignalNodeSetParams",
                // SAFETY: the node is alive and has that kind. The graph holds the semaphores, and
                // the lists have equal lengths.
                unsafe { sys::cuGraphExternalSemaphoresSignalNodeSetParams(node.raw, &signal) },
            )
        } else {
            let wait = raw.wait_parameters();
            (
                "cuGraphExternalSemaphoresWaitNodeSetParams",
                // SAFETY: as above.
                unsafe { sys::cuGraphExternalSemaphoresWaitNodeSetParams(node.raw, &wait) },
            )
        };
        self.context().check(call, code)
    }

    /// Returns the kind of a node, or an error if it has no semaphores.
    fn expect_semaphores(&self, node: Node, call: &'static str) -> Result<NodeKind> {
        self.expect_own(node, call)?;
        match self.kind(node)? {
            kind @ (NodeKind::SEMAPHORE_SIGNAL | NodeKind::SEMAPHORE_WAIT) => Ok(kind),
            other => {
                let text = format!(
                    "the node's kind is `{}`, which has no semaphores",
                    other.word()
                );
                Err(Error::invalid(call, text))
            }
        }
    }
}

impl GraphExec {
    /// Changes the semaphores or values of a node. Their number must stay the same. Earlier
    /// launches are not affected.
    ///
    /// See [`cuGraphExecExternalSemaphoresSignalNodeSetParams`, `cuGraphExecExternalSemaphoresWaitNodeSetParams`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::set_semaphores`]. Returns `CUDA_ERROR_INVALID_VALUE` for
    /// another number of semaphores.
    #[doc(alias = "cuGraphExecExternalSemaphoresSignalNodeSetParams")]
    #[doc(alias = "cuGraphExecExternalSemaphoresWaitNodeSetParams")]
    pub fn set_semaphores(
        &mut self,
        node: Node,
        values: &[(&ExternalSemaphore, u64)],
    ) -> Result<()> {
        const CALL: &str = "GraphExec::set_semaphores";
        let kind = self.template.expect_semaphores(node, CALL)?;
        let mut raw = RawValues::new(self.context(), CALL, values)?;
        // Before the change, because a failed change may still have been made.
        self.held().semaphores(values);
        let _current = self
            .context()
            .enter("cuGraphExecExternalSemaphoresSignalNodeSetParams")?;
        let exec = self.as_raw();
        let (call, code) = if kind == NodeKind::SEMAPHORE_SIGNAL {
            let signal = raw.signal_parameters();
            let code =
                // SAFETY: the node belongs to the instantiated graph, is alive and has that kind.
                // This object holds the semaphores, and the lists have equal lengths.
                unsafe { sys::cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node.raw, &signal) };
            ("cuGraphExecExternalSemaphoresSignalNodeSetParams", code)
        } else {
            let wait = raw.wait_parameters();
            let code =
                // SAFETY: as above.
                unsafe { sys::cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, node.raw, &wait) };
            ("cuGraphExecExternalSemaphoresWaitNodeSetParams", code)
        };
        let changed = self.context().check(call, code);
        match code {
            CUresult::CUDA_ERROR_INVALID_VALUE => changed.map_err(|error| {
                error.with_detail(format!(
                    "{} semaphores were passed, but a node keeps the number that it had when the graph was instantiated",
                    values.len()
                ))
            }),
            _ => changed,
        }
    }
}
