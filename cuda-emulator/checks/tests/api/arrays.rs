//! CUDA arrays and their copies through the C ABI: accepted arguments, and the error codes for
//! others, as returned by an H200 (driver 580).

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

const LAYERED: u32 = 1;
const SURFACE: u32 = 2;
const CUBE: u32 = 4;
const GATHER: u32 = 8;
const FLOAT: CUarray_format = CUarray_format::CU_AD_FORMAT_FLOAT;

fn described(lengths: [usize; 3], flags: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR {
        Width: lengths[0],
        Height: lengths[1],
        Depth: lengths[2],
        Format: FLOAT,
        NumChannels: 1,
        Flags: flags,
    }
}

/// Creates an array, checks its descriptor, destroys it and returns the code of the creation.
fn created(described: CUDA_ARRAY3D_DESCRIPTOR) -> CUresult {
    let mut array = null_mut();
    let code = call!(cuArray3DCreate_v2(&mut array, &described));
    if code == SUCCESS {
        let actual = out!(cuArray3DGetDescriptor_v2(_, array));
        assert_eq!(
            [actual.Width, actual.Height, actual.Depth],
            [described.Width, described.Height, described.Depth]
        );
        assert_eq!(actual.Flags, described.Flags);
        ok!(cuArrayDestroy(array));
    }
    code
}

fn array(lengths: [usize; 3], flags: u32) -> CUarray {
    out!(cuArray3DCreate_v2(_, &described(lengths, flags)))
}

#[test]
fn lengths_and_flags_are_checked_together() {
    // The largest takes 1 GiB of the device's memory.
    passes(&[("CUDA_EMULATOR_MEMORY", "4G")], || {
        let _own = Own::new();
        for (lengths, flags) in [
            ([1, 0, 0], 0),
            ([64, 64, 0], 0),
            ([64, 64, 8], 0),
            ([64, 0, 8], LAYERED),
            ([64, 64, 1], LAYERED),
            ([64, 64, 6], CUBE),
            ([64, 64, 12], CUBE | LAYERED),
            ([64, 64, 0], GATHER | SURFACE),
            ([64, 64, 6], SURFACE | CUBE | LAYERED),
            ([131_072, 0, 0], 0),
            ([8192, 1, 32_768], 0),
            ([32_768, 0, 0], SURFACE),
        ] {
            let code = created(described(lengths, flags));
            assert_eq!(code, SUCCESS, "{lengths:?} {flags}");
        }
        for (lengths, flags) in [
            ([0, 0, 0], 0),
            ([0, 64, 0], 0),
            ([64, 0, 8], 0),
            ([64, 64, 0], LAYERED),
            ([64, 32, 6], CUBE),
            ([64, 64, 12], CUBE),
            ([64, 64, 7], CUBE | LAYERED),
            ([64, 0, 0], GATHER),
            ([64, 64, 6], GATHER),
            ([64, 64, 0], 0x10),
            ([64, 64, 0], 0x20),
            ([64, 64, 0], 0x200),
            ([131_073, 0, 0], 0),
            ([16_385, 1, 1], 0),
            ([8193, 1, 32_768], 0),
            ([1, 0, 2049], LAYERED),
            ([1, 1, 2052], CUBE | LAYERED),
            ([32_769, 1, 0], GATHER),
            ([32_769, 0, 0], SURFACE),
            ([1, 1, 32_768], SURFACE),
        ] {
            let code = created(described(lengths, flags));
            assert_eq!(code, INVALID, "{lengths:?} {flags}");
        }
    });
}

#[test]
fn formats_limit_channels() {
    let _own = Own::new();
    let with = |format: u32, channels: u32, flags: u32| {
        created(CUDA_ARRAY3D_DESCRIPTOR {
            Format: CUarray_format(format),
            NumChannels: channels,
            ..described([64, 64, 0], flags)
        })
    };
    for channels in 0..6 {
        let plain = matches!(channels, 1 | 2 | 4);
        for format in [1, 2, 3, 8, 9, 10, 0x10, 0x20] {
            assert_eq!(with(format, channels, SURFACE) == SUCCESS, plain);
        }
        for (format, only) in [
            (0xc0, 1),
            (0xc4, 2),
            (0xcb, 4),
            (0x50, 4),
            (0x91, 4),
            (0x9b, 3),
        ] {
            assert_eq!(with(format, channels, 0) == SUCCESS, channels == only);
        }
        for format in [0, 4, 0x11, 0x9f, 0xb0, 0x7fff_ffff] {
            assert_eq!(with(format, channels, 0), INVALID);
        }
    }
    // Compressed formats do not support surfaces or one-dimensional arrays.
    assert_eq!(with(0x91, 4, SURFACE), NOT_SUPPORTED);
    let line = CUDA_ARRAY3D_DESCRIPTOR {
        Format: CUarray_format(0x91),
        NumChannels: 4,
        ..described([64, 0, 0], 0)
    };
    assert_eq!(created(line), INVALID);
}

