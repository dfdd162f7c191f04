use std::thread;

use cuda_safe::{Context, ContextFlags, Device, DeviceBuffer, Event, LaunchConfig, Module, Stream};

use crate::{device, kernels};

#[test]
fn threads_can_share_a_context() {
    let (context, _) = device();
    let scale = kernels(&context).function("scale").unwrap();
    thread::scope(|scope| {
        for t in 0..8u16 {
            let (context, scale) = (&context, &scale);
            scope.spawn(move || {
                let stream = Stream::new(context).unwrap();
                for round in 0..10u16 {
                    let n = 1000 + usize::from(t);
                    let mut x =
                        DeviceBuffer::from_slice(&stream, &vec![f32::from(round); n]).unwrap();
                    let arguments = (&mut x, f32::from(t), n as u32);
                    // SAFETY: the kernel accesses at most the n floats.
                    unsafe { scale.launch(&stream, LaunchConfig::for_elements(n), arguments) }
                        .unwrap();
                    let expected = f32::from(round) * f32::from(t);
                    assert!(x.to_vec(&stream).unwrap().iter().all(|&v| v == expected));
                }
            });
        }
    });
}

#[test]
fn objects_can_be_dropped_on_other_threads_in_any_order() {
    for order in 0..6usize {
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        let stream = Stream::new(&context).unwrap();
        let module = kernels(&context);
        let function = module.function("no_parameters").unwrap();
        let buffer = DeviceBuffer::<u8>::zeroed(&stream, 100).unwrap();
        let event = Event::new(&context).unwrap();
        let mut things: Vec<Box<dyn Send>> = vec![
            Box::new(context),
            Box::new(stream),
            Box::new(module),
            Box::new(function),
            Box::new(buffer),
            Box::new(event),
        ];
        things.rotate_left(order);
        for thing in things {
            thread::spawn(move || drop(thing)).join().unwrap();
        }
    }
}

#[test]
fn handles_are_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<Context>();
    check::<Stream>();
    check::<Event>();
    check::<Module>();
    check::<cuda_safe::Function>();
    check::<DeviceBuffer<f32>>();
    check::<cuda_safe::DeviceView<'_, f32>>();
    check::<cuda_safe::PinnedBuffer<f32>>();
    check::<cuda_safe::memory::Transfer<f32>>();
    check::<cuda_safe::module::Global<f32>>();
    check::<cuda_safe::Error>();
    check::<cuda_safe::MemoryPool>();
    check::<cuda_safe::array::CudaArray>();
    check::<cuda_safe::array::MipmappedArray>();
    check::<cuda_safe::Texture>();
    check::<cuda_safe::texture::TextureSource>();
    check::<cuda_safe::Surface>();
}
