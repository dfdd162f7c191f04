//! Queries by kernels with the device runtime: the device, the context and their module.

use std::sync::atomic::Ordering;

use super::launch::View;
use super::occupancy;
use crate::code::module;
use crate::process::{configuration, device, device_attributes};
use cuda_emulator_engine::Host;

impl Host for View<'_> {
    fn devices(&self) -> (u32, u32) {
        (
            self.context.ordinal as u32,
            configuration::get().devices as u32,
        )
    }

    fn attribute(&self, number: u32) -> Option<i32> {
        device_attributes::attribute(number, self.context.ordinal).ok()
    }

    fn limit(&self, limit: u32) -> Option<u64> {
        self.context.limit(limit).ok()
    }

    fn function_attribute(&self, kernel: usize, attribute: u32) -> Option<i32> {
        let (program, settings) = (
            self.function.image().program(),
            self.function.settings_of(kernel),
        );
        module::attribute_of(program, kernel, settings, attribute).ok()
    }

    fn blocks(&self, kernel: usize, threads: u32, dynamic_shared: u64) -> u32 {
        let settings = self.function.settings_of(kernel);
        let allowed = settings.dynamic_shared.load(Ordering::Relaxed);
        if dynamic_shared > u64::from(allowed) {
            return 0;
        }
        let info = &self.function.image().program().kernels()[kernel];
        let device = device::architecture();
        occupancy::blocks(device, info, settings.registers, threads, dynamic_shared)
    }
}
