use cuda_safe::{Context, Module, Result};

fn load(context: &Context, bytes: &[u8]) -> Result<()> {
    Module::from_cubin(context, bytes)?;
    Module::from_fatbin(context, bytes)?;
    Module::from_image(context, bytes)?;
    Module::from_file(context, "kernels.cubin")?;
    Ok(())
}

fn main() {}
