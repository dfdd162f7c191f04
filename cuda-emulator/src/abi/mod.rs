//! CUDA's constants and structures, as passed over the C ABI.
//!
//! They are not taken from `cuda-sys`, whose bindings reflect the installed header. An older header
//! lacks constants and structures that the emulator knows, and fields have changed their names
//! between headers (`CUmemLocation` has acquired a union). The C ABI guarantees numbers and
//! layouts, and these are the same in all headers. A test compares each of them with the installed
//! header, as far as the header has it.

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

/// Returns every constant with its enum and its value.
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

/// Returns the name of an enum's value. If several names have the value, it returns the first.
pub fn name(owner: &str, value: u32) -> Option<&'static str> {
    let found = listed().find(|&&(of, _, known)| of == owner && known == value);
    found.map(|&(_, name, _)| name)
}

/// Defines constants, grouped by their C enum.
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
