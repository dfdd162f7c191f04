//! Kernels with declared signatures, which are compared with the code when it is loaded.
//!
//! The macro [`kernels!`](crate::kernels) declares them. See the
//! [guide](crate::guide::typed_kernels).

mod argument;
#[cfg(feature = "nvrtc")]
mod check;
mod declared;
mod kernels;
#[cfg(feature = "nvrtc")]
mod mismatch;

#[cfg(feature = "nvrtc")]
use std::panic::Location;
use std::{fmt, marker::PhantomData, ops::Deref};

pub use argument::{Readable, Writable};
#[doc(hidden)]
pub use declared::Declared;
pub use declared::{Parameter, Read, Signature, Value, Write};

#[cfg(feature = "nvrtc")]
use crate::{code::program::Program, context::Context};
use crate::{
    code::{function::Function, module::Module},
    error::{Error, ErrorKind, Result},
};

/// A kernel whose signature was compared with `S` when it was loaded. It dereferences to
/// [`Function`].
///
/// ```
/// # use cuda_safe::{Context, LaunchConfig};
/// cuda_safe::kernels! {
///     /// A struct with one kernel.
///     pub struct Kernels = "__global__ void fill(float *x, float value) { *x = value; }";
///     /// Sets the first element.
///     pub fn fill(x: &mut [f32], value: f32);
/// }
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let kernels = Kernels::load(&context)?;
/// kernels.fill.set_max_dynamic_shared(64 << 10)?; // the field has all methods of Function
/// assert!(LaunchConfig::for_occupancy(&kernels.fill, 1000)?.threads() >= 1000);
/// # Ok(())
/// # }
/// ```
pub struct TypedFunction<S> {
    function: Function,
    signature: PhantomData<fn(S)>,
}

impl<S> Deref for TypedFunction<S> {
    type Target = Function;

    #[inline]
    fn deref(&self) -> &Function {
        &self.function
    }
}

impl<S> Clone for TypedFunction<S> {
    fn clone(&self) -> Self {
        Self {
            function: self.function.clone(),
            signature: PhantomData,
        }
    }
}

impl<S> fmt::Debug for TypedFunction<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.function.fmt(f)
    }
}

/// A kernel's declaration in [`kernels!`](crate::kernels).
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The C++ name, or a name expression.
    pub name: &'static str,
    /// The declaration in Rust.
    pub rust: &'static str,
    /// The names of the parameters, and their C++ types if these are given.
    pub parameters: &'static [(&'static str, Option<&'static str>)],
    pub signature: fn() -> Vec<Declared>,
}

impl Declaration {
    /// Returns the declaration in C++, for messages.
    fn in_cpp(&self) -> String {
        let types = (self.signature)();
        let parameters: Vec<_> = self
            .parameters
            .iter()
            .zip(&types)
            .map(|((name, exact), declared)| {
                let of_type = declared.in_cpp(*exact);
                let space = if of_type.ends_with('*') { "" } else { " " };
                format!("{of_type}{space}{name}")
            })
            .collect();
        format!("{}({})", self.name, parameters.join(", "))
    }

    /// Returns the error text with both signatures and their difference.
    fn mismatch(&self, compiled: &str, difference: &str) -> String {
        let declared = self.rejection(&format!("does not match its code: {difference}"));
        format!("{declared}\n  compiled: {compiled}")
    }

    /// Returns the error text with the declaration and the reason for the error.
    fn rejection(&self, why: &str) -> String {
        format!(
            "`{}` {why}\n  declared: {}\n  in C++:   {}",
            self.name,
            self.rust,
            self.in_cpp()
        )
    }
}

#[cold]
fn signature_error(call: &'static str, mismatches: &[String]) -> Error {
    let mismatches: Vec<_> = mismatches.iter().map(|text| format!("\n{text}")).collect();
    Error::checked(ErrorKind::Signature, call, mismatches.concat())
}

/// A module whose kernels match their declarations.
#[doc(hidden)]
#[derive(Debug)]
pub struct Checked {
    module: Module,
    declarations: &'static [Declaration],
}

impl Checked {
    /// Returns the kernel at `index` of the declarations, with the signature `S`.
    pub fn function<S: Signature>(&self, index: usize) -> Result<TypedFunction<S>> {
        Ok(TypedFunction {
            function: self.module.function(self.declarations[index].name)?,
            signature: PhantomData,
        })
    }
}

/// Returns the program of a declaration's source.
#[cfg(feature = "nvrtc")]
#[doc(hidden)]
#[must_use]
#[track_caller]
pub fn program(source: impl Into<Program>) -> Program {
    source.into().made_at(Location::caller())
}

/// Compiles a program, compares it with the declarations and loads it.
#[cfg(feature = "nvrtc")]
#[doc(hidden)]
pub fn compile(
    context: &Context,
    program: Program,
    declarations: &'static [Declaration],
) -> Result<Checked> {
    let compiled = check::compile(
        &program,
        context.device().compute_capability()?,
        declarations,
    )?;
    let module = Module::from_compiled(context, &compiled, &Default::default())?;
    Ok(Checked {
        module,
        declarations,
    })
}

/// Compares the declarations with the known parameters of a module.
#[doc(hidden)]
pub fn from_module(module: &Module, declarations: &'static [Declaration]) -> Result<Checked> {
    let mut mismatches = Vec::new();
    for declaration in declarations {
        let function = module.function(declaration.name)?;
        let Some(parameters) = function.parameters()? else {
            continue;
        };
        let types = (declaration.signature)();
        let difference = if types.len() != parameters.len() {
            count_difference(types.len(), parameters.len())
        } else {
            let mut pairs = declaration.parameters.iter().zip(&types).zip(parameters);
            let Some(((name, _), _, parameter)) = pairs
                .find(|((_, declared), parameter)| !declared.fits(parameter))
                .map(|((name, declared), parameter)| (name, declared, parameter))
            else {
                continue;
            };
            format!("the parameter of `{name}` {parameter}")
        };
        let all: Vec<_> = parameters.iter().map(ToString::to_string).collect();
        let compiled = match &all[..] {
            [] => "no parameters".to_owned(),
            all => format!("one parameter {}", all.join("; one ")),
        };
        mismatches.push(declaration.mismatch(&compiled, &difference));
    }
    if mismatches.is_empty() {
        Ok(Checked {
            module: module.clone(),
            declarations,
        })
    } else {
        Err(signature_error("kernels!", &mismatches))
    }
}

fn count_difference(declared: usize, compiled: usize) -> String {
    format!("{declared} parameters are declared, but the kernel has {compiled}")
}
