//! Memory shared by file descriptors, and memory and events shared by handles, between two
//! processes. A test starts this program again as the second process. The two talk over a socket
//! with a time limit, so that neither waits forever.
//!
//! Not on Windows: the processes talk over Unix sockets, which also pass the files.
#![cfg(unix)]

use std::{
    env,
    io::{IoSliceMut, Read, Write},
    mem,
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
        unix::net::UnixStream,
    },
    process::{Child, Command, Stdio},
    time::Duration,
};

use cuda_safe::{
    Context, ErrorKind, Event, EventOptions, LaunchConfig, MemoryPool, Module, Stream,
    memory::{
        MemoryAccess, MemoryPoolOptions, PoolPointer,
        virtual_memory::{AddressRange, Mapping, PhysicalMemory, PhysicalOptions},
    },
    share::{IpcBuffer, IpcEventHandle, IpcMemoryHandle, OpenedBuffer, ShareableHandles},
};

const SECOND: &str = "CUDA_SAFE_TEST_SECOND";
/// Number of elements of an allocation that shares its block with no other. The driver places
/// several small allocations in one block.
const LARGE: usize = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(60);

const SPIN: &str = r#"
extern "C" __global__ void spin(unsigned long long nanoseconds) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
}"#;

/// The second process, and the socket to it.
struct Peer {
    child: Child,
    socket: UnixStream,
}

/// Runs `first` here and `second` in another process, each with its end of a socket.
fn together(test: &str, first: impl FnOnce(&mut Peer), second: impl FnOnce(UnixStream)) {
    match env::var(SECOND) {
        Ok(name) if name == test => {
            // SAFETY: the first process has passed the socket as descriptor 0, and nothing else
            // uses it.
            let socket = UnixStream::from(unsafe { OwnedFd::from_raw_fd(0) });
            socket.set_read_timeout(Some(PATIENCE)).unwrap();
            second(socket);
            return;
        }
        Ok(_) => return,
        Err(_) => {}
    }
    let (socket, theirs) = UnixStream::pair().unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let child = start(test, Stdio::from(OwnedFd::from(theirs)));
    let mut peer = Peer { child, socket };
    first(&mut peer);
    peer.expect_success();
}

