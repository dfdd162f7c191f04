//! Compares the device's numbers with those computed on the host from the documented words.

use cuda_safe::{Context, LaunchConfig, Module, Stream};

use super::distributions::{EXPONENTIAL, of_bits};
use crate::{Array, Expr, Random, eval_on, kernel};

fn stream() -> Stream {
    Stream::new(&Context::primary(0).unwrap()).unwrap()
}

/// Philox4x32-10 as published.
fn philox(mut c: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let p0 = 0xd251_1f53 * u64::from(c[0]);
        let p1 = 0xcd9e_8d57 * u64::from(c[2]);
        let high = [(p0 >> 32) as u32, (p1 >> 32) as u32];
        c = [
            high[1] ^ c[1] ^ key[0],
            p1 as u32,
            high[0] ^ c[3] ^ key[1],
            p0 as u32,
        ];
        key = [
            key[0].wrapping_add(0x9e37_79b9),
            key[1].wrapping_add(0xbb67_ae85),
        ];
    }
    c
}

fn halves(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

fn block(seed: u64, block: u64, attempt: u32) -> [u32; 4] {
    let [low, high] = halves(block);
    philox([low, high, attempt, 0], halves(seed))
}

/// Returns the words of a draw from the position of `random` on.
fn words(random: &Random, count: usize) -> Vec<u32> {
    let blocks = 0..count.div_ceil(4) as u64;
    let words = blocks.flat_map(|b| block(random.seed, random.position.wrapping_add(b), 0));
    words.take(count).collect()
}

fn long_words(random: &Random, count: usize) -> Vec<u64> {
    let words = words(random, 2 * count);
    let pairs = words.chunks_exact(2);
    pairs
        .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
        .collect()
}

/// Sequences that start where the halves of the counter and the key matter.
fn randoms() -> [Random; 3] {
    let mut carrying = Random::new(0x1234_5678_9abc_def0);
    carrying.skip(u64::from(u32::MAX) - 2);
    let mut ending = Random::new(u64::MAX);
    ending.skip(u64::MAX - 1);
    [Random::new(0), carrying, ending]
}

const COUNTS: [usize; 7] = [0, 1, 2, 3, 6, 17, 1003];

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
        .header("scalar.cuh", include_str!("../kernels/scalar.cuh"))
        .header("array.cuh", kernel::ARRAYS)
        .header("random.cuh", include_str!("../kernels/random.cuh"))
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

#[test]
fn bits_and_uniform_numbers_match_the_words() {
    let stream = stream();
    for mut random in randoms() {
        for count in COUNTS {
            let wanted = words(&random, count);
            let got = Array::<u32>::bits(&stream, &mut random, count).unwrap();
            assert_eq!(got.to_vec().unwrap(), wanted);

            let wanted = long_words(&random, count);
            let got = Array::<u64>::bits(&stream, &mut random, count).unwrap();
            assert_eq!(got.to_vec().unwrap(), wanted);

            let wanted = words(&random, count);
            let wanted: Vec<f32> = wanted
                .iter()
                .map(|w| (w >> 8) as f32 / 16_777_216.0)
                .collect();
            let got = Array::<f32>::uniform(&stream, &mut random, count).unwrap();
            assert_eq!(got.to_vec().unwrap(), wanted);

            let wanted = long_words(&random, count);
            let wanted: Vec<f64> = wanted
                .iter()
                .map(|w| (w >> 11) as f64 / 2f64.powi(53))
                .collect();
            let got = Array::<f64>::uniform(&stream, &mut random, count).unwrap();
            assert_eq!(got.to_vec().unwrap(), wanted);
        }
    }
}

/// -ln((word + 1/2) / 2^width).
fn negative_log(word: u64, width: i32) -> f64 {
    let part = |word: u64| (word as f64 + 0.5) / 2f64.powi(width);
    let (top, ones) = (1 << (width - 1), u64::MAX >> (64 - width));
    match word < top {
        true => -part(word).ln(),
        false => -(-part(!word & ones)).ln_1p(),
    }
}

/// Returns Box and Muller's pair.
fn normal_pair(a: u64, b: u64, width: i32) -> [f64; 2] {
    let r = (2.0 * negative_log(a, width)).sqrt();
    // Work in quarter turns, because the sine of a large angle loses accuracy to the rounding of
    // the angle.
    let quarter = b.wrapping_add(1 << (width - 3)) >> (width - 2);
    let left = (b as i64).wrapping_sub((quarter << (width - 2)) as i64);
    let angle = std::f64::consts::PI * (left as f64 + 0.5) / 2f64.powi(width - 1);
    let (sine, cosine) = angle.sin_cos();
    match quarter & 3 {
        0 => [r * cosine, r * sine],
        1 => [-r * sine, r * cosine],
        2 => [-r * cosine, -r * sine],
        _ => [r * sine, -r * cosine],
    }
}

/// Returns the distance in units of the expected number's last place, for a type with this many
/// bits.
fn units(got: f64, wanted: f64, bits: i32) -> f64 {
    (got - wanted).abs() / 2f64.powi(wanted.abs().log2().floor() as i32 + 1 - bits)
}

#[test]
#[cfg_attr(
    windows,
    ignore = "functions of mingw's C library are less accurate than the device's"
)]
fn normal_and_exponential_numbers_are_accurate() {
    let stream = stream();
    let mut worst = [0.0f64; 4];
    for mut random in randoms() {
        for count in COUNTS.into_iter().chain([20_001]) {
            let wanted: Vec<f64> = words(&random, count + count % 2)
                .chunks_exact(2)
                .flat_map(|pair| normal_pair(pair[0].into(), pair[1].into(), 32))
                .collect();
            let got = Array::<f32>::normal(&stream, &mut random, count).unwrap();
            for (got, wanted) in got.to_vec().unwrap().into_iter().zip(wanted) {
                worst[0] = worst[0].max(units(got.into(), wanted, 24));
            }

            let wanted: Vec<f64> = long_words(&random, count + count % 2)
                .chunks_exact(2)
                .flat_map(|pair| normal_pair(pair[0], pair[1], 64))
                .collect();
            let got = Array::<f64>::normal(&stream, &mut random, count).unwrap();
            for (got, wanted) in got.to_vec().unwrap().into_iter().zip(wanted) {
                worst[1] = worst[1].max(units(got, wanted, 53));
            }

            let wanted = words(&random, count);
            let got = Array::<f32>::exponential(&stream, &mut random, count).unwrap();
            for (got, word) in got.to_vec().unwrap().into_iter().zip(wanted) {
                worst[2] = worst[2].max(units(got.into(), negative_log(word.into(), 32), 24));
            }

            let wanted = long_words(&random, count);
            let got = Array::<f64>::exponential(&stream, &mut random, count).unwrap();
            for (got, word) in got.to_vec().unwrap().into_iter().zip(wanted) {
                worst[3] = worst[3].max(units(got, negative_log(word, 64), 53));
            }
        }
    }
    let allowed = [5.0, 5.0, 3.0, 3.5];
    assert!(
        worst
            .iter()
            .zip(allowed)
            .all(|(worst, allowed)| *worst < allowed),
        "{worst:?}"
    );
}

