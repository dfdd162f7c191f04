//! User-defined functions in expressions: translated closures, and CUDA C++.

use std::{
    fmt::Write as _,
    hash::{BuildHasher, Hash, Hasher},
    sync::Arc,
};

use rustc_hash::FxBuildHasher;

use crate::{
    closure::named,
    element::{DataType, Words},
    kernel::Source,
};

/// The name of the header that compares types.
const OWN: &str = "own.cuh";

/// A user-defined function.
#[derive(Clone, Debug)]
pub enum OwnFunction {
    /// The source of a closure's function, with `@NAME@` as the function's name.
    Closure(&'static str),
    Cuda(Arc<CudaText>),
}

/// A function in CUDA C++, with the helpers that its source defines.
#[derive(Debug)]
pub struct CudaText {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) parameters: Vec<DataType>,
    pub(crate) result: DataType,
    /// The hash of all fields, so that evaluations neither hash nor compare the source.
    hash: u64,
}

impl CudaText {
    pub(crate) fn new(
        name: &str,
        text: &str,
        parameters: Vec<DataType>,
        result: DataType,
    ) -> Arc<Self> {
        let hash = FxBuildHasher.hash_one((name, text, &parameters, result));
        Arc::new(Self {
            name: name.into(),
            text: text.into(),
            parameters,
            result,
            hash,
        })
    }

    /// Returns the name of the function that kernels call. It contains the hash, because different
    /// sources may define functions with the same name.
    fn wrapper(&self) -> String {
        format!("own_{:016x}", self.hash)
    }

    /// Returns the function's type, as Rust writes it.
    fn signature(&self) -> String {
        let parameters: Vec<_> = self.parameters.iter().map(|data| data.name()).collect();
        format!("({}) -> {}", parameters.join(", "), self.result.name())
    }

    /// Returns the function's declaration in CUDA C++.
    fn declaration(&self) -> String {
        let parameters: Vec<_> = self.parameters.iter().map(|data| data.computed()).collect();
        let result = self.result.computed();
        format!("{result} {}({})", self.name, parameters.join(", "))
    }

    /// Returns a header that includes the source, which is a header too, in a separate namespace.
    fn header(&self, file: &str) -> String {
        let (wrapper, name, result) = (self.wrapper(), &self.name, self.result.computed());
        if !self.text.contains("__device__") && !self.text.contains("#include") {
            return format!(
                "#error CudaFn {name}: the source defines no function for the device. Fix: write a whole function, such as \
                 __device__ {}\n",
                self.declaration()
            );
        }
        let mut text = format!("#include \"{OWN}\"\n");
        // Includes the source's headers outside of the namespace first. When the source includes
        // them again, their guards make them empty.
        let included = |line: &&str| line.trim_start().starts_with("#include");
        for line in self.text.lines().filter(included) {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "namespace {wrapper}_text {{");
        let types = self.parameters.iter().chain([&self.result]);
        let mut used: Vec<String> = types
            .filter_map(|data| match data {
                DataType::Struct(own) => Some(own.alias()),
                _ => None,
            })
            .collect();
        used.sort();
        used.dedup();
        text.push_str(&used.concat());
        let types: Vec<_> = self.parameters.iter().map(|data| data.computed()).collect();
        let all = std::iter::once(&result).chain(&types);
        let all: Vec<&str> = all.map(|name| &**name).collect();
        let list = |each: &dyn Fn(usize) -> String| {
            let parts: Vec<String> = (0..types.len()).map(each).collect();
            parts.join(", ")
        };
        let _ = writeln!(
            text,
            "#include \"{file}\"\n\
             static_assert(own_same<decltype(own_signature(&{name})), own_types<{}>>::value, \
             \"{name} does not have the type declared in Rust, {}, which is {} in CUDA C++\");\n}}\n\
             __device__ __forceinline__ {result} {wrapper}({}) {{ return {wrapper}_text::{name}({}); }}",
            all.join(", "),
            self.signature(),
            self.declaration(),
            list(&|i| format!("{} a{i}", types[i])),
            list(&|i| format!("a{i}")),
        );
        text
    }
}