#[test]
fn two_dimensional_arrays_have_separate_functions() {
    let _own = Own::new();
    let wish = CUDA_ARRAY_DESCRIPTOR {
        Width: 5,
        Height: 3,
        Format: CUarray_format::CU_AD_FORMAT_HALF,
        NumChannels: 2,
    };
    let mut array = out!(cuArrayCreate_v2(_, &wish));
    let mut actual = out!(cuArrayGetDescriptor_v2(_, array));
    assert_eq!((actual.Width, actual.Height, actual.NumChannels), (5, 3, 2));
    invalid!(cuArrayGetPlane(&mut null_mut(), array, 0));
    let mut needed = CUDA_ARRAY_MEMORY_REQUIREMENTS::default();
    invalid!(cuArrayGetMemoryRequirements(&mut needed, array, 0));
    invalid!(cuArrayGetSparseProperties(&mut Default::default(), array));
    ok!(cuArrayDestroy(array));
    stale!(cuArrayDestroy(array));
    stale!(cuArrayGetDescriptor_v2(&mut actual, array));
    invalid!(cuArrayCreate_v2(null_mut(), &wish));
    invalid!(cuArrayCreate_v2(&mut array, null()));
}

#[test]
fn mipmapped_arrays_have_levels_down_to_one_texel() {
    let _own = Own::new();
    for (requested, made) in [(0, 1), (1, 1), (3, 3), (7, 7), (8, 7), (100, 7)] {
        let lengths = described([64, 20, 0], 0);
        let whole = out!(cuMipmappedArrayCreate(_, &lengths, requested));
        let mut level = null_mut();
        for index in 0..made {
            ok!(cuMipmappedArrayGetLevel(&mut level, whole, index));
            let actual = out!(cuArray3DGetDescriptor_v2(_, level));
            let lengths = (64 >> index, (20 >> index).max(1));
            assert_eq!((actual.Width, actual.Height), lengths);
        }
        invalid!(cuMipmappedArrayGetLevel(&mut level, whole, made));
        // The call returns success as on an H200, but the level is not destroyed on its own.
        ok!(cuMipmappedArrayGetLevel(&mut level, whole, 0));
        ok!(cuArrayDestroy(level));
        let mut actual = out!(cuArray3DGetDescriptor_v2(_, level));
        let mut needed = CUDA_ARRAY_MEMORY_REQUIREMENTS::default();
        invalid!(cuMipmappedArrayGetMemoryRequirements(&mut needed, whole, 0));
        let mut tiles = CUDA_ARRAY_SPARSE_PROPERTIES::default();
        invalid!(cuMipmappedArrayGetSparseProperties(&mut tiles, whole));
        ok!(cuMipmappedArrayDestroy(whole));
        stale!(cuArray3DGetDescriptor_v2(&mut actual, level));
        stale!(cuMipmappedArrayDestroy(whole));
    }
    for lengths in [[32_769, 0, 0], [1, 32_769, 0]] {
        let large = described(lengths, 0);
        invalid!(cuMipmappedArrayCreate(&mut null_mut(), &large, 1));
    }
}

#[test]
fn arrays_use_device_memory() {
    passes(&[], || {
        let _own = Own::new();
        let before = free_memory();
        let one = array([1024, 1024, 0], 0);
        assert_eq!(before - free_memory(), 4 << 20);
        ok!(cuArrayDestroy(one));
        assert_eq!(free_memory(), before);
    });
}

