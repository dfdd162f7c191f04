//! Managed memory: prefetching, advice, discarding and attaching.

use cuda_safe::{
    DeviceBuffer, ErrorKind, ManagedBuffer, Stream,
    memory::{ManagedAttachment, MemoryAdvice, MemoryLocation, RangeAttribute},
    sys::CUresult,
};

use crate::{device, failure};

const HOST: MemoryLocation = MemoryLocation::HOST;

/// Half of a buffer: several pages, and the size of the driver's allocations. Smaller buffers share
/// the driver's bookkeeping with those of other tests.
const HALF: usize = 1 << 21;

#[test]
fn prefetch_changes_only_the_location() {
    let (context, stream) = device();
    let here = MemoryLocation::device(context.device());
    let mut x = ManagedBuffer::<u8>::zeroed(&stream, 2 * HALF).unwrap();
    x.host_mut().unwrap().fill(5);
    assert_eq!(x.range_attributes().unwrap().last_prefetch, None);
    x.prefetch(&stream, context.device()).unwrap();
    assert_eq!(x.range_attributes().unwrap().last_prefetch, Some(here));
    let last = RangeAttribute::LAST_PREFETCH_LOCATION;
    assert_eq!(x.range_attribute(last).unwrap(), context.device().as_raw());
    x.slice(..HALF).unwrap().prefetch(&stream, HOST).unwrap();
    assert_eq!(x.range_attributes().unwrap().last_prefetch, None); // the halves differ
    let (first, second) = x.split_at(HALF).unwrap();
    assert_eq!(first.range_attributes().unwrap().last_prefetch, Some(HOST));
    assert_eq!(first.range_attribute(last).unwrap(), -1);
    assert_eq!(second.range_attributes().unwrap().last_prefetch, Some(here));
    let current = MemoryLocation::HOST_NUMA_CURRENT;
    x.prefetch(&Stream::new(&context).unwrap(), current)
        .unwrap();
    assert_eq!(x.range_attributes().unwrap().last_prefetch, Some(current));
    assert!(x.host().unwrap().iter().all(|&byte| byte == 5));
}

#[test]
fn missing_locations_are_rejected() {
    let (_, stream) = device();
    let x = ManagedBuffer::<u8>::zeroed(&stream, 100).unwrap();
    let nowhere = MemoryLocation { kind: 1, id: 77 };
    failure(x.prefetch(&stream, nowhere)).with_code(CUresult::CUDA_ERROR_INVALID_DEVICE);
    for nowhere in [MemoryLocation::NONE, MemoryLocation::host_numa(99)] {
        let failed = x.prefetch(&stream, nowhere).unwrap_err();
        assert_eq!(
            failed.driver_code(),
            Some(CUresult::CUDA_ERROR_INVALID_VALUE)
        );
        assert!(!failed.detail().contains("ManagedBuffer"), "{failed}");
    }
    assert!(x.advise(MemoryAdvice::accessed_by(nowhere)).is_err());
    assert!(
        x.advise(MemoryAdvice::accessed_by(MemoryLocation::host_numa(0)))
            .is_err()
    );
    let unknown = MemoryAdvice {
        advice: 77,
        location: HOST,
    };
    assert!(x.advise(unknown).is_err());
    assert!(x.range_attribute(RangeAttribute(77)).is_err());
}

#[test]
fn errors_for_unmanaged_memory_name_managed_buffer() {
    let (context, stream) = device();
    let mut x = DeviceBuffer::<u8>::zeroed(&stream, 100).unwrap();
    let managed = ManagedBuffer::<u8>::zeroed(&stream, 100).unwrap();
    let here = context.device();
    let failures = [
        x.prefetch(&stream, here).unwrap_err(),
        x.advise(MemoryAdvice::READ_MOSTLY).unwrap_err(),
        x.range_attributes().unwrap_err(),
        x.range_attribute(RangeAttribute::READ_MOSTLY).unwrap_err(),
        stream
            .prefetch_batch(&[managed.to_prefetch(here), x.to_prefetch(here)])
            .unwrap_err(),
        stream.discard_batch(&[x.to_discard()]).unwrap_err(),
    ];
    for failed in failures {
        assert_eq!(*failed.kind(), ErrorKind::InvalidArgument, "{failed}");
        assert!(failed.to_string().contains("ManagedBuffer"), "{failed}");
    }
    // Empty memory has no location.
    let none = ManagedBuffer::<u8>::zeroed(&stream, 0).unwrap();
    none.prefetch(&stream, here).unwrap();
    none.advise(MemoryAdvice::READ_MOSTLY).unwrap();
    let error = none.range_attributes().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.detail(), "the memory is empty");
}

