//! Virtual memory: reserved addresses, physical memory, mappings and growable buffers.

use cuda_safe::{
    Context, DeviceAttribute, DeviceBuffer, ErrorKind, LaunchConfig, Stream,
    memory::virtual_memory::{
        AddressRange, Granularity, GrowableBuffer, GrowableOptions, Mapping, MulticastObject,
        MulticastOptions, PhysicalMemory, PhysicalOptions, RangeFlags,
    },
    memory::{MemoryAccess, MemoryLocation},
    share::ShareableHandles,
    sys::CUresult,
};

use crate::{device, failure, kernels, rejection};

fn unit(context: &Context) -> usize {
    PhysicalMemory::unit(context).unwrap()
}

#[test]
fn memory_can_be_mapped_at_two_addresses() {
    let (context, stream) = device();
    let unit = unit(&context);
    let range = AddressRange::reserve(&context, 3 * unit).unwrap();
    let memory = PhysicalMemory::new(&context, unit).unwrap();
    let [mut first, mut last] = [0, 2].map(|at| range.map(at * unit, &memory).unwrap());
    assert_eq!(
        last.as_device_ptr() - first.as_device_ptr(),
        2 * unit as u64
    );
    assert_eq!((first.size(), first.memory()), (unit, &memory));
    assert_eq!(first.range(), &range);
    assert_ne!(memory, PhysicalMemory::new(&context, unit).unwrap());
    assert_ne!(range, AddressRange::reserve(&context, unit).unwrap());
    assert_eq!(range, range.clone());
    let properties = memory.properties().unwrap();
    assert!(!properties.compressible && !properties.rdma);
    let (address, raw) = (range.as_device_ptr(), memory.as_raw());
    for (shown, expected) in [
        (
            format!("{range:?}"),
            format!("AddressRange({address:#x}, {} bytes)", 3 * unit),
        ),
        (
            format!("{memory:?}"),
            format!("PhysicalMemory({raw:#x}, {unit} bytes)"),
        ),
        (
            format!("{first:?}"),
            format!("Mapping({address:#x}, {unit} bytes)"),
        ),
    ] {
        assert_eq!(shown, expected);
    }
    for mapping in [&mut first, &mut last] {
        mapping
            .set_access(context.device(), MemoryAccess::READ_WRITE)
            .unwrap();
    }
    // SAFETY: the two views are used one at a time, in the order of one stream.
    let (mut one, two) = unsafe {
        (
            first.view_mut::<u16>(&stream).unwrap(),
            last.view::<u16>(&stream).unwrap(),
        )
    };
    let numbers: Vec<u16> = (0..unit / 2).map(|n| n as u16).collect();
    one.copy_from_slice(&stream, &numbers).unwrap();
    assert_eq!(two.to_vec(&stream).unwrap(), numbers);
    // SAFETY: the mapping is alive.
    let same = unsafe { PhysicalMemory::mapped_at(&context, last.as_device_ptr() + 10).unwrap() };
    assert_eq!(same.size(), unit);
    drop((range, memory, same));
    // Each object keeps everything that it needs alive.
    assert_eq!(two.slice(5..7).unwrap().to_vec(&stream).unwrap(), [5, 6]);
    first.close().unwrap();
    last.close().unwrap();
}

#[test]
fn kernels_can_access_adjacent_mappings() {
    let (context, stream) = device();
    let unit = unit(&context);
    let module = kernels(&context);
    let scale = module.function("scale").unwrap();
    let mut x = GrowableBuffer::<f32>::with_capacity(&stream, unit).unwrap();
    for part in 1..=3u32 {
        x.grow(part as usize * unit / 4).unwrap();
    }
    x.fill(&stream, 1.5).unwrap();
    let n = x.len() as u32;
    let config = LaunchConfig::new(n.div_ceil(256), 256);
    // SAFETY: the kernel gets the number of elements.
    unsafe { scale.launch(&stream, config, (&mut x, 2.0f32, n)).unwrap() };
    let all = x.to_vec(&stream).unwrap();
    assert_eq!(all.len(), 3 * unit / 4);
    assert!(all.iter().all(|&one| one == 3.0));
}

