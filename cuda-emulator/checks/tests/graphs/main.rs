//! Captures and graphs. Tests that capture hold [`alone`](cuda_emulator_checks::graphs::alone).

mod capture;
mod capture_info;
mod captures;
mod checks;
mod conditional;
mod device_launch;
mod edges;
mod exec;
#[cfg(unix)] // the semaphores are file descriptors
mod external_semaphores;
mod launches;
mod memory;
mod nodes;
mod older;
mod programmatic;
mod updatable;
mod update;
mod user_objects;
