//! Textures and surfaces: every mode, format, dimension and edge, and the driver's argument checks.
//!
//! [`cases`] lists the cases, [`run`] runs one on the current driver, and [`recorded`] returns an
//! H200's outcomes.

mod case;
mod filters;
mod inexact;
mod kernels;
mod levels;
mod matrix;
mod points;
mod recording;
mod rejections;
mod run;
mod surfaces;

pub use case::Case;
pub use inexact::{Inexact, inexact};
pub use recording::{pack, recorded};
pub use run::{Outcome, run, start};

/// Returns all cases in a fixed order.
#[must_use]
pub fn cases() -> Vec<Case> {
    let mut all = matrix::cases();
    all.extend(filters::cases());
    all.extend(levels::cases());
    all.extend(surfaces::cases());
    all.extend(rejections::cases());
    let mut seen = std::collections::HashSet::new();
    all.retain(|case| seen.insert(case.name.clone()));
    all
}
