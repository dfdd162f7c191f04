//! CUDA's constants and structures, as they come over the C ABI.
//!
//! They don't come from `cuda-sys`. Its bindings are those of the header at hand: an older header lacks constants and
//! structures that the emulator knows, and between headers fields have changed their names (`CUmemLocation` has got a
//! union). What the C ABI promises is numbers and layouts, and these are the same in all of them. A test compares each
//! with the bindings of the header at hand, as far as it has them.

mod arrays;
mod attributes;
mod constants;
mod external;
pub mod failure_reason;
mod graphs;
#[cfg(test)]
mod header;
mod nodes;
pub mod pointers;
pub mod status;
mod structs;
mod textures;

pub use arrays::*;
pub use attributes::*;
pub use constants::*;
pub use external::*;
pub use graphs::*;
pub use nodes::*;
pub use structs::*;
pub use textures::*;

/// Every constant with its enum and its value.
fn listed() -> impl Iterator<Item = &'static (&'static str, &'static str, u32)> {
    let lists = [
        constants::LISTED,
        attributes::LISTED,
        graphs::LISTED,
        arrays::LISTED,
        textures::LISTED,
        external::LISTED,
    ];
    lists.into_iter().flatten()
}

/// The name of an enum's value; the first that has it.
pub fn name(owner: &str, value: u32) -> Option<&'static str> {
    let found = listed().find(|&&(of, _, known)| of == owner && known == value);
    found.map(|&(_, name, _)| name)
}

/// Constants by the enum that they belong to in C.
macro_rules! define {
    ($($(#[$doc:meta])* $owner:ident { $($name:ident = $value:expr,)* })*) => {
        $($(
            #[allow(dead_code, reason = "an enum is listed as a whole, whatever of it is used")]
            pub const $name: u32 = $value;
        )*)*

        /// Every constant with its enum and its value.
        pub(super) const LISTED: &[(&str, &str, u32)] = &[
            $($((stringify!($owner), stringify!($name), $name),)*)*
        ];
    };
}
use define;
