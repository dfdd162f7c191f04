use bytemuck::{Pod, Zeroable};
use cuda_compute::{Array, Element, Result};

#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
#[repr(C)]
struct Particle {
    mass: f32,
    charge: i32,
}

fn another_type(particles: &Array<Particle>) -> Result<Array<f64>> {
    particles.field(|p| &p.mass)
}

fn another_field(particles: &Array<Particle>) {
    let _ = particles.field(|p| &p.weight);
}

fn a_value_that_is_made(particles: &Array<Particle>) {
    let _ = particles.field(|p| &(p.mass * 2.0));
}

fn another_types_values(particles: &mut Array<Particle>, charges: &Array<i32>) {
    let _ = particles.field_mut(|p| &p.mass).unwrap().assign(charges);
}

fn structs_are_not_added(particles: &Array<Particle>) {
    let _ = particles + particles;
}

fn main() {}
