//! Makes every driver call of a typical program fail in turn, on the emulator. There must be no
//! panic and no double free, and no leak unless the failed call was to release something.
//!
//! The program runs in child processes, one for each call that it makes.
//!
//! Not on Windows: the child processes are forks.
#![cfg(unix)]

use cuda_emulator as _; // linked in: these tests never use a GPU

#[path = "common/fork_server.rs"]
mod fork_server;
#[path = "common/semaphore.rs"]
mod semaphore;

use std::{env, fmt::Debug, fs, path::PathBuf};

use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, Event, EventOptions, Graph, In, InOut,
    LaunchConfig, MemoryPool, Module, Out, PinnedBuffer, Result, Sampler, Stream, StreamOptions,
    Surface, Texture,
    array::{ArrayFlags, ChannelFormat, CudaArray, MipmappedArray, TexelFormat},
    checkpoint,
    coredump::Coredump,
    green::GreenContext,
    logs,
    memory::{
        MemoryAccess, MemoryOperation, Pipeline, Signal, WaitUntil,
        virtual_memory::{AddressRange, GrowableBuffer, PhysicalMemory, PhysicalOptions},
    },
    module::{Global, JitOptions},
    peer::AtomicOperation,
    profiler,
    share::{
        ExternalMemory, ExternalMemoryKind, ExternalSemaphore, ExternalSemaphoreKind, IpcBuffer,
        ShareableHandles,
    },
    texture::{ResourceView, TextureSource, ViewFormat},
};

const CHILD: &str = "CUDA_SAFE_TEST_INJECTION";

const PTX: &str = ".version 7.0\n.target sm_50\n.address_size 64\n\
    .visible .global .align 4 .u32 counter = 7;\n\
    .visible .entry store(.param .u64 p, .param .u32 v) {\n.reg .u64 %a;\n.reg .u32 %v;\n\
    ld.param.u64 %a, [p];\nld.param.u32 %v, [v];\nst.global.u32 [%a], %v;\nret;\n}\n";

/// The whole program, from the first call to the last.
fn program() -> Result<()> {
    let device = Device::get(0)?;
    device.name()?;
    device.uuid()?;
    let context = Context::primary_of(device)?;
    buffers(&context)?;
    streams_and_events(&context)?;
    launches(&context)?;
    graphs(&context)?;
    green(&context)?;
    settings(&context)?;
    textures(&context)?;
    mappings(&context)?;
    imports(&context)?;
    let created = Context::create(device, ContextFlags::AUTO)?;
    created.set_cache_config(cuda_safe::context::CacheConfig::L1)?;
    buffers(&created)?;
    created.close()?;
    context.synchronize()?;
    context.close()
}

fn textures(context: &Context) -> Result<()> {
    let stream = Stream::new(context)?;
    let format = TexelFormat::of::<f32>();
    let array = CudaArray::new(context, format, [4, 4], ArrayFlags::SURFACE)?;
    array.copy_from_slice(&stream, &[1.5f32; 16])?;
    // SAFETY: the array outlives the borrow.
    let same = unsafe { CudaArray::borrow_raw(array.as_raw(), context)? };
    assert_eq!(same.to_vec::<f32>(&stream)?, [1.5; 16]);
    let texture = Texture::new(&array, Sampler::default())?;
    assert_eq!(texture.sampler()?, Sampler::default());
    assert_eq!(texture.view()?, None);
    texture.resource()?;
    let surface = Surface::new(&array)?;
    surface.resource()?;
    let mut buffer = DeviceBuffer::<f32>::zeroed(&stream, 16)?;
    array.copy_to(&stream, &mut buffer)?;
    array.copy_from(&stream, &buffer)?;
    let linear = Texture::new(TextureSource::linear(buffer)?, Sampler::default())?;
    let levels = MipmappedArray::new(context, format, [4, 4], 2, ArrayFlags::default())?;
    levels.level(1)?.copy_from_slice(&stream, &[0.5f32; 4])?;
    let view = ResourceView::new(ViewFormat::UINT_1X32);
    Texture::with_view(&levels, Sampler::default(), view)?.close()?;
    // The driver returns neither for arrays that already have memory.
    assert!(array.memory_requirements().is_err() && levels.memory_requirements().is_err());
    assert!(array.sparse_properties().is_err() && levels.sparse_properties().is_err());
    assert!(array.plane(0).is_err());
    linear.close()?;
    texture.close()?;
    surface.close()?;
    levels.close()?;
    drop(same);
    array.close()
}

