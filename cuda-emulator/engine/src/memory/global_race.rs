//! The race check of an access to global memory, and its report.

use crate::boundary::FaultKind;
use crate::state::clock::Mark;
use crate::state::context::Ctx;
use crate::state::grid_race::Access;
use crate::state::shadow::races;
use crate::state::touch::Touch;

/// Converts a linear number to an index in a grid of this size.
fn block_index(linear: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y, linear) = (u64::from(x), u64::from(y), u64::from(linear));
    [linear % x, linear / x % y, linear / x / y].map(|n| n as u32)
}

/// Records an access of the running warp. Sets `ctx.fault` if it races with an earlier one.
pub(super) fn check(ctx: &mut Ctx<'_>, lane: u32, address: u64, size: u64, touch: Touch) {
    let thread = (ctx.warp * 32 + lane) as u16;
    let pc = ctx.pc.wrapping_sub(1);
    let Some(races) = races(ctx) else {
        return;
    };
    let mark = races.mark(thread, pc, touch);
    if let Some(found) = races.touch_global(mark, address, size) {
        let text = report(ctx, address, size, &mark, &found);
        ctx.fail(FaultKind::Check, lane, text);
    }
}

#[cold]
fn report(ctx: &Ctx<'_>, address: u64, size: u64, mark: &Mark, found: &Access) -> String {
    let launch = ctx.launch;
    let block = block_index(found.block, launch.shape.grid);
    let name = |mark: &Mark, [x, y, z]: [u32; 3]| {
        format!(
            "{} of block ({x}, {y}, {z})",
            launch.thread_name(mark.thread.into())
        )
    };
    let verb = |touch: Touch| match touch {
        touch if touch.atomic() => "atomic",
        touch if touch.writes() => "write",
        _ => "read",
    };
    let (this, earlier) = (verb(mark.touch), verb(found.mark.touch));
    let within = block == ctx.block;
    let order = match within {
        true => "no barrier since",
        false => "nothing orders the two blocks after",
    };
    let mut text = format!(
        "race on global memory: {this} of {size} bytes at 0x{address:x} by {}, and {order} the {earlier} by {}\n{}",
        name(mark, ctx.block),
        name(&found.mark, block),
        launch.device.explain(address, size as u32),
    );
    if mark.touch.strong() != found.mark.touch.strong() {
        text += "\nonly one of the two is atomic, volatile or relaxed, which does not order them";
    }
    text += match within {
        true => {
            "\nFix: put a barrier between the two that both threads reach, such as __syncthreads()"
        }
        false => {
            "\nFix: use an atomic such as atomicAdd for both, or let each block access its own elements (correct an \
             index that two blocks share), or use a second launch. A block that reads the results of another in the same launch needs __threadfence() before and an \
             atomic after the write"
        }
    };
    let at = launch.place_within(found.mark.pc);
    text += &format!("\n  the {earlier}, by {}:{at}", name(&found.mark, block));
    text += &format!("\n  the {this} after it:");
    text
}
