//! Device memory, page-locked memory and pools.

use cuda_safe::{PlainData, memory::PitchedBuffer};

use super::*;

#[test]
fn device_memory_is_freed_once() {
    traced("", || {
        let (context, stream) = device();
        let free = "cuMemFreeAsync";
        let buffer = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
        assert!(
            format!("{buffer:?}").ends_with(", 4 elements)"),
            "{buffer:?}"
        );
        makes(free, &[], || buffer.close().unwrap());
        let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
        for text in [
            format!("{:?}", buffer.view()),
            format!("{:?}", buffer.view_mut()),
        ] {
            assert!(
                text.starts_with("DeviceView") && text.ends_with(", 4 elements)"),
                "{text}"
            );
        }
        assert!(made(free, || buffer.view_mut()).is_empty());
        let raw = buffer.as_device_ptr();
        assert!(made(free, || assert_eq!(buffer.into_raw(), raw)).is_empty());
        // SAFETY: `into_raw` gave up the memory above.
        let buffer = unsafe { DeviceBuffer::<u32>::from_raw(raw, 4, &stream) };
        makes(free, &[], || drop(buffer));
        // A buffer without elements owns nothing.
        //
        // SAFETY: there are no elements.
        let nothing = unsafe { DeviceBuffer::<u32>::from_raw(0, 0, &stream) };
        assert!(made("cuMemFree", || nothing.close().unwrap()).is_empty());
        assert!(
            made("cuMemFree", || DeviceBuffer::<u32>::zeroed(&stream, 0)
                .unwrap())
            .is_empty()
        );
        // The per-thread stream does not exist on another thread, so the buffer is freed without an
        // order.
        let own = Stream::per_thread_default(&context);
        let buffer = DeviceBuffer::<u32>::zeroed(&own, 4).unwrap();
        std::thread::spawn(move || {
            makes("cuMemFree_v2", &[], || buffer.close().unwrap());
        })
        .join()
        .unwrap();
    });
}

#[test]
fn views_have_the_stream_and_context_of_the_buffer() {
    passes("", || {
        let (context, stream) = device();
        let other = Stream::new(&context).unwrap();
        let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 8).unwrap();
        {
            let view = buffer.view();
            let (head, tail) = view.split_at(3).unwrap();
            for part in [view, head, tail, view.slice(1..).unwrap()] {
                assert_eq!(part.stream(), Some(&stream));
            }
            assert_eq!((head.len(), tail.len()), (3, 5));
        }
        {
            let mut view = buffer.view_mut();
            assert_eq!(view.stream(), Some(&stream));
            assert_eq!(view.view().stream(), Some(&stream));
            assert_eq!(view.slice_mut(1..).unwrap().stream(), Some(&stream));
            assert_eq!(view.view_mut().stream(), Some(&stream));
            let (head, tail) = view.split_at_mut(3).unwrap();
            assert_eq!(
                (head.stream(), tail.stream()),
                (Some(&stream), Some(&stream))
            );
            assert_eq!(tail.as_device_ptr() - head.as_device_ptr(), 12);
            assert_eq!((head.len(), tail.len()), (3, 5));
        }
        // So other streams are ordered after the buffer's: the fill is held until the host waits.
        buffer.fill(&stream, 7).unwrap();
        assert_eq!(buffer.slice(2..4).unwrap().to_vec(&other).unwrap(), [7, 7]);
        buffer.slice_mut(..4).unwrap().fill(&other, 9).unwrap();
        assert_eq!(buffer.to_vec(&stream).unwrap(), [9, 9, 9, 9, 7, 7, 7, 7]);
        // SAFETY: the memory belongs to the buffer, and nothing is enqueued on it.
        let unordered =
            unsafe { DeviceView::<u32>::borrow_raw(buffer.as_device_ptr(), 8, &context) };
        assert_eq!(unordered.stream(), None);
        assert_eq!(unordered.owner().context(), &context);
    });
}

