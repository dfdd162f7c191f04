//! Graph functions of kernels, for their own graph and for others.

use super::print::{argument, lanes, set_result};
use crate::boundary::{FaultKind, NodeChange};
use crate::memory::resolve::{Mem, resolve_range};
use crate::program::Slice;
use crate::state::context::Ctx;
use crate::state::op::{Flow, Op, each};
use crate::state::touch::space;

/// `cudaGraphSetConditional(handle, value)`. An invalid handle is undefined behavior in CUDA and a
/// fault here.
pub(crate) unsafe fn set_conditional(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let site = &ctx.launch.program.sites[op.x as usize];
    lanes(mask, |lane| {
        let handle = argument(ctx, site.arguments[0], lane);
        let value = argument(ctx, site.arguments[1], lane) as u32;
        if ctx.launch.device.set_conditional(handle, value) {
            return Some(());
        }
        let text = format!(
            "cudaGraphSetConditional: {handle:#x} is not a handle of cuGraphConditionalHandleCreate, or its graph was destroyed"
        );
        ctx.fail(FaultKind::IllegalAddress, lane, text);
        None
    })
}

/// `cudaGraphLaunch(exec, stream)`. An invalid handle is undefined behavior in CUDA and a fault
/// here.
pub(crate) unsafe fn launch(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let site = &ctx.launch.program.sites[op.x as usize];
    lanes(mask, |lane| {
        let exec = argument(ctx, site.arguments[0], lane);
        let stream = argument(ctx, site.arguments[1], lane);
        match ctx.launch.device.launch_graph(exec, stream) {
            Ok(code) => {
                set_result(ctx, site.returns[0], lane, u64::from(code));
                Some(())
            }
            Err(why) => {
                let text = format!("cudaGraphLaunch: {why}");
                ctx.fail(FaultKind::IllegalAddress, lane, text);
                None
            }
        }
    })
}

/// `%current_graph_exec`
pub(crate) unsafe fn current(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let value = ctx.launch.device.current_graph();
    // SAFETY: `d` is a 64-bit register.
    unsafe {
        let d = ctx.at::<u64>(op.d);
        each(mask, |i| d.add(i).write(value));
    }
    Flow::Next
}

/// `cudaSuccess` and `cudaErrorInvalidValue`
const CODES: [u64; 2] = [0, 1];

/// Reads bytes of the program's memory.
fn bytes(ctx: &mut Ctx<'_>, lane: u32, address: u64, count: u64) -> Option<Vec<u8>> {
    let host = resolve_range(ctx, None, space::GENERIC, lane, address, count, false)?;
    let byte = |at: u64| {
        // SAFETY: checked just now. Another thread may write the bytes, so they are read one by
        // one.
        unsafe { u8::load(host + at) }
    };
    Some((0..count).map(byte).collect())
}

/// Changes a node. Returns whether the change is allowed. An invalid handle is undefined behavior
/// in CUDA and a fault here.
fn change(ctx: &mut Ctx<'_>, lane: u32, node: u64, change: NodeChange<'_>) -> Option<bool> {
    match ctx.launch.device.change_node(node, change) {
        Ok(allowed) => Some(allowed),
        Err(why) => {
            let text = format!("cudaGraphKernelNode...: {why}");
            ctx.fail(FaultKind::IllegalAddress, lane, text);
            None
        }
    }
}

/// Larger than any kernel's parameters, and than any reasonable list of updates.
const MOST: u64 = 1 << 16;

/// `cudaGraphKernelNodeSetParam(node, offset, value, size)`
pub(crate) unsafe fn set_node_param(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let site = &ctx.launch.program.sites[op.x as usize];
    lanes(mask, |lane| {
        let [node, offset, value, size] =
            std::array::from_fn(|i| argument(ctx, site.arguments[i], lane));
        let allowed = size <= MOST && {
            let bytes = match size {
                0 => Vec::new(),
                size => bytes(ctx, lane, value, size)?,
            };
            change(ctx, lane, node, NodeChange::Param(offset, &bytes))?
        };
        set_result(ctx, site.returns[0], lane, CODES[usize::from(!allowed)]);
        Some(())
    })
}

/// `cudaGraphKernelNodeSetEnabled(node, enable)`
pub(crate) unsafe fn set_node_enabled(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let site = &ctx.launch.program.sites[op.x as usize];
    lanes(mask, |lane| {
        let node = argument(ctx, site.arguments[0], lane);
        let enabled = argument(ctx, site.arguments[1], lane) & 0xff != 0;
        let allowed = change(ctx, lane, node, NodeChange::Enabled(enabled))?;
        set_result(ctx, site.returns[0], lane, CODES[usize::from(!allowed)]);
        Some(())
    })
}

/// `cudaGraphKernelNodeSetGridDim(node, grid)`
pub(crate) unsafe fn set_node_grid(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let site = &ctx.launch.program.sites[op.x as usize];
    lanes(mask, |lane| {
        let node = argument(ctx, site.arguments[0], lane);
        let place = site.arguments[1];
        // Three consecutive words.
        let grid = [0, 4, 8].map(|more| {
            let word = Slice {
                offset: place.offset + more,
                size: 4,
                ..place
            };
            argument(ctx, word, lane) as u32
        });
        let allowed = change(ctx, lane, node, NodeChange::Grid(grid))?;
        set_result(ctx, site.returns[0], lane, CODES[usize::from(!allowed)]);
        Some(())
    })
}

/// Size of a `cudaGraphKernelNodeUpdate` in bytes.
const UPDATE: usize = 40;

/// `cudaGraphKernelNodeUpdatesApply(updates, count)`: applies the updates in order, up to the first
/// one that is not allowed.
pub(crate) unsafe fn update_nodes(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let site = &ctx.launch.program.sites[op.x as usize];
    lanes(mask, |lane| {
        let [updates, count] = [0, 1].map(|i| argument(ctx, site.arguments[i], lane));
        let mut allowed = count <= MOST;
        let list = match count {
            1..=MOST => bytes(ctx, lane, updates, count * UPDATE as u64)?,
            _ => Vec::new(),
        };
        for one in list.chunks_exact(UPDATE) {
            if !allowed {
                break;
            }
            let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| one[at + i]));
            let word = |at: usize| long(at) as u32;
            let (node, values) = (long(0), 16);
            allowed = match word(8) {
                1 => {
                    let grid = [word(values), word(values + 4), word(values + 8)];
                    change(ctx, lane, node, NodeChange::Grid(grid))?
                }
                2 => {
                    let [value, offset, size] = [0, 8, 16].map(|more| long(values + more));
                    size <= MOST && {
                        let bytes = match size {
                            0 => Vec::new(),
                            size => bytes(ctx, lane, value, size)?,
                        };
                        change(ctx, lane, node, NodeChange::Param(offset, &bytes))?
                    }
                }
                3 => change(ctx, lane, node, NodeChange::Enabled(word(values) != 0))?,
                _ => false,
            };
        }
        set_result(ctx, site.returns[0], lane, CODES[usize::from(!allowed)]);
        Some(())
    })
}
