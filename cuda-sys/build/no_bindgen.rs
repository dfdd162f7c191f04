//! Replaces `generate` in builds without the feature `bindgen`, which use the carried bindings.

use std::path::Path;

use crate::Bindings;
use crate::layout::Target;
use crate::locate::{Machine, Toolkit};

const FIX: &str = "cuda-sys reads CUDA headers with bindgen. Fix: enable the feature `bindgen` of cuda-direct-sys";

pub mod libclang {
    pub fn load(_: &super::Machine) -> Result<(), String> {
        Err(super::FIX.into())
    }
}

pub fn bindings(_: &Toolkit, _: Target, _nvrtc: bool, _: &Path) -> Result<Bindings, String> {
    Err(FIX.into())
}

pub fn write_carried(_: &Toolkit, _: &Path, _: &Path) -> Result<(), String> {
    Err(FIX.into())
}
