//! Elements with a greater alignment than that of the driver's allocations.

use cuda_safe::{
    DeviceBuffer, DeviceMemory, ErrorKind, ManagedBuffer, MappedBuffer, MemoryPool, Module,
    PinnedBuffer, Result, Stream,
    graph::Graph,
    memory::{
        MemoryLocation, MemoryPoolOptions, PitchedBuffer, PoolType, RegisteredBuffer, Storage,
        virtual_memory::{AddressRange, GrowableBuffer, PhysicalMemory, PhysicalOptions},
    },
    share::{ExternalMemory, ExternalMemoryKind, IpcBuffer, ShareableHandles},
};

use crate::{device, rejection};

/// An element with the size and alignment of a page. Drivers place small allocations closer
/// together.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(4096))]
struct Page([u8; 4096]);

/// An element with more than twice the alignment of the driver's units of physical memory (2 MiB).
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(8388608))]
struct Block([[u8; 2048]; 4096]);

/// An element without bytes.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(4096))]
struct Nothing;

/// Allocates pages and small allocations in turn, and checks that each page is aligned or rejected
/// with the reason.
///
/// The emulator places allocations at multiples of 512 bytes, so some pages are rejected. While other
/// tests free memory, the small allocations may fill its gaps and the pages follow one another, all
/// aligned. So this continues until a page is rejected.
#[track_caller]
fn check_aligned_or_rejected<P, S>(
    mut page: impl FnMut() -> Result<P>,
    small: impl Fn() -> Result<S>,
    address: impl Fn(&P) -> u64,
) {
    let (context, _) = device();
    let is_emulated = context.device().name().unwrap().contains("emulator");
    let mut kept: Vec<(S, Result<P>)> = Vec::new();
    let waits = |kept: &[(S, Result<P>)]| is_emulated && kept.iter().all(|(_, page)| page.is_ok());
    while kept.len() < 16 || (waits(&kept) && kept.len() < 2000) {
        kept.push((small().unwrap(), page()));
    }
    let mut rejected = 0;
    for (_, page) in &kept {
        match page {
            Ok(page) => assert_eq!(address(page) % 4096, 0),
            Err(error) => {
                rejected += 1;
                assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
                let text = error.to_string();
                assert!(
                    text.contains("Page") && text.contains("4096 bytes"),
                    "{text}"
                );
            }
        }
    }
    assert!(
        rejected > 0 || !is_emulated,
        "{} pages are aligned, none is rejected",
        kept.len()
    );
}

fn device_address<S: Storage>(memory: &DeviceMemory<S, Page>) -> u64 {
    memory.as_device_ptr()
}

#[test]
fn page_locked_memory_is_aligned_or_rejected() {
    let (context, stream) = device();
    let small = || PinnedBuffer::<u8>::zeroed(&context, 100);
    check_aligned_or_rejected(
        || PinnedBuffer::<Page>::zeroed(&context, 1),
        small,
        // Uses no reference, because a misaligned one is undefined behavior.
        |page| page.device_ptr().unwrap(),
    );
    check_aligned_or_rejected(
        || MappedBuffer::<Page>::zeroed(&stream, 1),
        small,
        device_address,
    );
    // Small allocations in between move the next address.
    let mut between = Vec::new();
    let page = std::iter::repeat_with(|| {
        between.push(small().unwrap());
        PinnedBuffer::<Page>::zeroed(&context, 1)
    });
    let page = page
        .take(100)
        .find_map(Result::ok)
        .expect("no allocation was aligned");
    assert_eq!(page[0].0, [0; 4096]);
}

#[test]
fn managed_memory_is_aligned_or_rejected() {
    let (context, stream) = device();
    check_aligned_or_rejected(
        || ManagedBuffer::<Page>::zeroed(&stream, 1),
        || ManagedBuffer::<u8>::zeroed(&stream, 100),
        device_address,
    );
    let managed = MemoryPoolOptions::default().kind(PoolType::MANAGED);
    let host = MemoryPoolOptions::default().location(MemoryLocation::HOST);
    for options in [managed, host] {
        let pool = MemoryPool::with_options(&context, options).unwrap();
        pool.grant_access(&[context.device()]).unwrap();
        check_aligned_or_rejected(
            || pool.allocate_shared::<Page>(&stream, 1),
            || pool.allocate_shared::<u8>(&stream, 100),
            device_address,
        );
    }
}

