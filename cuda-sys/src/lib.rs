//! Raw FFI bindings of the CUDA driver API and NVRTC.
