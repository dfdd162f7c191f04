//! Statistics and numerical calculus: reductions that ignore NaN, weighted averages, covariances,
//! differences, integrals and interpolation.
//!
//! Except for interpolation, these are expressions of reductions and slices, without kernels of
//! their own.

mod average;
mod calculus;
mod covariance;
mod interp;
mod nan;
