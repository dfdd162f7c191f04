//! The generator, compared with published and recorded blocks.

use cuda_safe::{LaunchConfig, Module};

use super::{philox, stream};
use crate::{Array, Random, kernel};

const PUBLISHED: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
    (
        [0; 4],
        [0; 2],
        [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
    ),
    (
        [u32::MAX; 4],
        [u32::MAX; 2],
        [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
    ),
    (
        [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
        [0xa409_3822, 0x299f_31d0],
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
    ),
];

/// Recorded with JAX 0.10.2 on a CPU: `jax.lax.rng_bit_generator` with `RNG_PHILOX` and the state
/// `[s, b]` counts from `[b, s]` with the key `s`, each in two halves. Its numbers therefore equal
/// those of [`Random`] only for the seed 0.
const JAX: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
    (
        [0xffff_fffd, 0, 0x9abc_def0, 0x1234_5678],
        [0x9abc_def0, 0x1234_5678],
        [0xa5ae_d30a, 0x49e0_84c4, 0xfda3_9d48, 0x98c9_672d],
    ),
    (
        [0, 256, 2026, 0],
        [2026, 0],
        [0x5070_ee62, 0xdf39_6f25, 0x1486_26ab, 0x4449_2082],
    ),
    (
        [5, 0, u32::MAX, u32::MAX],
        [u32::MAX; 2],
        [0xbbea_9281, 0xace9_e103, 0x2569_3c7c, 0x7a8e_1c43],
    ),
];

#[test]
fn philox_matches_published_vectors() {
    let stream = stream();
    let text = "#include \"random.cuh\"\n\
                extern \"C\" __global__ void known(unsigned *words, unsigned k0, unsigned k1) {\n\
                    unsigned c[4];\n\
                    for (int i = 0; i < 4; ++i) c[i] = words[i];\n\
                    philox(c, k0, k1);\n\
                    for (int i = 0; i < 4; ++i) words[i] = c[i];\n\
                }";
    let program = kernel::Source::new("known.cu", text, "known")
        .header("scalar.cuh", include_str!("../../kernels/scalar.cuh"))
        .header("array.cuh", kernel::ARRAYS)
        .header("random.cuh", include_str!("../../kernels/random.cuh"))
        .program();
    let module = Module::compile(stream.context(), program).unwrap();
    let kernel = module.function("known").unwrap();
    for (counter, mut key, wanted) in PUBLISHED.into_iter().chain(JAX) {
        assert_eq!(philox(counter, key), wanted);
        let words = Array::from_slice(&stream, &counter).unwrap();
        let mut address = words.as_device_ptr();
        let [k0, k1] = &mut key;
        let mut parameters = [
            (&raw mut address).cast(),
            (&raw mut *k0).cast(),
            (&raw mut *k1).cast(),
        ];
        // SAFETY: the parameters match the kernel's, and the array has the four words that it uses.
        unsafe { kernel.launch_raw(&stream, LaunchConfig::new(1, 1), &mut parameters) }.unwrap();
        assert_eq!(words.to_vec().unwrap(), wanted);
    }
}

/// Two consecutive blocks of a seed. Recorded with cuRAND 13.0 on an H200: `curand4` of a
/// `curandStatePhilox4_32_10_t` after `curand_init(seed, 0, 4 * block, &state)`.
const CURAND: [(u64, u64, [u32; 8]); 4] = [
    (
        0,
        0,
        [
            0x6627_e8d5,
            0xe169_c58d,
            0xbc57_ac4c,
            0x9b00_dbd8,
            0xf8e4_cca4,
            0x5cb2_00db,
            0xb1a5_74eb,
            0x097e_ff67,
        ],
    ),
    (
        0x1234_5678_9abc_def0,
        0xffff_fffd,
        [
            0x3538_5faf,
            0xa254_e034,
            0xeff8_60fa,
            0x86ce_c999,
            0xb6fe_34d9,
            0xffcf_87ec,
            0x12ad_8b61,
            0xd44f_2839,
        ],
    ),
    (
        2026,
        1 << 40,
        [
            0xa898_f41b,
            0x0834_7319,
            0x31a0_e5ea,
            0xd747_5402,
            0x8b3e_a334,
            0x548b_b530,
            0x073a_8ae0,
            0x54bd_6c80,
        ],
    ),
    (
        u64::MAX,
        5,
        [
            0x6e5f_04e2,
            0xd768_2c44,
            0xe410_8c77,
            0x4082_74dd,
            0x63d9_96e2,
            0x4663_d87e,
            0xd3cb_b677,
            0xcab2_114c,
        ],
    ),
];

#[test]
fn words_match_curand() {
    let stream = stream();
    for (seed, block, wanted) in CURAND {
        let mut random = Random::new(seed);
        random.skip(block);
        let words = Array::<u32>::bits(&stream, &mut random, 8).unwrap();
        assert_eq!(
            words.to_vec().unwrap(),
            wanted,
            "block {block} of {seed:#x}"
        );
    }
}