#[test]
fn invalid_reservations_and_mappings_are_rejected() {
    let (context, _stream) = device();
    let unit = unit(&context);
    for (size, text) in [
        (
            0,
            "the size is 0 bytes. Fix: use at least one unit".to_owned(),
        ),
        (1, format!("1 bytes is not a multiple of the unit {unit}")),
        (unit + 1, format!("is not a multiple of the unit {unit}")),
    ] {
        let range = AddressRange::reserve(&context, size).unwrap_err();
        let memory = PhysicalMemory::new(&context, size).unwrap_err();
        for error in [range, memory] {
            assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
            assert!(error.detail().contains(&text), "{error}");
        }
    }
    failure(AddressRange::reserve_near(&context, unit, 3, 0)).detail_contains("power of two");
    let error = AddressRange::reserve(&context, 1 << 60).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Driver, "{error}");
    // Drivers differ in their code for a size beyond the device's address space.
    if error.driver_code() == Some(CUresult::CUDA_ERROR_OUT_OF_MEMORY) {
        assert!(error.to_string().ends_with("reserve fewer"), "{error}");
    }
    let most = context.memory_info().unwrap().total.next_multiple_of(unit);
    let error = PhysicalMemory::new(&context, 2 * most).unwrap_err();
    match error.kind() {
        ErrorKind::OutOfMemory { requested, .. } => assert_eq!(*requested, 2 * most),
        kind => panic!("{kind:?}"),
    }
    let nowhere = PhysicalOptions::default().location(MemoryLocation::host_numa(1000));
    assert!(PhysicalMemory::with_options(&context, unit, nowhere).is_err());
    let foreign = match cfg!(windows) {
        true => ShareableHandles::POSIX_FILE_DESCRIPTOR,
        false => ShareableHandles::WIN32,
    };
    let foreign = PhysicalOptions::default().handles(foreign);
    assert!(PhysicalMemory::with_options(&context, unit, foreign).is_err());

    let range = AddressRange::reserve(&context, 2 * unit).unwrap();
    let memory = PhysicalMemory::new(&context, 2 * unit).unwrap();
    for beyond in [unit, 2 * unit, usize::MAX] {
        rejection(range.map(beyond, &memory));
    }
    let mut mapping = range.map(0, &memory).unwrap();
    let small = PhysicalMemory::new(&context, unit).unwrap();
    failure(range.map(unit, &small)).detail_contains("mapped there");
    failure(range.map(64, &small)).detail_contains("not a multiple");
    // The host cannot access device memory.
    failure(mapping.set_access(MemoryLocation::host_numa(0), MemoryAccess::READ))
        .of_kind(ErrorKind::Unsupported)
        .detail_contains("NUMA node 0");
    let memory = memory.into_raw().unwrap_err(); // fails, because the mapping has a reference, too
    drop(mapping);
    let raw = memory.into_raw().unwrap();
    // SAFETY: `into_raw` gave up the handle, and the memory has this size.
    let memory = unsafe { PhysicalMemory::from_raw(raw, 2 * unit, &context) };
    assert_eq!(memory.as_raw(), raw);
    memory.close().unwrap();
    range.close().unwrap();
}

#[test]
fn mapping_access_can_be_set_and_removed() {
    let (context, stream) = device();
    let unit = unit(&context);
    let range = AddressRange::reserve(&context, unit).unwrap();
    let mut mapping = range
        .map(0, &PhysicalMemory::new(&context, unit).unwrap())
        .unwrap();
    let here = context.device();
    assert_eq!(mapping.access(here).unwrap(), MemoryAccess::NONE);
    // Creates a view for each fill, because access must not change while a view exists.
    fn fill(mapping: &Mapping, stream: &Stream, value: u8) -> cuda_safe::Result<()> {
        // SAFETY: this is the only mapping.
        unsafe { mapping.view_mut::<u8>(stream)? }.fill(stream, value)
    }
    fn read(mapping: &Mapping, stream: &Stream) -> cuda_safe::Result<Vec<u8>> {
        // SAFETY: as above.
        unsafe { mapping.view::<u8>(stream)? }.to_vec(stream)
    }
    failure(fill(&mapping, &stream, 1)).detail_contains("device 0 has no access");
    mapping.set_access(here, MemoryAccess::READ_WRITE).unwrap();
    fill(&mapping, &stream, 1).unwrap();
    // `set_access` first waits for the fill.
    mapping.set_access(here, MemoryAccess::READ).unwrap();
    assert_eq!(mapping.access(here).unwrap(), MemoryAccess::READ);
    failure(fill(&mapping, &stream, 2)).detail_contains("can only read it");
    let bytes = read(&mapping, &stream).unwrap();
    assert!(bytes.iter().all(|&one| one == 1));
    mapping.set_access(here, MemoryAccess::NONE).unwrap();
    failure(read(&mapping, &stream)).detail_contains("Mapping::set_access");
    assert!(mapping.access(MemoryLocation { kind: 1, id: 999 }).is_err());
    let other = Context::create(here, Default::default()).unwrap();
    // SAFETY: the view is not used.
    let error = unsafe { mapping.view::<u8>(&other).unwrap_err() };
    assert!(error.detail().contains("contexts"), "{error}");
}