#[test]
fn device_memory_is_aligned_or_rejected() {
    let (_, stream) = device();
    check_aligned_or_rejected(
        || DeviceBuffer::<Page>::zeroed(&stream, 1),
        || DeviceBuffer::<u8>::zeroed(&stream, 100),
        device_address,
    );
    check_aligned_or_rejected(
        || IpcBuffer::<Page>::zeroed(&stream, 1),
        || IpcBuffer::<u8>::zeroed(&stream, 100),
        device_address,
    );
}

#[test]
fn each_row_of_pitched_memory_is_aligned_or_rejected() {
    let (_, stream) = device();
    check_aligned_or_rejected(
        || PitchedBuffer::<Page>::zeroed(&stream, [1, 2]),
        || PitchedBuffer::<u8>::zeroed(&stream, [100, 1]),
        |pages| pages.as_device_ptr() | pages.pitch() as u64,
    );
}

#[test]
fn device_variables_are_aligned_or_rejected() {
    let (context, _) = device();
    let source = "__device__ char small; __device__ char shifted[8192];
        __device__ __align__(4096) char aligned[8192];
        __global__ void k() { small = shifted[0] + aligned[0]; }";
    let module = Module::compile(&context, source).unwrap();
    // The variable with the attribute may also be misaligned: the driver of an H100 (version 580)
    // places it at a multiple of 256.
    for name in ["aligned", "shifted"] {
        let bytes = module.global::<u8>(name, 8192).unwrap();
        match module.global::<Page>(name, 2) {
            Ok(pages) => assert_eq!(pages.as_device_ptr() % 4096, 0),
            Err(error) => {
                assert_ne!(bytes.as_device_ptr() % 4096, 0);
                assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
                assert!(error.to_string().contains("at most 256 bytes"), "{error}");
            }
        }
    }
}

#[test]
fn graph_allocations_that_may_be_misaligned_are_rejected() {
    let (context, _) = device();
    let mut graph = Graph::new(&context).unwrap();
    rejection(graph.add_allocation::<Page>(&[], 1)).mentions("alignment of 4096");
    assert!(graph.nodes().unwrap().is_empty());
    graph.add_allocation::<[u64; 512]>(&[], 1).unwrap();
}

#[test]
fn empty_memory_is_aligned_for_every_element() {
    let (context, stream) = device();
    let aligned = |slice: *const [Page]| slice.addr().is_multiple_of(4096);
    assert!(aligned(
        &*PinnedBuffer::<Page>::zeroed(&context, 0).unwrap()
    ));
    let managed = ManagedBuffer::<Page>::zeroed(&stream, 0).unwrap();
    assert!(aligned(managed.host().unwrap()));
    let mapped = MappedBuffer::<Page>::zeroed(&stream, 0).unwrap();
    assert!(aligned(mapped.host().unwrap()));
    nothing(&stream);
}

fn nothing(stream: &Stream) {
    let pinned = PinnedBuffer::<Nothing>::zeroed(stream.context(), 3).unwrap();
    assert_eq!((pinned.len(), pinned.as_ptr().addr() % 4096), (3, 0));
    let managed = ManagedBuffer::<Nothing>::zeroed(stream, 3).unwrap();
    assert_eq!(managed.host().unwrap().as_ptr().addr() % 4096, 0);
    let device = DeviceBuffer::<Nothing>::zeroed(stream, 3).unwrap();
    assert_eq!(device.to_vec(stream).unwrap().len(), 3);
}