/// Tests both ends of the range of bits, which draws rarely reach.
#[test]
fn extreme_bits_give_accurate_numbers() {
    let stream = stream();
    let rare = |ones: u64| {
        let third = ones / 3;
        [
            0,
            1,
            2,
            third,
            2 * third,
            2 * third + 1,
            ones / 2,
            ones / 2 + 1,
            ones - 1,
            ones,
        ]
    };
    let small = rare(u32::MAX.into());
    let bits = Array::from_slice(&stream, &small.map(|bits| bits as u32)).unwrap();
    let got = of_bits::<f32>(&EXPONENTIAL, &bits.expr());
    for (got, bits) in got.eval().unwrap().to_vec().unwrap().into_iter().zip(small) {
        let wanted = negative_log(bits, 32);
        assert!(
            units(got.into(), wanted, 24) < 3.0,
            "{bits:#x}: {got} {wanted}"
        );
    }
    let large = rare(u64::MAX);
    let bits = Array::from_slice(&stream, &large).unwrap();
    let got = of_bits::<f64>(&EXPONENTIAL, &bits.expr());
    for (got, bits) in got.eval().unwrap().to_vec().unwrap().into_iter().zip(large) {
        let wanted = negative_log(bits, 64);
        assert!(units(got, wanted, 53) < 3.5, "{bits:#x}: {got} {wanted}");
    }
}