#[test]
fn host_memory_can_be_mapped_for_host_and_device() {
    let (context, stream) = device();
    let needed = DeviceAttribute::HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    assert_eq!(context.device().attribute(needed).unwrap(), 1);
    let node = MemoryLocation::host_numa(0);
    let options = PhysicalOptions::default().location(node);
    let size = PhysicalMemory::granularity(&context, options, Granularity::RECOMMENDED).unwrap();
    let memory = PhysicalMemory::with_options(&context, size, options).unwrap();
    assert_eq!(memory.properties().unwrap().location, node);
    let range = AddressRange::reserve(&context, size).unwrap();
    let mut mapping = range.map(0, &memory).unwrap();
    for location in [node, MemoryLocation::device(context.device())] {
        mapping
            .set_access(location, MemoryAccess::READ_WRITE)
            .unwrap();
    }
    // SAFETY: this is the only mapping.
    let mut numbers = unsafe { mapping.view_mut::<u32>(&stream).unwrap() };
    numbers.fill(&stream, 7).unwrap();
    stream.synchronize().unwrap();
    let place = std::ptr::with_exposed_provenance_mut::<u32>(mapping.as_device_ptr() as usize);
    // SAFETY: the memory is on the host, and nothing else uses it now.
    unsafe {
        assert_eq!(place.add(3).read(), 7);
        place.write(8);
    }
    assert_eq!(numbers.slice(..2).unwrap().to_vec(&stream).unwrap(), [8, 7]);
}

#[test]
fn growable_buffer_grows_in_place() {
    let (context, stream) = device();
    let unit = unit(&context);
    let mut x = GrowableBuffer::<u32>::with_capacity(&stream, unit).unwrap();
    assert_eq!((x.len(), x.allocated_bytes(), x.capacity()), (0, 0, unit));
    assert!(x.to_vec(&stream).unwrap().is_empty());
    let address = x.as_device_ptr();
    x.extend_from_slice(&[1, 2, 3]).unwrap();
    assert_eq!((x.len(), x.allocated_bytes()), (3, unit));
    x.grow(unit / 4).unwrap();
    assert_eq!(x.allocated_bytes(), unit);
    x.grow(unit / 4 + 1).unwrap();
    assert_eq!(x.allocated_bytes(), 2 * unit);
    x.slice_mut(3..).unwrap().fill(&stream, 9).unwrap();
    // Grows to the full capacity at once.
    x.grow(x.capacity()).unwrap();
    assert_eq!(x.allocated_bytes(), 4 * unit);
    assert_eq!(x.as_device_ptr(), address);
    assert_eq!(
        x.slice(..5).unwrap().to_vec(&stream).unwrap(),
        [1, 2, 3, 9, 9]
    );
    let last = unit / 4;
    assert_eq!(x.slice(last..=last).unwrap().to_vec(&stream).unwrap(), [9]);
    // Shrinking releases only whole pieces, and the third piece has two units.
    x.shrink(3 * unit / 4).unwrap();
    assert_eq!(x.allocated_bytes(), 4 * unit);
    x.shrink(unit / 4 + 1).unwrap();
    assert_eq!(x.allocated_bytes(), 2 * unit);
    x.shrink(4).unwrap();
    assert_eq!((x.len(), x.allocated_bytes()), (4, unit));
    assert_eq!(x.to_vec(&stream).unwrap(), [1, 2, 3, 9]);
    x.grow(2 * unit / 4).unwrap();
    assert_eq!(x.slice(..4).unwrap().to_vec(&stream).unwrap(), [1, 2, 3, 9]);
    x.shrink(0).unwrap();
    assert_eq!(x.allocated_bytes(), 0);
    assert!(format!("{x:?}").starts_with("GrowableBuffer(0x"), "{x:?}");
    x.close().unwrap();
}

