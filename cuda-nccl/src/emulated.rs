//! The reason of errors on the emulator, where NCCL does not run.

use cuda_safe::Device;

/// Why NCCL fails on the emulator, and the remedy. NCCL calls functions of the driver that are in no
/// header.
pub(crate) const NOT_EMULATED: &str =
    "NCCL does not run on cuda-emulator. Fix: use PeerGroup, which needs no NCCL";

/// Returns whether the devices of this process are the emulator's. Only texts of errors depend on it,
/// because NCCL's own errors do not name this reason.
#[cold]
pub(crate) fn is_emulated() -> bool {
    let name = Device::get(0).and_then(Device::name);
    name.is_ok_and(|name| name.starts_with("CUDA emulator"))
}