#[test]
fn mappings_are_aligned_or_rejected() {
    let (context, stream) = device();
    let unit = PhysicalMemory::unit(&context).unwrap();
    let bytes = size_of::<Block>();
    assert!(bytes > unit && bytes.is_multiple_of(unit));
    let range = AddressRange::reserve(&context, bytes + unit).unwrap();
    let memory = PhysicalMemory::new(&context, bytes).unwrap();
    let mut rejected = 0;
    for offset in [0, unit] {
        let mapping = range.map(offset, &memory).unwrap();
        // SAFETY: the views are never accessed.
        let (view, view_mut) = unsafe {
            let view = mapping.view::<Block>(&stream).map(|view| view.len());
            (
                view,
                mapping.view_mut::<Block>(&stream).map(|view| view.len()),
            )
        };
        let is_aligned = mapping.as_device_ptr().is_multiple_of(bytes as u64);
        for (view, call) in [(view, "Mapping::view"), (view_mut, "Mapping::view_mut")] {
            match view {
                Ok(len) => assert!(is_aligned && len == 1),
                Err(error) => {
                    rejected += 1;
                    assert!(!is_aligned && error.call() == call, "{error}");
                    assert!(error.to_string().contains("Block"), "{error}");
                }
            }
        }
        mapping.close().unwrap();
    }
    assert!(
        rejected > 0,
        "one of two adjacent mappings must be misaligned"
    );
}

#[test]
fn growable_memory_is_aligned_or_rejected() {
    let (context, stream) = device();
    let unit = PhysicalMemory::unit(&context).unwrap();
    let (mut kept, mut rejected) = (Vec::new(), 0);
    for _ in 0..8 {
        kept.push(AddressRange::reserve(&context, unit).unwrap());
        match GrowableBuffer::<Block>::with_capacity(&stream, 1) {
            Ok(buffer) => assert_eq!(block_address(&buffer) % align_of::<Block>() as u64, 0),
            Err(error) => {
                rejected += 1;
                assert_eq!(error.call(), "GrowableBuffer::with_capacity", "{error}");
                assert!(error.to_string().contains("Block"), "{error}");
            }
        }
    }
    let is_emulated = context.device().name().unwrap().contains("emulator");
    assert!(
        rejected > 0 || !is_emulated,
        "all buffers are aligned by chance"
    );
}

fn block_address<S: Storage>(memory: &DeviceMemory<S, Block>) -> u64 {
    memory.as_device_ptr()
}

#[test]
fn imported_memory_is_aligned_or_rejected() {
    let (context, stream) = device();
    let bytes = 2 * PhysicalMemory::unit(&context).unwrap();
    let options = PhysicalOptions::default().handles(ShareableHandles::FILE);
    let memory = PhysicalMemory::with_options(&context, bytes, options).unwrap();
    let kind = match cfg!(windows) {
        true => ExternalMemoryKind::OPAQUE_WIN32,
        false => ExternalMemoryKind::OPAQUE_FD,
    };
    let file = memory.export().unwrap();
    // SAFETY: the memory has that size and nothing else uses it.
    let memory =
        unsafe { ExternalMemory::import(&context, kind, file, bytes as u64, false) }.unwrap();
    for offset in [512, 2048, 4096 + 256] {
        // SAFETY: the memory is never accessed.
        rejection(unsafe { memory.buffer::<Page>(&stream, offset, 1) })
            .mentions("multiple of 4096");
    }
    for offset in [0, 4096, bytes as u64 / 2] {
        // SAFETY: as above.
        match unsafe { memory.buffer::<Page>(&stream, offset, 1) } {
            Ok(pages) => assert_eq!(device_address(&pages) % 4096, 0),
            Err(error) => assert!(error.to_string().contains("Page"), "{error}"),
        }
    }
}

#[test]
fn registered_memory_is_aligned_or_rejected_for_the_device() {
    let (context, stream) = device();
    let registered = RegisteredBuffer::new(&context, vec![Page([7; 4096]); 3]).unwrap();
    // The device's address may differ from the host's.
    match registered.into_mapped(&stream) {
        Ok(mapped) => {
            assert_eq!(device_address(&mapped) % 4096, 0);
            let pages = mapped.into_host().unwrap().into_host().unwrap();
            assert_eq!((pages.len(), pages[2].0[4095]), (3, 7));
        }
        Err(failed) => assert!(failed.to_string().contains("Page"), "{failed}"),
    }
}
