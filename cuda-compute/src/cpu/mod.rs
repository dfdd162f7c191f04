//! CPU implementations of the same algorithms, for comparison: a plain loop, one thread with vector
//! instructions, and all cores. Versions in `f64` check the results.

mod convolve;
mod sum;

pub use convolve::{convolve_parallel, convolve_plain, convolve_reference, convolve_vectorised};
pub use sum::{sum_parallel, sum_plain, sum_reference, sum_vectorised};

/// Defines a function whose body is compiled for AVX-512, for AVX2, and for the program's own
/// target. At run time it calls the best version that the processor supports.
macro_rules! for_this_processor {
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $body:ident) => {
        $(#[$attribute])*
        $visibility fn $name($($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,fma")]
                fn avx512($($argument: $type),*) $(-> $result)? {
                    $body::<true>($($argument),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($argument: $type),*) $(-> $result)? {
                    $body::<true>($($argument),*)
                }
                if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("fma") {
                    // SAFETY: the processor supports the enabled features, as checked above.
                    return unsafe { avx512($($argument),*) };
                }
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: as above.
                    return unsafe { avx2($($argument),*) };
                }
            }
            $body::<{ cfg!(target_arch = "aarch64") }>($($argument),*)
        }
    };
}
use for_this_processor;
