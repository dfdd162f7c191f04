use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, Event, Module, Owner, Stream,
    context::{CacheConfig, Limit},
    sys,
};

use crate::rejection;

fn current() -> sys::CUcontext {
    let mut raw = std::ptr::null_mut();
    // SAFETY: `raw` is valid for writes.
    let code = unsafe { sys::cuCtxGetCurrent(&mut raw) };
    assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    raw
}

#[test]
fn primary_contexts_of_a_device_are_equal() {
    let (a, b) = (Context::primary(0).unwrap(), Context::primary(0).unwrap());
    assert_eq!(a, b);
    assert_eq!(a.as_raw(), b.as_raw());
    assert_eq!(a.device(), Device::get(0).unwrap());
    drop(a);
    assert!(b.memory_info().unwrap().total > 0);
}

#[test]
fn created_context_is_separate_and_not_left_current() {
    std::thread::spawn(|| {
        let primary = Context::primary(0).unwrap();
        primary.set_current().unwrap();
        let created =
            Context::create(Device::get(0).unwrap(), ContextFlags::BLOCKING_SYNC).unwrap();
        assert_ne!(primary, created);
        let flags = created.flags().unwrap();
        assert_eq!(
            flags.0 & ContextFlags::BLOCKING_SYNC.0,
            ContextFlags::BLOCKING_SYNC.0
        );
        assert_eq!(current(), primary.as_raw());
        let stream = Stream::new(&created).unwrap();
        let buffer = DeviceBuffer::from_slice(&stream, &[1u8, 2, 3]).unwrap();
        assert_eq!(current(), primary.as_raw());
        assert_eq!(buffer.to_vec(&stream).unwrap(), [1, 2, 3]);
        drop((stream, buffer));
        created.close().unwrap();
        assert_eq!(current(), primary.as_raw());
    })
    .join()
    .unwrap();
}

#[test]
fn context_lives_as_long_as_its_objects() {
    let context = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let stream = Stream::new(&context).unwrap();
    let buffer = DeviceBuffer::from_slice(&stream, &[7u32; 100]).unwrap();
    let event = Event::new(&context).unwrap();
    context.close().unwrap(); // not destroyed yet, because the other objects refer to it
    event.record(&stream).unwrap();
    event.synchronize().unwrap();
    drop(event);
    let other_thread = std::thread::spawn(move || buffer.to_vec(&stream).unwrap());
    assert_eq!(other_thread.join().unwrap(), [7; 100]);
}

#[test]
fn limits_and_cache_config_are_read_and_set() {
    let context = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let before = context.limit(Limit::STACK_SIZE).unwrap();
    context.set_limit(Limit::STACK_SIZE, before + 1024).unwrap();
    assert!(context.limit(Limit::STACK_SIZE).unwrap() >= before + 1024);
    assert!(context.limit(Limit::MALLOC_HEAP_SIZE).unwrap() > 0);
    assert!(context.limit(Limit(999)).is_err());
    context.set_cache_config(CacheConfig::SHARED).unwrap();
    context.cache_config().unwrap();
    let (least, greatest) = context.stream_priority_range().unwrap();
    assert!(greatest <= least);
}

#[test]
fn raw_context_can_be_borrowed() {
    let owner = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    {
        // SAFETY: `owner` outlives the borrowed context and the objects created from it.
        let borrowed = unsafe { Context::borrow_raw(owner.as_raw()) }.unwrap();
        assert_eq!(borrowed, owner);
        assert_eq!(borrowed.device(), owner.device());
        let stream = Stream::new(&borrowed).unwrap();
        stream.synchronize().unwrap();
    }
    owner.synchronize().unwrap();
}

#[test]
fn objects_of_two_contexts_cannot_be_mixed() {
    let primary = Context::primary(0).unwrap();
    let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let event = Event::new(&created).unwrap();
    rejection(event.record(&Stream::new(&primary).unwrap())).mentions("different contexts");
}

#[test]
fn globals_can_be_used_only_in_their_context() {
    let primary = Context::primary(0).unwrap();
    let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let source = "__device__ unsigned table[4]; __global__ void k() { table[0] = 1; }";
    let module = Module::compile(&created, source).unwrap();
    let mut table = module.global::<u32>("table", 4).unwrap();
    let theirs = Stream::new(&primary).unwrap();
    let ours = Stream::new(&created).unwrap();
    table.fill(&ours, 7).unwrap();
    ours.synchronize().unwrap();
    let mut other = DeviceBuffer::<u32>::zeroed(&theirs, 4).unwrap();
    let results = [
        table.fill(&theirs, 1),
        table.copy_from_slice(&theirs, &[1; 4]),
        table.copy_to_slice(&theirs, &mut [0; 4]),
        table.to_vec(&theirs).map(drop),
        table.copy_from(&theirs, &other),
        other.copy_from(&theirs, &table),
        table.slice_mut(1..).unwrap().memset_u8(&theirs, 0),
        theirs.scope(|scope| scope.upload(&[1; 4], &mut table)),
    ];
    for result in results {
        rejection(result).mentions("different contexts");
    }
    assert_eq!(table.view().owner(), Owner::Context(&created));
    assert_eq!(table.to_vec(&ours).unwrap(), [7; 4]);
}

#[test]
fn copies_wait_for_streams_of_other_contexts() {
    let primary = Context::primary(0).unwrap();
    let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let ours = Stream::new(&primary).unwrap();
    let theirs = Stream::new(&created).unwrap();
    let source = DeviceBuffer::from_slice(&theirs, &[1u32, 2, 3]).unwrap();
    let mut target = DeviceBuffer::<u32>::zeroed(&ours, 3).unwrap();
    target.copy_from(&ours, &source).unwrap();
    drop(source);
    assert_eq!(target.to_vec(&ours).unwrap(), [1, 2, 3]);
}
