use cuda_safe::LaunchConfig;

fn a_length_as_blocks(x: &[f32]) -> LaunchConfig {
    LaunchConfig::new(x.len(), 256)
}

fn signed_threads(threads: (i32, i32)) -> LaunchConfig {
    LaunchConfig::new((1, 2), threads)
}

fn main() {}
