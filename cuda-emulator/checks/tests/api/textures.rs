//! Texture and surface objects through the C ABI, as used by kernels: mismatched dimensions, signs
//! and layers.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const LAYERED: u32 = 1;
const SURFACE: u32 = 2;
const CUBE: u32 = 4;

/// Creates an array with rows in memory order.
fn array(format: CUarray_format, lengths: [usize; 3], flags: u32, texels: &[u32]) -> CUarray {
    let described = CUDA_ARRAY3D_DESCRIPTOR {
        Width: lengths[0],
        Height: lengths[1],
        Depth: lengths[2],
        Format: format,
        NumChannels: 1,
        Flags: flags,
    };
    let array = out!(cuArray3DCreate_v2(_, &described));
    let [width, height, depth] = lengths.map(|length| length.max(1));
    assert_eq!(width * height * depth, texels.len());
    let copy = CUDA_MEMCPY3D {
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: texels.as_ptr().cast(),
        srcPitch: 4 * width,
        srcHeight: height,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
        dstArray: array,
        WidthInBytes: 4 * width,
        Height: height,
        Depth: depth,
        ..Default::default()
    };
    ok!(cuMemcpy3D_v2(&copy));
    array
}

fn resource(array: CUarray) -> CUDA_RESOURCE_DESC {
    let mut resource = CUDA_RESOURCE_DESC {
        resType: CUresourcetype::CU_RESOURCE_TYPE_ARRAY,
        ..filled(0)
    };
    resource.res.array.hArray = array;
    resource
}

fn surface(array: CUarray) -> u64 {
    out!(cuSurfObjectCreate(_, &resource(array)))
}

/// Creates a texture with the default sampler.
fn texture_of(resource: &CUDA_RESOURCE_DESC) -> Result<u64, CUresult> {
    result!(cuTexObjectCreate(_, resource, &filled(0), std::ptr::null()))
}

fn texture(array: CUarray) -> u64 {
    texture_of(&resource(array)).unwrap()
}

/// Returns linear device memory as a resource.
fn linear(address: CUdeviceptr, bytes: usize) -> CUDA_RESOURCE_DESC {
    let mut resource = CUDA_RESOURCE_DESC {
        resType: CUresourcetype::CU_RESOURCE_TYPE_LINEAR,
        ..filled(0)
    };
    resource.res.linear.devPtr = address;
    resource.res.linear.format = UNSIGNED;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = bytes;
    resource
}

/// Runs instructions once on an object. Returns the final code, and the words `%r0` to `%r3` after
/// success.
fn run(object: u64, instructions: &str) -> (CUresult, Vec<u32>) {
    run_in(object, instructions, "")
}

/// Does the same in a module with these directives at its end.
fn run_in(object: u64, instructions: &str, end: &str) -> (CUresult, Vec<u32>) {
    let module = load(&format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 object, .param .u64 out)\n{{\n\
         .reg .b32 %r<4>;\n.reg .b64 %object, %out;\n\
         ld.param.u64 %object, [object];\nld.param.u64 %out, [out];\n\
         mov.b32 %r0, 0;\nmov.b32 %r1, 0;\nmov.b32 %r2, 0;\nmov.b32 %r3, 0;\n{instructions}\n\
         st.global.v4.b32 [%out], {{%r0, %r1, %r2, %r3}};\nret;\n}}\n{end}"
    ));
    let out = upload(&[0u32; 4]);
    let arguments: &mut [*mut c_void] = &mut [arg(&object), arg(&out)];
    ok!(launch(function(module, "k"), 1, 1, null_mut(), arguments));
    let code = call!(cuCtxSynchronize());
    let words = if code == SUCCESS {
        download(out, 4)
    } else {
        Vec::new()
    };
    (code, words)
}

const SIGNED: CUarray_format = CUarray_format::CU_AD_FORMAT_SIGNED_INT32;
const UNSIGNED: CUarray_format = CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32;
const FLOAT: CUarray_format = CUarray_format::CU_AD_FORMAT_FLOAT;

#[test]
fn texel_reductions_use_the_sign_of_the_format() {
    let _own = Own::new();
    let minus = -5i32 as u32;
    for (format, least, most) in [(SIGNED, minus, 3), (UNSIGNED, 3, minus)] {
        let object = surface(array(format, [2, 0, 0], SURFACE, &[minus, minus]));
        let reduced = "mov.b32 %r2, 3;\n\
            sured.p.min.1d.b32.trap [%object, {0}], %r2;\nsured.p.max.1d.b32.trap [%object, {1}], %r2;\n\
            suld.b.1d.b32.trap %r0, [%object, {0}];\nsuld.b.1d.b32.trap %r1, [%object, {4}];";
        let (code, words) = run(object, reduced);
        assert_eq!((code, &words[..2]), (SUCCESS, &[least, most][..]));
    }
}

