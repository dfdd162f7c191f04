use std::{
    collections::BTreeSet,
    thread,
    time::{Duration, Instant},
};

use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, Event, LaunchConfig, Module, PinnedBuffer, Stream,
    green::{GreenContext, Multiprocessors, SplitFlags},
    sys::CUresult,
};

use crate::{device, failure, kernels, rejection};

/// Returns `N` groups of multiprocessors, each as small as possible.
fn parts<const N: usize>(context: &Context) -> [Multiprocessors; N] {
    let all = context.multiprocessors().unwrap();
    let parts = all.split(N as u32, all.min_group_size()).unwrap();
    parts.groups.try_into().unwrap()
}

/// Returns the multiprocessors on which the blocks of a launch ran.
fn places(context: &Context, stream: &Stream) -> BTreeSet<u32> {
    // The blocks run long enough that no multiprocessor runs all of them while others are busy with
    // other tests.
    let source = r#"extern "C" __global__ void places(unsigned *out) {
        asm volatile("mov.u32 %0, %%smid;" : "=r"(out[blockIdx.x]));
        __nanosleep(200000);
    }"#;
    let module = Module::compile(context, source).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(stream, 1024).unwrap();
    let places = module.function("places").unwrap();
    // SAFETY: each block writes one number.
    unsafe { places.launch(stream, LaunchConfig::new(1024, 32), (&mut out,)) }.unwrap();
    out.to_vec(stream).unwrap().into_iter().collect()
}

/// Makes a call that concerns all streams of a context. It fails while another test captures one of them.
fn between_captures(call: impl Fn() -> cuda_safe::Result<()>) {
    let begin = Instant::now();
    while let Err(error) = call() {
        assert!(
            error.to_string().contains("a stream is being captured"),
            "{error}"
        );
        assert!(begin.elapsed() < Duration::from_secs(60), "{error}");
        thread::yield_now();
    }
}

#[test]
fn multiprocessors_can_be_split() {
    let device = Device::get(0).unwrap();
    let all = device.multiprocessors().unwrap();
    assert_eq!(all.count(), device.multiprocessor_count().unwrap());
    assert_eq!(all.device(), device);
    let most = all
        .groups_of(all.min_group_size(), SplitFlags::default())
        .unwrap();
    let parts = all.split(1, 1).unwrap();
    let group = parts.groups[0];
    assert_eq!(group.count(), all.min_group_size());
    let rest = parts.rest.map_or(0, |rest| rest.count());
    assert_eq!(group.count() + rest, all.count());
    let shown = format!("{group:?}");
    assert!(
        shown.starts_with(&format!("Multiprocessors {{ count: {}", group.count())),
        "{shown}"
    );

    for (groups, at_least) in [(0, 1), (most + 1, all.min_group_size()), (2, all.count())] {
        rejection(all.split(groups, at_least)).mentions("groups are possible");
    }
    let error = all.split(1, all.count() + 1).unwrap_err();
    assert_eq!(error.driver_code(), Some(CUresult(915)), "{error}"); // INVALID_RESOURCE_CONFIGURATION
    failure(group.split(1, 1)).mentions("create a green context with it");
    let both = SplitFlags::IGNORE_SM_COSCHEDULING | SplitFlags::MAX_POTENTIAL_CLUSTER_SIZE;
    assert!(all.split_with(1, 1, both).is_err());
}

#[test]
fn kernels_run_on_the_multiprocessors_of_their_green_context() {
    let (context, stream) = device();
    let all = context.multiprocessors().unwrap();
    if all.count() < 2 * all.min_group_size() {
        return; // the emulator on a host with a single core has one multiprocessor
    }
    let [one, other] = parts(&context);
    let [one, other] = [one, other].map(|part| GreenContext::new(&context, &[part]).unwrap());
    let count = one.multiprocessors().unwrap().count() as usize;
    let here = places(&context, &one.stream().unwrap());
    let there = places(&context, &other.stream().unwrap());
    assert!(!here.is_empty() && here.len() <= count, "{here:?}");
    assert!(!there.is_empty() && there.len() <= count, "{there:?}");
    assert!(here.is_disjoint(&there), "{here:?} and {there:?}");
    // On a busy host, a launch may leave out a multiprocessor.
    let mut all = places(&context, &stream);
    for _ in 0..50 {
        if all.is_superset(&here) && all.len() > here.len() {
            return;
        }
        all.extend(places(&context, &stream));
    }
    panic!("{all:?}");
}

