//! Memory and events shared between two processes. The test starts its program again as the second
//! process and sends the handles to its standard input. The codes are those of an H200 (driver 580)
//! unless stated otherwise.

use cuda_emulator_checks::abi::*;
use std::ffi::c_char;
use std::io::{Read, Write, stdin};
use std::process::{Child, Stdio};
use std::ptr::null_mut;

const FLAGS: u32 = 1;
const INTERPROCESS: u32 = 6;

fn memory_handle(address: CUdeviceptr) -> CUipcMemHandle {
    out!(cuIpcGetMemHandle(_, address))
}

fn event_handle(event: CUevent) -> CUipcEventHandle {
    out!(cuIpcGetEventHandle(_, event))
}

fn open_memory(handle: CUipcMemHandle, flags: u32) -> Result<CUdeviceptr, CUresult> {
    let mut address = 0;
    match call!(cuIpcOpenMemHandle_v2(&mut address, handle, flags)) {
        SUCCESS => Ok(address),
        code => Err(code),
    }
}

fn open_event(handle: CUipcEventHandle) -> Result<CUevent, CUresult> {
    let mut event = null_mut();
    match call!(cuIpcOpenEventHandle(&mut event, handle)) {
        SUCCESS => Ok(event),
        code => Err(code),
    }
}

fn bytes(handle: [c_char; 64]) -> [u8; 64] {
    handle.map(|byte| byte as u8)
}

/// The second process, which reads the data sent to it.
struct Second(Child);

impl Second {
    #[track_caller]
    fn new(sent: &[[u8; 64]]) -> Second {
        let mut child = rerun_command()
            .env("SECOND", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pipe = child.stdin.as_mut().unwrap();
        sent.iter()
            .for_each(|handle| pipe.write_all(handle).unwrap());
        Second(child)
    }

    /// Lets the process continue.
    fn go_on(&mut self) {
        self.0.stdin.as_mut().unwrap().write_all(&[1]).unwrap();
    }

    /// Waits until the process prints this line.
    fn until(&mut self, line: &str) {
        let output = self.0.stdout.as_mut().unwrap();
        let mut seen = Vec::new();
        let mut byte = [0];
        while !seen.ends_with(line.as_bytes()) {
            let read = output.read(&mut byte).unwrap();
            let text = String::from_utf8_lossy(&seen);
            assert_eq!(read, 1, "the second process has ended: {text}");
            seen.push(byte[0]);
        }
    }

    fn done(mut self) {
        drop(self.0.stdin.take());
        let output = self.0.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
    }
}

fn received<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    stdin().read_exact(&mut bytes).unwrap();
    bytes
}

fn received_memory() -> CUipcMemHandle {
    CUipcMemHandle {
        reserved: received::<64>().map(|byte| byte as c_char),
    }
}

fn received_event() -> CUipcEventHandle {
    CUipcEventHandle {
        reserved: received::<64>().map(|byte| byte as c_char),
    }
}

#[test]
fn memory_is_opened_and_closed() {
    if inner() {
        let (whole, part) = (received_memory(), received_memory());
        let _own = Own::new();
        assert_eq!(open_memory(whole, 0), Err(INVALID));
        assert_eq!(open_memory(whole, 2), Err(INVALID));
        let address = open_memory(whole, FLAGS).unwrap();
        assert_eq!(open_memory(whole, FLAGS), Ok(address));
        assert_eq!(download::<u32>(address, 1000), vec![7; 1000]);
        // A handle of an address within an allocation refers to the whole allocation.
        assert_eq!(open_memory(part, FLAGS), Ok(address));
        let (mut base, mut size) = (0, 0);
        ok!(cuMemGetAddressRange_v2(&mut base, &mut size, address + 8));
        assert_eq!((base, size), (address, 4000));
        invalid!(cuMemFree_v2(address));
        invalid!(cuIpcGetMemHandle(&mut CUipcMemHandle::default(), address));
        ok!(cuMemsetD32_v2(address, 8, 1000));
        ok!(cuCtxSynchronize());
        println!("written");
        received::<1>();
        invalid!(cuIpcCloseMemHandle(address + 4));
        for _ in 0..3 {
            ok!(cuIpcCloseMemHandle(address));
        }
        invalid!(cuIpcCloseMemHandle(address));
        println!("closed");
        received::<1>();
        // The memory was freed by the other process.
        assert_eq!(open_memory(whole, FLAGS), Err(INVALID));
        return;
    }
    let _own = Own::new();
    let memory = upload(&[7u32; 1000]);
    let handle = memory_handle(memory);
    let found = bytes(handle.reserved);
    assert_eq!(found, bytes(memory_handle(memory).reserved));
    let sent = [handle, memory_handle(memory + 100)].map(|one| bytes(one.reserved));
    let mut second = Second::new(&sent);
    second.until("written\n");
    assert_eq!(download::<u32>(memory, 1000), vec![8; 1000]);
    second.go_on();
    second.until("closed\n");
    ok!(cuMemFree_v2(memory));
    second.go_on();
    second.done();
}

