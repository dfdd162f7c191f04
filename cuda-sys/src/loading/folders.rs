// Folders outside of the loader's usual ones in which a driver's library may lie. The build script reads this file too.

/// Where WSL and NixOS keep it.
pub const EVERYWHERE: &[&str] = &["usr/lib/wsl/lib", "run/opengl-driver/lib"];

/// Where Jetson keeps it, below the folder of the processor's libraries.
pub const BY_PROCESSOR: &[&str] = &["nvidia", "tegra"];
