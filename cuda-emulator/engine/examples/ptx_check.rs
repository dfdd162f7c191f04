//! Loads PTX files, and prints the load time or the error: `ptx_check FILE...`

use std::time::Instant;

fn main() {
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                println!("{path}: {error}");
                failed = true;
                continue;
            }
        };
        let start = Instant::now();
        match cuda_emulator_engine::Program::load(&text) {
            Ok(program) => println!(
                "{path}: {} kernels, {} lines, {:?}",
                program.kernels().len(),
                text.lines().count(),
                start.elapsed()
            ),
            Err(error) => {
                println!("{path}: {error}");
                failed = true;
            }
        }
    }
    std::process::exit(failed.into());
}
