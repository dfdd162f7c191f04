//! Declared parameters of kernels, in terms of Rust and of C++.

use std::{any::TypeId, marker::PhantomData};

use cuda_sys::CUdeviceptr;

use crate::code::parameter::{ArgumentKind, ParameterInfo};

/// A parameter that is passed by value.
#[derive(Debug)]
pub struct Value<T>(PhantomData<T>);

/// Memory that the kernel reads: `const T *`.
#[derive(Debug)]
pub struct Read<T>(PhantomData<T>);

/// Memory that the kernel writes: `T *`.
#[derive(Debug)]
pub struct Write<T>(PhantomData<T>);

/// One parameter of a [`Signature`].
pub trait Parameter: sealed::Sealed {
    #[doc(hidden)]
    fn declared() -> Declared;
}

/// The parameters of a declared kernel: a tuple of up to 32 [`Value`]s, [`Read`]s and [`Write`]s.
pub trait Signature: sealed::Sealed {
    #[doc(hidden)]
    fn declared() -> Vec<Declared>;
}

mod sealed {
    pub trait Sealed {}
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passing {
    Value,
    /// An address for reading.
    Constant,
    /// An address for writing.
    Mutable,
}

/// One declared parameter.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    passing: Passing,
    kind: ArgumentKind,
    /// The size in bytes of the value or of the element.
    size: usize,
    #[cfg(feature = "nvrtc")]
    rust: fn() -> &'static str,
    /// The C++ name of a type that both languages have, and the kind of comparison.
    known: Option<(&'static str, Comparison)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Same,
    Signed,
    Unsigned,
}

impl Declared {
    fn of<T: 'static>(passing: Passing) -> Self {
        Self {
            passing,
            kind: ArgumentKind::of::<T>(),
            size: size_of::<T>(),
            #[cfg(feature = "nvrtc")]
            rust: std::any::type_name::<T>,
            known: known::<T>(),
        }
    }

    /// Returns the expression for the comparison in C++. `exact` is a C++ type from the
    /// declaration.
    #[cfg(feature = "nvrtc")]
    pub(super) fn comparison(&self, exact: Option<&str>) -> String {
        let size = self.size;
        if let Some(exact) = exact {
            return format!("$exactly<{exact}, {size}>");
        }
        let element = match self.known {
            Some((name, Comparison::Same)) => name.to_owned(),
            Some((_, Comparison::Signed)) => format!("$integer<{size}, 1>"),
            Some((_, Comparison::Unsigned)) => format!("$integer<{size}, 2>"),
            None => format!("$bytes<{size}>"),
        };
        match self.passing {
            Passing::Value => element,
            Passing::Constant => format!("$points<{element}, true>"),
            Passing::Mutable => format!("$points<{element}, false>"),
        }
    }

    /// Returns the C++ type for messages.
    pub(super) fn in_cpp(&self, exact: Option<&str>) -> String {
        if let Some(exact) = exact {
            return exact.to_owned();
        }
        let element = match self.known {
            Some((name, _)) => name.to_owned(),
            None => format!("<{} bytes>", self.size),
        };
        match self.passing {
            Passing::Value => element,
            Passing::Constant => format!("const {element} *"),
            Passing::Mutable => format!("{element} *"),
        }
    }

    /// Returns the size in bytes of the element or value, and its Rust type, if the Rust type does
    /// not determine the C++ type.
    #[cfg(feature = "nvrtc")]
    pub(super) fn ambiguous_size(&self, exact: Option<&str>) -> Option<(usize, &'static str)> {
        (self.known.is_none() || exact.is_some()).then(|| (self.size, (self.rust)()))
    }

    /// Returns whether the declaration fits the parameter that PTX and the driver report.
    pub(super) fn fits(&self, parameter: &ParameterInfo) -> bool {
        let (size, kind) = match self.passing {
            Passing::Value => (self.size, self.kind),
            _ => (size_of::<CUdeviceptr>(), ArgumentKind::Pointer),
        };
        parameter.size == size && parameter.kind.takes(kind)
    }
}

/// Returns the C++ name of a type that both languages have.
fn known<T: 'static>() -> Option<(&'static str, Comparison)> {
    use Comparison::{Same, Signed, Unsigned};
    let id = TypeId::of::<T>();
    [
        (TypeId::of::<f32>(), "float", Same),
        (TypeId::of::<f64>(), "double", Same),
        (TypeId::of::<bool>(), "bool", Same),
        (TypeId::of::<i8>(), "signed char", Signed),
        (TypeId::of::<u8>(), "unsigned char", Unsigned),
        (TypeId::of::<i16>(), "short", Signed),
        (TypeId::of::<u16>(), "unsigned short", Unsigned),
        (TypeId::of::<i32>(), "int", Signed),
        (TypeId::of::<u32>(), "unsigned int", Unsigned),
        (TypeId::of::<i64>(), "long long", Signed),
        (TypeId::of::<u64>(), "unsigned long long", Unsigned),
        (TypeId::of::<isize>(), "ptrdiff_t", Signed),
        (TypeId::of::<usize>(), "size_t", Unsigned),
    ]
    .into_iter()
    .find_map(|(known, name, comparison)| (known == id).then_some((name, comparison)))
}

macro_rules! parameter {
    ($($type:ident $passing:ident),*) => {$(
        impl<T: 'static> sealed::Sealed for $type<T> {}
        impl<T: 'static> Parameter for $type<T> {
            fn declared() -> Declared {
                Declared::of::<T>(Passing::$passing)
            }
        }
    )*};
}

parameter!(Value Value, Read Constant, Write Mutable);

macro_rules! signatures {
    () => {
        signatures!(@);
    };
    ($first:ident $($rest:ident)*) => {
        signatures!(@ $first $($rest)*);
        signatures!($($rest)*);
    };
    (@ $($name:ident)*) => {
        impl<$($name: Parameter),*> sealed::Sealed for ($($name,)*) {}
        impl<$($name: Parameter),*> Signature for ($($name,)*) {
            fn declared() -> Vec<Declared> {
                vec![$($name::declared()),*]
            }
        }
    };
}

signatures!(A B C D E F G H I J K L M N O P Q R S T U V W X Y Z AA AB AC AD AE AF);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_cpp_names() {
        type Metres = [f32; 1];
        let all = <(
            Value<f32>,
            Value<u64>,
            Value<Metres>,
            Read<i8>,
            Write<Metres>,
        )>::declared();
        let names: Vec<_> = all.iter().map(|one| one.in_cpp(None)).collect();
        let expected = [
            "float",
            "unsigned long long",
            "<4 bytes>",
            "const signed char *",
            "<4 bytes> *",
        ];
        assert_eq!(names, expected);
        let compared: Vec<_> = all.iter().map(|one| one.comparison(None)).collect();
        let expected = [
            "float",
            "$integer<8, 2>",
            "$bytes<4>",
            "$points<$integer<1, 1>, true>",
            "$points<$bytes<4>, false>",
        ];
        assert_eq!(compared, expected);
        assert_eq!(all[4].in_cpp(Some("metres *")), "metres *");
        assert_eq!(all[4].comparison(Some("metres *")), "$exactly<metres *, 4>");
    }

    #[test]
    fn signatures_have_up_to_32_parameters() {
        type V = Value<i64>;
        assert!(<()>::declared().is_empty());
        assert_eq!(<(V,)>::declared().len(), 1);
        #[rustfmt::skip]
        type Most = (
            V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, V,
            V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, V,
        );
        assert_eq!(Most::declared().len(), 32);
    }
}