/// Checks a result that was returned without an error.
#[track_caller]
fn assert_right<T: PartialEq<U> + Debug, U: Debug>(read: T, expected: U) {
    assert_eq!(read, expected, "wrong results without an error");
}

fn green(context: &Context) -> Result<()> {
    let all = context.multiprocessors()?;
    let parts = all.split(1, all.min_group_size())?;
    let green = GreenContext::new(context, &parts.groups)?;
    green.multiprocessors()?;
    green.id()?;
    let stream = green.stream()?;
    stream.is_in_context()?;
    let buffer = DeviceBuffer::from_slice(&stream, &[1u32; 64])?;
    let event = Event::without_timing(context)?;
    green.record(&event)?;
    green.wait_event(&event)?;
    context.record(&event)?;
    context.wait_event(&event)?;
    drop(green.push_current()?);
    green.synchronize()?;
    assert_right(buffer.to_vec(&stream)?, [1; 64]);
    buffer.close()?;
    stream.close()?;
    green.close()
}

fn mappings(context: &Context) -> Result<()> {
    let stream = Stream::new(context)?;
    let unit = PhysicalMemory::unit(context)?;
    let options = PhysicalOptions::default().handles(ShareableHandles::POSIX_FILE_DESCRIPTOR);
    let memory = PhysicalMemory::with_options(context, unit, options)?;
    memory.properties()?;
    let same = PhysicalMemory::import(context, memory.export()?, unit)?;
    let range = AddressRange::reserve(context, 2 * unit)?;
    let mut views = [range.map(0, &memory)?, range.map(unit, &same)?];
    for view in &mut views {
        view.set_access(context.device(), MemoryAccess::READ_WRITE)?;
        view.access(context.device())?;
    }
    // SAFETY: the two views are used one at a time, in the order of one stream.
    unsafe {
        views[0].view_mut::<u8>(&stream)?.fill(&stream, 7)?;
        let all = views[1].view::<u8>(&stream)?.to_vec(&stream)?;
        assert_right(all, vec![7; unit]);
        PhysicalMemory::mapped_at(context, range.as_device_ptr())?.close()?;
    }
    let [first, last] = views;
    first.close()?;
    drop((range, memory, same));
    last.close()?;
    let mut growing = GrowableBuffer::<u32>::with_capacity(&stream, unit)?;
    growing.extend_from_slice(&[1; 64])?;
    growing.grow(unit / 2)?;
    growing.shrink(64)?;
    assert_right(growing.to_vec(&stream)?, [1; 64]);
    growing.close()?;
    let shared = IpcBuffer::from_slice(&stream, &[1u32; 64])?;
    shared.ipc_handle()?;
    shared.close()?;
    Event::with_options(context, EventOptions::default().interprocess(true))?.ipc_handle()?;
    Ok(())
}

fn imports(context: &Context) -> Result<()> {
    let stream = Stream::new(context)?;
    let kind = ExternalSemaphoreKind::TIMELINE_FD;
    let page = semaphore::Page::new(kind.0, 0);
    // SAFETY: the timeline orders no accesses to memory.
    let semaphore = unsafe { ExternalSemaphore::import(context, kind, page.export())? };
    // Each wait follows its signal, so no wait hangs.
    stream.signal_semaphore(&semaphore, 1)?;
    stream.wait_semaphore(&semaphore, 1)?;
    let mut graph = Graph::new(context)?;
    let signal = graph.add_semaphore_signal(&[], &[(&semaphore, 2)])?;
    let wait = graph.add_semaphore_wait(&[signal], &[(&semaphore, 2)])?;
    graph.set_semaphores(signal, &[(&semaphore, 3)])?;
    graph.set_semaphores(wait, &[(&semaphore, 3)])?;
    assert_eq!(graph.semaphores(wait)?, graph.semaphores(signal)?);
    let mut exec = graph.instantiate()?;
    exec.set_semaphores(signal, &[(&semaphore, 4)])?;
    exec.set_semaphores(wait, &[(&semaphore, 4)])?;
    exec.launch(&stream)?;
    stream.synchronize()?;
    assert_right(page.value(), 4);
    drop(exec);
    semaphore.close()?;

    let unit = PhysicalMemory::unit(context)?;
    let options = PhysicalOptions::default().handles(ShareableHandles::POSIX_FILE_DESCRIPTOR);
    let file = PhysicalMemory::with_options(context, unit, options)?.export()?;
    // SAFETY: the memory has that size and nothing else uses it.
    let image = unsafe {
        let kind = ExternalMemoryKind::OPAQUE_FD;
        let memory = ExternalMemory::import(context, kind, file, unit as u64, false)?;
        let format = TexelFormat::of::<u32>();
        memory.mipmapped_array(0, format, [8, 8], 2, ArrayFlags::default())?
    };
    image.level(1)?.copy_from_slice(&stream, &[5u32; 16])?;
    let read = image.level(1)?.to_vec::<u32>(&stream)?;
    assert_right(read, [5; 16]);
    image.close()
}

