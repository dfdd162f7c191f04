//! `libcuda.so.1` in software.