#[test]
fn layers_are_integers_with_float_coordinates() {
    let _own = Own::new();
    let texels = [1.5f32, 2.5, 3.5, 4.5].map(f32::to_bits);
    let object = texture(array(FLOAT, [2, 0, 2], LAYERED, &texels));
    let read = "tex.a1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%object, {1, 0f3F000000}];";
    let (code, words) = run(object, read);
    assert_eq!((code, words[0]), (SUCCESS, 3.5f32.to_bits()));
}

#[test]
fn faces_of_a_cube_are_layers_of_a_surface() {
    let _own = Own::new();
    let texels: Vec<u32> = (0..6).collect();
    let object = surface(array(UNSIGNED, [1, 1, 6], SURFACE | CUBE, &texels));
    let read = "suld.b.a2d.b32.trap %r0, [%object, {4, 0, 0, 0}];";
    assert_eq!(run(object, read), (SUCCESS, vec![4, 0, 0, 0]));
}

/// Expects a report for instructions on an object of a plane.
fn is_reported(is_surface: bool, instructions: &str) {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "the instruction accesses",
        "has two dimensions",
    ];
    reports(&[], &parts, || {
        let _own = Own::new();
        let plane = array(UNSIGNED, [2, 2, 0], SURFACE, &[1, 2, 3, 4]);
        let object = match is_surface {
            true => surface(plane),
            false => texture(plane),
        };
        assert_eq!(run(object, instructions).0, ILLEGAL_ADDRESS);
    });
}

#[test]
fn surfaces_of_other_dimensions_are_reported() {
    let store = "sust.b.3d.b32.zero [%object, {%r0, %r0, %r0, %r0}], %r0;";
    is_reported(true, store);
}

#[test]
fn textures_of_other_dimensions_are_reported() {
    let read = "tex.1d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%object, {%r0}];";
    is_reported(false, read);
}

/// Expects a report for a read from a handle that is not a texture.
fn is_no_texture(part: &str, object: impl FnOnce() -> u64) {
    let parts = ["isn't the handle of a texture object", part];
    reports(&[], &parts, || {
        let _own = Own::new();
        let read = "tex.1d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%object, {%r0}];";
        assert_eq!(run(object(), read).0, ILLEGAL_ADDRESS);
    });
}

#[test]
fn surface_handles_as_textures_are_reported() {
    let part = "it is the handle of a surface object";
    is_no_texture(part, || surface(array(UNSIGNED, [1, 0, 0], SURFACE, &[1])));
}

#[test]
fn addresses_as_textures_are_reported() {
    let part = "it is an address in allocation";
    is_no_texture(part, || alloc(64));
}

#[test]
fn reports_omit_missing_dimensions() {
    let parts = ["array 0x", " (2 x 2 texels of 4 bytes)"];
    reports(&[], &parts, || {
        let _own = Own::new();
        let object = surface(array(UNSIGNED, [2, 2, 0], SURFACE, &[1, 2, 3, 4]));
        let load = "suld.b.2d.b32.trap %r0, [%object, {8, 0}];";
        assert_eq!(run(object, load).0, ILLEGAL_ADDRESS);
    });
}

#[test]
fn reports_name_inlined_lines() {
    let parts = ["source: builtin.h:120", "inlined at: mine.cu:5"];
    reports(&[], &parts, || {
        let _own = Own::new();
        let object = surface(array(UNSIGNED, [2, 2, 0], SURFACE, &[1, 2, 3, 4]));
        let load = "$info:\n.loc 1 5 9\n.loc 2 80 3, function_name $info, inlined_at 1 5 9\n\
            .loc 3 120 5, function_name $info+1, inlined_at 2 80 3\n\
            suld.b.2d.b32.trap %r0, [%object, {8, 0}];\nbra.uni end;\nend:";
        let files = ".file 1 \"mine.cu\"\n.file 2 \"outer.h\"\n.file 3 \"builtin.h\"\n";
        assert_eq!(run_in(object, load, files).0, ILLEGAL_ADDRESS);
    });
}

