//! Malformed fat binaries and linker images must end in an error, never in a panic, and without
//! allocations out of proportion to the image.

mod libraries;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Instant;

use super::{Random, end_of_fuzz};
use cuda_emulator_checks::abi::*;

/// The system's allocator, which records the largest request of each thread.
struct Noting;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Noting = Noting;

fn note(bytes: usize) {
    LARGEST.set(LARGEST.get().max(bytes));
}

// SAFETY: The system's allocator does the work. Recording a number allocates nothing.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: The caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: as above.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

/// A linker, which takes images with their length. Its log goes to a buffer.
struct Linker {
    state: CUlinkState,
    log: Box<[u8; 1000]>,
    /// The length of the log is written here while the linker lives.
    _values: Box<[*mut std::ffi::c_void; 2]>,
}

impl Linker {
    fn new() -> Linker {
        let mut log = Box::new([0; 1000]);
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values = Box::new([log.as_mut_ptr().cast(), 1000 as *mut std::ffi::c_void]);
        let mut state = std::ptr::null_mut();
        ok!(cuLinkCreate_v2(
            2,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
            &mut state
        ));
        Linker {
            state,
            log,
            _values: values,
        }
    }

    fn add(&self, image: &[u8]) -> CUresult {
        self.add_kind(CUjitInputType::CU_JIT_INPUT_FATBINARY, image)
    }

    fn add_kind(&self, kind: CUjitInputType, image: &[u8]) -> CUresult {
        // SAFETY: The linker is live, and the data has this length.
        unsafe {
            cuLinkAddData_v2(
                self.state,
                kind,
                image.as_ptr().cast_mut().cast(),
                image.len(),
                c"image".as_ptr(),
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            )
        }
    }

    fn product(&self) -> Vec<u8> {
        let (mut image, mut size) = (std::ptr::null_mut(), 0);
        ok!(cuLinkComplete(self.state, &mut image, &mut size));
        // SAFETY: The result is valid while the linker lives.
        unsafe { std::slice::from_raw_parts(image.cast(), size) }.to_vec()
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        ok!(cuLinkDestroy(self.state));
    }
}

/// Adds an image. Returns the linker if the image was accepted.
fn taken(image: &[u8], most: usize) -> Option<Linker> {
    let linker = Linker::new();
    LARGEST.set(0);
    let code = linker.add(image);
    let largest = LARGEST.get();
    assert!(
        largest <= most,
        "{largest} bytes allocated for an image of {}",
        image.len()
    );
    match code {
        CUresult::CUDA_SUCCESS => Some(linker),
        CUresult::CUDA_ERROR_INVALID_IMAGE | CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => None,
        // The mutation changed the text. If the compiler had panicked, the log would mention it.
        CUresult::CUDA_ERROR_INVALID_PTX
        | CUresult::CUDA_ERROR_NOT_SUPPORTED
        | CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            let message = String::from_utf8_lossy(&linker.log[..]);
            assert!(!message.contains("please report"), "{message}");
            None
        }
        // A panic becomes CUDA_ERROR_UNKNOWN.
        other => panic!("{other:?}"),
    }
}

#[test]
fn changed_images_of_the_linker() {
    let _context = Own::new();
    let product = |inputs: &[&str]| {
        let linker = Linker::new();
        for input in inputs {
            assert_eq!(linker.add(input.as_bytes()), CUresult::CUDA_SUCCESS);
        }
        linker.product()
    };
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let image = product(&[
        &format!("{head}.visible .entry one() {{ ret; }}"),
        &format!("{head}.visible .entry two() {{ ret; }}"),
    ]);
    // No single allocation is larger than a few times the image.
    let most = 8 * image.len();
    let whole = taken(&image, most).expect("its own product").product();
    let unchanged = |image: &[u8], what: &str, at: usize| {
        if let Some(linker) = taken(image, most) {
            assert_eq!(linker.product(), whole, "{what} {at}");
        }
    };
    for cut in 0..image.len() {
        unchanged(&image[..cut], "cut to", cut);
    }
    let mut changed = image.clone();
    for at in 0..image.len() {
        for bit in 0..8 {
            changed[at] = image[at] ^ 1 << bit;
            unchanged(&changed, "a bit of byte", at);
        }
        for value in [0, 0xff, b'.', image[at].wrapping_add(1)] {
            changed[at] = value;
            unchanged(&changed, "byte", at);
        }
        changed[at] = image[at];
    }
    // Writes lengths that exceed any memory, one after another.
    for at in 0..image.len() - 8 {
        for wild in [u64::MAX, 72 << 50, 1 << 40, image.len() as u64 + 1] {
            changed[at..at + 8].copy_from_slice(&wild.to_le_bytes());
            unchanged(&changed, "a wild word at", at);
        }
        changed[at..at + 8].copy_from_slice(&image[at..at + 8]);
    }
}

#[test]
fn changed_fat_binaries() {
    let _context = Own::new();
    let edges = [
        0,
        1,
        15,
        16,
        63,
        64,
        0x7fff_ffff,
        0xffff_ffff,
        1 << 40,
        u64::MAX - 63,
        u64::MAX,
    ];
    // LZ4 expands an image at most 255 times. zstd expands more, up to the maximum size of a text.
    let images: [(&str, &[u8], usize); 2] = [
        (
            "lz4",
            include_bytes!("../../../kernels/kernels-lz4.fatbin"),
            1 << 20,
        ),
        (
            "zstd",
            include_bytes!("../../../kernels/kernels-zstd.fatbin"),
            1 << 29,
        ),
    ];
    for (name, image, most) in images {
        assert!(taken(image, most).is_some());
        for cut in 0..image.len() {
            assert!(taken(&image[..cut], most).is_none(), "cut to {cut}");
        }
        for at in 0..96 {
            for edge in edges {
                let mut changed = image.to_vec();
                changed[at..at + 8].copy_from_slice(&edge.to_le_bytes());
                taken(&changed, most);
            }
        }
        let mut random = Random(0x1234_5678_9abc_def1);
        let (end, mut runs, mut still) = (end_of_fuzz(), 0, 0);
        while Instant::now() < end {
            let mut changed = image.to_vec();
            for _ in 0..=random.next(4) {
                let at = random.next(changed.len() - 8);
                match random.next(4) {
                    0 => changed[at] = random.next(256) as u8,
                    1 => changed[at] ^= 1 << random.next(8),
                    2 => changed[at..at + 8]
                        .copy_from_slice(&edges[random.next(edges.len())].to_le_bytes()),
                    _ => {
                        let length = random.next(40).min(changed.len() - at);
                        let part = changed[at..at + length].to_vec();
                        let to = random.next(changed.len());
                        changed.splice(to..to, part);
                    }
                }
            }
            runs += 1;
            still += usize::from(taken(&changed, most).is_some());
        }
        assert!(runs > 0);
        println!("{name}: {runs} mutated fat binaries, {still} still taken");
    }
}
