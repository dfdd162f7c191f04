//! Tensor maps: errors of the builder, and one copy with each kind of map. All forms of copies are
//! tested in `tests/tensor_maps`.

use cuda_safe::{
    Context, DeviceBuffer, DeviceView, ErrorKind, Function, Graph, LaunchConfig, Module, Result,
    tensor_map::{
        Im2colWideMode, TensorDataType, TensorFill, TensorInterleave, TensorMap, TensorMapBuilder,
        TensorSwizzle,
    },
};

use crate::{device, rejection};

/// Kernels that copy at most 512 bytes to shared memory, and write them out directly or through
/// another map.
const SOURCE: &str = r#"
struct alignas(64) Map { char bytes[128]; };

#define COPY(name, form, coordinates, ...)                                                                       \
extern "C" __global__ void name(const __grid_constant__ Map map, int x, int y, int bytes, float *out) {          \
    __shared__ alignas(128) float tile[128];                                                                     \
    __shared__ unsigned long long barrier;                                                                       \
    const unsigned to = __cvta_generic_to_shared(tile), bar = __cvta_generic_to_shared(&barrier);                \
    if (threadIdx.x == 0) {                                                                                      \
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar));                                      \
        asm volatile("fence.mbarrier_init.release.cluster;");                                                    \
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes));          \
        asm volatile("cp.async.bulk.tensor." form ".mbarrier::complete_tx::bytes [%0], [%1, {" coordinates "}], [%4]" \
                     __VA_ARGS__ ";" :: "r"(to), "l"(&map), "r"(x), "r"(y), "r"(bar) : "memory");                \
    }                                                                                                            \
    __syncthreads();                                                                                             \
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }"          \
                 :: "r"(bar) : "memory");                                                                        \
    if (threadIdx.x < bytes / 4) out[threadIdx.x] = tile[threadIdx.x];                                           \
}
COPY(tile, "2d.shared::cluster.global.tile", "%2, %3", "")
COPY(column, "3d.shared::cluster.global.im2col", "%2, %3, 0", ", {0}")

extern "C" __global__ void put(const __grid_constant__ Map map, int x, int y, const float *in) {
    __shared__ alignas(128) float tile[128];
    tile[threadIdx.x] = in[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                     :: "l"(&map), "r"(x), "r"(y), "r"((unsigned)__cvta_generic_to_shared(tile)) : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// The last block of the cluster copies a tile for all blocks in the mask.
extern "C" __global__ void spread(const __grid_constant__ Map map, int bytes, int wide, unsigned mask, float *out) {
    __shared__ alignas(1024) float tile[512];
    __shared__ unsigned long long barrier;
    const unsigned to = __cvta_generic_to_shared(tile), bar = __cvta_generic_to_shared(&barrier);
    unsigned rank, blocks;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    const bool takes = mask >> rank & 1;
    const int row = 16 * (blockIdx.x / blocks);
    for (int i = threadIdx.x; i < 512; i += blockDim.x) tile[i] = -1;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar));
        asm volatile("fence.mbarrier_init.release.cluster;");
        if (takes)
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && rank == blocks - 1) {
        if (wide)
            asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                         ".multicast::cluster [%0], [%1, {0, 0, %2}], [%3], {%4}, %5;"
                         :: "r"(to), "l"(&map), "r"(row / 16), "r"(bar), "h"((unsigned short)1),
                            "h"((unsigned short)mask) : "memory");
        else
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                         ".multicast::cluster [%0], [%1, {0, %2}], [%3], %4;"
                         :: "r"(to), "l"(&map), "r"(row), "r"(bar), "h"((unsigned short)mask) : "memory");
    }
    if (takes)
        asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }"
                     :: "r"(bar) : "memory");
    for (int i = threadIdx.x; i < 512; i += blockDim.x) out[512 * blockIdx.x + i] = tile[i];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// Block 0 copies to the other block, using that block's shared addresses of the tile and the
