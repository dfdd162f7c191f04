//! The source that the kernels of reductions share.

use super::super::{
    reduction::{Folded, add_to, header},
    render::{Form, Use},
};
use crate::kernel::Source;

/// Returns the source of a kernel that folds the values of a form.
pub(super) fn source(
    form: &Form,
    (file, text, entry): (&'static str, &'static str, &'static str),
    folds: &[Folded],
) -> Source {
    let source = form
        .add_headers(Source::new(file, text, entry), Use::Reduced)
        .header("fold.cuh", header(folds))
        .header(
            "fold_steps.cuh",
            include_str!("../../kernels/fold_steps.cuh"),
        )
        .header(
            "store_results.cuh",
            include_str!("../../kernels/store_results.cuh"),
        );
    add_to(source, folds.iter())
}