fn start(test: &str, stdin: Stdio) -> Child {
    Command::new(env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(SECOND, test)
        .stdin(stdin)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

impl Peer {
    fn expect_success(mut self) {
        let status = self.child.wait().unwrap();
        mem::forget(self);
        assert!(status.success(), "the second process: {status}");
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The first process has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn send(mut socket: &UnixStream, bytes: &[u8]) {
    socket.write_all(bytes).unwrap();
}

fn receive<const N: usize>(mut socket: &UnixStream) -> [u8; N] {
    let mut bytes = [0; N];
    socket.read_exact(&mut bytes).unwrap();
    bytes
}

/// A buffer for the descriptor of one message, with the alignment that the system requires.
#[repr(C, align(8))]
struct Control([u8; 64]);

fn message(bytes: &mut IoSliceMut<'_>, control: &mut Control, length: usize) -> libc::msghdr {
    // SAFETY: an all-zero message is a valid empty message.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = std::ptr::from_mut(bytes).cast();
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = length as _;
    message
}

/// Sends a file descriptor. The receiver gets its own descriptor for the same file.
fn send_fd(socket: &UnixStream, fd: BorrowedFd<'_>) {
    let (mut byte, mut control) = ([1u8], Control([0; 64]));
    let mut bytes = IoSliceMut::new(&mut byte);
    // SAFETY: the buffer is large enough for one descriptor, and everything outlives the call.
    unsafe {
        let message = message(&mut bytes, &mut control, libc::CMSG_SPACE(4) as usize);
        let header = libc::CMSG_FIRSTHDR(&message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(4) as _;
        libc::CMSG_DATA(header)
            .cast::<i32>()
            .write_unaligned(fd.as_raw_fd());
        assert_eq!(libc::sendmsg(socket.as_raw_fd(), &message, 0), 1);
    }
}

fn receive_fd(socket: &UnixStream) -> OwnedFd {
    let (mut byte, mut control) = ([0u8], Control([0; 64]));
    let mut bytes = IoSliceMut::new(&mut byte);
    // SAFETY: as above; the descriptor is this process's own.
    unsafe {
        let mut message = message(&mut bytes, &mut control, 64);
        assert_eq!(libc::recvmsg(socket.as_raw_fd(), &mut message, 0), 1);
        let header = libc::CMSG_FIRSTHDR(&message);
        assert!(!header.is_null(), "the message has no descriptor");
        OwnedFd::from_raw_fd(libc::CMSG_DATA(header).cast::<i32>().read_unaligned())
    }
}

fn device() -> (Context, Stream) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    (context, stream)
}

fn is_emulated(context: &Context) -> bool {
    let name = context.device().name().unwrap();
    name.starts_with("CUDA emulator")
}

fn exportable(context: &Context, size: usize) -> PhysicalMemory {
    let options = PhysicalOptions::default().handles(ShareableHandles::POSIX_FILE_DESCRIPTOR);
    PhysicalMemory::with_options(context, size, options).unwrap()
}

fn mapped(context: &Context, memory: &PhysicalMemory) -> Mapping {
    let range = AddressRange::reserve(context, memory.size()).unwrap();
    let mut mapping = range.map(0, memory).unwrap();
    mapping
        .set_access(context.device(), MemoryAccess::READ_WRITE)
        .unwrap();
    mapping
}

fn write(mapping: &Mapping, stream: &Stream, values: &[u32]) {
    // SAFETY: the two processes take turns.
    let mut view = unsafe { mapping.view_mut::<u32>(stream).unwrap() };
    view.slice_mut(..values.len())
        .unwrap()
        .copy_from_slice(stream, values)
        .unwrap();
}

fn read(mapping: &Mapping, stream: &Stream, len: usize) -> Vec<u32> {
    // SAFETY: the two processes take turns.
    let view = unsafe { mapping.view::<u32>(stream).unwrap() };
    view.slice(..len).unwrap().to_vec(stream).unwrap()
}

#[test]
fn physical_memory_is_shared_by_descriptor() {
    let first = |peer: &mut Peer| {
        let (context, stream) = device();
        let size = 2 * PhysicalMemory::unit(&context).unwrap();
        let memory = exportable(&context, size);
        let mapping = mapped(&context, &memory);
        write(&mapping, &stream, &[1, 2, 3]);
        let fd = memory.export().unwrap();
        send_fd(&peer.socket, fd.as_fd());
        drop(fd);
        let _: [u8; 1] = receive(&peer.socket);
        assert_eq!(read(&mapping, &stream, 4), [1, 20, 3, 40]);
        write(&mapping, &stream, &[5]);
        drop((mapping, memory));
        // This process has dropped everything, and the other one still has the memory.
        send(&peer.socket, &[1]);
        let _: [u8; 1] = receive(&peer.socket);
    };
    let second = |socket: UnixStream| {
        let fd = receive_fd(&socket);
        let (context, stream) = device();
        let unit = PhysicalMemory::unit(&context).unwrap();
        // `import` verifies the stated size.
        for wrong in [unit, 3 * unit, 7, 0] {
            let error = PhysicalMemory::import(&context, &fd, wrong).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
            let text = error.to_string();
            assert!(text.contains(&format!("{wrong} bytes")), "{text}");
            assert!(text.contains("pass the size()"), "{text}");
        }
        let error = PhysicalMemory::import(&context, &socket, unit).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
        let memory = PhysicalMemory::import(&context, &fd, 2 * unit).unwrap();
        drop(fd);
        assert!(memory.export().is_err(), "imported memory was exported");
        let mapping = mapped(&context, &memory);
        assert_eq!(read(&mapping, &stream, 3), [1, 2, 3]);
        write(&mapping, &stream, &[1, 20, 3, 40]);
        send(&socket, &[1]);
        let _: [u8; 1] = receive(&socket);
        assert_eq!(read(&mapping, &stream, 4), [5, 20, 3, 40]);
        send(&socket, &[1]);
    };
    together("physical_memory_is_shared_by_descriptor", first, second);
}

#[test]
fn child_process_inherits_a_descriptor() {
    let test = "child_process_inherits_a_descriptor";
    if let Ok(name) = env::var(SECOND) {
        if name == test {
            let (context, stream) = device();
            let unit = PhysicalMemory::unit(&context).unwrap();
            let memory = PhysicalMemory::import(&context, std::io::stdin(), unit).unwrap();
            let mapping = mapped(&context, &memory);
            assert_eq!(read(&mapping, &stream, 2), [7, 8]);
            write(&mapping, &stream, &[9]);
        }
        return;
    }
    let (context, stream) = device();
    let memory = exportable(&context, PhysicalMemory::unit(&context).unwrap());
    let mapping = mapped(&context, &memory);
    write(&mapping, &stream, &[7, 8]);
    let mut child = start(test, Stdio::from(memory.export().unwrap()));
    assert!(child.wait().unwrap().success());
    assert_eq!(read(&mapping, &stream, 2), [9, 8]);
}

#[test]
fn memory_and_events_are_shared_by_handles() {
    let first = |peer: &mut Peer| {
        let (context, stream) = device();
        let options = EventOptions::default()
            .interprocess(true)
            .blocking_sync(true);
        let event = Event::with_options(&context, options).unwrap();
        let mut shared = IpcBuffer::<u32>::zeroed(&stream, LARGE).unwrap();
        let small = IpcBuffer::from_slice(&stream, &[5u8, 6, 7]).unwrap();
        let module = Module::compile(&context, SPIN).unwrap();
        let spin = module.function("spin").unwrap();
        // SAFETY: the kernel touches no memory.
        unsafe { spin.launch(&stream, LaunchConfig::new(1, 1), (200_000_000u64,)) }.unwrap();
        shared.fill(&stream, 66).unwrap();
        event.record(&stream).unwrap();
        send(&peer.socket, &shared.ipc_handle().unwrap().to_bytes());
        send(&peer.socket, &small.ipc_handle().unwrap().to_bytes());
        send(&peer.socket, &event.ipc_handle().unwrap().to_bytes());
        assert!(event.elapsed_ms_since(&event).is_err());
        // The other process has recorded the event now, so a wait covers the other process's work.
        let _: [u8; 1] = receive(&peer.socket);
        stream.wait_event(&event).unwrap();
        assert_eq!(
            shared.slice(..3).unwrap().to_vec(&stream).unwrap(),
            [77, 77, 66]
        );
        event.synchronize().unwrap();
        assert!(event.query().unwrap());
        send(&peer.socket, &[1]);
        // The other process closes the memory before this one frees it.
        let _: [u8; 1] = receive(&peer.socket);
        shared.close().unwrap();
        send(&peer.socket, &[1]);
        let _: [u8; 1] = receive(&peer.socket);
    };
    let second = |socket: UnixStream| {
        let (handle, small): ([u8; 64], [u8; 64]) = (receive(&socket), receive(&socket));
        let event: [u8; 64] = receive(&socket);
        let (context, stream) = device();
        // SAFETY: the first process keeps it and waits.
        let event = unsafe { Event::open(&context, &IpcEventHandle::from_bytes(event)).unwrap() };
        assert!(event.ipc_handle().is_err(), "an opened event has a handle");
        let handle = IpcMemoryHandle::from_bytes(handle);
        let small = IpcMemoryHandle::from_bytes(small);
        // SAFETY: the first process keeps both and waits.
        unsafe {
            let error = OpenedBuffer::<u32>::open(&stream, &small, LARGE).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
            let small = OpenedBuffer::<u8>::open(&stream, &small, 3).unwrap();
            assert_eq!(small.to_vec(&stream).unwrap(), [5, 6, 7]);
            let mut theirs = OpenedBuffer::<u32>::open(&stream, &handle, LARGE).unwrap();
            let again = OpenedBuffer::<u32>::open(&stream, &handle, 3).unwrap();
            assert_eq!(again.as_device_ptr(), theirs.as_device_ptr());
            again.close().unwrap();
            stream.wait_event(&event).unwrap();
            assert!(theirs.to_vec(&stream).unwrap() == vec![66; LARGE]);
            assert!(event.query().unwrap());
            theirs.slice_mut(..2).unwrap().fill(&stream, 77).unwrap();
            event.record(&stream).unwrap();
            send(&socket, &[1]);
            let _: [u8; 1] = receive(&socket);
            theirs.close().unwrap();
            send(&socket, &[1]);
            let _: [u8; 1] = receive(&socket);
            let error = OpenedBuffer::<u32>::open(&stream, &handle, 3).unwrap_err();
            assert!(error.detail().contains("freed"), "{error}");
        }
        drop(event);
        send(&socket, &[1]);
    };
    together("memory_and_events_are_shared_by_handles", first, second);
}

#[test]
fn shared_event_orders_work_in_both_directions() {
    const ROUNDS: u32 = 20;
    let first = |peer: &mut Peer| {
        let (context, stream) = device();
        let options = EventOptions::default().interprocess(true);
        let [ping, pong] = [(); 2].map(|()| Event::with_options(&context, options).unwrap());
        let mut shared = IpcBuffer::<u32>::zeroed(&stream, 64).unwrap();
        stream.synchronize().unwrap();
        send(&peer.socket, &shared.ipc_handle().unwrap().to_bytes());
        for event in [&ping, &pong] {
            send(&peer.socket, &event.ipc_handle().unwrap().to_bytes());
        }
        for round in 0..ROUNDS {
            shared.fill(&stream, 2 * round + 1).unwrap();
            ping.record(&stream).unwrap();
            send(&peer.socket, &[1]);
            let _: [u8; 1] = receive(&peer.socket);
            stream.wait_event(&pong).unwrap();
            assert_eq!(shared.to_vec(&stream).unwrap(), [2 * round + 2; 64]);
        }
        send(&peer.socket, &[1]);
        let _: [u8; 1] = receive(&peer.socket);
    };
    let second = |socket: UnixStream| {
        let handle = IpcMemoryHandle::from_bytes(receive(&socket));
        let (context, stream) = device();
        let [ping, pong] = [(); 2].map(|()| {
            let handle = IpcEventHandle::from_bytes(receive(&socket));
            // SAFETY: the first process keeps both and waits.
            unsafe { Event::open(&context, &handle).unwrap() }
        });
        // SAFETY: the first process keeps it, and the events order the work.
        let mut theirs = unsafe { OpenedBuffer::<u32>::open(&stream, &handle, 64).unwrap() };
        for round in 0..ROUNDS {
            let _: [u8; 1] = receive(&socket);
            stream.wait_event(&ping).unwrap();
            assert_eq!(theirs.to_vec(&stream).unwrap(), [2 * round + 1; 64]);
            theirs.fill(&stream, 2 * round + 2).unwrap();
            pong.record(&stream).unwrap();
            send(&socket, &[1]);
        }
        let _: [u8; 1] = receive(&socket);
        theirs.close().unwrap();
        send(&socket, &[1]);
    };
    together("shared_event_orders_work_in_both_directions", first, second);
}

#[test]
fn killed_process_does_not_block_others() {
    let first = |peer: &mut Peer| {
        let handle = IpcMemoryHandle::from_bytes(receive(&peer.socket));
        let [reached, pending] =
            [(); 2].map(|()| IpcEventHandle::from_bytes(receive(&peer.socket)));
        let (context, stream) = device();
        // SAFETY: the driver cleans up after a killed process.
        let open = |handle: &IpcEventHandle| unsafe { Event::open(&context, handle).unwrap() };
        let (reached, pending) = (open(&reached), open(&pending));
        // SAFETY: the other process does not use it any more.
        let theirs = unsafe { OpenedBuffer::<u16>::open(&stream, &handle, 3).unwrap() };
        assert!(reached.query().unwrap());
        let emulated = is_emulated(&context);
        if emulated {
            assert!(!pending.query().unwrap());
            stream.wait_event(&pending).unwrap();
            assert!(!stream.query().unwrap());
        }
        peer.kill();
        // On a GPU, a wait for an event that was never reached does not end.
        if emulated {
            stream.synchronize().unwrap();
            assert!(pending.query().unwrap());
        }
        assert!(reached.query().unwrap());
        stream.wait_event(&reached).unwrap();
        assert_eq!(theirs.to_vec(&stream).unwrap(), [1, 2, 3]);
        theirs.close().unwrap();
        // SAFETY: the memory is not open anywhere.
        let error = unsafe { OpenedBuffer::<u16>::open(&stream, &handle, 3).unwrap_err() };
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.detail().contains("ended"), "{error}");
    };
    let second = |socket: UnixStream| {
        let (context, stream) = device();
        let shared = IpcBuffer::from_slice(&stream, &[1u16, 2, 3]).unwrap();
        let options = EventOptions::default().interprocess(true);
        let [reached, pending] = [(); 2].map(|()| Event::with_options(&context, options).unwrap());
        reached.record(&stream).unwrap();
        stream.synchronize().unwrap();
        // Keeps it until the end, because dropping it waits for its kernels.
        let module = Module::compile(&context, SPIN).unwrap();
        let spin = module.function("spin").unwrap();
        if is_emulated(&context) {
            // SAFETY: the kernel touches no memory.
            unsafe { spin.launch(&stream, LaunchConfig::new(1, 1), (60_000_000_000u64,)) }.unwrap();
            pending.record(&stream).unwrap();
        }
        send(&socket, &shared.ipc_handle().unwrap().to_bytes());
        for event in [&reached, &pending] {
            send(&socket, &event.ipc_handle().unwrap().to_bytes());
        }
        // The first process kills this one while it waits.
        let _: [u8; 1] = receive(&socket);
    };
    let test = "killed_process_does_not_block_others";
    if env::var_os(SECOND).is_some() {
        return together(test, first, second);
    }
    let (socket, theirs) = UnixStream::pair().unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let child = start(test, Stdio::from(OwnedFd::from(theirs)));
    first(&mut Peer { child, socket });
}

#[test]
fn invalid_handles_are_rejected() {
    let (context, stream) = device();
    for bytes in [[0; 64], [0xff; 64], [0x2f; 64]] {
        // SAFETY: opening it fails.
        let memory = unsafe {
            let handle = IpcMemoryHandle::from_bytes(bytes);
            OpenedBuffer::<u8>::open(&stream, &handle, 1).unwrap_err()
        };
        // SAFETY: opening it fails.
        let event =
            unsafe { Event::open(&context, &IpcEventHandle::from_bytes(bytes)).unwrap_err() };
        for error in [memory, event] {
            assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
        }
    }
    let own = IpcBuffer::from_slice(&stream, &[1u8]).unwrap();
    let handle = own.ipc_handle().unwrap();
    assert_eq!(handle, own.ipc_handle().unwrap());
    // SAFETY: opening it fails.
    let error = unsafe { OpenedBuffer::<u8>::open(&stream, &handle, 1).unwrap_err() };
    assert!(
        error.detail().contains("belongs to this process"),
        "{error}"
    );
    let options = EventOptions::default().interprocess(true);
    let event = Event::with_options(&context, options).unwrap();
    // SAFETY: opening it fails.
    let error = unsafe { Event::open(&context, &event.ipc_handle().unwrap()).unwrap_err() };
    assert!(
        error.detail().contains("belongs to this process"),
        "{error}"
    );
    let none = IpcBuffer::<u8>::zeroed(&stream, 0).unwrap();
    let error = none.ipc_handle().unwrap_err();
    assert!(error.detail().contains("no elements"), "{error}");
    let plain = Event::new(&context).unwrap().ipc_handle().unwrap_err();
    assert!(plain.detail().contains("interprocess"), "{plain}");
}

/// The driver takes descriptor 0 for no descriptor.
#[test]
fn pool_can_be_imported_from_descriptor_0() {
    const TEST: &str = "pool_can_be_imported_from_descriptor_0";
    match env::var(SECOND) {
        Ok(name) if name == TEST => {
            let context = Context::primary(0).unwrap();
            let pool = MemoryPool::import_file(&context, std::io::stdin()).unwrap();
            pool.close().unwrap();
            return;
        }
        Ok(_) => return,
        Err(_) => {}
    }
    let context = Context::primary(0).unwrap();
    let options =
        MemoryPoolOptions::default().handle_types(ShareableHandles::POSIX_FILE_DESCRIPTOR);
    let pool = MemoryPool::with_options(&context, options).unwrap();
    let mut second = start(TEST, Stdio::from(pool.export_file().unwrap()));
    assert!(second.wait().unwrap().success());
}

/// An element whose alignment is greater than that of the driver's allocations.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(1048576))]
struct Block([[u8; 1024]; 1024]);

/// Checks that each block is aligned, or rejected with the reason. Returns the number of rejected
/// blocks.
fn check_aligned_or_rejected(call: &str, blocks: &[cuda_safe::Result<u64>]) -> usize {
    let mut rejected = 0;
    for block in blocks {
        match block {
            Ok(address) => assert_eq!(address % size_of::<Block>() as u64, 0),
            Err(error) => {
                rejected += 1;
                assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
                assert_eq!(error.call(), call, "{error}");
                assert!(error.to_string().contains("Block"), "{error}");
            }
        }
    }
    rejected
}

#[test]
fn memory_of_another_process_is_aligned_or_rejected() {
    const COUNT: usize = 8;
    let first = |peer: &mut Peer| {
        let (context, stream) = device();
        let options =
            MemoryPoolOptions::default().handle_types(ShareableHandles::POSIX_FILE_DESCRIPTOR);
        let pool = MemoryPool::with_options(&context, options).unwrap();
        send_fd(&peer.socket, pool.export_file().unwrap().as_fd());
        let mut kept = Vec::new();
        for _ in 0..COUNT {
            let opened = IpcBuffer::<u8>::zeroed(&stream, size_of::<Block>()).unwrap();
            let pooled = pool.allocate::<u8>(&stream, size_of::<Block>()).unwrap();
            send(&peer.socket, &opened.ipc_handle().unwrap().to_bytes());
            send(&peer.socket, &pooled.export_pointer().unwrap().to_bytes());
            // The next allocations begin behind these.
            let opened = (opened, IpcBuffer::<u8>::zeroed(&stream, 100).unwrap());
            kept.push((opened, (pooled, pool.allocate::<u8>(&stream, 100).unwrap())));
        }
        stream.synchronize().unwrap();
        send(&peer.socket, &[1]);
        let _: [u8; 1] = receive(&peer.socket);
        drop(kept);
    };
    let second = |socket: UnixStream| {
        let (context, stream) = device();
        let pool = MemoryPool::import_file(&context, receive_fd(&socket)).unwrap();
        let handles: Vec<([u8; 64], [u8; 64])> = (0..COUNT)
            .map(|_| (receive(&socket), receive(&socket)))
            .collect();
        let _: [u8; 1] = receive(&socket);
        let (mut opened, mut pooled) = (Vec::new(), Vec::new());
        for (handle, pointer) in handles {
            let handle = IpcMemoryHandle::from_bytes(handle);
            // SAFETY: the first process keeps both and waits.
            unsafe {
                let block = OpenedBuffer::<Block>::open(&stream, &handle, 1);
                opened.push(block.map(|block| block.as_device_ptr()));
                let pointer = PoolPointer::from_bytes(pointer);
                let block = pool.import_pointer::<Block>(&stream, &pointer, 1);
                pooled.push(block.map(|block| block.as_device_ptr()));
            }
        }
        stream.synchronize().unwrap();
        let rejected = [
            check_aligned_or_rejected("OpenedBuffer::open", &opened),
            check_aligned_or_rejected("MemoryPool::import_pointer", &pooled),
        ];
        let is_emulated = context.device().name().unwrap().contains("emulator");
        assert!(!rejected.contains(&0) || !is_emulated, "{rejected:?}");
        send(&socket, &[1]);
    };
    together(
        "memory_of_another_process_is_aligned_or_rejected",
        first,
        second,
    );
}