// barrier.
extern "C" __global__ void give(const __grid_constant__ Map map, float *out) {
    __shared__ alignas(1024) float tile[512];
    __shared__ unsigned long long barrier;
    const unsigned to = __cvta_generic_to_shared(tile), bar = __cvta_generic_to_shared(&barrier);
    unsigned rank, its_tile, its_barrier;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    for (int i = threadIdx.x; i < 512; i += blockDim.x) tile[i] = -1;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar));
        asm volatile("fence.mbarrier_init.release.cluster;");
        if (rank == 1)
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;" :: "r"(bar));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && rank == 0) {
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(its_tile) : "r"(to));
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(its_barrier) : "r"(bar));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {0, 0}], [%2];" :: "r"(its_tile), "l"(&map), "r"(its_barrier) : "memory");
    }
    if (rank == 1)
        asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }"
                     :: "r"(bar) : "memory");
    for (int i = threadIdx.x; i < 512; i += blockDim.x) out[512 * blockIdx.x + i] = tile[i];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void small(int n) {}
"#;

fn kernel(context: &Context, name: &str) -> Function {
    let module = Module::compile(context, SOURCE).expect("the kernels compile");
    module.function(name).expect("a kernel")
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| i as f32).collect()
}

#[test]
fn tiles_are_copied_in_and_out() {
    let (context, stream) = device();
    let (tile, put) = (kernel(&context, "tile"), kernel(&context, "put"));
    let tensor = DeviceBuffer::from_slice(&stream, &numbers(32 * 10)).unwrap();
    let mut other = DeviceBuffer::<f32>::zeroed(&stream, 32 * 10).unwrap();
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, 32).unwrap();
    let map = TensorMap::builder(&tensor, &[32, 10])
        .tiled(&[8, 4])
        .unwrap();
    let arguments = (map, 8i32, 3i32, 128i32, &mut out);
    // SAFETY: the tile is within the tensor and has 32 numbers.
    unsafe { tile.launch(&stream, LaunchConfig::new(1, 32), arguments) }.unwrap();
    let found = out.to_vec(&stream).unwrap();
    let expected: Vec<f32> = (0..32)
        .map(|i| ((3 + i / 8) * 32 + 8 + i % 8) as f32)
        .collect();
    assert_eq!(found, expected);
    {
        let map = TensorMap::builder(&mut other, &[32, 10])
            .tiled(&[8, 4])
            .unwrap();
        let arguments = (map, 28i32, 8i32, &tensor);
        // SAFETY: as above. Elements beyond the tensor are not written.
        unsafe { put.launch(&stream, LaunchConfig::new(1, 128), arguments) }.unwrap();
    }
    let found = other.to_vec(&stream).unwrap();
    for (i, &value) in found.iter().enumerate() {
        let (x, y) = (i % 32, i / 32);
        let inside = x >= 28 && y >= 8;
        let expected = if inside { (y - 8) * 8 + x - 28 } else { 0 };
        assert_eq!(value, expected as f32, "at {x}, {y}");
    }
}

#[test]
fn im2col_columns_are_copied() {
    let (context, stream) = device();
    let column = kernel(&context, "column");
    // 4 channels, a width of 5 pixels, and 2 images.
    let tensor = DeviceBuffer::from_slice(&stream, &numbers(40)).unwrap();
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, 32).unwrap();
    let map = TensorMap::builder(&tensor, &[4, 5, 2])
        .im2col(&[-1], &[0], 4, 8)
        .unwrap();
    let arguments = (map, 0i32, -1i32, 128i32, &mut out);
    // SAFETY: the column has 32 numbers.
    unsafe { column.launch(&stream, LaunchConfig::new(1, 32), arguments) }.unwrap();
    // One pixel before the first image, all of the first image, one pixel before the second image,
    // and its first pixel.
    let pixels: Vec<f32> = out
        .to_vec(&stream)
        .unwrap()
        .chunks(4)
        .map(|p| p[0])
        .collect();
    assert_eq!(pixels, [0.0, 0.0, 4.0, 8.0, 12.0, 16.0, 0.0, 20.0]);
}

/// Returns a tile of 16 rows of 128 bytes in the layout of `TensorSwizzle::B128`.
fn swizzled_tile(first: usize) -> Vec<f32> {
    let value = |i: usize| {
        let (row, at) = (i / 32, i % 32);
        (first + 32 * row + (at ^ (row % 8) << 2)) as f32
    };
    (0..512).map(value).collect()
}

