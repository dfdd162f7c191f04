//! The table of exported symbols.

#[cfg(test)]
mod page;
#[cfg(all(cuda_sys_opens_libraries, target_os = "linux"))]
mod provide;
pub mod symbols;
