//! Graphs as Graphviz text.

use std::fmt::Write as _;

use super::definition::Graph;
use super::node::{Node, Task};
use crate::abi::{self, *};
use crate::work::operation::Operation;

/// Returns the text of a graph, with the details selected by `CUgraphDebugDot_flags`.
pub fn print(graph: &Graph, flags: u32) -> String {
    let mut out = String::from("digraph dot {\n");
    cluster(graph, flags, "graph", &mut out);
    out.push_str("}\n");
    out
}

fn cluster(graph: &Graph, flags: u32, name: &str, out: &mut String) {
    let body = graph.body();
    let mut text =
        format!("subgraph \"cluster_{name}\" {{\nlabel=\"{name}\" graph[style=\"dashed\"]\n");
    let mut children = Vec::new();
    for (number, node) in &body.nodes {
        let label = label(*number, node, flags);
        let _ = writeln!(
            text,
            "\"{name}_node_{number}\"[style=\"solid\" shape=\"rectangle\" label=\"{label}\"];"
        );
        for (index, child) in node.task.graphs().iter().enumerate() {
            children.push((*number, index, child.clone()));
        }
    }
    for (number, node) in &body.nodes {
        for link in &node.after {
            let to = link.number;
            let _ = writeln!(text, "\"{name}_node_{number}\" -> \"{name}_node_{to}\";");
        }
    }
    out.push_str(&text);
    for (number, index, child) in children {
        let name = format!("{name}_node_{number}_graph_{index}");
        cluster(&child, flags, &name, out);
    }
    out.push_str("}\n");
}

/// Returns the label of a node, with line ends for Graphviz.
fn label(number: u64, node: &Node, flags: u32) -> String {
    let asked = |flag| flags & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE) != 0;
    let mut lines = vec![number.to_string()];
    let kind = abi::name("CUgraphNodeType", node.task.kind()).unwrap_or_default();
    let kind = kind.trim_start_matches("CU_GRAPH_NODE_TYPE_");
    lines.push(kind.into());
    if asked(CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES) {
        lines.push(format!("node handle: {:#x}", node.handle));
    }
    match &node.task {
        Task::Operation(Operation::Launch(launch), _) => {
            lines.push(launch.function.info().name.clone());
            if asked(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS) {
                let shape = &launch.shape;
                lines.push(format!(
                    "grid {:?}, block {:?}, {} bytes of dynamic shared memory",
                    shape.grid, shape.block, shape.dynamic_shared
                ));
            }
        }
        Task::Operation(Operation::Copy(copy), _)
            if asked(CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS) =>
        {
            lines.push(format!(
                "{:?} bytes from {:#x} to {:#x}",
                copy.extent, copy.from.address, copy.to.address
            ));
        }
        Task::Operation(Operation::Fill(checked), _)
            if asked(CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS) =>
        {
            let fill = checked.fill;
            lines.push(format!(
                "{:?} elements of {} bytes at {:#x}: {:#x}",
                fill.extent, fill.width, fill.address, fill.value
            ));
        }
        Task::Operation(Operation::Call(call), _)
            if asked(CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS) =>
        {
            lines.push(format!("{:#x}({:#x})", call.address(), call.data));
        }
        Task::Operation(Operation::Record(event) | Operation::Await(event), _)
            if asked(CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS) =>
        {
            lines.push(format!("event {:#x}", event.handle));
        }
        _ => {}
    }
    let mut text = String::new();
    for line in lines {
        // Labels contain names of kernels and numbers. Only these two characters need to be
        // escaped.
        let line = line.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = write!(text, "{line}\\l");
    }
    text
}