#[test]
fn growable_buffer_truncates_and_shrinks_by_pieces() {
    let (context, stream) = device();
    let unit = unit(&context);
    let pieces = GrowableOptions::default().piece(unit);
    for (options, left) in [(pieces, unit), (GrowableOptions::default(), 4 * unit)] {
        let mut x = GrowableBuffer::<u8>::with_options(&stream, 4 * unit, options).unwrap();
        x.grow(4 * unit).unwrap();
        x.fill(&stream, 3).unwrap();
        x.truncate(5).unwrap();
        assert_eq!((x.len(), x.allocated_bytes()), (5, 4 * unit));
        assert_eq!(x.to_vec(&stream).unwrap(), [3; 5]);
        // Truncating keeps the memory, so the old contents are still there.
        x.grow(2 * unit).unwrap();
        let edge = x.slice(unit - 1..=unit).unwrap();
        assert_eq!(edge.to_vec(&stream).unwrap(), [3; 2]);
        x.shrink(1).unwrap();
        assert_eq!(x.allocated_bytes(), left);
        x.grow(3 * unit).unwrap();
        assert_eq!(x.slice(..1).unwrap().to_vec(&stream).unwrap(), [3]);
    }
}

#[test]
fn failed_growth_keeps_the_contents() {
    let (context, stream) = device();
    let total = context.device().total_memory().unwrap();
    // The first of many pieces are allocated before one fails. The remaining device memory is
    // enough for other tests, which allocate at the same time.
    let options = GrowableOptions::default().piece(total / 8 * 3);
    let mut x = GrowableBuffer::<u64>::with_options(&stream, total / 2, options).unwrap();
    x.extend_from_slice(&[5; 100]).unwrap();
    let before = x.allocated_bytes();
    // Four times the device's memory.
    let error = x.grow(x.capacity()).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::OutOfMemory { .. }),
        "{error}"
    );
    for wrong in [x.capacity() + 1, usize::MAX, 99] {
        rejection(x.grow(wrong));
    }
    for error in [x.shrink(101).unwrap_err(), x.truncate(101).unwrap_err()] {
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
    assert_eq!((x.len(), x.allocated_bytes()), (100, before));
    assert_eq!(x.to_vec(&stream).unwrap(), [5; 100]);
    assert!(GrowableBuffer::<u64>::with_capacity(&stream, usize::MAX).is_err());
    let none = GrowableBuffer::<u64>::with_capacity(&stream, 0).unwrap();
    assert!(none.is_empty());
}