#[test]
fn multicast_copies_to_all_blocks_of_the_mask() {
    let (context, stream) = device();
    let spread = kernel(&context, "spread");
    let tensor = DeviceBuffer::from_slice(&stream, &numbers(32 * 32)).unwrap();
    let tiles = TensorMap::builder(&tensor, &[32, 32])
        .swizzle(TensorSwizzle::B128)
        .tiled(&[32, 16])
        .unwrap();
    // 32 channels, a width of 16 pixels, and 2 images.
    let columns = TensorMap::builder(&tensor, &[32, 16, 2])
        .im2col(&[0], &[-1], 32, 15)
        .unwrap();
    for (blocks, mask) in [(1, 1), (2, 3), (2, 1), (4, 15), (4, 0b1010), (4, 0b0101)] {
        let grid = 2 * blocks;
        for wide in [false, true] {
            let (map, bytes) = if wide {
                (columns, 15 * 128)
            } else {
                (tiles, 2048)
            };
            let mut out = DeviceBuffer::<f32>::zeroed(&stream, 512 * grid as usize).unwrap();
            // SAFETY: the tile has at most 512 numbers, and each block writes that number.
            unsafe {
                spread.launch(
                    &stream,
                    LaunchConfig::new(grid, 64).cluster(blocks),
                    (map, bytes, i32::from(wide), mask, &mut out),
                )
            }
            .unwrap();
            let found = out.to_vec(&stream).unwrap();
            for (block, found) in (0..grid).zip(found.chunks(512)) {
                let (rank, first) = (block % blocks, 512 * (block / blocks) as usize);
                let mut expected = vec![-1.0; 512];
                if mask >> rank & 1 != 0 && wide {
                    // Starts at the second pixel of each image.
                    let column = numbers(first + 512);
                    expected[..480].copy_from_slice(&column[first + 32..]);
                } else if mask >> rank & 1 != 0 {
                    expected = swizzled_tile(first);
                }
                let what = format!("block {block}, {blocks} of a cluster, mask {mask:b}, {wide}");
                assert_eq!(found, expected, "{what}");
            }
        }
    }
}

#[test]
fn block_can_copy_to_another_block() {
    let (context, stream) = device();
    let give = kernel(&context, "give");
    let tensor = DeviceBuffer::from_slice(&stream, &numbers(32 * 16)).unwrap();
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, 1024).unwrap();
    let map = TensorMap::builder(&tensor, &[32, 16])
        .swizzle(TensorSwizzle::B128)
        .tiled(&[32, 16])
        .unwrap();
    let arguments = (map, &mut out);
    // SAFETY: the tile has 512 numbers, and each of two blocks writes that number.
    unsafe { give.launch(&stream, LaunchConfig::new(2, 64).cluster(2), arguments) }.unwrap();
    let found = out.to_vec(&stream).unwrap();
    assert_eq!(found[..512], [-1.0; 512]);
    assert_eq!(found[512..], swizzled_tile(0));
}

#[test]
fn map_can_be_moved_to_other_memory() {
    let (context, stream) = device();
    let tile = kernel(&context, "tile");
    let first = DeviceBuffer::<f32>::zeroed(&stream, 64).unwrap();
    let second = DeviceBuffer::from_slice(&stream, &numbers(72)).unwrap();
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, 32).unwrap();
    let map = TensorMap::builder(&first, &[8, 8]).tiled(&[8, 4]).unwrap();
    let moved = map.moved_to(second.slice(4..).unwrap()).unwrap();
    assert_ne!(moved.to_bytes(), map.to_bytes());
    let arguments = (moved, 0i32, 4i32, 128i32, &mut out);
    // SAFETY: the second buffer has 32 numbers.
    unsafe { tile.launch(&stream, LaunchConfig::new(1, 32), arguments) }.unwrap();
    assert_eq!(out.to_vec(&stream).unwrap()[..3], [36.0, 37.0, 38.0]);
    rejection(map.moved_to(second.slice(12..).unwrap()))
        .mentions("spans 256 bytes, but the memory has 240");
    rejection(map.moved_to(second.slice(1..).unwrap()))
        .mentions("the address of a tensor map must be a multiple of 16");
}