#[test]
fn linear_memory_needs_read_access() {
    let part = "no access to allocation";
    let parts = ["CUDA_ERROR_ILLEGAL_ADDRESS", "cannot be accessed", part];
    reports(&[], &parts, || {
        let _own = Own::new();
        let unit = 2 << 20;
        let location = CUmemLocation::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, 0);
        let properties = CUmemAllocationProp {
            type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            location,
            ..Default::default()
        };
        let address = out!(cuMemAddressReserve(_, 2 * unit, 0, 0, 0));
        // Two adjacent mappings, and texels across both.
        let [physical, second] = [(); 2].map(|()| out!(cuMemCreate(_, unit, &properties, 0)));
        ok!(cuMemMap(address, unit, 0, physical, 0));
        ok!(cuMemMap(address + unit as u64, unit, 0, second, 0));
        let allow = |at: u64, size: usize, flags: u32| {
            let access = CUmemAccessDesc {
                location,
                flags: CUmemAccess_flags(flags),
            };
            ok!(cuMemSetAccess(at, size, &access, 1));
        };
        allow(address, 2 * unit, 3);
        ok!(cuMemsetD32_v2(address, 42, unit / 2));
        let object = texture_of(&linear(address, 2 * unit)).unwrap();
        let read = "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%object, {600000}];";
        assert_eq!(run(object, read).1[0], 42);
        // Read access is sufficient. If any part of the memory lacks it, the read faults.
        allow(address, 2 * unit, 1);
        assert_eq!(run(object, read).1[0], 42);
        allow(address, unit, 0);
        assert_eq!(run(object, read).0, ILLEGAL_ADDRESS);
    });
}

#[test]
fn wide_accesses_reach_every_row() {
    let _own = Own::new();
    let bytes = CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8;
    let described = |format, width| CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: 2,
        Depth: 0,
        Format: format,
        NumChannels: 1,
        Flags: SURFACE,
    };
    let mut array = out!(cuArray3DCreate_v2(_, &described(bytes, 5)));
    let mut texels: Vec<u8> = (0..10).collect();
    let from: *const c_void = texels.as_ptr().cast();
    let mut copy = CUDA_MEMCPY2D {
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: from,
        srcPitch: 5,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
        dstArray: array,
        WidthInBytes: 5,
        Height: 2,
        ..Default::default()
    };
    ok!(cuMemcpy2D_v2(&copy));
    let read = "{\n.reg .b16 %h;\n\
        suld.b.2d.b32.trap %r0, [%object, {0, 1}];\nsuld.b.2d.b16.trap %h, [%object, {2, 1}];\n\
        cvt.u32.u16 %r1, %h;\nmov.b32 %r2, 0x40302010;\nsust.b.2d.b32.trap [%object, {0, 1}], %r2;\n}";
    let (code, words) = run(surface(array), read);
    assert_eq!((code, &words[..2]), (SUCCESS, &[0x0807_0605, 0x0807][..]));
    // The bytes after a row do not belong to it.
    (copy.WidthInBytes, copy.srcPitch) = (6, 6);
    invalid!(cuMemcpy2D_v2(&copy));
    let copy = CUDA_MEMCPY2D {
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY,
        srcArray: array,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
        dstHost: texels.as_mut_ptr().cast(),
        dstPitch: 5,
        WidthInBytes: 5,
        Height: 2,
        ..Default::default()
    };
    ok!(cuMemcpy2D_v2(&copy));
    assert_eq!(texels, [0, 1, 2, 3, 4, 0x10, 0x20, 0x30, 0x40, 9]);

    ok!(cuArray3DCreate_v2(&mut array, &described(UNSIGNED, 5)));
    let read = "{\n.reg .b64 %w;\nmov.b64 %w, 0x700000005;\nsust.b.2d.b64.trap [%object, {0, 1}], %w;\n\
        mov.b64 %w, 0;\nsuld.b.2d.b64.trap %w, [%object, {0, 1}];\nmov.b64 {%r0, %r1}, %w;\n}";
    assert_eq!(run(surface(array), read), (SUCCESS, vec![5, 7, 0, 0]));
}

#[test]
fn compressed_blocks_cannot_be_viewed_as_texels() {
    let _own = Own::new();
    // BC1: blocks of 8 bytes.
    let described = CUDA_ARRAY3D_DESCRIPTOR {
        Width: 8,
        Height: 8,
        Depth: 0,
        Format: CUarray_format(0x91),
        NumChannels: 4,
        Flags: 0,
    };
    let array = out!(cuArray3DCreate_v2(_, &described));
    let mut view: CUDA_RESOURCE_VIEW_DESC = filled(0);
    view.format = CUresourceViewFormat::CU_RES_VIEW_FORMAT_UINT_2X32;
    (view.width, view.height) = (8, 8);
    let texture = result!(cuTexObjectCreate(_, &resource(array), &filled(0), &view));
    assert_eq!(texture, Err(NOT_SUPPORTED));
}

#[test]
fn linear_textures_have_a_maximum_size() {
    let _own = Own::new();
    let memory = alloc(512);
    let create = |texels: usize| texture_of(&linear(memory, 4 * texels));
    create(1 << 28).unwrap();
    for texels in [(1 << 28) + 1, (1 << 32) + 1] {
        assert_eq!(create(texels), Err(INVALID));
    }
}
