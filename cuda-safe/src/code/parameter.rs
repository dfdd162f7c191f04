//! Kernel parameters, and the arguments that fit them.

use std::{any::TypeId, fmt};

/// A kernel parameter: its place in the parameter block, its size and its kind.
///
/// ```
/// # use cuda_safe::{Context, Module, module::ParameterKind};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let source = r#"extern "C" __global__ void fill(float *x, int n) { x[n] = 1; }"#;
/// let fill = Module::compile(&context, source)?.function("fill")?;
/// let [x, n] = fill.parameters()?.expect("known from the PTX") else {
///     panic!("two parameters");
/// };
/// assert_eq!((x.offset, x.size, n.offset, n.size), (0, 8, 8, 4));
/// assert_eq!(n.kind, ParameterKind::Integer);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParameterInfo {
    /// Bytes from the start of the parameter block.
    pub offset: usize,
    /// The size in bytes.
    pub size: usize,
    /// The kind, if the kernel's PTX is available.
    pub kind: ParameterKind,
}

/// The kind of a kernel's parameter, as far as PTX shows it.
///
/// ```
/// # use cuda_safe::{Context, Module, module::ParameterKind};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let source = r#"extern "C" __global__ void k(float2 a, double b, bool c) {}"#;
/// let k = Module::compile(&context, source)?.function("k")?;
/// let kinds: Vec<_> = k.parameters()?.expect("known").iter().map(|p| p.kind).collect();
/// let float2 = ParameterKind::Aggregate { alignment: 8 };
/// assert_eq!(kinds, [float2, ParameterKind::Float, ParameterKind::Integer]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParameterKind {
    /// Unknown: no PTX is available, or it does not show the kind.
    Unknown,
    /// `float` or `double`.
    Float,
    /// An integer, `bool` or an enumeration. An 8-byte integer can be a pointer, because most PTX
    /// does not distinguish them.
    Integer,
    /// A pointer, in PTX that marks pointers (`.ptr`).
    Pointer,
    /// A struct, a union or a vector. `__half` and `__nv_bfloat16` are also of this kind.
    Aggregate {
        /// The alignment in bytes.
        alignment: usize,
    },
}

/// The kind of an argument, derived from its Rust type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum ArgumentKind {
    Float,
    Integer,
    Pointer,
    /// Any other type. Only its size is compared.
    Other,
}

impl ArgumentKind {
    /// Returns the kind of a value that is passed as its bytes.
    pub(crate) fn of<T: 'static>() -> Self {
        let id = TypeId::of::<T>();
        let is_one_of = |types: &[TypeId]| types.contains(&id);
        if is_one_of(&[TypeId::of::<f32>(), TypeId::of::<f64>()]) {
            Self::Float
        } else if is_one_of(&[
            TypeId::of::<i8>(),
            TypeId::of::<u8>(),
            TypeId::of::<i16>(),
            TypeId::of::<u16>(),
            TypeId::of::<i32>(),
            TypeId::of::<u32>(),
            TypeId::of::<i64>(),
            TypeId::of::<u64>(),
            TypeId::of::<isize>(),
            TypeId::of::<usize>(),
        ]) {
            Self::Integer
        } else {
            Self::Other
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Float => "a float ",
            Self::Integer => "an integer ",
            Self::Pointer => "an address ",
            Self::Other => "",
        }
    }
}

impl ParameterKind {
    /// Returns whether an argument of the parameter's size can be passed.
    ///
    /// This is permissive if PTX is ambiguous: an address can be passed as a `u64`, and a struct of
    /// one float as a float. Alignments are not compared, because arguments are copied byte by
    /// byte: `[f32; 4]` is valid for `float4`.
    pub(crate) fn takes(self, argument: ArgumentKind) -> bool {
        match (self, argument) {
            (Self::Float, ArgumentKind::Integer | ArgumentKind::Pointer)
            | (Self::Integer | Self::Pointer, ArgumentKind::Float) => false,
            // Every combination is listed, so that a new kind causes a compile error here.
            (Self::Float, ArgumentKind::Float | ArgumentKind::Other)
            | (
                Self::Integer | Self::Pointer,
                ArgumentKind::Integer | ArgumentKind::Pointer | ArgumentKind::Other,
            )
            | (Self::Unknown | Self::Aggregate { .. }, _) => true,
        }
    }
}

/// Returns a number of bytes in words.
pub(crate) fn bytes(n: usize) -> String {
    format!("{n} byte{}", if n == 1 { "" } else { "s" })
}

/// Completes messages that begin with "the parameter".
impl fmt::Display for ParameterInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = bytes(self.size);
        match self.kind {
            ParameterKind::Unknown => write!(f, "has {size}"),
            ParameterKind::Float => write!(f, "is a float of {size}"),
            ParameterKind::Integer if self.size == size_of::<cuda_sys::CUdeviceptr>() => {
                write!(f, "is an integer or a pointer, of {size}")
            }
            ParameterKind::Integer => write!(f, "is an integer of {size}"),
            ParameterKind::Pointer => write!(f, "is a pointer, of {size}"),
            ParameterKind::Aggregate { alignment } => {
                write!(f, "is a struct of {size}, aligned to {alignment}")
            }
        }
    }
}

/// The name, size and kind of an argument's type.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentType {
    pub(crate) name: fn() -> &'static str,
    pub(crate) size: usize,
    pub(crate) kind: fn() -> ArgumentKind,
}

impl ArgumentType {
    pub(crate) fn fits(&self, parameter: &ParameterInfo) -> bool {
        parameter.size == self.size && parameter.kind.takes((self.kind)())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_unknown_kind_accept_all_arguments() {
        let arguments = [
            ArgumentKind::Float,
            ArgumentKind::Integer,
            ArgumentKind::Pointer,
            ArgumentKind::Other,
        ];
        for (parameter, expected) in [
            (ParameterKind::Unknown, [true, true, true, true]),
            (ParameterKind::Float, [true, false, false, true]),
            (ParameterKind::Integer, [false, true, true, true]),
            (ParameterKind::Pointer, [false, true, true, true]),
            (
                ParameterKind::Aggregate { alignment: 4 },
                [true, true, true, true],
            ),
        ] {
            assert_eq!(arguments.map(|a| parameter.takes(a)), expected);
        }
    }

    #[test]
    fn number_types_have_a_kind() {
        #[derive(Clone, Copy)]
        struct Metres(#[allow(dead_code, reason = "only its type matters")] f32);
        assert_eq!(ArgumentKind::of::<f32>(), ArgumentKind::Float);
        assert_eq!(ArgumentKind::of::<f64>(), ArgumentKind::Float);
        assert_eq!(ArgumentKind::of::<i8>(), ArgumentKind::Integer);
        assert_eq!(ArgumentKind::of::<usize>(), ArgumentKind::Integer);
        assert_eq!(ArgumentKind::of::<bool>(), ArgumentKind::Other);
        assert_eq!(ArgumentKind::of::<[f32; 1]>(), ArgumentKind::Other);
        assert_eq!(ArgumentKind::of::<Metres>(), ArgumentKind::Other);
    }
}