fn settings(context: &Context) -> Result<()> {
    let stream = Stream::new(context)?;
    let signal = Signal::<u32>::new(context, 1)?;
    let signalled = || {
        stream.wait_signal(&signal, WaitUntil::EQUAL, 1)?;
        stream.write_signal(&signal, 2)?;
        // SAFETY: the signal outlives the wait below.
        unsafe {
            let operation = MemoryOperation::wait_u32(signal.device_ptr(), WaitUntil::AT_LEAST, 1);
            stream.memory_operations(&[operation])
        }
    };
    let result = signalled();
    // A signal whose stream still has work would be leaked.
    let _ = stream.settle();
    result?;
    drop(signal);
    stream.set_access_policy(stream.access_policy()?)?;
    stream.copy_attributes_from(&Stream::new(context)?)?;
    stream.id()?;
    stream.device()?;
    context.set_flags(context.flags()?)?;
    context.id()?;
    context.api_version()?;
    context.multiprocessor_limit()?;
    context.reset_persisting_l2()?;
    let mut position = logs::position()?;
    let listener = logs::listen(|_, _| ())?;
    logs::since(&mut position)?;
    listener.close()?;
    let dumps = Coredump::of(context);
    dumps.set_flags(dumps.flags()?)?;
    dumps.set_file(dumps.file()?)?;
    drop(profiler::collect(context)?);
    let device = context.device();
    device.host_atomics(&[AtomicOperation::CAS])?;
    device.texture_1d_linear_max_width(ChannelFormat::F32, 1)?;
    device.can_limit_contexts()?;
    MemoryPool::default_of(context)?.make_current()?;
    checkpoint::Process::new(std::process::id()).state()?;
    Ok(())
}

fn buffers(context: &Context) -> Result<()> {
    let stream = Stream::new(context)?;
    let mut a = DeviceBuffer::from_slice(&stream, &[1u32; 64])?;
    let other = Stream::with_options(context, StreamOptions::default().blocking(true))?;
    let mut b = DeviceBuffer::<u32>::zeroed(&other, 64)?;
    b.copy_from(&other, &a)?;
    b.slice_mut(..32)?.fill(&stream, 9)?;
    a.memset_u16(&stream, 5)?;
    let mut wide = DeviceBuffer::<[u32; 3]>::uninit(&stream, 8)?;
    wide.fill(&stream, [1, 2, 3])?;
    b.to_vec(&stream)?;
    let host = PinnedBuffer::from_slice(context, &[3u32; 64])?;
    let host = stream.upload(host, &mut a)?.wait()?;
    drop(stream.download(&a, host)?);
    let (input, mut output) = ([1u32; 64], [0u32; 64]);
    stream.scope(|scope| {
        scope.upload(&input, &mut a)?;
        scope.download(&a, &mut output)
    })?;
    let mut pipeline = Pipeline::<u32, u32>::new(context, 2, 64, 64)?;
    pipeline.run(
        0..4,
        |_, host| host.fill(1),
        |stream, x, y| y.copy_from(stream, x),
        |_, host| assert_right(host, [1; 64]),
    )?;
    MemoryPool::current(context)?.trim_to(0)?;
    context.memory_info()?;
    a.close()?;
    stream.synchronize()
}

