//! What a declaration says about a kernel's parameters, in terms of Rust and of C++.

use std::{any::TypeId, marker::PhantomData};

use cuda_sys::CUdeviceptr;

use crate::code::parameter::{ArgumentKind, ParameterInfo};

/// A value in a signature.
#[derive(Debug)]
pub struct Value<T>(PhantomData<T>);

/// Memory that a kernel reads: `const T *`.
#[derive(Debug)]
pub struct Read<T>(PhantomData<T>);

/// Memory that a kernel writes: `T *`.
#[derive(Debug)]
pub struct Write<T>(PhantomData<T>);

/// One parameter of a [`Signature`].
pub trait Parameter: sealed::Sealed {
    #[doc(hidden)]
    fn declared() -> Declared;
}

/// The parameters of a declared kernel: a tuple of up to 32 of [`Value`], [`Read`] and [`Write`].
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
    /// By its address, for reading.
    Constant,
    /// By its address, for writing.
    Mutable,
}

/// One declared parameter.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    passing: Passing,
    kind: ArgumentKind,
    /// Size of the value or of the element, in bytes.
    size: usize,
    #[cfg(feature = "nvrtc")]
    rust: fn() -> &'static str,
    /// The name in C++ of a known type, and how it is compared.
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

    /// The expression that C++ code compares by; `exact` is a C++ type from the declaration.
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

    /// The type, for messages.
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

    /// Size of the element or of the value, in bytes, if Rust's type does not determine the C++ type.
    #[cfg(feature = "nvrtc")]
    pub(super) fn size_that_counts(&self, exact: Option<&str>) -> Option<(usize, &'static str)> {
        (self.known.is_none() || exact.is_some()).then(|| (self.size, (self.rust)()))
    }

    /// Whether it fits what PTX and the driver report about the parameter.
    pub(super) fn fits(&self, parameter: &ParameterInfo) -> bool {
        let (size, kind) = match self.passing {
            Passing::Value => (self.size, self.kind),
            _ => (size_of::<CUdeviceptr>(), ArgumentKind::Pointer),
        };
        parameter.size == size && parameter.kind.takes(kind)
    }
}

/// The C++ name of a type that both languages have.
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
    fn types_have_their_names_in_cpp() {
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
    fn a_signature_has_any_length_up_to_32() {
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