#[test]
fn rows_are_copied_between_all_kinds_of_memory() {
    let _own = Own::new();
    let (line, plane) = (array([64, 0, 0], 0), array([64, 32, 0], 0));
    let host: Vec<u8> = (0..=255).collect();
    let from: *const c_void = host.as_ptr().cast();
    let mut back = vec![0u8; 256];
    let to: *mut c_void = back.as_mut_ptr().cast();
    let device = alloc(256);
    ok!(cuMemcpyHtoA_v2(line, 0, from, 256));
    ok!(cuMemcpyAtoA_v2(plane, 128, line, 64, 128));
    ok!(cuMemcpyAtoD_v2(device, plane, 128, 128));
    ok!(cuMemcpyDtoA_v2(line, 4, device, 128));
    ok!(cuMemcpyAtoHAsync_v2(to, line, 0, 256, null_mut()));
    ok!(cuCtxSynchronize());
    let expected: Vec<u8> = (0..4).chain(64..192).chain(132..=255).collect();
    assert_eq!(back, expected);
    ok!(cuMemcpyHtoAAsync_v2(line, 250, from, 6, null_mut())); // not whole texels
    ok!(cuMemcpyAtoH_v2(to, line, 248, 8));
    assert_eq!(back[..8], [248, 249, 0, 1, 2, 3, 4, 5]);
    // Only the first row can be copied, and no byte beyond it.
    invalid!(cuMemcpyHtoA_v2(line, 0, from, 257));
    invalid!(cuMemcpyHtoA_v2(line, 4, from, 256));
    invalid!(cuMemcpyHtoA_v2(plane, 0, from, 512));
    invalid!(cuMemcpyHtoA_v2(plane, 256, from, 256));
    invalid!(cuMemcpyHtoA_v2(null_mut(), 0, from, 4));
    invalid!(cuMemcpyHtoA_v2(line, 0, null(), 4));
    // Copies of zero bytes succeed at any offset.
    ok!(cuMemcpyHtoA_v2(line, 260, from, 0));
    ok!(cuArrayDestroy(line));
    ok!(cuArrayDestroy(plane));
}

fn to_array<T>(array: CUarray, host: &[T], at: [usize; 3], extent: [usize; 3]) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: host.as_ptr().cast(),
        srcPitch: extent[0],
        srcHeight: extent[1],
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
        dstArray: array,
        dstXInBytes: at[0],
        dstY: at[1],
        dstZ: at[2],
        WidthInBytes: extent[0],
        Height: extent[1],
        Depth: extent[2],
        ..Default::default()
    }
}

#[test]
fn boxes_outside_the_array_are_rejected() {
    let _own = Own::new();
    let host = vec![1u8; 64 * 4 * 32 * 5];
    let arrays = [array([64, 32, 4], 0), array([64, 32, 4], LAYERED)];
    for one in arrays {
        for (at, extent) in [
            ([0, 0, 0], [256, 32, 4]),
            ([0, 0, 1], [256, 32, 3]),
            ([128, 16, 2], [128, 16, 2]),
            ([2, 0, 0], [4, 1, 1]),
            ([0, 0, 0], [256, 32, 0]),
        ] {
            ok!(cuMemcpy3D_v2(&to_array(one, &host, at, extent)));
        }
        for (at, extent) in [
            ([0, 0, 0], [256, 32, 5]),
            ([0, 0, 0], [256, 33, 1]),
            ([0, 0, 0], [260, 1, 1]),
            ([0, 0, 1], [256, 32, 4]),
            ([128, 17, 2], [128, 16, 2]),
            ([usize::MAX, 0, 0], [256, 1, 1]),
        ] {
            invalid!(cuMemcpy3D_v2(&to_array(one, &host, at, extent)));
        }
        let with_level = CUDA_MEMCPY3D {
            dstLOD: 1,
            ..to_array(one, &host, [0; 3], [256, 1, 1])
        };
        invalid!(cuMemcpy3D_v2(&with_level));
    }
    let null = to_array(null_mut(), &host, [0; 3], [4, 1, 1]);
    invalid!(cuMemcpy3D_v2(&null));
    // Layers of one-dimensional arrays have one row each.
    let lines = array([64, 0, 4], LAYERED);
    ok!(cuMemcpy3D_v2(&to_array(lines, &host, [0; 3], [256, 1, 4])));
    invalid!(cuMemcpy3D_v2(&to_array(lines, &host, [0; 3], [256, 4, 1])));
    for one in arrays {
        ok!(cuArrayDestroy(one));
    }
    // Destroying the array waits for the enqueued copy, so the copy still finds the array.
    let copy = to_array(lines, &host, [0; 3], [256, 1, 4]);
    ok!(cuMemcpy3DAsync_v2(&copy, null_mut()));
    ok!(cuArrayDestroy(lines));
}