fn graphs(context: &Context) -> Result<()> {
    let stream = Stream::new(context)?;
    let other = Stream::new(context)?;
    let store = Module::from_ptx(context, PTX)?.function("store")?;
    let config = LaunchConfig::new(1, 1);
    let mut graph = Graph::new(context)?;
    let host = graph.keep(PinnedBuffer::<u32>::zeroed(context, 4)?);
    let x = graph.keep(DeviceBuffer::<u32>::uninit(&stream, 4)?);
    let up = graph.add_copy(&[], x, host)?;
    // SAFETY: the kernel writes one number.
    let stored = unsafe { graph.add_kernel(&[up], &store, config, (x, 7u32))? };
    let filled = graph.add_fill(&[up], x.slice(2..)?, 5)?;
    let both = graph.add_empty(&[stored])?;
    graph.add_dependency(filled, both)?;
    let event = Event::without_timing(context)?;
    let recorded = graph.add_event_record(&[both], &event)?;
    let waited = graph.add_event_wait(&[recorded], &event)?;
    let down = graph.add_copy(&[waited], host, x)?;
    graph.add_host_function(&[down], || ())?;
    let mut child = Graph::new(context)?;
    child.add_empty(&[])?;
    graph.add_child(&[], child)?;
    let (allocated, scratch) = graph.add_allocation::<u32>(&[], 16)?;
    graph.add_free(&[allocated], scratch)?;
    graph.to_dot()?;
    let mut exec = graph.instantiate()?;
    exec.upload(&stream)?;
    exec.launch(&stream)?;
    // SAFETY: as above.
    unsafe { exec.set_kernel(stored, &store, config, (x, 8u32))? };
    exec.set_fill(filled, x.slice(3..)?, 6)?;
    exec.set_copy(up, x.slice(..2)?, host.slice(..2)?)?;
    exec.set_enabled(filled, false)?;
    exec.is_enabled(filled)?;
    exec.launch(&other)?;
    exec.memory(host)?[0] = 1;
    exec.into_graph()?.close()?;

    context.device().graph_memory()?;
    context.device().reset_graph_memory_high()?;
    context.device().trim_graph_memory()?;

    let mut y = DeviceBuffer::<u32>::zeroed(&stream, 4)?;
    let dropped = DeviceBuffer::<u32>::zeroed(&stream, 4)?;
    // SAFETY: the kernel writes one number. `y` and the kernel outlive the graph.
    let graph = unsafe {
        stream.capture(|capture| {
            other.wait_stream(&stream)?;
            store.launch(&other, config, (&mut y, 9u32))?;
            y.slice_mut(1..)?.fill(&stream, 3)?;
            capture.host_function(|| ())?;
            drop(dropped);
            stream.wait_stream(&other)
        })?
    };
    // SAFETY: as above.
    let twin = unsafe { stream.capture(|_| store.launch(&stream, config, (&mut y, 1u32)))? };
    // SAFETY: as above.
    let mut exec = unsafe { twin.try_clone()? }.instantiate()?;
    exec.update(twin)?;
    exec.launch(&stream)?;
    let mut exec = graph.instantiate()?;
    exec.launch(&stream)?;
    y.to_vec(&stream)?;
    Ok(())
}

fn streams_and_events(context: &Context) -> Result<()> {
    let (stream, other) = (Stream::new(context)?, Stream::new(context)?);
    let (start, end) = (Event::new(context)?, Event::new(context)?);
    start.record(&stream)?;
    let token = std::sync::Arc::new(());
    let moved = token.clone();
    let enqueued = stream.launch_host_function(move || drop(moved));
    other.wait_stream(&stream)?;
    end.record(&other)?;
    end.synchronize()?;
    end.elapsed_ms_since(&start)?;
    stream.query()?;
    // The closure is dropped whether it was called or not.
    if enqueued.is_err() {
        assert_eq!(
            std::sync::Arc::strong_count(&token),
            1,
            "the closure was not dropped"
        );
    }
    enqueued?;
    stream.close()
}

fn launches(context: &Context) -> Result<()> {
    let stream = Stream::new(context)?;
    let module = Module::from_ptx_with(context, PTX, &JitOptions::default().line_info(true))?;
    let store = module.function("store")?;
    let counter: Global<u32> = module.global("counter", 1)?;
    module.function_names()?;
    store.best_block_size(0)?;
    let config = LaunchConfig::new(1, 1);
    let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1)?;
    let (mut out, mut in_out) = ([0u32], [0u32]);
    // SAFETY: the kernel writes one number.
    unsafe {
        store.launch(&stream, config, (&mut x, 5u32))?;
        store.launch(&stream, config, (Out(&mut out), 6u32))?;
        store.launch(&stream, config, (InOut(&mut in_out), 7u32))?;
        store.launch(&stream, config, (In(&[1u32]), 8u32))?;
    }
    assert_right((out, in_out), ([6], [7]));
    assert_right(x.to_vec(&stream)?, [5]);
    assert_right(counter.to_vec(&stream)?, [7]);
    drop(module);
    drop(store);
    counter.to_vec(&stream)?;
    Ok(())
}