#[test]
fn integers_of_a_range_match_the_words() {
    let stream = stream();
    for mut random in randoms() {
        for count in COUNTS {
            let bits = long_words(&random, count);
            let got = Array::<i32>::uniform_integers(&stream, &mut random, count, -3..4).unwrap();
            let wanted = bits.iter().map(|&b| ((u128::from(b) * 7) >> 64) as i32 - 3);
            assert!(got.to_vec().unwrap().into_iter().eq(wanted));

            let bits = long_words(&random, count);
            let all = i32::MIN..i32::MAX;
            let got = Array::<i32>::uniform_integers(&stream, &mut random, count, all).unwrap();
            let size = u128::from(u32::MAX);
            let wanted = bits
                .iter()
                .map(|&b| (((u128::from(b) * size) >> 64) as i64 + i64::from(i32::MIN)) as i32);
            assert!(got.to_vec().unwrap().into_iter().eq(wanted));

            let high = long_words(&random, count);
            let mut later = random.clone();
            later.skip(count.div_ceil(2) as u64);
            let low = long_words(&later, count);
            let range = -5..i64::MAX - 7;
            let got = Array::uniform_integers(&stream, &mut random, count, range).unwrap();
            let size = (1u128 << 63) - 3;
            let wanted = high.iter().zip(low).map(|(&high, low)| {
                let product = u128::from(high) * size + ((u128::from(low) * size) >> 64);
                (product >> 64) as i64 - 5
            });
            assert!(got.to_vec().unwrap().into_iter().eq(wanted));
            later.skip(count.div_ceil(2) as u64);
            assert_eq!(random, later);
        }
    }
}

/// The documented algorithms, with logarithms of factorials from a table.
fn poisson(random: &Random, element: u64, mean: f64, ln_factorial: &[f64]) -> u32 {
    let mut attempt = 0;
    let mut next = move |random: &Random| {
        let words = block(random.seed, random.position.wrapping_add(element), attempt);
        attempt += 1;
        words.map(|word| (f64::from(word) + 0.5) / 2f64.powi(32))
    };
    if mean < 10.0 {
        let (mut product, mut events) = (1.0, 0);
        loop {
            for uniform in next(random) {
                product *= uniform;
                if product <= (-mean).exp() {
                    return events;
                }
                events += 1;
            }
        }
    }
    let b = 0.931 + 2.53 * mean.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse = 1.1239 + 1.1328 / (b - 3.4);
    let inner = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let uniforms = next(random);
        for pair in uniforms.chunks_exact(2) {
            let (u, v) = (pair[0] - 0.5, pair[1]);
            let edge = 0.5 - u.abs();
            let k = ((2.0 * a / edge + b) * u + mean + 0.43).floor();
            if k < 0.0 || (edge < 0.013 && v > edge) {
                continue;
            }
            let accepted = (v * inverse / (a / (edge * edge) + b)).ln();
            let inside = edge >= 0.07 && v <= inner;
            if inside || accepted <= k * mean.ln() - mean - ln_factorial[k as usize] {
                return k as u32;
            }
        }
    }
}