#[test]
fn page_locked_memory_is_allocated_with_flags_and_freed_once() {
    traced("", || {
        let (context, _) = device();
        let flags = PinnedFlags::PORTABLE | PinnedFlags::WRITE_COMBINED;
        assert_eq!(flags, PinnedFlags(5));
        assert_eq!(flags | PinnedFlags::PORTABLE, flags);
        let free = "cuMemFreeHost";
        let buffer = PinnedBuffer::<u32>::with_flags(&context, 4, flags).unwrap();
        assert!(
            calls("cuMemHostAlloc")[0].contains("flags=5)"),
            "{:?}",
            calls("cuMemHostAlloc")
        );
        assert!(
            format!("{buffer:?}").ends_with(", 4 elements)"),
            "{buffer:?}"
        );
        makes(free, &[], || buffer.close().unwrap());
        let buffer = PinnedBuffer::<[u32; 2]>::zeroed(&context, 1).unwrap();
        let mut raw = None;
        assert!(made(free, || raw = Some(buffer.into_raw())).is_empty());
        // SAFETY: `into_raw` gave up the memory above.
        let buffer = unsafe { PinnedBuffer::from_raw(raw.unwrap(), 1, &context) };
        assert_ne!(buffer.device_ptr().unwrap(), 0);
        makes(free, &[], || drop(buffer));
        let nothing = PinnedBuffer::<u32>::zeroed(&context, 0).unwrap();
        let dangling = nothing.into_raw();
        // SAFETY: there are no elements.
        let nothing = unsafe { PinnedBuffer::from_raw(dangling, 0, &context) };
        assert!(made(free, || nothing.close().unwrap()).is_empty());
    });
}

#[test]
fn page_locked_allocation_error_names_the_limit() {
    passes("cuMemHostAlloc:1:CUDA_ERROR_OUT_OF_MEMORY", || {
        let (context, _) = device();
        let error = PinnedBuffer::<u32>::zeroed(&context, 250).unwrap_err();
        let kind = ErrorKind::OutOfMemory {
            requested: 1000,
            free: 0,
            total: 0,
        };
        assert_eq!(*error.kind(), kind, "{error}");
        let text = error.to_string();
        assert!(text.ends_with("1000 bytes were requested"), "{error}");
        assert!(error.to_string().contains("ulimit -l"), "{error}");
    });
}

#[test]
fn pool_settings_and_trim_call_the_driver() {
    traced("", || {
        let (context, _) = device();
        let pool = MemoryPool::current(&context).unwrap();
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for writes.
        let code = unsafe { sys::cuDeviceGetMemPool(&mut raw, 0) };
        assert_eq!((code, raw), (CUresult::CUDA_SUCCESS, pool.as_raw()));
        assert_eq!(pool.release_threshold().unwrap(), 0);
        pool.set_release_threshold(12345).unwrap();
        assert_eq!(pool.release_threshold().unwrap(), 12345);
        pool.set_release_threshold(0).unwrap();
        makes("cuMemPoolTrimTo", &["=4096"], || {
            pool.trim_to(4096).unwrap()
        });
    });
}

#[test]
fn fills_use_one_call_if_possible() {
    traced("", || {
        let (_, stream) = device();
        let mut bytes = DeviceBuffer::<u8>::uninit(&stream, 24).unwrap();
        makes("cuMemset", &["cuMemsetD8Async"], || {
            bytes.fill(&stream, 3).unwrap()
        });
        makes("cuMemset", &["cuMemsetD8Async"], || {
            bytes.memset_u16(&stream, 0x0303).unwrap()
        });
        makes("cuMemset", &["cuMemsetD16Async"], || {
            bytes.memset_u16(&stream, 0x0304).unwrap()
        });
        makes("cuMemset", &["cuMemsetD32Async"], || {
            bytes.memset_u32(&stream, 0x0304_0506).unwrap()
        });
        makes("cuMemset", &["cuMemsetD8Async"], || {
            bytes.memset_u32(&stream, 0).unwrap()
        });
        assert!(
            made("cuMemset", || DeviceBuffer::<u8>::zeroed(&stream, 0)
                .unwrap())
            .is_empty()
        );
        let mut odd = DeviceBuffer::<[u8; 3]>::uninit(&stream, 5).unwrap();
        let columns = made("cuMemset", || odd.fill(&stream, [1, 2, 3]).unwrap());
        assert_eq!(columns.len(), 3, "{columns:?}");
        assert_eq!(odd.to_vec(&stream).unwrap(), [[1, 2, 3]; 5]);
        let mut wide = DeviceBuffer::<[u32; 3]>::uninit(&stream, 5).unwrap();
        let columns = made("cuMemset", || wide.fill(&stream, [1, 2, 3]).unwrap());
        assert_eq!(columns.len(), 3, "{columns:?}");
        assert_eq!(wide.to_vec(&stream).unwrap(), [[1, 2, 3]; 5]);
        let mut mixed = DeviceBuffer::<[u16; 3]>::uninit(&stream, 5).unwrap();
        let columns = made("cuMemset", || mixed.fill(&stream, [1, 2, 3]).unwrap());
        assert_eq!(columns.len(), 6, "{columns:?}");
        assert_eq!(mixed.to_vec(&stream).unwrap(), [[1, 2, 3]; 5]);
    });
}