#[test]
fn program_in_a_child() {
    if env::var_os(CHILD).is_none() {
        return; // the test below runs it
    }
    match program() {
        Ok(()) => println!("program: done"),
        Err(error) => println!("program: {error}"),
    }
}

struct Run {
    code: Option<i32>,
    text: String,
    calls: Vec<String>,
}

/// Runs the program and lets the n-th driver call fail, or none if `nth` is 0.
fn run(server: &mut fork_server::Server, nth: usize, code: &str) -> Run {
    let name = format!("cuda-safe-injection-{}-{nth}-{code}", std::process::id());
    let trace: PathBuf = env::temp_dir().join(name);
    let rule = match nth {
        0 => String::new(),
        _ => format!("*:{nth}:{code}"),
    };
    let variables = [
        ("CUDA_EMULATOR_FAIL", rule.as_str()),
        ("CUDA_EMULATOR_TRACE", &format!("{},every", trace.display())),
    ];
    let output = trace.with_extension("output");
    let (status, text) = server.run("program_in_a_child", &variables, &output);
    let calls = fs::read_to_string(&trace).unwrap_or_default();
    let _ = fs::remove_file(&trace);
    Run {
        code: status.code(),
        text: String::from_utf8_lossy(&text).into_owned(),
        // Other lines report the work of kernels.
        calls: calls
            .lines()
            .filter(|line| line.contains(") = "))
            .map(str::to_owned)
            .collect(),
    }
}

/// Calls whose failure may cause a leak: they release something, or they determine whether
/// releasing is safe.
const RELEASING: [&str; 14] = [
    "Free",
    "Destroy",
    "Unload",
    "Release",
    "MemUnmap",
    "IpcCloseMemHandle",
    "CtxSynchronize",
    "StreamSynchronize",
    "EventSynchronize",
    "CtxGetCurrent",
    "CtxSetCurrent",
    "CtxPushCurrent",
    "CtxPopCurrent",
    "CtxGetDevice",
];

/// The exit code with which the emulator reports a leak.
const LEAKED: i32 = 99;

fn fail_each_call(code: &str) {
    let variables = [
        (CHILD, "1"),
        ("CUDA_EMULATOR_CHECK", "leak"),
        ("CUDA_EMULATOR_REPORT", "/dev/stderr"),
        // Reports with stacks take long.
        ("RUST_BACKTRACE", "0"),
    ];
    let mut server = fork_server::Server::start(&variables, 300);
    let clean = run(&mut server, 0, code);
    assert_eq!(clean.code, Some(0), "{}", clean.text);
    assert!(clean.text.contains("program: done"), "{}", clean.text);
    assert!(clean.calls.len() > 100, "only {} calls", clean.calls.len());
    for nth in 1..=clean.calls.len() {
        let run = run(&mut server, nth, code);
        let injected = run.calls.iter().find(|call| call.contains("(injected)"));
        let injected =
            injected.unwrap_or_else(|| panic!("call {nth} was not reached\n{}", run.text));
        let about = format!("call {nth}: {injected}\n{}", run.text);
        assert!(
            run.text.contains("program: "),
            "no result, possibly a panic\n{about}"
        );
        assert!(!run.text.contains("panicked"), "{about}");
        // The last line of every report of a fault.
        let faulted = "Only a new process can use CUDA again";
        assert!(!run.text.contains(faulted), "{about}");
        if !RELEASING.iter().any(|name| injected.contains(name)) {
            assert_eq!(run.code, Some(0), "a leak\n{about}");
        } else {
            assert!(matches!(run.code, Some(0 | LEAKED)), "{about}");
        }
        for call in &run.calls {
            let releases = ["Free", "Destroy", "Unload"]
                .iter()
                .any(|name| call.contains(name));
            let rejected = call.contains("= CUDA_ERROR_INVALID") && !call.contains("(injected)");
            assert!(
                !(releases && rejected),
                "possibly released twice\n{call}\n{about}"
            );
        }
    }
}

#[test]
fn program_survives_failure_of_every_call() {
    fail_each_call("CUDA_ERROR_UNKNOWN");
}

#[test]
fn program_survives_out_of_memory_in_every_call() {
    fail_each_call("CUDA_ERROR_OUT_OF_MEMORY");
}
