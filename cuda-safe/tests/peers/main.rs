//! Several devices: copies between them, kernel access and stream order. The emulator provides two
//! devices. On a machine with one GPU, the tests end where they need the second device.

mod access;
mod copies;
#[path = "../common/failure.rs"]
mod failure;
#[path = "../common/test_name.rs"]
mod test_name;

use std::{env, process::Command, sync::Once};

use cuda_safe::{Context, Device, DeviceBuffer, Event, Function, LaunchConfig, Module, Stream};
use failure::{failure, rejection};
use test_name::test_name;

/// A context, a stream and a kernel on each of two devices. [`pair`] returns `None` if there is only
/// one device.
struct Pair {
    contexts: [Context; 2],
    streams: [Stream; 2],
    sum: [Function; 2],
}

const SOURCE: &str = r#"
extern "C" __global__ void sum(unsigned *to, const unsigned *from, unsigned n) {
    unsigned sum = 0;
    for (unsigned i = 0; i < n; ++i) sum += from[i];
    *to = sum;
}
extern "C" __global__ void set(unsigned *to, unsigned n) {
    for (unsigned i = 0; i < n; ++i) to[i] = i;
}
extern "C" __global__ void late(unsigned *to, const unsigned *from, unsigned long long nanoseconds) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
    *to = *(const volatile unsigned *)from;
}"#;

fn start() {
    static START: Once = Once::new();
    // SAFETY: every test calls this first, before the driver starts and reads the environment.
    START.call_once(|| unsafe { env::set_var("CUDA_EMULATOR_DEVICES", "2") });
}

fn pair() -> Option<Pair> {
    start();
    if Device::count().expect("a driver") < 2 {
        eprintln!("only one device, so nothing is tested");
        return None;
    }
    let contexts = [0, 1].map(|ordinal| Context::primary(ordinal).expect("a context"));
    let streams = [0, 1].map(|i| Stream::new(&contexts[i]).expect("a stream"));
    let sum = [0, 1].map(|i| kernel(&contexts[i], "sum"));
    Some(Pair {
        contexts,
        streams,
        sum,
    })
}

fn kernel(context: &Context, name: &str) -> Function {
    let module = Module::compile(context, SOURCE).expect("a module");
    module.function(name).expect("a kernel")
}

/// Runs a test in its own process, because a fault may end all contexts of a process.
fn in_child(fault: impl FnOnce()) {
    const CHILD: &str = "CUDA_SAFE_PEER_CHILD";
    start();
    if env::var(CHILD).is_ok() {
        fault();
        println!("child done");
        return;
    }
    let output = Command::new(env::current_exe().unwrap())
        .args([
            test_name(&fault),
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        output.status.success() && text.contains("child done"),
        "{text}"
    );
}

fn numbers(len: usize) -> Vec<u32> {
    (1..=len as u32).collect()
}

#[test]
fn streams_of_two_devices_can_be_ordered() {
    let Some(pair) = pair() else { return };
    let contexts = pair.contexts;
    let streams = pair.streams;
    let set = kernel(&contexts[1], "set");
    let mut far = DeviceBuffer::<u32>::zeroed(&streams[1], 1 << 16).unwrap();
    // SAFETY: the buffer has the number of elements that the kernel writes.
    unsafe { set.launch(&streams[1], LaunchConfig::new(1, 1), (&mut far, 1u32 << 16)) }.unwrap();
    let done = streams[1].record_event().unwrap();
    streams[0].wait_event(&done).unwrap();
    let after = streams[0].record_event().unwrap();
    after.synchronize().unwrap();
    assert!(done.query().unwrap());
    streams[0].wait_stream(&streams[1]).unwrap();
    // An event belongs to one context.
    let event = Event::new(&contexts[0]).unwrap();
    rejection(event.record(&streams[1])).mentions("wait_event");
    let events = [0, 1].map(|i| {
        let event = Event::new(&contexts[i]).unwrap();
        event.record(&streams[i]).unwrap();
        event.synchronize().unwrap();
        event
    });
    failure(events[1].elapsed_ms_since(&events[0])).mentions("different devices");
}

#[test]
fn link_of_two_devices_can_be_queried() {
    let Some(pair) = pair() else { return };
    let contexts = pair.contexts;
    let [one, other] = [contexts[0].device(), contexts[1].device()];
    let link = one.link_to(other).unwrap();
    assert_eq!(link.access, one.can_access_peer(other).unwrap());
    if link.access {
        assert!(link.rank >= 0 && !(link.atomics && link.some_atomics));
    }
    assert!(one.link_to(one).is_err());
}
