use cuda_safe::{In, InOut, launch::{KernelArgument, KernelArguments}, Result, Stream};

/// Ends the borrow while the copy is pending.
fn staged(stream: &Stream, host: &mut [u32]) -> Result<()> {
    let mut staged = InOut(host).stage(stream)?;
    <InOut<u32> as KernelArgument>::unstage(&mut staged, stream)?;
    <InOut<u32> as KernelArgument>::settle(&mut staged);
    Ok(())
}

fn pointers(stream: &Stream, host: &[u32]) -> Result<()> {
    (In(host),).with_pointers(stream, |_| Ok(()))
}

fn main() {}
