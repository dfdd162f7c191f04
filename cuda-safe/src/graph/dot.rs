//! Graphs as text for Graphviz.

use std::{ffi::CStr, fmt::Write, ptr};

use cuda_sys::{self as sys, CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D, CUmemorytype, CUresult};

use super::{
    Graph,
    node::{Node, NodeKind},
};
use crate::{driver::newer, error::Result, launch::Dim3};

impl Graph {
    /// Returns the graph in the language of [Graphviz](https://graphviz.org), which `dot -Tsvg`
    /// draws. The label of a node is its operation. Kernels have their name, grid and block, and
    /// copies their direction and size.
    ///
    /// # Errors
    /// Returns the errors of [`edges`](Self::edges).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// # let add_one = Module::compile(&context, r#"
    /// #     extern "C" __global__ void add_one(int *x) { x[threadIdx.x] += 1; }"#)?.function("add_one")?;
    /// let mut graph = Graph::new(&context)?;
    /// let x = graph.keep(DeviceBuffer::<i32>::uninit(&stream, 32)?);
    /// let fill = graph.add_fill(&[], x, 0)?;
    /// // SAFETY: 32 threads, 32 elements.
    /// unsafe { graph.add_kernel(&[fill], &add_one, LaunchConfig::new(1, 32), (x,))? };
    /// assert_eq!(graph.to_dot()?, r#"digraph {
    ///     node [shape=box];
    ///     n0 [label="fill"];
    ///     n1 [label="add_one\n1 x 1 x 1 blocks of 32 x 1 x 1"];
    ///     n0 -> n1;
    /// }
    /// "#);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// ```text
    ///      ┌──────┐
    ///      │ fill │
    ///      └──┬───┘
    ///         ▼
    /// ┌────────────────────────────────┐
    /// │            add_one             │
    /// │ 1 x 1 x 1 blocks of 32 x 1 x 1 │
    /// └────────────────────────────────┘
    /// ```
    pub fn to_dot(&self) -> Result<String> {
        let (mut nodes, edges) = (self.nodes()?, self.edges_with_data()?);
        // The driver's order is arbitrary. Put nodes before their dependents, and otherwise keep
        // the driver's order.
        let mut ordered = Vec::with_capacity(nodes.len());
        while !nodes.is_empty() {
            let waits = |node: &Node| {
                let mut before = edges.iter().filter(|(_, to, _)| to == node);
                before.any(|(from, ..)| nodes.contains(from))
            };
            let at = nodes.iter().position(|node| !waits(node)).unwrap_or(0);
            ordered.push(nodes.remove(at));
        }
        let mut text = String::from("digraph {\n    node [shape=box];\n");
        let number = |node: &Node| ordered.iter().position(|one| one == node).unwrap_or(0);
        for (i, &node) in ordered.iter().enumerate() {
            let label = self.label(node)?.replace('"', "\\\"");
            let _ = writeln!(text, "    n{i} [label=\"{label}\"];"); // writing to a string cannot fail
        }
        let mut lines: Vec<_> = edges
            .iter()
            .map(|(a, b, data)| (number(a), number(b), data.mark()))
            .collect();
        lines.sort_unstable();
        for (from, to, mark) in lines {
            let _ = writeln!(text, "    n{from} -> n{to}{mark};");
        }
        text.push_str("}\n");
        Ok(text)
    }

    pub(super) fn label(&self, node: Node) -> Result<String> {
        let kind = self.kind(node)?;
        if kind == NodeKind::COPY {
            return self.copy_label(node);
        }
        if kind != NodeKind::KERNEL {
            return Ok(kind.word());
        }
        let kernel = self.kernel(node)?;
        let name = self.name_of(kernel.func);
        let grid = Dim3::from((kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ));
        let block = Dim3::from((kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ));
        Ok(format!("{name}\\n{grid} blocks of {block}"))
    }