#[test]
fn poisson_numbers_match_their_blocks() {
    let stream = stream();
    let mut ln_factorial = vec![0.0];
    for k in 1..20_000 {
        ln_factorial.push(ln_factorial[k - 1] + (k as f64).ln());
    }
    for mut random in randoms() {
        for mean in [0.0, 1e-3, 0.5, 3.0, 9.99, 10.0, 12.5, 100.0, 1e4] {
            let before = random.clone();
            let got = Array::<u32>::poisson(&stream, &mut random, 301, mean).unwrap();
            for (i, got) in got.to_vec().unwrap().into_iter().enumerate() {
                let wanted = match mean {
                    0.0 => 0,
                    _ => poisson(&before, i as u64, mean, &ln_factorial),
                };
                assert_eq!(got, wanted, "{before:?}, mean {mean}, element {i}");
            }
            assert_eq!(random.position, before.position.wrapping_add(301));
        }
    }
}

/// Computes a permutation of `count` numbers by the documented algorithm.
fn permutation(random: &Random, count: u64) -> Vec<u64> {
    let words = block(random.seed, random.position, 0);
    let bits = (u64::BITS - (count - 1).leading_zeros()).max(8);
    let low = bits / 2;
    let masks = [low, bits - low].map(|bits| ((1u64 << bits) - 1) as u32);
    let mixed = |half: u32, key: u32| {
        let [low, high] = halves(u64::from(half ^ key) * 0xd251_1f53);
        (high ^ low) ^ (high ^ low) >> 16
    };
    let next = |place: u64| {
        let (mut a, mut b) = (place as u32 & masks[0], (place >> low) as u32);
        for round in 0..12 {
            let key = |first: u32, step: u32| first.wrapping_add((step | 1).wrapping_mul(round));
            a ^= mixed(b, key(words[0], words[2])) & masks[0];
            b ^= mixed(a, key(words[1], words[3])) & masks[1];
        }
        u64::from(b) << low | u64::from(a)
    };
    let places = (0..count).map(|place| {
        let walk = std::iter::successors(Some(next(place)), |&place| Some(next(place)));
        walk.into_iter().find(|&place| place < count)
    });
    places.map(|place| place.unwrap()).collect()
}

#[test]
fn permutations_match_their_block() {
    let stream = stream();
    for random in randoms() {
        for count in [1, 2, 5, 255, 256, 257, 1000, 1024, 1025] {
            let mut drawn = random.clone();
            let got = Array::<u64>::permutation(&stream, &mut drawn, count).unwrap();
            assert!(
                got.to_vec().unwrap() == permutation(&random, count as u64),
                "{count}"
            );
            assert_eq!(drawn.position(), random.position().wrapping_add(1));
        }
    }
}

#[test]
fn small_permutations_are_equally_frequent() {
    // Each permutation occurs 500 times, within 4 standard deviations of the sum of squares.
    for count in 2..=5u64 {
        let kinds = (1..=count).product::<u64>() as f64;
        let (draws, mut counts) = (500.0 * kinds, std::collections::HashMap::new());
        let mut random = Random::new(2026);
        for _ in 0..draws as u64 {
            *counts.entry(permutation(&random, count)).or_insert(0u64) += 1;
            random.skip(1);
        }
        assert_eq!(counts.len() as f64, kinds);
        let wanted = draws / kinds;
        let off = |&seen: &u64| (seen as f64 - wanted).powi(2) / wanted;
        let sum: f64 = counts.values().map(off).sum();
        let freedom = kinds - 1.0;
        let deviations = (sum - freedom) / (2.0 * freedom).sqrt();
        assert!(deviations.abs() < 4.0, "{count}: {deviations}");
    }
}