#[test]
fn empty_copies_make_no_calls() {
    traced("", || {
        let (_, stream) = device();
        let mut empty = DeviceBuffer::<u32>::zeroed(&stream, 0).unwrap();
        let none = made("cuMemcpy", || {
            empty.copy_from_slice(&stream, &[]).unwrap();
            empty.copy_to_slice(&stream, &mut []).unwrap();
            assert!(empty.to_vec(&stream).unwrap().is_empty());
            let other = DeviceBuffer::<u32>::zeroed(&stream, 0).unwrap();
            empty.copy_from(&stream, &other).unwrap();
            empty.fill(&stream, 1).unwrap();
        });
        assert!(none.is_empty(), "{none:?}");
        assert!(calls("cuStreamSynchronize").is_empty());
    });
}

#[test]
fn close_returns_the_error_of_the_release() {
    // Objects whose release fails are leaked.
    passes("cuEventDestroy:1:CUDA_ERROR_UNKNOWN", || {
        let (context, _) = device();
        let error = Event::new(&context).unwrap().close().unwrap_err();
        assert_eq!(error.call(), "cuEventDestroy_v2");
    });
    passes("cuMemFreeAsync:1:CUDA_ERROR_UNKNOWN", || {
        let (_, stream) = device();
        let buffer = DeviceBuffer::<u8>::zeroed(&stream, 1).unwrap();
        assert_eq!(buffer.close().unwrap_err().call(), "cuMemFreeAsync");
    });
    passes("cuMemFreeHost:1:CUDA_ERROR_UNKNOWN", || {
        let (context, _) = device();
        let buffer = PinnedBuffer::<u8>::zeroed(&context, 1).unwrap();
        assert_eq!(buffer.close().unwrap_err().call(), "cuMemFreeHost");
    });
    passes("cuStreamDestroy:1:CUDA_ERROR_UNKNOWN", || {
        let (context, _stream) = device();
        let error = Stream::new(&context).unwrap().close().unwrap_err();
        assert_eq!(error.call(), "cuStreamDestroy_v2");
    });
    passes("cuCtxDestroy:1:CUDA_ERROR_UNKNOWN", || {
        let created = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
        assert_eq!(created.close().unwrap_err().call(), "cuCtxDestroy_v2");
    });
}

#[test]
fn managed_memory_is_freed_after_its_stream() {
    traced("", || {
        let (_context, stream) = device();
        let x = ManagedBuffer::<u32>::zeroed(&stream, 4).unwrap();
        let address = format!("dptr={:#x}", x.as_device_ptr());
        let before = calls("cuStreamSynchronize").len();
        makes("cuMemFree", &[&address], || x.close().unwrap());
        assert_eq!(calls("cuStreamSynchronize").len(), before + 1);
        let x = ManagedBuffer::<u32>::zeroed(&stream, 4).unwrap();
        makes("cuMemFree", &[], || drop(x));
        let none = ManagedBuffer::<u32>::zeroed(&stream, 0).unwrap();
        assert!(made("cuMemFree", || none.close().unwrap()).is_empty());
        assert_eq!(calls("cuMemAllocManaged").len(), 2);
    });
}

#[test]
fn managed_memory_allocation_errors_are_returned() {
    passes("cuMemAllocManaged:1:2", || {
        let (_context, stream) = device();
        let error = ManagedBuffer::<u32>::zeroed(&stream, 4).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::OutOfMemory { requested: 16, .. }),
            "{error}"
        );
    });
    passes("cuMemFree_v2:1:999", || {
        let (_context, stream) = device();
        let x = ManagedBuffer::<u32>::zeroed(&stream, 4).unwrap();
        let error = x.close().unwrap_err();
        assert_eq!(error.driver_code().unwrap().0, 999, "{error}");
    });
    passes("cuMemAllocManaged:1:801", || {
        let (_context, stream) = device();
        failure(ManagedBuffer::<u32>::zeroed(&stream, 4)).of_kind(ErrorKind::Unsupported);
    });
}

#[test]
fn pitch_depends_on_the_element_size() {
    traced("", || {
        let (_, stream) = device();
        fn allocates<T: PlainData>(stream: &Stream, size: u32) {
            let pitch_size = format!("ElementSizeBytes={size})");
            makes("cuMemAllocPitch_v2", &[&pitch_size], || {
                PitchedBuffer::<T>::uninit(stream, [3, 2]).unwrap()
            });
        }
        allocates::<u8>(&stream, 4);
        allocates::<u32>(&stream, 4);
        allocates::<[u32; 3]>(&stream, 4);
        allocates::<u64>(&stream, 8);
        allocates::<[u64; 3]>(&stream, 8);
        allocates::<[u32; 4]>(&stream, 16);
        allocates::<[u64; 6]>(&stream, 16);
    });
}
