//! The benches of cuda-direct. This library is empty.