#[test]
fn shrinking_waits_for_the_stream() {
    let (context, stream) = device();
    let module = kernels(&context);
    let spin = module.function("spin").unwrap();
    let unit = unit(&context);
    let mut x = GrowableBuffer::<u32>::with_capacity(&stream, unit).unwrap();
    for shrink in [true, false] {
        x.grow(unit / 4).unwrap();
        x.grow(unit / 2).unwrap();
        let mut last = x.slice_mut(unit / 2 - 1..).unwrap();
        // SAFETY: the kernel writes one element at its end.
        unsafe { spin.launch(&stream, LaunchConfig::new(1, 1), (20_000_000u64, &mut last)) }
            .unwrap();
        if shrink {
            x.shrink(1).unwrap();
            assert_eq!(x.allocated_bytes(), unit);
        }
    }
    x.close().unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn growable_buffer_supports_all_operations() {
    let (context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let mut x = GrowableBuffer::<i16>::with_capacity(&stream, 100).unwrap();
    x.extend_from_slice(&[1, 2, 3, 4]).unwrap();
    x.slice_mut(1..3).unwrap().fill(&other, -7).unwrap();
    let copy = DeviceBuffer::from_slice(&stream, &[8i16, 9]).unwrap();
    x.slice_mut(2..).unwrap().copy_from(&stream, &copy).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [1, -7, 8, 9]);
    assert_eq!(x.stream(), &stream);
}

#[test]
fn growable_buffer_cannot_shrink_during_a_capture() {
    let (context, stream) = device();
    let unit = unit(&context);
    let mut x = GrowableBuffer::<u8>::with_capacity(&stream, 4 * unit).unwrap();
    let mut gone = GrowableBuffer::<u8>::with_capacity(&stream, unit).unwrap();
    gone.grow(1).unwrap();
    let mapping = AddressRange::reserve(&context, unit)
        .unwrap()
        .map(0, &PhysicalMemory::new(&context, unit).unwrap())
        .unwrap();
    // SAFETY: the capture records nothing, so the graph accesses no memory.
    let graph: cuda_safe::Result<_> = unsafe {
        stream.capture(|_| {
            x.grow(2 * unit)?;
            failure(x.shrink(0)).detail_contains("capture");
            drop((gone, mapping));
            Ok(())
        })
    };
    graph.unwrap();
    assert_eq!((x.len(), x.allocated_bytes()), (2 * unit, 2 * unit));
    x.shrink(0).unwrap();
}

#[test]
fn fabric_handles_and_dma_buffers_return_errors_if_unavailable() {
    let (context, stream) = device();
    let unit = unit(&context);
    let options = PhysicalOptions::default().handles(ShareableHandles::FABRIC);
    match PhysicalMemory::with_options(&context, unit, options) {
        Ok(memory) => drop(memory.export_fabric().unwrap()),
        Err(error) => {
            let codes = [
                CUresult::CUDA_ERROR_NOT_PERMITTED,
                CUresult::CUDA_ERROR_NOT_SUPPORTED,
            ];
            assert!(codes.map(Some).contains(&error.driver_code()), "{error}");
            if error.driver_code() == Some(CUresult::CUDA_ERROR_NOT_PERMITTED) {
                assert!(error.detail().contains("fabric handles"), "{error}");
            }
        }
    }
    let memory = PhysicalMemory::new(&context, unit).unwrap();
    assert!(memory.export_fabric().is_err());
    failure(memory.export()).detail_contains("PhysicalOptions::handles");
    let nothing = cuda_safe::memory::virtual_memory::FabricHandle::from_bytes([0; 64]);
    assert!(PhysicalMemory::import_fabric(&context, &nothing, unit).is_err());

    let mut x = GrowableBuffer::<u8>::with_capacity(&stream, unit).unwrap();
    x.grow(unit).unwrap();
    let supported = DeviceAttribute::DMA_BUF_SUPPORTED;
    let has = context.device().attribute(supported).unwrap() == 1;
    match x.export_dma_buf(RangeFlags::default()) {
        Ok(fd) => {
            assert!(has);
            drop(fd);
        }
        Err(error) => assert!(!has, "{error}"),
    }
    for odd in [0..0, 0..100, 16..4112] {
        let part = x.slice(odd).unwrap();
        assert!(part.export_dma_buf(RangeFlags::default()).is_err());
    }
}

/// This machine may have no NVSwitch. The calls are made anyway, and must return the right errors.
#[test]
fn multicast_calls_return_errors_without_a_switch() {
    let (context, stream) = device();
    let unit = unit(&context);
    let options = MulticastOptions::default().devices(2).size(unit);
    let supported = DeviceAttribute::MULTICAST_SUPPORTED;
    if context
        .device()
        .attribute(supported)
        .is_ok_and(|one| one == 1)
    {
        let least = MulticastObject::granularity(&context, options, Granularity::MINIMUM).unwrap();
        assert!(least > 0 && least.is_power_of_two(), "{least}");
    } else {
        let asked = MulticastObject::granularity(&context, options, Granularity::MINIMUM);
        assert_eq!(*asked.unwrap_err().kind(), ErrorKind::Unsupported);
        let made = MulticastObject::new(&context, options);
        assert_eq!(*made.unwrap_err().kind(), ErrorKind::Unsupported);
    }
    // Plain memory is not a multicast object, so every call rejects it.
    let memory = PhysicalMemory::new(&context, unit).unwrap();
    let buffer = DeviceBuffer::<u8>::zeroed(&stream, unit).unwrap();
    // SAFETY: the driver rejects the handle, as this test checks.
    let wrong = unsafe { MulticastObject::from_memory(memory.clone()) };
    assert_eq!(wrong.memory(), &memory);
    assert!(wrong.add_device(context.device()).is_err());
    assert!(wrong.bind(0, &memory, 0, unit).is_err());
    assert!(
        wrong
            .bind_for(context.device(), 0, &memory, 0, unit)
            .is_err()
    );
    // SAFETY: as above. The buffer is alive.
    unsafe {
        let (device, address) = (context.device(), buffer.as_device_ptr());
        assert!(wrong.bind_address(0, address, unit).is_err());
        assert!(wrong.bind_address_for(device, 0, address, unit).is_err());
        assert!(wrong.unbind(device, 0, unit).is_err());
    }
    drop(wrong);
    // No binding succeeded, so nothing else has a reference.
    assert!(memory.into_raw().is_ok_and(|raw| {
        // SAFETY: `into_raw` gave up the handle, and the memory has this size.
        unsafe { PhysicalMemory::from_raw(raw, unit, &context) }
            .close()
            .is_ok()
    }));
}
