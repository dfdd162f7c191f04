// Folders of driver libraries that the loader does not search by default. The build script also
// includes this file.

/// The folders of WSL and NixOS.
pub const EVERYWHERE: &[&str] = &["usr/lib/wsl/lib", "run/opengl-driver/lib"];

/// The folders of Jetson, below the folder of the processor's libraries.
pub const BY_PROCESSOR: &[&str] = &["nvidia", "tegra"];
