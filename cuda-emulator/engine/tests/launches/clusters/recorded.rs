//! The results of the kernels of `ptx/clusters.cu`, recorded on an H200: the hash (FNV-1a) of each
//! output, for each shape.

/// Blocks per cluster and blocks per grid.
pub const SHAPES: [([u32; 3], [u32; 3]); 8] = [
    ([1, 1, 1], [4, 1, 1]),
    ([2, 1, 1], [4, 1, 1]),
    ([4, 1, 1], [8, 1, 1]),
    ([8, 1, 1], [16, 1, 1]),
    ([16, 1, 1], [32, 1, 1]),
    ([2, 2, 1], [4, 4, 1]),
    ([2, 2, 2], [4, 2, 4]),
    ([1, 4, 2], [3, 4, 2]),
];

/// The hash of a kernel's output, by shape.
pub const RECORDED: [(&str, [u32; 8]); 12] = [
    (
        "ids",
        [
            0x4b95a805, 0xeb336f95, 0xf1d43f65, 0xf705f105, 0xc6062345, 0x00282e45, 0xe1684145,
            0x4fcbd525,
        ],
    ),
    (
        "histogram",
        [
            0x669a02e5, 0x669a02e5, 0x669a02e5, 0x669a02e5, 0x669a02e5, 0x669a02e5, 0x669a02e5,
            0x669a02e5,
        ],
    ),
    (
        "ring",
        [
            0x267db28d, 0x6eac4cd9, 0x8cf8e8b9, 0xef9d52f9, 0xec71fb2a, 0xe4ee421d, 0x201d883b,
            0x75621062,
        ],
    ),
    (
        "halves",
        [
            0x8068f5a5, 0xf4e96bf5, 0xfe6c8455, 0x3401adc5, 0x83daa5c5, 0xe3549ea5, 0xaee6bdc5,
            0x387435c5,
        ],
    ),
    (
        "arrivals",
        [
            0x9a9fbdc5, 0xd24dd945, 0xb94ba8c5, 0xa8c095c5, 0x9701d1c5, 0x44ce41c5, 0x7bef99c5,
            0xa407efc5,
        ],
    ),
    (
        "async_stores",
        [
            0xc58968b7, 0x0fbd7da7, 0x64095763, 0xbcf1911f, 0x4d85fc9b, 0xb9c6dbbf, 0xdad2e053,
            0xf11ba58f,
        ],
    ),
    (
        "bulk_peer",
        [
            0x6a471a3b, 0x2b2d21f7, 0x3ba7777a, 0xc348ba78, 0x18c325f4, 0xa164a85c, 0x72313abc,
            0xc047ea53,
        ],
    ),
    (
        "multicast",
        [
            0x155c4dc5, 0x155c4dc5, 0x05e18dc5, 0x58ec0dc5, 0xbd010dc5, 0xc0a67dc5, 0x1abb7dc5,
            0x9753c5c5,
        ],
    ),
    (
        "atomics",
        [
            0xe9268e4d, 0xc2d4a32d, 0x9c7972e5, 0xc0a54d35, 0xdf206a1d, 0xbccd7665, 0xaa67c1f5,
            0x5b05d134,
        ],
    ),
    (
        "spaces",
        [
            0x215da4c5, 0x6382a0c5, 0xcf5ea3c5, 0x7378a9c5, 0x3d34b5c5, 0x7378a9c5, 0x3d34b5c5,
            0xcd6aafc5,
        ],
    ),
    (
        "ends",
        [
            0x6f7437c5, 0x7f433005, 0x0a99e645, 0x847e6545, 0x8404f6c5, 0xa9ceeac5, 0x1f3fccc5,
            0xf0adc105,
        ],
    ),
    (
        "handed_over",
        [
            0xb5930e45, 0xde98eb25, 0x8f333ac5, 0x08cfdb05, 0xce158c85, 0xe271c145, 0x88822205,
            0x73b27b65,
        ],
    ),
];
