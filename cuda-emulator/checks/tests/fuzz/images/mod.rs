//! Malformed fat binaries and linker images must end in an error, never in a panic, and without
//! allocations out of proportion to the image.

mod libraries;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use super::{Random, runs};
use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::linker::Linker;

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

/// Returns the result of a link.
fn product(linker: &Linker) -> Vec<u8> {
    let mut size = 0;
    let image = out!(cuLinkComplete(linker.state, _, &mut size));
    // SAFETY: The result is valid while the linker lives.
    unsafe { std::slice::from_raw_parts(image.cast(), size) }.to_vec()
}

/// Changes an image at a few random places: single bytes and bits, words, and copies of at most
/// `longest` bytes to other places.
fn mutated(image: &[u8], words: &[u64], longest: usize, random: &mut Random) -> Vec<u8> {
    let mut changed = image.to_vec();
    for _ in 0..=random.next(4) {
        let at = random.next(changed.len() - 8);
        match random.next(4) {
            0 => changed[at] = random.next(256) as u8,
            1 => changed[at] ^= 1 << random.next(8),
            2 => {
                let word = words[random.next(words.len())];
                changed[at..at + 8].copy_from_slice(&word.to_le_bytes());
            }
            _ => {
                let length = random.next(longest).min(changed.len() - at);
                let part = changed[at..at + length].to_vec();
                let to = random.next(changed.len());
                changed.splice(to..to, part);
            }
        }
    }
    changed
}

/// Adds an image. Returns the linker if the image was accepted.
fn taken(image: &[u8], most: usize) -> Option<Linker> {
    let linker = Linker::new();
    LARGEST.set(0);
    let code = linker.add(input::FAT_BINARY, image, c"image");
    let (largest, length) = (LARGEST.get(), image.len());
    assert!(
        largest <= most,
        "{largest} bytes allocated for an image of {length}"
    );
    match code {
        SUCCESS => Some(linker),
        INVALID_IMAGE | NO_BINARY_FOR_GPU => None,
        // The mutation changed the text. If the compiler had panicked, the log would mention it.
        INVALID_PTX | NOT_SUPPORTED | UNSUPPORTED_PTX_VERSION => {
            let message = linker.errors();
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
    let linker = Linker::new();
    for name in ["one", "two"] {
        let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
        let text = format!("{head}.visible .entry {name}() {{ ret; }}");
        let code = linker.add(input::FAT_BINARY, text.as_bytes(), c"image");
        assert_eq!(code, SUCCESS);
    }
    let image = product(&linker);
    // No single allocation is larger than a few times the image.
    let most = 8 * image.len();
    let whole = product(&taken(&image, most).expect("its own product"));
    let unchanged = |image: &[u8], what: &str, at: usize| {
        if let Some(linker) = taken(image, most) {
            assert_eq!(product(&linker), whole, "{what} {at}");
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
    let mut edges = vec![0, 1, 15, 16, 63, 64, (1 << 31) - 1, (1 << 32) - 1, 1 << 40];
    edges.extend([u64::MAX - 63, u64::MAX]);
    // LZ4 expands an image at most 255 times. zstd expands more, up to the maximum size of a text.
    let lz4 = include_bytes!("../../../kernels/kernels-lz4.fatbin");
    let zstd = include_bytes!("../../../kernels/kernels-zstd.fatbin");
    let images = [
        ("lz4", &lz4[..], 1 << 20, 20_000),
        ("zstd", zstd, 1 << 29, 1000),
    ];
    for (name, image, most, count) in images {
        assert!(taken(image, most).is_some());
        for cut in 0..image.len() {
            assert!(taken(&image[..cut], most).is_none(), "cut to {cut}");
        }
        for at in 0..96 {
            for edge in &edges {
                let mut changed = image.to_vec();
                changed[at..at + 8].copy_from_slice(&edge.to_le_bytes());
                taken(&changed, most);
            }
        }
        let mut random = Random(0x1234_5678_9abc_def1);
        let mut still = 0;
        for _ in runs(count) {
            let changed = mutated(image, &edges, 40, &mut random);
            still += usize::from(taken(&changed, most).is_some());
        }
        println!("{name}: {still} mutated fat binaries still taken");
    }
}
