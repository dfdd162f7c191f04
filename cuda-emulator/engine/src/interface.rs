//! The items that the driver side may use.

pub use crate::boundary::{
    Access, CODE_WINDOW, Device, Fault, FaultKind, Host, KernelInfo, LOCAL_WINDOW, NodeChange,
    Options, ParamInfo, Region, SHARED_WINDOW, Shape, Space, Stats, VariableInfo, tensor_map,
    texture,
};
pub use crate::device_runtime::{SOURCE as DEVICE_RUNTIME, run};
pub use crate::lock::Unpoisoned;
pub use crate::lower::Prototypes;
pub use crate::program::{Image, Launch, Program};
pub use crate::ptx::{LoadError, LoadErrorKind, Names, version_of};
