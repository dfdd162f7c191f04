//! Mipmapped arrays in external memory through the C ABI. The codes are those of an H200 (driver
//! 580) unless stated otherwise.

use cuda_emulator_checks::abi::*;
use std::ptr::{null, null_mut};

const UNIT: u64 = 2 << 20;

/// Returns memory of two units.
fn memory(dedicated: bool) -> CUexternalMemory {
    let kind = CUmemAllocationHandleType(1);
    let properties = CUmemAllocationProp {
        type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: kind,
        location: CUmemLocation::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, 0),
        ..Default::default()
    };
    let made = out!(cuMemCreate(_, 2 * UNIT as usize, &properties, 0));
    let mut fd = -1;
    let place = (&raw mut fd).cast();
    ok!(cuMemExportToShareableHandle(place, made, kind, 0));
    ok!(cuMemRelease(made));
    let mut wanted = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
        type_: CUexternalMemoryHandleType(1),
        size: 2 * UNIT,
        flags: dedicated.into(),
        ..Default::default()
    };
    wanted.handle.fd = fd;
    out!(cuImportExternalMemory(_, &wanted))
}

/// Maps an array.
fn map(
    memory: CUexternalMemory,
    offset: u64,
    lengths: [usize; 3],
    flags: u32,
    levels: u32,
) -> Result<CUmipmappedArray, CUresult> {
    let wanted = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
        offset,
        arrayDesc: CUDA_ARRAY3D_DESCRIPTOR {
            Width: lengths[0],
            Height: lengths[1],
            Depth: lengths[2],
            Format: CUarray_format::CU_AD_FORMAT_FLOAT,
            NumChannels: 1,
            Flags: flags,
        },
        numLevels: levels,
        ..Default::default()
    };
    result!(cuExternalMemoryGetMappedMipmappedArray(_, memory, &wanted))
}

#[test]
fn arrays_outside_the_memory_are_rejected() {
    let _own = Own::new();
    let image = [64, 64, 0];
    for dedicated in [false, true] {
        let memory = memory(dedicated);
        for (offset, lengths, flags, levels, good) in [
            (0, image, 0, 1, true),
            (0, image, 2, 7, true),
            (0, image, 0, 8, false),
            (0, [64, 0, 0], 0, 3, true),
            (0, [16, 16, 16], 0, 5, true),
            (0, [16, 16, 6], 1, 2, true),
            (0, [16, 16, 6], 4, 2, true),
            (0, [0, 64, 0], 0, 1, false),
            // A color attachment, a sparse array, and deferred mapping.
            (0, image, 0x20, 1, true),
            (0, image, 0x40, 1, false),
            (0, image, 0x80, 1, false),
            // A part of dedicated memory cannot be mapped.
            (4096, image, 0, 1, !dedicated),
            (UNIT, image, 0, 1, !dedicated),
            (2 * UNIT - 32768, image, 0, 1, !dedicated),
            (2 * UNIT, image, 0, 1, false),
            (3 * UNIT, image, 0, 1, false),
            (u64::MAX, image, 0, 1, false),
            (0, [1024, 1024, 0], 0, 1, true),
            (0, [1024, 1025, 0], 0, 1, false),
            (0, [1024, 1024, 0], 0, 11, false),
            (UNIT, [512, 1024, 0], 0, 1, !dedicated),
            (UNIT, [512, 1025, 0], 0, 1, false),
            (UNIT, [512, 1024, 0], 0, 2, false),
        ] {
            let about = format!("{offset} {lengths:?} {flags:#x} {levels}, dedicated {dedicated}");
            match map(memory, offset, lengths, flags, levels) {
                Ok(array) if good => ok!(cuMipmappedArrayDestroy(array)),
                other => assert_eq!((other, good), (Err(INVALID), false), "{about}"),
            }
        }
        // An H200's driver accepts this offset if the memory is not dedicated. Zero levels break
        // it.
        assert_eq!(map(memory, 256, image, 0, 1), Err(INVALID));
        assert_eq!(map(memory, 0, image, 0, 0), Err(INVALID));
        ok!(cuDestroyExternalMemory(memory));
        assert_eq!(map(memory, 0, image, 0, 1), Err(INVALID));
    }
    let map = cuExternalMemoryGetMappedMipmappedArray;
    invalid!(map(null_mut(), null_mut(), null()));
}

fn copy(array: CUmipmappedArray, level: u32, data: &mut [f32], width: usize, write: bool) {
    let one = out!(cuMipmappedArrayGetLevel(_, array, level));
    let (host, array_kind) = (CUmemorytype(1), CUmemorytype(3));
    let mut copy = CUDA_MEMCPY2D {
        WidthInBytes: 4 * width,
        Height: data.len() / width,
        ..Default::default()
    };
    if write {
        (copy.srcMemoryType, copy.dstMemoryType) = (host, array_kind);
        (copy.srcHost, copy.dstArray) = (data.as_ptr().cast(), one);
    } else {
        (copy.srcMemoryType, copy.dstMemoryType) = (array_kind, host);
        (copy.srcArray, copy.dstHost) = (one, data.as_mut_ptr().cast());
    }
    ok!(cuMemcpy2D_v2(&copy));
}

#[test]
fn arrays_share_the_memory_and_outlive_its_handle() {
    let _own = Own::new();
    let memory = memory(false);
    let [image, same] = [(); 2].map(|()| map(memory, 4096, [64, 32, 0], 0, 3).unwrap());
    let whole = CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
        size: 2 * UNIT,
        ..Default::default()
    };
    let address = out!(cuExternalMemoryGetMappedBuffer(_, memory, &whole));
    let of = |level: u32| (0..2048 >> (2 * level)).map(move |i| (i + level) as f32);
    for level in 0..3 {
        let mut texels: Vec<f32> = of(level).collect();
        copy(image, level, &mut texels, 64 >> level, true);
    }
    // The levels follow each other, and the memory around them is unchanged. (On an H200, the
    // texels of a level have a device-specific order.)
    let levels = (0..3).flat_map(of);
    let expected: Vec<f32> = [0.0; 1024]
        .into_iter()
        .chain(levels)
        .chain([0.0; 64])
        .collect();
    assert_eq!(download::<f32>(address, expected.len()), expected);
    ok!(cuDestroyExternalMemory(memory));
    ok!(cuMemFree_v2(address));
    ok!(cuMipmappedArrayDestroy(image));
    let mut read = vec![0.0; 512];
    copy(same, 1, &mut read, 32, false);
    assert_eq!(read, of(1).collect::<Vec<_>>());
    ok!(cuMipmappedArrayDestroy(same));
    stale!(cuMipmappedArrayDestroy(same));
}
