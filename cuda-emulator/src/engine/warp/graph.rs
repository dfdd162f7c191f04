//! What kernels can say to the graph that they are in.

use super::print::{argument, lanes};
use crate::engine::FaultKind;
use crate::engine::state::context::Ctx;
use crate::engine::state::op::{Flow, Op};

/// `cudaGraphSetConditional(handle, value)`: a handle that isn't one is undefined behaviour, here a fault.
pub(in crate::engine) unsafe fn set_conditional(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let site = &ctx.launch.program.sites[op.x as usize];
    lanes(mask, |lane| {
        let handle = argument(ctx, site.arguments[0], lane);
        let value = argument(ctx, site.arguments[1], lane) as u32;
        if ctx.launch.device.set_conditional(handle, value) {
            return Some(());
        }
        let text = format!(
            "cudaGraphSetConditional: {handle:#x} isn't a handle of cuGraphConditionalHandleCreate, or its graph is gone"
        );
        ctx.fail(FaultKind::IllegalAddress, lane, text);
        None
    })
}
