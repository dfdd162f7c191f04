//! What kernels can say to the graph that they are in, and to others.

use super::print::{argument, lanes, set_result};
use crate::engine::FaultKind;
use crate::engine::state::context::Ctx;
use crate::engine::state::op::{Flow, Op, each};

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

/// `cudaGraphLaunch(exec, stream)`: a handle that isn't one is undefined behaviour, here a fault.
pub(in crate::engine) unsafe fn launch(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
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
pub(in crate::engine) unsafe fn current(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> Flow {
    let value = ctx.launch.device.current_graph();
    // SAFETY: `d` is a register of 64 bits.
    unsafe {
        let d = ctx.at::<u64>(op.d);
        each(mask, |i| d.add(i).write(value));
    }
    Flow::Next
}