#[test]
fn primary_context_objects_work_on_green_context_streams() {
    let (context, stream) = device();
    let scale = kernels(&context).function("scale").unwrap();
    let mut x = DeviceBuffer::from_slice(&stream, &[1.0f32; 100]).unwrap();
    let green = GreenContext::new(&context, &parts::<1>(&context)).unwrap();
    assert_eq!(green.context(), &context);
    let fast = green.stream_with_priority(-1).unwrap();
    assert_eq!(fast.context(), &context);
    assert_eq!(fast.green_context(), Some(&green));
    assert!(stream.green_context().is_none());
    assert!(!fast.is_blocking().unwrap());
    assert_eq!(fast.priority().unwrap(), -1);
    assert!(fast.is_in_context().unwrap());
    assert!(stream.is_in_context().unwrap());
    fast.wait_stream(&stream).unwrap();
    let arguments = (&mut x, 3.0f32, 100u32);
    // SAFETY: the buffer has 100 floats and is ordered with its stream.
    unsafe { scale.launch(&fast, LaunchConfig::for_elements(100), arguments) }.unwrap();
    stream.wait_stream(&fast).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [3.0; 100]);
    x.fill(&fast, 4.0).unwrap(); // ordered automatically
    assert_eq!(x.to_vec(&stream).unwrap(), [4.0; 100]);

    let all = Event::new(&context).unwrap();
    let y = DeviceBuffer::<u32>::zeroed(&fast, 1000).unwrap();
    between_captures(|| green.record(&all));
    between_captures(|| green.wait_event(&all));
    all.synchronize().unwrap();
    assert!(all.query().unwrap());
    between_captures(|| green.synchronize());
    assert!(fast.query().unwrap());
    between_captures(|| context.record(&all));
    between_captures(|| context.wait_event(&all));
    between_captures(|| context.synchronize());
    drop(y);

    // Work captured on a stream of a green context runs in that context, whatever stream launches
    // the graph.
    let mut buffer = DeviceBuffer::<u32>::zeroed(&fast, 8).unwrap();
    // SAFETY: the buffer outlives the graph.
    let graph = unsafe { fast.capture(|_| buffer.fill(&fast, 1)) }.unwrap();
    fast.synchronize().unwrap();
    graph.instantiate().unwrap().launch(&stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(buffer.to_vec(&fast).unwrap(), [1; 8]);
}

#[test]
fn stream_keeps_its_green_context_alive() {
    let (context, _) = device();
    let green = GreenContext::new(&context, &parts::<1>(&context)).unwrap();
    let stream = green.stream().unwrap();
    let buffer = DeviceBuffer::from_slice(&stream, &[5u32; 64]).unwrap();
    green.close().unwrap(); // the stream keeps it alive
    let spin = kernels(&context).function("spin").unwrap();
    let mut flag = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
    // SAFETY: the kernel writes one number.
    unsafe { spin.launch(&stream, LaunchConfig::new(1, 1), (20_000_000u64, &mut flag)) }.unwrap();
    assert_eq!(buffer.to_vec(&stream).unwrap(), [5; 64]);
    assert_eq!(flag.to_vec(&stream).unwrap(), [1]);
    // SAFETY: as above.
    unsafe { spin.launch(&stream, LaunchConfig::new(1, 1), (20_000_000u64, &mut flag)) }.unwrap();
    drop((buffer, flag, stream)); // the green context is destroyed after the pending work
    between_captures(|| context.synchronize());
}

#[test]
fn green_contexts_belong_to_the_primary_context() {
    let (context, _) = device();
    let all = context.multiprocessors().unwrap();
    let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    rejection(GreenContext::new(&created, &[all])).mentions("not a primary context");
    failure(GreenContext::new(&context, &[])).mentions("`parts` is empty");
    let green = GreenContext::new(&context, &[all]).unwrap();
    let strange = Event::new(&created).unwrap();
    failure(green.record(&strange)).mentions("different contexts");
    let other = GreenContext::new(&context, &[all]).unwrap();
    assert_ne!(green, other);
    assert_ne!(green.id().unwrap(), other.id().unwrap());
    assert!(format!("{green:?}").starts_with("GreenContext(0x"));
}

#[test]
fn cooperative_launches_are_limited_to_the_group() {
    let (context, _) = device();
    let green = GreenContext::new(&context, &parts::<1>(&context)).unwrap();
    let stream = green.stream().unwrap();
    let module = kernels(&context);
    let nothing = module.function("no_parameters").unwrap();
    let fit = green.multiprocessors().unwrap().count() * nothing.max_active_blocks(128, 0).unwrap();
    let launch = |blocks: u32| {
        let mut config = LaunchConfig::new(blocks, 128);
        config.cooperative = true;
        // SAFETY: the kernel does nothing.
        unsafe { nothing.launch(&stream, config, ()) }
    };
    launch(fit).unwrap();
    failure(launch(fit + 1)).with_code(CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    stream.synchronize().unwrap();
}

#[test]
fn green_context_streams_copy_host_memory() {
    let (context, _) = device();
    let green = GreenContext::new(&context, &parts::<1>(&context)).unwrap();
    let stream = green.stream().unwrap();
    let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 256).unwrap();
    let host = PinnedBuffer::from_slice(&context, &[9u32; 256]).unwrap();
    let host = stream.upload(host, &mut buffer).unwrap();
    drop(green);
    assert_eq!(*host.wait().unwrap(), [9; 256]);
    assert_eq!(buffer.to_vec(&stream).unwrap(), [9; 256]);
}
