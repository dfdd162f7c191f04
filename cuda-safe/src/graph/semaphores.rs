//! Nodes that signal semaphores of other interfaces, and nodes that wait for them.

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
    /// Adds a node that signals semaphores, each with its value, in every launch: as
    /// [`Stream::signal_semaphores`](crate::Stream::signal_semaphores). It waits for the nodes of `after`.
    ///
    /// A timeline semaphore grows: before the next launch, [`GraphExec::set_semaphores`] gives the node the next value.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a semaphore of another context, and as
    /// [`add_empty`](Self::add_empty).
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
        // SAFETY: as `add_empty`; live semaphores, which the graph holds, and as many values, which the driver copies.
        let node = self.add(CALL, after, |node, graph, nodes, count| unsafe {
            sys::cuGraphAddExternalSemaphoresSignalNode(node, graph, nodes, count, &parameters)
        })?;
        self.held.semaphores(signals);
        Ok(node)
    }

    /// Adds a node that waits for semaphores, each with its value, in every launch: as
    /// [`Stream::wait_semaphores`](crate::Stream::wait_semaphores). It waits for the nodes of `after` too.
    ///
    /// **A launch hangs for ever if a semaphore is never signalled,** and with it whoever waits for it.
    ///
    /// # Errors
    /// As [`add_semaphore_signal`](Self::add_semaphore_signal).
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

    /// The semaphores, by the driver's handles, that a node signals or waits for, and their values.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a node of another graph, and for one that does
    /// neither.
    #[doc(alias = "cuGraphExternalSemaphoresSignalNodeGetParams")]
    #[doc(alias = "cuGraphExternalSemaphoresWaitNodeGetParams")]
    pub fn semaphores(&self, node: Node) -> Result<Vec<(CUexternalSemaphore, u64)>> {
        let kind = self.expect_semaphores(node, "Graph::semaphores")?;
        let _current = self
            .context()
            .enter("cuGraphExternalSemaphoresSignalNodeGetParams")?;
        let (semaphores, values, count) = if kind == NodeKind::SEMAPHORE_SIGNAL {
            let mut found = MaybeUninit::<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>::zeroed();
            // SAFETY: a live node of that kind; `found` is valid for the write.
            let code = unsafe {
                sys::cuGraphExternalSemaphoresSignalNodeGetParams(node.raw, found.as_mut_ptr())
            };
            self.context()
                .check("cuGraphExternalSemaphoresSignalNodeGetParams", code)?;
            // SAFETY: addresses and a number, which were zero before the driver wrote them.
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
        // SAFETY: the node's own lists, of that length, which stay until it is changed: that takes `&mut`.
        let one = |i| unsafe { (*semaphores.add(i), (*values.add(i)).value) };
        Ok((0..count as usize).map(one).collect())
    }

    /// Changes what a node signals, or waits for, before the graph is instantiated.
    ///
    /// # Errors
    /// As [`add_semaphore_signal`](Self::add_semaphore_signal), and as [`semaphores`](Self::semaphores).
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
        // Before the change, which may have been made though it failed.
        self.held.semaphores(values);
        let _current = self
            .context()
            .enter("cuGraphExternalSemaphoresSignalNodeSetParams")?;
        let (call, code) = if kind == NodeKind::SEMAPHORE_SIGNAL {
            let signal = raw.signal_parameters();
            (
                "cuGraphExternalSemaphoresSignalNodeSetParams",
                // SAFETY: a live node of that kind; live semaphores, which the graph holds, and as many values.
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

    /// The kind of a node, which has semaphores.
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
    /// Changes the semaphores, or the values, that a node signals or waits for: as many as before. Launches that were made
    /// before are not changed.
    ///
    /// # Errors
    /// As [`Graph::set_semaphores`]. `CUDA_ERROR_INVALID_VALUE` for another number of semaphores.
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
        // Before the change, which may have been made though it failed.
        self.held().semaphores(values);
        let _current = self
            .context()
            .enter("cuGraphExecExternalSemaphoresSignalNodeSetParams")?;
        let exec = self.as_raw();
        let (call, code) = if kind == NodeKind::SEMAPHORE_SIGNAL {
            let signal = raw.signal_parameters();
            let code =
                // SAFETY: a live node of that kind, of the graph that this was made of; live semaphores, which this holds, and
                // as many values.
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
                    "{} semaphores: a node keeps the number that it had when the graph was instantiated",
                    values.len()
                ))
            }),
            _ => changed,
        }
    }
}
