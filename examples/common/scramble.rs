//! Work for kernels that is easy to scale and to check: rounds of a linear congruential generator.

use anyhow::{Result, ensure};

/// `scramble` changes `n` numbers in place.
pub const SOURCE: &str = r#"
extern "C" __global__ void scramble(unsigned *x, int n, int rounds) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned value = x[i];
        for (int k = 0; k < rounds; ++k) value = value * 1664525u + 1013904223u;
        x[i] = value;
    }
}
"#;

/// Checks that `outputs` are the scrambled `input`.
pub fn check<'a>(
    input: &[u32],
    outputs: impl IntoIterator<Item = &'a u32>,
    rounds: i32,
) -> Result<()> {
    // All rounds together are equivalent to one multiplication and one addition.
    let round = |value: u32| value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    let all = |value| (0..rounds).fold(value, |value, _| round(value));
    let (shift, factor) = (all(0), all(1).wrapping_sub(all(0)));
    let mut count = 0;
    for (i, (&value, &got)) in input.iter().zip(outputs).enumerate() {
        let expected = value.wrapping_mul(factor).wrapping_add(shift);
        ensure!(
            got == expected,
            "element {i} is {got}, but {expected} on the CPU"
        );
        count += 1;
    }
    ensure!(
        count == input.len(),
        "there are {count} results instead of {}",
        input.len()
    );
    Ok(())
}