#[test]
fn events_are_recorded_by_either_process() {
    if inner() {
        let (first, memory) = (received_event(), received_memory());
        let _own = Own::new();
        let (event, again) = (open_event(first).unwrap(), open_event(first).unwrap());
        assert_ne!(event, again);
        stale!(cuIpcGetEventHandle(&mut CUipcEventHandle::default(), event));
        stale!(cuEventElapsedTime(&mut 0.0, event, event));
        let memory = open_memory(memory, FLAGS).unwrap();
        // The other process recorded the event after unfinished work.
        fails!(NOT_READY, cuEventQuery(event));
        let one = stream(1);
        ok!(cuStreamWaitEvent(one, event, 0));
        fails!(NOT_READY, cuStreamQuery(one));
        println!("waits");
        ok!(cuStreamSynchronize(one));
        ok!(cuEventQuery(event));
        ok!(cuEventSynchronize(again));
        assert_eq!(download::<u32>(memory, 1), [1]);
        ok!(cuMemsetD32Async(memory, 2, 1, one));
        ok!(cuEventRecord(again, one));
        println!("recorded");
        received::<1>();
        ok!(cuEventDestroy_v2(event));
        ok!(cuEventDestroy_v2(again));
        ok!(cuIpcCloseMemHandle(memory));
        return;
    }
    let _own = Own::new();
    let (event, one, memory) = (event(INTERPROCESS), stream(1), upload(&[0u32]));
    let gate = upload(&[0u32]);
    // An event that was never recorded is complete.
    ok!(cuEventQuery(event));
    ok!(cuStreamWaitValue32_v2(one, gate, 1, 0));
    ok!(cuMemsetD32Async(memory, 1, 1, one));
    ok!(cuEventRecord(event, one));
    fails!(NOT_READY, cuEventQuery(event));
    let sent = [
        bytes(event_handle(event).reserved),
        bytes(memory_handle(memory).reserved),
    ];
    let mut second = Second::new(&sent);
    second.until("waits\n");
    let other = stream(1);
    ok!(cuStreamWriteValue32_v2(other, gate, 1, 0));
    second.until("recorded\n");
    // The record of the other process is now the last one.
    ok!(cuStreamWaitEvent(one, event, 0));
    ok!(cuStreamSynchronize(one));
    assert_eq!(download::<u32>(memory, 1), [2]);
    second.go_on();
    second.done();
}

#[test]
fn waits_end_after_the_other_process_is_killed() {
    if inner() {
        let (event, done) = (received_event(), received_event());
        let _own = Own::new();
        let (event, done) = (open_event(event).unwrap(), open_event(done).unwrap());
        let (one, gate) = (stream(1), upload(&[0u32]));
        ok!(cuEventRecord(done, one));
        ok!(cuStreamSynchronize(one));
        ok!(cuStreamWaitValue32_v2(one, gate, 1, 0));
        ok!(cuEventRecord(event, one));
        println!("recorded");
        received::<1>();
        return;
    }
    let _own = Own::new();
    let (event, done, one) = (event(INTERPROCESS), self::event(INTERPROCESS), stream(1));
    let sent = [event, done].map(|one| bytes(event_handle(one).reserved));
    let mut second = Second::new(&sent);
    second.until("recorded\n");
    ok!(cuEventQuery(done));
    fails!(NOT_READY, cuEventQuery(event));
    ok!(cuStreamWaitEvent(one, event, 0));
    fails!(NOT_READY, cuStreamQuery(one));
    second.0.kill().unwrap();
    second.0.wait().unwrap();
    // An H200's driver waits forever here.
    ok!(cuStreamSynchronize(one));
    ok!(cuEventSynchronize(event));
    ok!(cuEventQuery(event));
    // The event can be used again.
    ok!(cuEventRecord(event, one));
    ok!(cuEventSynchronize(event));
}

