//! Macros for options, flags and choices of the driver.
//!
//! - Options are a struct with a default and a setter for each field ([`options!`]), so that fields
//!   can be added.
//! - Flags are a number whose bits have names ([`flags!`]), combined with `|`.
//! - A choice among the driver's constants (an attribute, a limit) is a number with named values
//!   ([`choices!`]).
//!
//! They are numbers and not enums, so that you can use values of newer drivers that this crate does
//! not know.

/// Defines a struct of options, each with a default and a setter. The setter of an `Option` takes
/// the value inside.
macro_rules! options {
    (
        $(#[$doc:meta])*
        pub struct $name:ident {
            $($(#[$field_doc:meta])* $field:ident: $type:ty $(, set to $inner:ty)?;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            $($crate::raw::flags::options!(@setter $field: $type $(, $inner)?);)*
        }
    };

    (@setter $field:ident: $type:ty) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](Self#structfield.", stringify!($field), ").")]
        #[must_use]
        pub const fn $field(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    };

    (@setter $field:ident: $type:ty, $inner:ty) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](Self#structfield.", stringify!($field), ").")]
        #[must_use]
        pub const fn $field(mut self, $field: $inner) -> Self {
            self.$field = Some($field);
            self
        }
    };
}

/// Defines a number with named values.
macro_rules! choices {
    (
        $(#[$doc:meta])*
        pub struct $name:ident($type:ty) {
            $($(#[$choice_doc:meta])* $choice:ident = $value:literal, $alias:literal;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(
            /// The driver's number.
            pub $type,
        );

        impl $name {
            $(
                $(#[$choice_doc])*
                #[doc = concat!(" (`", $alias, "`)")]
                #[doc(alias = $alias)]
                pub const $choice: Self = Self($value);
            )*

            /// Returns whether the value is named above. If a driver rejects a value, it is
            /// probably an unnamed one.
            #[allow(dead_code, reason = "not every choice has an explanation for rejections")]
            pub(crate) const fn has_name(self) -> bool {
                false $(|| self.0 == $value)*
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.0 {
                    $($value => f.write_str(concat!(stringify!($name), "::", stringify!($choice))),)*
                    number => write!(f, "{}({number})", stringify!($name)),
                }
            }
        }
    };
}

/// Defines a number whose bits have names. By default no bit is set.
macro_rules! flags {
    (
        $(#[$doc:meta])*
        pub struct $name:ident {
            $($(#[$flag_doc:meta])* $flag:ident = $value:literal, $alias:literal;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub struct $name(
            /// The driver's number.
            pub std::ffi::c_uint,
        );

        impl $name {
            $(
                $(#[$flag_doc])*
                #[doc = concat!(" (`", $alias, "`)")]
                #[doc(alias = $alias)]
                pub const $flag: Self = Self($value);
            )*

            /// Returns whether all bits of `flags` are set.
            #[must_use]
            pub const fn contains(self, flags: Self) -> bool {
                self.0 & flags.0 == flags.0
            }

            /// Returns the bits that are not named above. If a driver rejects flags, these are the
            /// likely reason.
            #[allow(dead_code, reason = "not all flags have an explanation for rejections")]
            pub(crate) const fn unnamed(self) -> Self {
                Self(self.0 & !(0 $(| $value)*))
            }
        }

        impl std::ops::BitOr for $name {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl std::ops::BitOrAssign for $name {
            fn bitor_assign(&mut self, other: Self) {
                self.0 |= other.0;
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut names: Vec<String> = Vec::new();
                let mut rest = self.0;
                $(if $value != 0 && self.0 & $value == $value {
                    names.push(stringify!($flag).into());
                    rest &= !$value;
                })*
                if rest != 0 {
                    names.push(format!("{rest:#x}"));
                }
                write!(f, "{}({})", stringify!($name), names.join(" | "))
            }
        }
    };
}

pub(crate) use {choices, flags, options};

#[cfg(test)]
mod tests {
    use crate::{ContextFlags, EventOptions, context::Limit};

    #[test]
    fn flags_combine_and_print_names() {
        let both = ContextFlags::SPIN | ContextFlags::LMEM_RESIZE_TO_MAX;
        assert_eq!(
            format!("{both:?}"),
            "ContextFlags(SPIN | LMEM_RESIZE_TO_MAX)"
        );
        assert_eq!(
            format!("{:?}", ContextFlags(0x101)),
            "ContextFlags(SPIN | 0x100)"
        );
        assert_eq!(format!("{:?}", ContextFlags::AUTO), "ContextFlags()");
        assert!(both.contains(ContextFlags::SPIN) && both.contains(ContextFlags::AUTO));
        assert!(!ContextFlags::SPIN.contains(both) && !both.contains(ContextFlags::YIELD));
        assert_eq!(ContextFlags(0x101).unnamed(), ContextFlags(0x100));
        assert_eq!(both.unnamed(), ContextFlags::AUTO);
        let mut more = ContextFlags::SPIN;
        more |= ContextFlags::LMEM_RESIZE_TO_MAX;
        assert_eq!(more, both);
    }

    #[test]
    fn choices_print_names() {
        assert!(Limit::STACK_SIZE.has_name() && !Limit(77).has_name());
        assert_eq!(format!("{:?}", Limit::STACK_SIZE), "Limit::STACK_SIZE");
        assert_eq!(format!("{:?}", Limit(77)), "Limit(77)");
    }

    #[test]
    fn options_are_set_individually() {
        let options = EventOptions::default().blocking_sync(true);
        assert!(options.blocking_sync && !options.disable_timing);
    }
}