    fn copy_label(&self, node: Node) -> Result<String> {
        let _current = self.context().enter("cuGraphMemcpyNodeGetParams")?;
        let mut copy = CUDA_MEMCPY3D::default();
        // SAFETY: the node is alive and belongs to this graph, and `copy` is valid for the write.
        let code = unsafe { sys::cuGraphMemcpyNodeGetParams(node.raw, &mut copy) };
        let word = NodeKind::COPY.word();
        if code != CUresult::CUDA_SUCCESS {
            return Ok(word); // this structure cannot describe the copy
        }
        let side = |memory| match memory {
            CUmemorytype::CU_MEMORYTYPE_HOST => Some("host"),
            CUmemorytype::CU_MEMORYTYPE_DEVICE => Some("device"),
            CUmemorytype::CU_MEMORYTYPE_ARRAY => Some("array"),
            _ => None, // the address determines the side
        };
        let bytes = copy.WidthInBytes * copy.Height.max(1) * copy.Depth.max(1);
        Ok(match (side(copy.srcMemoryType), side(copy.dstMemoryType)) {
            (Some(from), Some(to)) => format!("{word} from {from} to {to}\\n{bytes} bytes"),
            _ => format!("{word}\\n{bytes} bytes"),
        })
    }

    /// Returns the name of the kernel that a node launches. Use it to find nodes of captured
    /// graphs.
    ///
    /// See [`cuGraphKernelNodeGetParams`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the node
    /// belongs to another graph. Returns the driver's error if the node does not launch a kernel.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Result, Stream};
    /// # fn main() -> Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let module = Module::compile(&context, r#"
    ///     extern "C" __global__ void set(int *x, int value) { *x = value; }"#)?;
    /// let set = module.function("set")?;
    /// let mut x = DeviceBuffer::<i32>::zeroed(&stream, 1)?;
    /// let config = LaunchConfig::new(1, 1);
    /// // SAFETY: the kernel writes one number. The buffer and the kernel outlive the graph.
    /// let graph = unsafe {
    ///     stream.capture(|_| -> Result<()> { set.launch(&stream, config, (&mut x, 1i32)) })?
    /// };
    /// let node = graph.nodes()?.into_iter().find(|&node| graph.kernel_name(node).is_ok_and(|n| n == "set"));
    /// let mut exec = graph.instantiate()?;
    /// // SAFETY: as above.
    /// unsafe { exec.set_kernel(node.expect("captured"), &set, config, (&mut x, 5i32))? };
    /// exec.launch(&stream)?;
    /// assert_eq!(x.to_vec(&stream)?, [5]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphKernelNodeGetParams")]
    pub fn kernel_name(&self, node: Node) -> Result<String> {
        self.expect_own(node, "Graph::kernel_name")?;
        Ok(self.name_of(self.kernel(node)?.func))
    }

    fn kernel(&self, node: Node) -> Result<CUDA_KERNEL_NODE_PARAMS> {
        let _current = self.context().enter("cuGraphKernelNodeGetParams_v2")?;
        let mut kernel = CUDA_KERNEL_NODE_PARAMS::default();
        // SAFETY: the node is alive and belongs to this graph, and `kernel` is valid for the write.
        let code = unsafe { sys::cuGraphKernelNodeGetParams_v2(node.raw, &mut kernel) };
        self.context()
            .check("cuGraphKernelNodeGetParams_v2", code)?;
        Ok(kernel)
    }

    fn name_of(&self, raw: sys::CUfunction) -> String {
        let held = self.held.functions().iter();
        if let Some(function) = held.clone().find(|one| one.as_raw() == raw) {
            return function.name().into();
        }
        let mut name = ptr::null();
        if let Ok(get) = newer::cuFuncGetName() {
            // SAFETY: the kernel is alive, and `name` is valid for the write.
            let code = unsafe { get(&mut name, raw) };
            if code == CUresult::CUDA_SUCCESS && !name.is_null() {
                // SAFETY: the driver returned a string that lives as long as the kernel.
                return unsafe { CStr::from_ptr(name) }.to_string_lossy().into();
            }
        }
        NodeKind::KERNEL.word()
    }
}