#[test]
fn numbers_are_equally_frequent_at_each_index() {
    // Counts how often each index maps to each number, and how often the next number is at each
    // distance. 257 has long cycle walks, 256 has none.
    for count in [16u64, 256, 257] {
        let draws = 2000;
        let n = count as usize;
        let (mut pairs, mut apart) = (vec![0u64; n * n], vec![0u64; n]);
        let mut random = Random::new(7);
        for _ in 0..draws {
            let places = permutation(&random, count);
            random.skip(1);
            for (from, &to) in places.iter().enumerate() {
                pairs[from * n + to as usize] += 1;
            }
            for two in places.windows(2) {
                apart[((two[1] + count - two[0]) % count) as usize] += 1;
            }
        }
        let deviations = |counts: &[u64], wanted: f64, freedom: f64| {
            let off = |&seen: &u64| (seen as f64 - wanted).powi(2) / wanted;
            let sum: f64 = counts.iter().map(off).sum();
            (sum - freedom) / (2.0 * freedom).sqrt()
        };
        let (n, draws) = (count as f64, f64::from(draws));
        let of_pairs = deviations(&pairs, draws / n, (n - 1.0).powi(2));
        assert!(of_pairs.abs() < 4.0, "{count}: {of_pairs}");
        assert_eq!(apart[0], 0);
        let of_steps = deviations(&apart[1..], draws, n - 2.0);
        assert!(of_steps.abs() < 5.0, "{count}: {of_steps}");
    }
}