#[test]
fn open_memory_outlives_its_process() {
    if inner() {
        let _own = Own::new();
        let memory = upload(&[7u32; 5000]);
        let event = event(INTERPROCESS);
        let mut out = std::io::stdout();
        out.write_all(b"handles:\n").unwrap();
        out.write_all(&bytes(memory_handle(memory).reserved))
            .unwrap();
        out.write_all(&bytes(event_handle(event).reserved)).unwrap();
        out.flush().unwrap();
        received::<1>();
        return;
    }
    let _own = Own::new();
    let mut second = Second::new(&[]);
    second.until("handles:\n");
    let mut read = || {
        let mut bytes = [0u8; 64];
        let output = second.0.stdout.as_mut().unwrap();
        output.read_exact(&mut bytes).unwrap();
        bytes.map(|byte| byte as c_char)
    };
    let (memory, event) = (
        CUipcMemHandle { reserved: read() },
        CUipcEventHandle { reserved: read() },
    );
    let open = open_memory(memory, FLAGS).unwrap();
    second.0.kill().unwrap();
    second.0.wait().unwrap();
    assert_eq!(download::<u32>(open, 5000), vec![7; 5000]);
    ok!(cuMemsetD32_v2(open, 9, 5000));
    assert_eq!(download::<u32>(open, 5000), vec![9; 5000]);
    ok!(cuIpcCloseMemHandle(open));
    assert_eq!(open_memory(memory, FLAGS), Err(INVALID_HANDLE));
    // An H200's driver still opens it.
    assert_eq!(open_event(event), Err(MAP_FAILED));
}

#[test]
fn invalid_exports_and_handles_are_rejected() {
    let _own = Own::new();
    let memory = alloc(100);
    let own = memory_handle(memory);
    assert_eq!(open_memory(own, FLAGS), Err(INVALID_CONTEXT));
    invalid!(cuIpcGetMemHandle(null_mut(), memory));
    let (mut managed, mut ordered, mut host) = (0, 0, null_mut());
    ok!(cuMemAllocManaged(&mut managed, 100, 1));
    ok!(cuMemAllocAsync(&mut ordered, 100, null_mut()));
    ok!(cuMemHostAlloc(&mut host, 100, 0));
    for wrong in [managed, ordered, host as u64, 0, 0x7000_0000_0000] {
        invalid!(cuIpcGetMemHandle(&mut CUipcMemHandle::default(), wrong));
        invalid!(cuIpcCloseMemHandle(wrong));
    }
    invalid!(cuIpcCloseMemHandle(memory));
    for byte in [0, -1, 0x2f] {
        let nonsense = [byte; 64];
        let of_memory = CUipcMemHandle { reserved: nonsense };
        assert_eq!(open_memory(of_memory, FLAGS), Err(INVALID));
        let of_event = CUipcEventHandle { reserved: nonsense };
        assert_eq!(open_event(of_event), Err(MAP_FAILED));
        // A handle in which one byte was changed.
        let mut changed = own;
        changed.reserved[32] = changed.reserved[32].wrapping_add(1);
        assert!(open_memory(changed, FLAGS).is_err());
    }
    let shared = event(INTERPROCESS);
    let handle = event_handle(shared);
    assert_eq!(open_event(handle), Err(INVALID_CONTEXT));
    invalid!(cuIpcGetEventHandle(null_mut(), shared));
    invalid!(cuIpcOpenEventHandle(null_mut(), handle));
    for other in [event(0), event(2)] {
        stale!(cuIpcGetEventHandle(&mut CUipcEventHandle::default(), other));
    }
    ok!(cuCtxSetCurrent(null_mut()));
    let code = Err(INVALID_CONTEXT);
    assert_eq!(open_memory(own, FLAGS), code);
    assert_eq!(open_event(handle).map(|_| 0), code);
}

#[test]
fn opened_memory_belongs_to_its_original_device() {
    if std::env::var_os("SECOND").is_some() {
        let memory = received_memory();
        let _own = Own::new();
        let kernel = function(
            load(include_str!("../../kernels/faults.ptx")),
            "read_global",
        );
        let to = alloc(4);
        for _ in 0..2 {
            let address = open_memory(memory, FLAGS).unwrap();
            let mut ordinal = 7;
            let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
            let place: *mut i32 = &mut ordinal;
            ok!(cuPointerGetAttribute(place.cast(), attribute, address));
            assert_eq!(ordinal, 1);
            // Opening the memory makes it accessible to kernels of this device.
            let arguments = &mut [arg(&to), arg(&address)];
            assert_eq!(launch(kernel, 1, 1, null_mut(), arguments), SUCCESS);
            assert_eq!(download::<u32>(to, 1), [7]);
            assert_eq!(download::<u32>(address, 1), [7]);
            ok!(cuIpcCloseMemHandle(address));
        }
        return;
    }
    passes(&[("CUDA_EMULATOR_DEVICES", "2")], || {
        ok!(cuInit(0));
        out!(cuCtxCreate_v2(_, 0, 1));
        let handle = memory_handle(upload(&[7u32]));
        Second::new(&[bytes(handle.reserved)]).done();
    });
}
