//! The model of `docs/SCALING.md`, which predicts times for any number of devices from the measured parts.

/// A step between two devices: its latency in microseconds, and its gigabytes per second in each direction.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub hop_us: f64,
    pub gb_per_s: f64,
}

/// The measured properties of the devices.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub link: Link,
    /// The all-reduce of one number over two devices, in microseconds.
    pub reduce_us: f64,
    /// The additional time for the rows at the borders, in microseconds.
    pub edge_us: f64,
    /// The bytes of one border.
    pub border: usize,
}

impl Model {
    /// Returns the time of an all-reduce of one number, up and down a tree.
    pub fn reduce(&self, devices: usize) -> f64 {
        match devices {
            0 | 1 => 0.0,
            _ => self.reduce_us + 2.0 * (depth(devices) - 1.0) * self.link.hop_us,
        }
    }

    /// Returns the time of a strip's borders, one after the other over one link.
    pub fn borders(&self, devices: usize) -> f64 {
        let sides = match devices {
            0 | 1 => return 0.0,
            2 => 1.0,
            _ => 2.0,
        };
        self.link.hop_us + sides * self.border as f64 / self.link.gb_per_s / 1e3
    }

    pub fn sum(&self, devices: usize, local_us: f64) -> f64 {
        local_us + self.reduce(devices)
    }

    pub fn convolution(&self, devices: usize, local_us: f64) -> f64 {
        let edge = if devices > 1 { self.edge_us } else { 0.0 };
        local_us.max(self.borders(devices)) + edge
    }
}

/// Returns the depth of a binary tree with that number of leaves.
fn depth(devices: usize) -> f64 {
    f64::from(devices.next_power_of_two().trailing_zeros())
}