#[test]
fn graph_keeps_its_tensor_map() {
    let (context, stream) = device();
    let tile = kernel(&context, "tile");
    let tensor = DeviceBuffer::from_slice(&stream, &numbers(64)).unwrap();
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, 32).unwrap();
    stream.synchronize().unwrap();
    let mut graph = Graph::new(&context).unwrap();
    {
        let map = TensorMap::builder(&tensor, &[8, 8]).tiled(&[8, 4]).unwrap();
        // SAFETY: both buffers live until the launch has finished, and nothing else uses them in
        // the meantime.
        unsafe {
            graph.add_kernel(
                &[],
                &tile,
                LaunchConfig::new(1, 32),
                (map, 4i32, 2i32, 128i32, &mut out),
            )
        }
        .unwrap();
    }
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    let found = out.to_vec(&stream).unwrap();
    assert_eq!(found[..8], [20.0, 21.0, 22.0, 23.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn launch_checks_the_parameter_size() {
    let (context, stream) = device();
    let small = kernel(&context, "small");
    let tensor = DeviceBuffer::<f32>::zeroed(&stream, 64).unwrap();
    let map = TensorMap::builder(&tensor, &[8, 8]).tiled(&[8, 4]).unwrap();
    // SAFETY: the launch fails.
    let error = unsafe { small.launch(&stream, LaunchConfig::new(1, 1), (map,)) }.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::LaunchArguments);
    assert!(error.to_string().contains("128"), "{error}");
}

#[test]
fn shapes_are_checked() {
    let (_context, stream) = device();
    let memory = DeviceBuffer::<f32>::zeroed(&stream, 1024).unwrap();
    let of = |dims: &[u64]| TensorMap::builder(&memory, dims);
    rejection(of(&[]).tiled(&[])).mentions("`dims` has 0 dimensions");
    rejection(of(&[1; 6]).tiled(&[1; 6])).mentions("`dims` has 6 dimensions");
    rejection(of(&[32, 0]).tiled(&[8, 1])).mentions("`dims[1]` is 0");
    rejection(of(&[32, (1 << 32) + 1]).tiled(&[8, 1])).mentions("2^32");
    rejection(of(&[32, 33]).tiled(&[8, 1])).mentions("spans 4224 bytes, but the memory has 4096");
    rejection(of(&[33, 4]).tiled(&[8, 1])).mentions("a stride of 132 bytes");
    rejection(of(&[u64::MAX >> 33, 1 << 32, 1 << 32]).tiled(&[8, 1, 1])).mentions("2^40");
    rejection(of(&[32, 4]).strides(&[]).tiled(&[8, 1])).mentions("2 dimensions need 1 strides");
    rejection(of(&[32, 4]).byte_strides(&[1 << 40]).tiled(&[8, 1])).mentions("below 2^40");
    rejection(of(&[32, 4]).strides(&[512]).tiled(&[8, 1])).mentions("spans 6272 bytes");
    rejection(of(&[32, 4]).element_strides(&[1]).tiled(&[8, 1]))
        .mentions("2 element strides, not 1");
    rejection(of(&[32, 4]).element_strides(&[1, 9]).tiled(&[8, 1]))
        .mentions("`element_strides[1]` is 9");
    rejection(TensorMap::builder(memory.slice(1..).unwrap(), &[32, 4]).tiled(&[8, 1]))
        .mentions("start a slice at another element");
    // The largest tensor that fits into the memory, and overlapping rows.
    of(&[32, 32]).tiled(&[8, 1]).unwrap();
    of(&[32, 4])
        .strides(&[16])
        .element_strides(&[1, 8])
        .tiled(&[8, 8])
        .unwrap();
    of(&[1024]).tiled(&[256]).unwrap();
}

#[test]
fn tiles_are_checked() {
    let (_context, stream) = device();
    let memory = DeviceBuffer::<f32>::zeroed(&stream, 4096).unwrap();
    let of = |dims: &[u64]| TensorMap::builder(&memory, dims);
    rejection(of(&[64, 4]).tiled(&[8])).mentions("must have 2 lengths, not 1");
    rejection(of(&[64, 4]).tiled(&[8, 0])).mentions("length 1 is 0");
    rejection(of(&[64, 4]).tiled(&[8, 257])).mentions("length 1 is 257");
    rejection(of(&[64, 4]).tiled(&[6, 1])).mentions("of 24 bytes, which must be a multiple of 16");
    for (swizzle, most) in [
        (TensorSwizzle::B32, 8),
        (TensorSwizzle::B64, 16),
        (TensorSwizzle::B128, 32),
    ] {
        of(&[64, 4]).swizzle(swizzle).tiled(&[most, 1]).unwrap();
        rejection(of(&[64, 4]).swizzle(swizzle).tiled(&[most + 4, 1]))
            .mentions("use narrower tiles");
    }
    let mixed = |interleave| of(&[4, 4, 4]).strides(&[8, 32]).interleave(interleave);
    mixed(TensorInterleave::B16).tiled(&[4, 1, 1]).unwrap();
    rejection(mixed(TensorInterleave::B32).tiled(&[8, 1, 1])).mentions("needs TensorSwizzle::B32");
    mixed(TensorInterleave::B32)
        .swizzle(TensorSwizzle::B32)
        .tiled(&[8, 1, 1])
        .unwrap();
    rejection(
        mixed(TensorInterleave::B32)
            .swizzle(TensorSwizzle::B32)
            .strides(&[4, 32])
            .tiled(&[8, 1, 1]),
    )
    .mentions("a multiple of 32");
    rejection(
        of(&[64, 4])
            .interleave(TensorInterleave::B16)
            .tiled(&[8, 1]),
    )
    .mentions("3 to 5 dimensions");
}

#[test]
fn types_are_checked() {
    let (_context, stream) = device();
    let floats = DeviceBuffer::<f32>::zeroed(&stream, 1024).unwrap();
    let halves = DeviceBuffer::<u16>::zeroed(&stream, 1024).unwrap();
    let bytes = DeviceBuffer::<u8>::zeroed(&stream, 4096).unwrap();
    fn tiled<'a>(builder: &TensorMapBuilder<'a>) -> Result<TensorMap<'a>> {
        builder.tiled(&[32, 2])
    }
    let of_floats = TensorMap::builder(&floats, &[32, 8]);
    let of_halves = TensorMap::builder(&halves, &[32, 8]);
    for data_type in [
        TensorDataType::F32_FTZ,
        TensorDataType::TF32,
        TensorDataType::U32,
    ] {
        tiled(&of_floats.clone().data_type(data_type)).unwrap();
    }
    for data_type in [TensorDataType::F16, TensorDataType::BF16] {
        let builder = of_halves.clone().data_type(data_type).fill(TensorFill::NAN);
        tiled(&builder).unwrap();
    }
    rejection(tiled(&of_halves.clone().data_type(TensorDataType::F32)))
        .mentions("elements of 2 bytes");
    rejection(tiled(&of_halves.clone().fill(TensorFill::NAN)))
        .mentions("is for floating-point types");
    // Packed values, which only some devices support.
    let packed = |data_type| {
        TensorMap::builder(&bytes, &[256, 8])
            .data_type(data_type)
            .byte_strides(&[256])
    };
    rejection(packed(TensorDataType::U6X16_ALIGNED).tiled(&[64, 1]))
        .mentions("with TensorDataType::U6X16_ALIGNED it must be 128");
    rejection(
        packed(TensorDataType::U4X16_ALIGNED)
            .swizzle(TensorSwizzle::B64)
            .tiled(&[128, 1]),
    )
    .mentions("can't have TensorSwizzle::B64");
    rejection(
        TensorMap::builder(&bytes, &[100, 8])
            .data_type(TensorDataType::U4X16_ALIGNED)
            .byte_strides(&[64])
            .tiled(&[128, 1]),
    )
    .mentions("a multiple of 128");
}

