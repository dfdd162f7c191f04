//! Ready-made CUDA kernels.
