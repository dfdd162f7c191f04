// Folders, outside of the loader's usual ones, where a driver's library may be. The build script reads this file too.

/// Where WSL and NixOS have it.
pub const EVERYWHERE: &[&str] = &["usr/lib/wsl/lib", "run/opengl-driver/lib"];

/// Where Jetson has it, below the folder of the processor's libraries.
pub const BY_PROCESSOR: &[&str] = &["nvidia", "tegra"];