#[test]
fn columns_are_checked() {
    let (_context, stream) = device();
    let memory = DeviceBuffer::<f32>::zeroed(&stream, 4096).unwrap();
    let of = |dims: &[u64]| TensorMap::builder(&memory, dims);
    rejection(of(&[8, 8]).im2col(&[], &[], 8, 1)).mentions("`dims` has 2");
    rejection(of(&[8, 8, 2]).im2col(&[0, 0], &[0], 8, 1)).mentions("the lower corner is [0, 0]");
    rejection(of(&[8, 8, 4, 2]).im2col(&[0, 0], &[0, 128], 8, 1)).mentions("-128 to 127");
    rejection(of(&[8, 4, 4, 2, 2]).im2col(&[0, -17, 0], &[0; 3], 8, 1)).mentions("-16 to 15");
    rejection(of(&[8, 8, 2]).im2col(&[0], &[-8], 8, 1)).mentions("the bounding box is empty");
    rejection(of(&[8, 8, 2]).im2col(&[0], &[0], 3, 1)).mentions("`channels` is 3, of 12 bytes");
    rejection(of(&[8, 8, 2]).im2col(&[0], &[0], 8, 0)).mentions("`pixels` is 0");
    rejection(of(&[8, 8, 2]).im2col(&[0], &[0], 8, 1025)).mentions("`pixels` is 1025");
    of(&[8, 8, 2]).im2col(&[-3], &[2], 8, 16).unwrap();
    let wide = |swizzle| of(&[8, 8, 2]).swizzle(swizzle);
    rejection(wide(TensorSwizzle::NONE).im2col_wide(0, 0, 8, 1, Im2colWideMode::W))
        .mentions("use TensorSwizzle::B64 or B128");
    rejection(wide(TensorSwizzle::B64).im2col_wide(-32769, 0, 8, 1, Im2colWideMode::W))
        .mentions("-32768 to 32767");
}

