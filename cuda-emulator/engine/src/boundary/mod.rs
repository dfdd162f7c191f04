//! The types that the engine and its users share. All other modules may use them. They depend only
//! on `number`.

mod device;
mod fault;
mod info;
mod options;
pub mod tensor_map;
pub mod texture;
mod windows;

pub use device::{Access, Device, Host, NodeChange, Region};
pub use fault::{Fault, FaultKind};
pub use info::{KernelInfo, ParamInfo, Space, VariableInfo};
pub use options::{Options, Shape, Stats};
pub use windows::{CODE_WINDOW, LOCAL_WINDOW, SHARED_WINDOW};
