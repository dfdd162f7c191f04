//! A thin safe layer over the CUDA driver API.
