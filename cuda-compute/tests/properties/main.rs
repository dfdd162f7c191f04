//! Properties of sorts, sets, searches, segments and scans: random arrays, compared with simple loops
//! on the host that follow NumPy's definitions.
//!
//! Arrays have a random shape, and are in C order, permuted, or an expression. Each line along an axis
//! has its own random elements, with a share of NaNs and duplicates. A case is one function of one
//! line, of one segment, or of a whole array, so one kernel computes many cases.
//! `CUDA_PROPERTY_SEED` chooses other arrays, and `CUDA_PROPERTY_CASES` another number of cases for
//! each type.

#[path = "../shared/random.rs"]
mod random;
#[allow(dead_code, reason = "tests of arrays use all of it")]
#[path = "../arrays/sort_keys.rs"]
mod sort_keys;

mod case;
mod numpy;
mod order;
mod segments;
mod sets;

use std::env;

use case::{Case, Element};

/// The cases of each type. Five types have more than 20,000.
const CASES: usize = 4100;

fn number(variable: &str, default: usize) -> usize {
    env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

/// Checks all functions for random arrays of a type.
fn check<T: Element>() {
    let (seed, wanted) = (
        number("CUDA_PROPERTY_SEED", 1),
        number("CUDA_PROPERTY_CASES", CASES),
    );
    let mut cases = 0;
    for round in 0.. {
        let mut case = Case::<T>::new(seed as u64, round);
        for properties in [order::check, segments::check, sets::check] {
            cases += properties(&mut case);
        }
        if cases >= wanted {
            break;
        }
    }
    println!("{cases} cases of {:?}", T::DATA_TYPE);
}

#[test]
fn f32s() {
    check::<f32>();
}

#[test]
fn f64s() {
    check::<f64>();
}

#[test]
fn halves() {
    check::<half::f16>();
}

#[test]
fn signed_integers() {
    check::<i32>();
}

#[test]
fn bytes() {
    check::<u8>();
}
