//! The types of a closure and their inference.

use proc_macro2::Span;
use syn::{Error, Result, Type};

/// A type of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
}

use Scalar::*;

/// Every type, with its names in Rust and in CUDA C++.
const NAMES: [(Scalar, &str, &str); 11] = [
    (F32, "f32", "float"),
    (F64, "f64", "double"),
    (I8, "i8", "signed char"),
    (I16, "i16", "short"),
    (I32, "i32", "int"),
    (I64, "i64", "long long"),
    (U8, "u8", "unsigned char"),
    (U16, "u16", "unsigned short"),
    (U32, "u32", "unsigned"),
    (U64, "u64", "unsigned long long"),
    (Bool, "bool", "bool"),
];

impl Scalar {
    /// Returns the type with this Rust name.
    pub fn named(name: &str) -> Option<Self> {
        let row = NAMES.iter().find(|row| row.1 == name)?;
        Some(row.0)
    }

    pub fn rust(self) -> &'static str {
        NAMES[self as usize].1
    }

    pub fn device(self) -> &'static str {
        NAMES[self as usize].2
    }

    pub fn is_real(self) -> bool {
        matches!(self, F32 | F64)
    }

    pub fn is_integer(self) -> bool {
        !self.is_real() && self != Bool
    }

    pub fn has_sign(self) -> bool {
        !matches!(self, U8 | U16 | U32 | U64 | Bool)
    }

    /// Returns the number of bits.
    pub fn width(self) -> u32 {
        match self {
            I8 | U8 | Bool => 8,
            I16 | U16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | F64 => 64,
        }
    }

    /// Returns the unsigned integer type of the same width.
    pub fn unsigned(self) -> Self {
        match self.width() {
            8 => U8,
            16 => U16,
            32 => U32,
            _ => U64,
        }
    }

    /// Returns the greatest value of an integer type.
    pub fn highest(self) -> u128 {
        let bits = self.width() - u32::from(self.has_sign());
        (1 << bits) - 1
    }

    /// Returns the type that the source text names.
    pub fn written(written: &Type) -> Result<Self> {
        let path = match written {
            Type::Path(path) if path.qself.is_none() => &path.path,
            Type::Paren(inner) => return Self::written(&inner.elem),
            Type::Group(inner) => return Self::written(&inner.elem),
            Type::Reference(reference) => {
                return Err(Error::new_spanned(
                    reference,
                    "references are not supported on the device: take the value, as in `x: f32`",
                ));
            }
            Type::Infer(_) => {
                return Err(Error::new_spanned(
                    written,
                    "`_` is not a type here: write it, as in `x: f32`",
                ));
            }
            _ => return Err(unknown(written, &quote::quote!(#written).to_string())),
        };
        match path.get_ident().map(ToString::to_string) {
            Some(name) => Self::named(&name).ok_or_else(|| unknown(written, &name)),
            None => Err(unknown(written, &quote::quote!(#path).to_string())),
        }
    }
}

/// Returns the error for a type that the device lacks.
pub fn unknown(place: impl quote::ToTokens, name: &str) -> Error {
    let remedy = match name {
        "f16" | "bf16" => "compute in f32: elements of this type are converted to it",
        "usize" => "take u64, and pass an array of usize as `x.cast::<u64>()`",
        "isize" => "take i64, and pass an array of isize as `x.cast::<i64>()`",
        "i128" | "u128" => "take i64 or u64",
        "char" => "take u32",
        "Complex" | "Complex < f32 >" | "Complex < f64 >" => {
            "take the parts as parameters, and pass them as in `f.map((z.real(), z.imag()))`"
        }
        _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
            "take the fields of a struct as parameters, and pass each as in `f.map((x.field(|value| &value.mass),))`"
        }
        _ => "the supported types are f32, f64, i8 to i64, u8 to u64 and bool",
    };
    let message = format!("`{name}` is not supported on the device: {remedy}");
    Error::new_spanned(place, message)
}

/// A type, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Scalar(Scalar),
    /// `()`.
    Unit,
    /// The type of expressions that never have a value, such as `return`.
    Never,
    /// An entry of [`Types`].
    Open(usize),
}

impl From<Scalar> for Ty {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

/// The known constraint on an open type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Any,
    /// The type of a literal such as `1`.
    Integer,
    /// The type of a literal such as `1.0`.
    Real,
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    Open(Kind),
    Same(Ty),
}

/// The open types of a closure. Types that are found to be equal are unified permanently.
#[derive(Default)]
pub struct Types(Vec<Entry>);

impl Types {
    /// Creates an open type.
    pub fn open(&mut self, kind: Kind) -> Ty {
        self.0.push(Entry::Open(kind));
        Ty::Open(self.0.len() - 1)
    }

    /// Returns the current knowledge about `ty`.
    pub fn now(&self, mut ty: Ty) -> Ty {
        while let Ty::Open(index) = ty {
            match self.0[index] {
                Entry::Same(other) => ty = other,
                Entry::Open(_) => break,
            }
        }
        ty
    }

    fn kind(&self, index: usize) -> Kind {
        match self.0[index] {
            Entry::Open(kind) => kind,
            Entry::Same(_) => unreachable!("only called for what `now` returns"),
        }
    }

    /// Returns the type, if it is already known.
    pub fn scalar(&self, ty: Ty) -> Option<Scalar> {
        match self.now(ty) {
            Ty::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Returns the final type. Literals without other constraints are `i32` and `f64`, as in Rust.
    pub fn decided(&self, ty: Ty) -> Option<Scalar> {
        match self.now(ty) {
            Ty::Scalar(scalar) => Some(scalar),
            Ty::Open(index) => match self.kind(index) {
                Kind::Integer => Some(I32),
                Kind::Real => Some(F64),
                Kind::Any => None,
            },
            Ty::Unit | Ty::Never => None,
        }
    }

    /// Unifies two types for a value of type `found` where `wanted` is expected, and returns the
    /// common type. The type of expressions that never have a value fits anywhere.
    pub fn join(&mut self, wanted: Ty, found: Ty, span: Span) -> Result<Ty> {
        let (wanted, found) = (self.now(wanted), self.now(found));
        match (wanted, found) {
            (Ty::Never, other) | (other, Ty::Never) => Ok(other),
            (a, b) if a == b => Ok(a),
            (Ty::Open(a), Ty::Open(b)) => match (self.kind(a), self.kind(b)) {
                (Kind::Any, _) => Ok(self.close(a, found)),
                (_, Kind::Any) => Ok(self.close(b, wanted)),
                (x, y) if x == y => Ok(self.close(a, found)),
                _ => Err(self.differ(wanted, found, span)),
            },
            (Ty::Open(open), known) | (known, Ty::Open(open)) => {
                let fits = match (self.kind(open), known) {
                    (Kind::Any, _) => true,
                    (Kind::Integer, Ty::Scalar(scalar)) => scalar.is_integer(),
                    (Kind::Real, Ty::Scalar(scalar)) => scalar.is_real(),
                    _ => false,
                };
                if fits {
                    Ok(self.close(open, known))
                } else {
                    Err(self.differ(wanted, found, span))
                }
            }
            _ => Err(self.differ(wanted, found, span)),
        }
    }

    fn close(&mut self, index: usize, ty: Ty) -> Ty {
        self.0[index] = Entry::Same(ty);
        ty
    }

    fn differ(&self, wanted: Ty, found: Ty, span: Span) -> Error {
        let (wanted, found) = (self.now(wanted), self.now(found));
        let remedy = match (wanted, found) {
            (Ty::Unit, Ty::Scalar(_) | Ty::Open(_)) => {
                ": end it with `;` if the value is not needed"
            }
            (Ty::Scalar(Bool), _) => ": compare the number, as in `x != 0`",
            (Ty::Scalar(_), Ty::Scalar(_)) => ": convert it with `as`",
            (Ty::Scalar(scalar), Ty::Open(_)) if scalar.is_real() => {
                ": write the number with a point, as in `1.0`"
            }
            _ => "",
        };
        let message = format!(
            "{} is expected here, but this is {}{remedy}",
            self.describe(wanted),
            self.describe(found)
        );
        Error::new(span, message)
    }

    /// Returns a description of the type.
    pub fn describe(&self, ty: Ty) -> String {
        match self.now(ty) {
            Ty::Scalar(scalar) => format!("`{}`", scalar.rust()),
            Ty::Unit => "`()`, which is no value".into(),
            Ty::Never => "`!`, which never has a value".into(),
            Ty::Open(index) => match self.kind(index) {
                Kind::Any => "of an unknown type".into(),
                Kind::Integer => "an integer".into(),
                Kind::Real => "a float".into(),
            },
        }
    }
}