#[test]
fn advice_can_be_set_and_unset() {
    let (context, stream) = device();
    let here = MemoryLocation::device(context.device());
    let x = ManagedBuffer::<u8>::zeroed(&stream, 2 * HALF).unwrap();
    x.advise(MemoryAdvice::READ_MOSTLY).unwrap();
    x.advise(MemoryAdvice::preferred_location(here)).unwrap();
    x.advise(MemoryAdvice::accessed_by(here)).unwrap();
    x.advise(MemoryAdvice::accessed_by(HOST)).unwrap();
    let known = x.range_attributes().unwrap();
    assert!(known.read_mostly);
    assert_eq!(known.preferred_location, Some(here));
    let mut who = known.accessed_by;
    who.sort_by_key(|place| place.kind);
    assert_eq!(who, [here, HOST]);
    // Advice for a part of the memory.
    let (first, second) = x.split_at(HALF).unwrap();
    first.advise(MemoryAdvice::NOT_READ_MOSTLY).unwrap();
    first
        .advise(MemoryAdvice::preferred_location(HOST))
        .unwrap();
    first.advise(MemoryAdvice::not_accessed_by(here)).unwrap();
    let known = first.range_attributes().unwrap();
    assert!(!known.read_mostly);
    assert_eq!(known.preferred_location, Some(HOST));
    assert_eq!(known.accessed_by, [HOST]);
    assert!(second.range_attributes().unwrap().read_mostly);
    let all = x.range_attributes().unwrap();
    assert_eq!((all.read_mostly, all.preferred_location), (false, None));
    assert_eq!(all.accessed_by, [HOST]);
    x.advise(MemoryAdvice::NO_PREFERRED_LOCATION).unwrap();
    assert_eq!(first.range_attributes().unwrap().preferred_location, None);
}

#[test]
fn prefetches_and_discards_run_in_batches() {
    let (context, stream) = device();
    let (here, other) = (context.device(), Stream::new(&context).unwrap());
    let mut x = ManagedBuffer::<u8>::zeroed(&stream, HALF).unwrap();
    let mut y = ManagedBuffer::<u32>::zeroed(&other, HALF).unwrap(); // allocated on another stream
    let none = ManagedBuffer::<u64>::zeroed(&stream, 0).unwrap();
    x.host_mut().unwrap().fill(3);
    stream
        .prefetch_batch(&[
            none.to_prefetch(here),
            x.to_prefetch(HOST),
            y.to_prefetch(here),
        ])
        .unwrap();
    assert_eq!(x.range_attributes().unwrap().last_prefetch, Some(HOST));
    assert_eq!(
        y.range_attributes().unwrap().last_prefetch,
        Some(here.into())
    );
    assert_eq!(x.host().unwrap()[HALF - 1], 3);
    stream.prefetch_batch(&[]).unwrap();
    let address = x.as_device_ptr();
    assert_eq!(
        format!("{:?}", x.to_prefetch(HOST)),
        format!("Prefetch({HALF} bytes at {address:#x}, {HOST:?})")
    );
    assert_eq!(
        format!("{:?}", x.to_discard()),
        format!("Discard({HALF} bytes at {address:#x})")
    );
    stream
        .discard_batch(&[x.to_discard(), y.to_discard()])
        .unwrap();
    x.fill(&stream, 8).unwrap();
    y.fill(&stream, 9).unwrap();
    assert_eq!((x.host().unwrap()[7], y.host().unwrap()[7]), (8, 9));
    let batch = [(x.to_discard(), here.into()), (y.to_discard(), HOST)];
    stream.discard_and_prefetch_batch(&batch).unwrap();
    assert_eq!(y.range_attributes().unwrap().last_prefetch, Some(HOST));
    y.fill(&stream, 4).unwrap();
    assert_eq!(y.host().unwrap()[HALF - 1], 4);
    let nowhere = MemoryLocation { kind: 1, id: 77 };
    assert!(stream.prefetch_batch(&[x.to_prefetch(nowhere)]).is_err());
    let legacy = Stream::legacy_default(&context);
    assert!(legacy.prefetch_batch(&[x.to_prefetch(here)]).is_err());
}

#[test]
fn managed_memory_can_be_attached_to_its_stream() {
    let (context, stream) = device();
    let mut x = ManagedBuffer::<u32>::zeroed(&stream, 1000).unwrap();
    for to in [
        ManagedAttachment::SINGLE,
        ManagedAttachment::HOST,
        ManagedAttachment::GLOBAL,
    ] {
        x.attach(to).unwrap();
    }
    x.attach(ManagedAttachment::SINGLE).unwrap();
    x.fill(&stream, 7).unwrap();
    assert_eq!(x.host().unwrap()[999], 7);
    ManagedBuffer::<u32>::zeroed(&stream, 0)
        .unwrap()
        .attach(ManagedAttachment::HOST)
        .unwrap();
    let legacy = Stream::legacy_default(&context);
    let mut y = ManagedBuffer::<u32>::zeroed(&legacy, 10).unwrap();
    y.attach(ManagedAttachment::SINGLE).unwrap();
    // An unknown kind of attachment is rejected.
    failure(y.attach(ManagedAttachment(3)))
        .with_code(CUresult::CUDA_ERROR_INVALID_VALUE)
        .detail_contains("ManagedAttachment(3)");
}

#[test]
fn migration_is_rejected_during_a_capture() {
    let (context, stream) = device();
    let mut x = ManagedBuffer::<u32>::zeroed(&stream, 1000).unwrap();
    let here = context.device();
    stream.synchronize().unwrap();
    // SAFETY: the capture records nothing.
    let graph = unsafe {
        stream.capture(|_| -> cuda_safe::Result<()> {
            let failures = [
                x.prefetch(&stream, here).unwrap_err(),
                x.attach(ManagedAttachment::SINGLE).unwrap_err(),
                stream.prefetch_batch(&[x.to_prefetch(here)]).unwrap_err(),
                stream.discard_batch(&[x.to_discard()]).unwrap_err(),
            ];
            for failed in failures {
                assert_eq!(*failed.kind(), ErrorKind::InvalidArgument, "{failed}");
            }
            Ok(())
        })
    };
    graph.unwrap(); // the failures have not invalidated the capture
}