#[test]
fn copies_place_every_byte() {
    let _own = Own::new();
    let volume = array([4, 3, 2], 0);
    let bytes: Vec<u8> = (0..96).collect();
    ok!(cuMemcpy3D_v2(&to_array(volume, &bytes, [0; 3], [16, 3, 2])));
    // The middle of the second slice, copied to the device with gaps between rows.
    let device = upload(&[0u8; 64]);
    let part = CUDA_MEMCPY3D {
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
        srcArray: volume,
        srcXInBytes: 4,
        srcY: 1,
        srcZ: 1,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstDevice: device,
        dstPitch: 32,
        WidthInBytes: 8,
        Height: 2,
        Depth: 1,
        ..Default::default()
    };
    ok!(cuMemcpy3D_v2(&part));
    let found = download::<u8>(device, 64);
    assert_eq!(found[..8], bytes[48 + 16 + 4..][..8]);
    assert_eq!(found[32..40], bytes[48 + 32 + 4..][..8]);
    assert_eq!(found[8..32], [0; 24]);
    // The same as a two-dimensional copy, which accesses the first slice.
    let mut row = [0u8; 8];
    let plane = CUDA_MEMCPY2D {
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
        srcArray: volume,
        srcXInBytes: 4,
        srcY: 2,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        dstHost: row.as_mut_ptr().cast(),
        WidthInBytes: 8,
        Height: 1,
        ..Default::default()
    };
    ok!(cuMemcpy2D_v2(&plane));
    assert_eq!(row, bytes[32 + 4..][..8]);
    ok!(cuArrayDestroy(volume));
}

#[test]
fn captures_record_copies_and_forbid_the_rest() {
    let _own = Own::new();
    let plane = array([64, 32, 0], 0);
    let host = vec![7u8; 256];
    let stream = stream(1);
    begin(stream, LOCAL);
    ok!(cuMemcpyHtoAAsync_v2(plane, 0, arg(&host[0]), 256, stream));
    let copy = to_array(plane, &host, [0, 5, 0], [256, 1, 1]);
    ok!(cuMemcpy3DAsync_v2(&copy, stream));
    let graph = end(stream);
    // The nodes store the array and the position within it.
    assert_eq!(nodes(graph).len(), 2);
    for (node, y) in nodes(graph).into_iter().zip([0, 5]) {
        let actual = out!(cuGraphMemcpyNodeGetParams(node, _));
        assert_eq!((actual.dstArray, actual.dstY), (plane, y));
    }
    ok!(cuGraphDestroy(graph));
    begin(stream, LOCAL);
    assert_eq!(created(described([4, 4, 0], 0)), STREAM_CAPTURE_UNSUPPORTED);
    end_with(stream, STREAM_CAPTURE_INVALIDATED);
    begin(stream, LOCAL);
    fails!(STREAM_CAPTURE_UNSUPPORTED, cuArrayDestroy(plane));
    end_with(stream, STREAM_CAPTURE_INVALIDATED);
    ok!(cuArrayDestroy(plane));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn graphs_do_not_write_to_arrays_at_reused_addresses() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "an array that has been destroyed since the call",
    ];
    reports(&[], &parts, || {
        let own = Own::new();
        let (lost, _fence) = (array([512, 512, 0], 0), array([512, 512, 0], 0));
        let texels = vec![7f32; 512 * 512];
        let copy = to_array(lost, &texels, [0; 3], [2048, 512, 1]);
        let graph = create();
        out!(cuGraphAddMemcpyNode(_, graph, null(), 0, &copy, own.0));
        let exec = instantiate(graph);
        go(exec, null_mut());
        ok!(cuArrayDestroy(lost));
        // Frees enough memory that the address can be reused. It is then the smallest free block
        // that fits `_other`.
        for _ in 0..2 {
            ok!(cuArrayDestroy(array([8192, 4096, 0], 0)));
        }
        let _other = array([256, 128, 0], 0);
        ok!(cuGraphLaunch(exec, null_mut()));
        fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
    });
}
