//! Semaphores on streams.

use cuda_safe::{
    Context, ContextFlags, Device, DeviceBuffer, ErrorKind, Result, Stream,
    share::{ExternalSemaphore, ExternalSemaphoreKind},
    sys::CUresult,
};

use crate::{device, elsewhere::elsewhere, waits};

#[test]
fn timeline_orders_streams_and_the_other_side() {
    let (_one, context, stream) = device();
    let Some(other_side) = elsewhere() else {
        return;
    };
    let timeline = other_side.timeline(5);
    let semaphore = timeline.import(&context);
    stream.wait_semaphore(&semaphore, 3).unwrap(); // already reached
    stream.synchronize().unwrap();
    stream.wait_semaphore(&semaphore, 10).unwrap();
    assert!(waits(&stream));
    timeline.signal(10);
    stream.synchronize().unwrap();
    // From stream to stream, through two imports of the same semaphore.
    let (same, other) = (timeline.import(&context), Stream::new(&context).unwrap());
    assert_ne!(semaphore, same);
    let mut x = DeviceBuffer::<u32>::uninit(&other, 1 << 20).unwrap();
    stream.wait_semaphore(&semaphore, 11).unwrap();
    assert!(waits(&stream));
    x.fill(&other, 7).unwrap();
    other.signal_semaphore(&same, 12).unwrap(); // a greater value than the wait needs
    let y = DeviceBuffer::<u32>::from_slice(&stream, &[0; 4]).unwrap();
    assert_eq!(y.to_vec(&stream).unwrap(), [0; 4]);
    assert_eq!(timeline.value(), 12);
    assert_eq!(x.to_vec(&other).unwrap(), vec![7; 1 << 20]);
    assert_eq!((semaphore.context(), same.close()), (&context, Ok(())));
    // Dropping the semaphore waits for the work that it orders.
    x.fill(&stream, 8).unwrap();
    stream.signal_semaphore(&semaphore, 20).unwrap();
    drop(semaphore);
    assert_eq!(timeline.value(), 20);
}

#[test]
fn binary_semaphore_releases_one_wait() {
    let (_one, context, stream) = device();
    let Some(other_side) = elsewhere() else {
        return;
    };
    let (binary, answer) = (other_side.binary(), other_side.timeline(0));
    let (semaphore, answered) = (binary.import(&context), answer.import(&context));
    stream.wait_semaphore(&semaphore, 0).unwrap();
    assert!(waits(&stream));
    binary.signal();
    stream.synchronize().unwrap();
    // The wait has consumed the signal.
    stream.wait_semaphore(&semaphore, 0).unwrap();
    assert!(waits(&stream));
    let other = Stream::new(&context).unwrap();
    other.signal_semaphore(&semaphore, 0).unwrap();
    stream.synchronize().unwrap();
    // The other side waits for a stream's signal.
    binary.pass_on(&answer, 1);
    stream.wait_semaphore(&answered, 1).unwrap();
    assert!(waits(&stream));
    other.signal_semaphore(&semaphore, 0).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(answer.value(), 1);
}

#[test]
fn one_call_can_use_several_semaphores() {
    let (_one, context, stream) = device();
    let Some(other_side) = elsewhere() else {
        return;
    };
    let timelines = [other_side.timeline(0), other_side.timeline(0)];
    let [a, b] = timelines.each_ref().map(|one| one.import(&context));
    let other = Stream::new(&context).unwrap();
    stream.wait_semaphores(&[(&a, 8), (&b, 9)]).unwrap();
    timelines[0].signal(8);
    assert!(waits(&stream));
    other.signal_semaphores(&[(&b, 10), (&a, 11)]).unwrap();
    stream.synchronize().unwrap();
    other.synchronize().unwrap();
    assert_eq!(timelines.each_ref().map(|one| one.value()), [11, 10]);
    stream.wait_semaphores(&[]).unwrap();
    stream.signal_semaphores(&[]).unwrap();
}

#[test]
fn semaphores_of_other_contexts_are_rejected() {
    let (_one, context, stream) = device();
    let Some(other_side) = elsewhere() else {
        return;
    };
    let timeline = other_side.timeline(0);
    let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let foreign = timeline.import(&created);
    for failed in [
        stream.signal_semaphore(&foreign, 1),
        stream.wait_semaphore(&foreign, 0),
    ] {
        assert_eq!(*failed.unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
    let own = timeline.import(&context);
    let failed = stream.signal_semaphores(&[(&own, 1), (&foreign, 1)]);
    assert_eq!(*failed.unwrap_err().kind(), ErrorKind::InvalidArgument);
    stream.synchronize().unwrap();
    assert_eq!(timeline.value(), 0);
}

#[test]
fn invalid_semaphore_imports_are_rejected() {
    let (_one, context, stream) = device();
    let Some(other_side) = elsewhere() else {
        return;
    };
    let timeline = other_side.timeline(0);
    // SAFETY: the call fails.
    let failed = unsafe {
        ExternalSemaphore::import(&context, ExternalSemaphoreKind(77), timeline.export())
    };
    assert_eq!(
        failed.unwrap_err().driver_code(),
        Some(CUresult::CUDA_ERROR_INVALID_VALUE)
    );
    let kind = ExternalSemaphoreKind::TIMELINE_FD;
    // SAFETY: the call fails.
    let import = || unsafe { ExternalSemaphore::import(&context, kind, timeline.export()) };
    let in_capture = || -> Result<()> {
        assert_eq!(*import().unwrap_err().kind(), ErrorKind::InvalidArgument);
        Ok(())
    };
    // SAFETY: the capture records nothing.
    let graph = unsafe { stream.capture(|_| in_capture()) };
    assert_eq!(graph.unwrap().nodes().unwrap(), []);
}