#[test]
fn maps_accept_any_device_memory() {
    let (context, stream) = device();
    let mut buffer = DeviceBuffer::<i16>::zeroed(&stream, 64).unwrap();
    let raw = buffer.as_device_ptr();
    TensorMap::builder(&mut buffer, &[64]).tiled(&[8]).unwrap();
    // SAFETY: the buffer outlives the view and has that many elements.
    let view = unsafe { DeviceView::<i16>::borrow_raw(raw, 64, &context) };
    let map = TensorMap::builder(view, &[64]).tiled(&[8]).unwrap();
    assert!(
        format!("{map:?}").starts_with("TensorMap { bytes: 128"),
        "{map:?}"
    );
}

/// Checks that this crate does not reject the map. The driver may, because it knows what the device
/// supports.
#[track_caller]
fn not_rejected_here(result: Result<TensorMap<'_>>) {
    if let Err(error) = result {
        assert_ne!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
}

#[test]
fn element_size_must_match_the_type() {
    let (_context, stream) = device();
    let bytes = DeviceBuffer::<u8>::zeroed(&stream, 4096).unwrap();
    let words = DeviceBuffer::<u64>::zeroed(&stream, 512).unwrap();
    let halves = DeviceBuffer::<u16>::zeroed(&stream, 1024).unwrap();
    TensorMap::builder(&bytes, &[64, 8])
        .tiled(&[16, 1])
        .unwrap();
    let of_words = TensorMap::builder(&words, &[32, 8]);
    for data_type in [
        TensorDataType::U64,
        TensorDataType::I64,
        TensorDataType::F64,
    ] {
        let builder = of_words.clone().data_type(data_type);
        builder.tiled(&[2, 1]).unwrap();
        rejection(builder.tiled(&[1, 1])).mentions("of 8 bytes");
    }
    // Packed values need a buffer of bytes.
    let of_bytes = TensorMap::builder(&bytes, &[64, 8]).data_type(TensorDataType::F32);
    rejection(of_bytes.tiled(&[16, 1])).mentions("elements of 1 bytes");
    let of_halves = TensorMap::builder(&halves, &[64, 8]).data_type(TensorDataType::U4X16);
    rejection(of_halves.tiled(&[32, 1])).mentions("elements of 2 bytes");
}

#[test]
fn packed_values_are_counted_in_bits() {
    let (_context, stream) = device();
    let bytes = DeviceBuffer::<u8>::zeroed(&stream, 4096).unwrap();
    let packed = |data_type, dims: &[u64]| TensorMap::builder(&bytes, dims).data_type(data_type);
    let fours = packed(TensorDataType::U4X16, &[256, 8]);
    rejection(fours.tiled(&[16, 1])).mentions("is 16, of 8 bytes");
    not_rejected_here(fours.tiled(&[32, 1]));
    rejection(packed(TensorDataType::U4X16, &[255, 8]).tiled(&[32, 1])).mentions("a multiple of 2");
    not_rejected_here(packed(TensorDataType::U4X16, &[254]).tiled(&[32]));
    let sixes = packed(TensorDataType::U6X16_ALIGNED, &[256, 8]);
    rejection(sixes.clone().swizzle(TensorSwizzle::B64).tiled(&[128, 1]))
        .mentions("can't have TensorSwizzle::B64");
    // Each value occupies four or six bits of memory.
    for (data_type, bits) in [
        (TensorDataType::U4X16, 4),
        (TensorDataType::U4X16_ALIGNED, 4),
        (TensorDataType::U6X16_ALIGNED, 6),
    ] {
        let values = 1024 * 8 / bits / 128 * 128;
        let part = bytes.slice(..(values * bits / 8) as usize).unwrap();
        not_rejected_here(
            TensorMap::builder(part, &[values])
                .data_type(data_type)
                .tiled(&[128]),
        );
        rejection(
            TensorMap::builder(part, &[values + 128])
                .data_type(data_type)
                .tiled(&[128]),
        )
        .mentions("bytes");
    }
}

#[test]
fn channel_slices_are_contiguous() {
    let (_context, stream) = device();
    let memory = DeviceBuffer::<f32>::zeroed(&stream, 4096).unwrap();
    let of = |interleave| TensorMap::builder(&memory, &[4, 4, 4]).interleave(interleave);
    let narrow = of(TensorInterleave::B16).tiled(&[4, 1, 1]).unwrap();
    let wide = of(TensorInterleave::B32)
        .swizzle(TensorSwizzle::B32)
        .tiled(&[8, 1, 1])
        .unwrap();
    for (map, bytes) in [(narrow, 16 * 64), (wide, 32 * 64)] {
        let shown = format!("{map:?}");
        assert!(
            shown.starts_with(&format!("TensorMap {{ bytes: {bytes}")),
            "{shown}"
        );
    }
}

#[test]
fn empty_bounding_boxes_are_rejected() {
    let (_context, stream) = device();
    let memory = DeviceBuffer::<f32>::zeroed(&stream, 4096).unwrap();
    let of = |dims: &[u64]| TensorMap::builder(&memory, dims);
    // The first dimension holds the channels.
    rejection(of(&[64, 4, 2]).im2col(&[0], &[-4], 8, 1))
        .mentions("in dimension 1 it starts at 0 and ends at -1");
    rejection(of(&[16, 16, 4, 2]).im2col(&[0, 0], &[0, -4], 8, 1))
        .mentions("in dimension 2 it starts at 0 and ends at -1");
    of(&[8, 64, 2]).im2col(&[-17], &[16], 8, 16).unwrap();
    of(&[8, 8, 2]).im2col(&[0], &[-7], 8, 1).unwrap();
    // With interleaving, the slices of channels are the last dimension.
    let mixed = of(&[4, 8, 4]).interleave(TensorInterleave::B16);
    rejection(mixed.im2col(&[0], &[-4], 4, 1))
        .mentions("in dimension 0 it starts at 0 and ends at -1");
}

#[test]
fn pixels_are_counted_only_along_the_width() {
    let (_context, stream) = device();
    let memory = DeviceBuffer::<f32>::zeroed(&stream, 4096).unwrap();
    let wide = TensorMap::builder(&memory, &[8, 8, 2]).swizzle(TensorSwizzle::B64);
    let with = |mode, pixels| wide.im2col_wide(0, 0, 8, pixels, mode);
    for pixels in [0, 1025] {
        rejection(with(Im2colWideMode::W, pixels)).mentions(&format!("`pixels` is {pixels}"));
        not_rejected_here(with(Im2colWideMode::W128, pixels));
    }
    for pixels in [1, 1024] {
        not_rejected_here(with(Im2colWideMode::W, pixels));
    }
    rejection(wide.im2col_wide(0, 32768, 8, 1, Im2colWideMode::W)).mentions("-32768 to 32767");
    rejection(TensorMap::builder(&memory, &[8, 8]).im2col_wide(0, 0, 8, 1, Im2colWideMode::W))
        .mentions("`dims` has 2");
}