/// Kernels of other widths and offsets: wider and narrower results, rows, other orders, and broadcast
/// results.
#[test]
fn numbers_do_not_depend_on_the_kernel() {
    let stream = stream();
    let mut random = Random::new(77);
    for shape in [[4, 8], [8, 4], [6, 2], [2, 6], [5, 7], [1, 9], [64, 48]] {
        let count = shape[0] * shape[1];
        let single = Expr::<f32>::normal(&mut random, shape).unwrap();
        let twice = Expr::<f64>::normal(&mut random, shape).unwrap();
        let bits = Expr::<u32>::bits(&mut random, shape).unwrap();
        let long = Expr::<u64>::bits(&mut random, shape).unwrap();
        let [x, y] = [single.eval_on(&stream), single.eval_on(&stream)].map(Result::unwrap);
        let x = x.to_vec().unwrap();
        assert_eq!(x, y.to_vec().unwrap(), "evaluated twice");
        let d = twice.eval_on(&stream).unwrap().to_vec().unwrap();
        let b = bits.eval_on(&stream).unwrap().to_vec().unwrap();
        let l = long.eval_on(&stream).unwrap().to_vec().unwrap();

        // Several draws in one kernel, with elements of other sizes.
        let all = (
            single.cast::<f64>(),
            twice.cast::<f32>(),
            bits.cast::<u8>(),
            long.cast::<u8>(),
        );
        let all = eval_on(&stream, all).unwrap();
        assert!(
            all.0
                .to_vec()
                .unwrap()
                .into_iter()
                .eq(x.iter().map(|&x| x.into()))
        );
        assert!(
            all.1
                .to_vec()
                .unwrap()
                .into_iter()
                .eq(d.iter().map(|&d| d as f32))
        );
        assert!(
            all.2
                .to_vec()
                .unwrap()
                .into_iter()
                .eq(b.iter().map(|&b| b as u8))
        );
        assert!(
            all.3
                .to_vec()
                .unwrap()
                .into_iter()
                .eq(l.iter().map(|&l| l as u8))
        );
        let bytes = eval_on(&stream, (bits.cast::<u8>(), long.cast::<u8>())).unwrap();
        assert_eq!(bytes.0.to_vec().unwrap(), all.2.to_vec().unwrap());
        assert_eq!(bytes.1.to_vec().unwrap(), all.3.to_vec().unwrap());

        // Reduced along each axis, without being stored in memory.
        for axis in [0, 1] {
            let (most, sum) =
                eval_on(&stream, (single.max_axis(axis), bits.sum_axis(axis))).unwrap();
            let line = |i: usize| match axis {
                0 => (i..count).step_by(shape[1]),
                _ => (i * shape[1]..(i + 1) * shape[1]).step_by(1),
            };
            for (i, most) in most.to_vec().unwrap().into_iter().enumerate() {
                assert_eq!(most, line(i).map(|k| x[k]).fold(f32::MIN, f32::max));
            }
            for (i, sum) in sum.to_vec().unwrap().into_iter().enumerate() {
                assert_eq!(sum, line(i).fold(0, |sum, k| b[k].wrapping_add(sum)));
            }
        }
        let most = twice.max().eval_on(&stream).unwrap().item().unwrap();
        assert_eq!(most, d.iter().copied().fold(f64::MIN, f64::max));

        // Combined with a transposed array, whose order the result has.
        let zeros = Array::<f32>::zeros(&stream, [shape[1], shape[0]]).unwrap();
        let zeros = zeros.permute([1, 0]).unwrap();
        let (sum, also) =
            eval_on(&stream, (&single + &zeros, &bits + zeros.cast::<u32>())).unwrap();
        if shape[0] > 1 {
            assert_eq!(sum.strides(), zeros.strides());
        }
        assert_eq!(
            (sum.to_vec().unwrap(), also.to_vec().unwrap()),
            (x.clone(), b.clone())
        );
        let straight = Array::<f32>::zeros(&stream, shape).unwrap();
        let turned = (&straight + &zeros + &single).eval().unwrap();
        assert_eq!(turned.to_vec().unwrap(), x);
        let zeros = zeros.cast::<f64>().eval().unwrap();
        let (sum, also) = eval_on(&stream, (&twice + &zeros, &long + zeros.cast::<u64>())).unwrap();
        assert_eq!(
            (sum.to_vec().unwrap(), also.to_vec().unwrap()),
            (d.clone(), l.clone())
        );

        // In rows that are not contiguous, and broadcast over an axis, outside and inside.
        let mut wide = Array::<f32>::zeros(&stream, [shape[0], shape[1] + 4]).unwrap();
        let rows = wide.slice_mut(crate::s![.., 4..]).unwrap();
        rows.assign(&single).unwrap();
        assert_eq!(wide.slice(crate::s![.., 4..]).unwrap().to_vec().unwrap(), x);
        let stretched = single.broadcast_to([3, shape[0], shape[1]]).unwrap();
        let stretched = stretched.eval_on(&stream).unwrap().to_vec().unwrap();
        assert_eq!(stretched, [&x[..]; 3].concat());
        let column = Expr::<f32>::normal(&mut random, [count, 1]).unwrap();
        let wanted = column.eval_on(&stream).unwrap().to_vec().unwrap();
        let stretched = column.broadcast_to([count, 8]).unwrap();
        let stretched = stretched.eval_on(&stream).unwrap().to_vec().unwrap();
        let wanted = wanted.iter().flat_map(|&value| [value; 8]);
        assert!(stretched.into_iter().eq(wanted));
    }
}

/// The expected bits were recorded when the functions were first implemented. No rounding is left
/// to the device or the compiler.
#[test]
fn normal_numbers_have_the_recorded_bits() {
    let stream = stream();
    let mut random = Random::new(1);
    let single = Array::<f32>::normal(&stream, &mut random, 4).unwrap();
    let single = single.to_vec().unwrap().into_iter().map(f32::to_bits);
    assert!(single.eq([0x3ec2_c3e3, 0xbe97_b1bc, 0xbe7f_370d, 0xbf80_7dbd]));
    let twice = Array::<f64>::normal(&stream, &mut random, 4).unwrap();
    let twice = twice.to_vec().unwrap().into_iter().map(f64::to_bits);
    assert!(twice.eq([
        0xbfd2_7859_d3b9_ebd0,
        0xbfdb_965d_20bf_99c8,
        0x3fee_866c_caed_0529,
        0xbfe0_6302_e99b_6a0f,
    ]));
}
