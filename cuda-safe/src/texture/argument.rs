//! Textures and surfaces as kernel arguments.

use std::ffi::c_void;

use super::{Surface, Texture};
use crate::{code::parameter::ArgumentKind, error::Result, launch::KernelArgument, stream::Stream};

macro_rules! arguments {
    ($($type:ty, $words:literal;)*) => {$(
        // SAFETY: the driver's handle is a number of 8 bytes.
        unsafe impl KernelArgument for &$type {
            type Staged = u64;
            type Pointers = [*mut c_void; 1];
            const SIZE: usize = size_of::<u64>();

            fn kind() -> ArgumentKind {
                ArgumentKind::Integer
            }

            /// Checks the context, because a handle of another context may name another object in
            /// this one.
            #[inline]
            unsafe fn stage(self, stream: &Stream) -> Result<u64> {
                stream
                    .context()
                    .expect_same(self.context(), "Function::launch", $words)?;
                Ok(self.as_raw())
            }

            #[inline]
            fn pointers(staged: &mut u64) -> [*mut c_void; 1] {
                [(&raw mut *staged).cast()]
            }
        }
    )*};
}

arguments! {
    Texture, "the stream and the texture";
    Surface, "the stream and the surface";
}