impl OwnFunction {
    /// Returns the name that kernels call. `name` is the name of a closure's function.
    pub(crate) fn called(&self, name: &str) -> String {
        match self {
            Self::Closure(_) => name.into(),
            Self::Cuda(own) => own.wrapper(),
        }
    }

    /// Returns the definition of a closure's function under a name. A CUDA C++ function comes
    /// before the kernel instead, through [`add_to`](Self::add_to).
    pub(crate) fn definition(&self, name: &str) -> String {
        match self {
            Self::Closure(text) => named(text, name) + "\n",
            Self::Cuda(_) => String::new(),
        }
    }

    /// Adds the headers that calls of this function need to a kernel's source.
    pub(crate) fn add_to(&self, source: Source) -> Source {
        match self {
            Self::Closure(_) => source,
            Self::Cuda(own) => {
                let header = format!("{}.cuh", own.wrapper());
                if source.has(&header) {
                    return source;
                }
                let file = source.free_name(&own.name);
                let source = match source.has(OWN) {
                    true => source,
                    false => source.header(OWN, include_str!("../kernels/own.cuh")),
                };
                source
                    .header(file.clone(), own.text.clone())
                    .before(header, own.header(&file))
            }
        }
    }
}

/// Closures are compared by the address of their source. The same source at another address is
/// compiled again.
impl PartialEq for OwnFunction {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Closure(one), Self::Closure(other)) => std::ptr::eq(*one, *other),
            (Self::Cuda(one), Self::Cuda(other)) => {
                Arc::ptr_eq(one, other)
                    || (one.hash == other.hash
                        && one.name == other.name
                        && one.text == other.text
                        && one.parameters == other.parameters
                        && one.result == other.result)
            }
            _ => false,
        }
    }
}

impl Eq for OwnFunction {}

impl Hash for OwnFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Closure(text) => text.as_ptr().hash(state),
            Self::Cuda(own) => own.hash.hash(state),
        }
    }
}

/// The identity of a combination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Identity {
    /// An expression in CUDA C++.
    Text(&'static str),
    /// An expression that was written at run time.
    Written(Arc<str>),
    Value(Words),
}

impl Identity {
    /// Returns CUDA C++ statements that return the value as this type.
    pub(crate) fn returned(&self, data: DataType) -> String {
        match self {
            Self::Text(text) => format!("return {text};"),
            Self::Written(text) => format!("return {text};"),
            Self::Value(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("{word:#x}ull")).collect();
                format!(
                    "const u64 words[] = {{{}}}; return value_of(scalar<{}>(words));",
                    words.join(", "),
                    data.stored()
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, ContextFlags, Device, Stream};

    use crate::{Array, Combination, CudaFn, kernel::Kernels};

    #[test]
    fn functions_with_equal_source_share_a_kernel() {
        // In a shared context, kernels of other tests would be counted too.
        let device = Device::get(0).unwrap();
        let context = Context::create(device, ContextFlags::default()).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernels = Kernels::of(&stream).unwrap();
        let x = Array::from_slice(&stream, &[2.0f32; 5]).unwrap();
        let own = |name: &str, factor: u32| {
            let text =
                format!("__device__ float {name}(float a, float b) {{ return a * b * {factor}; }}");
            // SAFETY: it only computes.
            unsafe { CudaFn::<fn(f32, f32) -> f32>::new(name, text) }
        };
        let run = |own: &CudaFn<fn(f32, f32) -> f32>, identity: f32| {
            let before = kernels.compiled();
            let mapped = own.map((&x, 0.5));
            mapped.eval().unwrap();
            mapped
                .reduce(Combination::new(own, identity))
                .eval()
                .unwrap();
            x.scan(Combination::new(own, identity), 0).unwrap();
            kernels.compiled() - before
        };
        let first = own("unlike_any_other", 1);
        assert_eq!(run(&first, 1.0), 3);
        assert_eq!(run(&first.clone(), 1.0), 0);
        assert_eq!(run(&own("unlike_any_other", 1), 1.0), 0);
        // Another identity, another source, and another name.
        assert_eq!(run(&first, 2.0), 2);
        assert_eq!(run(&own("unlike_any_other", 3), 1.0), 3);
        assert_eq!(run(&own("unlike_this_one", 1), 1.0), 3);
    }
}
