//! The driver calls that methods make, checked in the emulator's trace: the expected function,
//! once, with the expected arguments. Each test runs in its own process, which must leak nothing.

use cuda_emulator as _; // linked in: these tests never use a GPU

#[path = "../common/child.rs"]
mod child;
mod closing;
mod contexts;
mod copies;
mod coredumps;
#[path = "../common/failure.rs"]
mod failure;
mod graphs;
mod host_functions;
mod launches;
mod listeners;
mod memory;
mod migration;
mod modules;
mod pools;
mod reasons;
mod refusals;
#[path = "../common/semaphore.rs"]
mod semaphore;
mod staging;
mod streams;
mod textures;

use child::{calls, passes, passes_with, traced};
use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, DeviceView, ErrorKind, Event, EventOptions,
    Function, In, InOut, LaunchConfig, ManagedBuffer, MemoryPool, Module, Out, PinnedBuffer,
    Stream, StreamOptions,
    context::{CacheConfig, Limit},
    driver,
    memory::PinnedFlags,
    module::{FunctionAttribute, JitOptions},
    sys::{self, CUresult},
};
use failure::{failure, rejection};

const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry set(.param .u64 p) {\n\
    .reg .u64 %a;\n.reg .u32 %v;\nld.param.u64 %a, [p];\nmov.u32 %v, 7;\nst.global.u32 [%a], %v;\nret;\n}\n";

fn device() -> (Context, Stream) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    (context, stream)
}

fn set_kernel(context: &Context) -> Function {
    let module = Module::from_ptx(context, PTX).unwrap();
    module.function("set").unwrap()
}

/// Returns the calls of `function` that `act` makes.
#[track_caller]
fn made<R>(function: &str, act: impl FnOnce() -> R) -> Vec<String> {
    let before = calls(function).len();
    act();
    calls(function).split_off(before)
}

/// Checks that `act` makes exactly one call of `function`, which succeeds and has all of
/// `arguments`.
#[track_caller]
fn makes<R>(function: &str, arguments: &[&str], act: impl FnOnce() -> R) {
    let made = made(function, act);
    assert_eq!(made.len(), 1, "{function}: {made:?}");
    assert!(made[0].contains(") = CUDA_SUCCESS"), "{made:?}");
    for argument in arguments {
        assert!(made[0].contains(argument), "no {argument} in {made:?}");
    }
}
