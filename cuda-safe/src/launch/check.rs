//! Checks that a launch fits the kernel and the device, before the driver is called.

use cuda_sys::CUresult;

use super::{KernelArgument, LaunchConfig, config::PlainConfig};
use crate::{
    code::{
        function::{Function, FunctionAttribute},
        parameter::{ArgumentKind, ArgumentType, ParameterInfo, ParameterKind, bytes},
    },
    context::Context,
    error::{Error, ErrorKind, Result},
};

impl ArgumentType {
    pub(super) const fn of<A: KernelArgument>() -> Self {
        Self {
            name: std::any::type_name::<A>,
            size: A::SIZE,
            kind: A::kind,
        }
    }
}

impl Function {
    /// Returns whether the grid has any blocks, or an error if the launch is not possible. A grid
    /// may have no blocks only if it was created for no elements.
    #[inline]
    pub(crate) fn is_launchable(
        &self,
        context: &Context,
        config: &LaunchConfig,
        arguments: &'static [ArgumentType],
    ) -> Result<bool> {
        if self.is_within_limits(context, config)
            && let Some(has_blocks) = config.grid.has_blocks()
            && self.fits(arguments)?
        {
            Ok(has_blocks)
        } else {
            Err(self.mismatch(context, config, arguments))
        }
    }

    /// Returns whether the launch passes [`is_launchable`](Self::is_launchable), has blocks, and
    /// has the types that matched last time.
    #[inline]
    pub(super) fn is_usual(
        &self,
        context: &Context,
        plain: &PlainConfig,
        types: &'static [ArgumentType],
    ) -> bool {
        let within = |extent: u32, limit: u32| extent.wrapping_sub(1) < limit;
        let limits = self.limits();
        let (grid, block) = (plain.grid, plain.block);
        let plane = u64::from(block.x) * u64::from(block.y);
        let threads = u64::from(limits.threads_per_block);
        context == self.context()
            && self.fitted(types)
            && within(block.x, limits.block[0])
            && within(block.y, limits.block[1])
            && within(block.z, limits.block[2])
            && plane <= threads
            && plane * u64::from(block.z) <= threads
            && within(grid.x, limits.grid[0])
            && within(grid.y, limits.grid[1])
            && within(grid.z, limits.grid[2])
    }

    /// Checks a launch like [`is_launchable`](Self::is_launchable), but compares the types in every
    /// call.
    pub(super) fn is_launchable_with(
        &self,
        context: &Context,
        config: &LaunchConfig,
        arguments: &[ArgumentType],
    ) -> Result<bool> {
        let fits = match self.parameters()? {
            Some(parameters) => {
                let mut pairs = parameters.iter().zip(arguments);
                parameters.len() == arguments.len() && pairs.all(|(p, one)| one.fits(p))
            }
            None => true,
        };
        if fits
            && self.is_within_limits(context, config)
            && let Some(has_blocks) = config.grid.has_blocks()
        {
            Ok(has_blocks)
        } else {
            Err(self.mismatch(context, config, arguments))
        }
    }

    /// Returns whether the context is the kernel's and the device supports the grid and the block.
    #[inline]
    fn is_within_limits(&self, context: &Context, config: &LaunchConfig) -> bool {
        let limits = self.limits();
        let (grid, block) = (config.grid, config.block);
        context == self.context()
            && block.x <= limits.block[0]
            && block.y <= limits.block[1]
            && block.z <= limits.block[2]
            && (1..=u64::from(limits.threads_per_block)).contains(&block.count())
            && grid.x <= limits.grid[0]
            && grid.y <= limits.grid[1]
            && grid.z <= limits.grid[2]
    }

    #[cold]
    fn mismatch(
        &self,
        context: &Context,
        config: &LaunchConfig,
        arguments: &[ArgumentType],
    ) -> Error {
        let name = self.name();
        if let Err(error) =
            self.context()
                .expect_same(context, "Function::launch", "the kernel and the stream")
        {
            return error;
        }
        let limits = self.limits();
        let detail = if let Some(text) = self.argument_mismatch(arguments) {
            text
        } else if config.block.count() == 0 {
            format!("a block of {} has no threads", config.block)
        } else if config.grid.has_blocks().is_none() {
            format!(
                "a grid of {} has no blocks, so no thread would run. Fix: round the number of blocks up, as \
                 `LaunchConfig::for_elements(n)` and `for_elements_in_blocks(n, block)` do, which launch nothing if n is 0",
                config.grid
            )
        } else if config.block.count() > u64::from(limits.threads_per_block) {
            format!(
                "a block of {} has {} threads; the device allows {}",
                config.block,
                config.block.count(),
                limits.threads_per_block
            )
        } else if config.grid.x == LaunchConfig::TOO_MANY {
            format!(
                "the grid has {0} or more blocks, but the device allows {1}: the number of elements is negative, or larger \
                 than the number of threads in any grid. Fix: let each thread compute several elements \
                 (`LaunchConfig::for_occupancy`)",
                config.grid.x, limits.grid[0]
            )
        } else {
            let (grid, block) = (config.grid, config.block);
            let beyond: Vec<_> = [
                ("block.x", block.x, limits.block[0]),
                ("block.y", block.y, limits.block[1]),
                ("block.z", block.z, limits.block[2]),
                ("grid.x", grid.x, limits.grid[0]),
                ("grid.y", grid.y, limits.grid[1]),
                ("grid.z", grid.z, limits.grid[2]),
            ]
            .into_iter()
            .filter(|(_, asked, allowed)| asked > allowed)
            .map(|(axis, asked, allowed)| {
                format!("{axis} is {asked}, but at most {allowed} is allowed")
            })
            .collect();
            beyond.join("; ")
        };
        let detail = format!("kernel `{name}`: {detail}");
        Error::checked(ErrorKind::LaunchArguments, "Function::launch", detail)
    }

    fn argument_mismatch(&self, arguments: &[ArgumentType]) -> Option<String> {
        let parameters = self.parameters().ok()??;
        if parameters.len() != arguments.len() {
            return Some(count_mismatch(parameters, arguments.len()));
        }
        let pairs = parameters.iter().zip(arguments).enumerate();
        let wrong: Vec<_> = pairs
            .filter(|(_, (parameter, argument))| !argument.fits(parameter))
            .map(|(i, (parameter, argument))| type_mismatch(i, parameter, argument))
            .collect();
        (!wrong.is_empty()).then(|| wrong.join("; "))
    }

    /// Returns the error of a failed launch with a message about this kernel.
    #[cold]
    pub(super) fn launch_error(&self, code: CUresult, config: &LaunchConfig) -> Error {
        let call = if !config.is_plain() {
            "cuLaunchKernelEx"
        } else if config.cooperative {
            "cuLaunchCooperativeKernel"
        } else {
            "cuLaunchKernel"
        };
        let error = self.context().error(call, code);
        let get = |attribute| self.attribute(attribute).unwrap_or(-1);
        let detail = match code {
            CUresult::CUDA_ERROR_INVALID_VALUE => {
                let dynamic = get(FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES);
                if i64::from(config.shared_bytes) > i64::from(dynamic) {
                    format!(
                        "{} bytes of dynamic shared memory were requested, but at most {dynamic} are allowed. Fix: raise the limit \
                         with Function::set_max_dynamic_shared{}",
                        config.shared_bytes,
                        self.dynamic_shared_limit()
                            .map_or_else(String::new, |most| format!(", up to {most}"))
                    )
                } else {
                    let threads = get(FunctionAttribute::MAX_THREADS_PER_BLOCK);
                    let attributes = if config.attributes.is_some() {
                        "the driver does not support an attribute, or "
                    } else {
                        ""
                    };
                    format!(
                        "{attributes}a grid of {} blocks of {} threads does not fit; the kernel was compiled for \
                         at most {threads} threads per block",
                        config.grid, config.block
                    )
                }
            }
            CUresult::CUDA_ERROR_INVALID_CLUSTER_SIZE => {
                let cluster = match config.cluster {
                    Some(cluster) => format!("clusters of {cluster} blocks"),
                    None => "the clusters of the kernel's declaration".into(),
                };
                format!(
                    "{cluster} do not fit a grid of {}: each extent of a cluster must divide the grid's, and must be the \
                     one that the kernel is declared with, if any. A cluster has at most 8 blocks, or up to \
                     Function::max_cluster_size with FunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED",
                    config.grid
                )
            }
            CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => format!(
                "blocks of {} threads with {} registers per thread do not fit on a multiprocessor. Fix: use \
                 smaller blocks, or compile with Program::max_registers",
                config.block,
                get(FunctionAttribute::NUM_REGS)
            ),
            CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => format!(
                "{} blocks cannot be resident at the same time, as a cooperative launch requires. Fix: use \
                 at most Function::max_active_blocks",
                config.grid.count()
            ),
            _ => return error,
        };
        error
            .with_kind(ErrorKind::LaunchArguments)
            .with_detail(format!("kernel `{}`: {detail}", self.name()))
    }
}

#[cold]
fn count_mismatch(parameters: &[ParameterInfo], passed: usize) -> String {
    let plural = |n: usize, of: &str| format!("{n} {of}{}", if n == 1 { "" } else { "s" });
    let mut text = format!(
        "it has {}, but {} passed",
        plural(parameters.len(), "parameter"),
        plural(passed, "argument") + if passed == 1 { " was" } else { " were" }
    );
    for (i, parameter) in parameters.iter().enumerate() {
        let before = if i == 0 { ". Parameter" } else { "," };
        text += &format!("{before} {i} {parameter}");
    }
    text
}

#[cold]
fn type_mismatch(i: usize, parameter: &ParameterInfo, argument: &ArgumentType) -> String {
    let name = short((argument.name)());
    let kind = (argument.kind)();
    let mut text = format!(
        "argument {i} (counted from 0) is {name}, {}of {}, but the parameter {parameter}",
        kind.words(),
        bytes(argument.size)
    );
    if let Some(remedy) = remedy(&name, kind, parameter) {
        text += &format!(": {remedy}");
    }
    text
}

/// Returns a suggestion for replacing an argument of this type and kind.
fn remedy(name: &str, kind: ArgumentKind, parameter: &ParameterInfo) -> Option<String> {
    let bits = 8 * parameter.size;
    let number = kind != ArgumentKind::Pointer;
    if let Some(axes) = axes_of_strided(name) {
        return Some(format!(
            "declare the parameter as `Strided<T, {axes}>` of `STRIDED_HEADER`, or pass an array of as many axes as it has"
        ));
    }
    Some(match (parameter.kind, kind) {
        (ParameterKind::Float, ArgumentKind::Float) => {
            format!("write a number as `2.0f{bits}`, or convert by `as f{bits}`")
        }
        (ParameterKind::Float, ArgumentKind::Integer) => format!("convert by `as f{bits}`"),
        (ParameterKind::Integer, ArgumentKind::Integer) if name.starts_with("the length as ") => {
            format!("use `WithLen::i{bits}` or `WithLen::u{bits}`")
        }
        (ParameterKind::Integer, ArgumentKind::Integer | ArgumentKind::Float) => {
            let memory = match parameter.size {
                8 if kind == ArgumentKind::Float => ", or pass `&buffer` for a pointer",
                4 if name == "usize" => {
                    ", or pass a buffer and its length as `WithLen::i32(&buffer)`"
                }
                _ => "",
            };
            format!("convert by `as i{bits}` or `as u{bits}`{memory}")
        }
        (ParameterKind::Pointer, _) if number => "pass `&buffer` or `&mut buffer`".into(),
        (ParameterKind::Float | ParameterKind::Integer, ArgumentKind::Pointer) => {
            "pass a number here, and check the order of the arguments".into()
        }
        (ParameterKind::Aggregate { .. }, _) => {
            "declare the struct with `#[repr(C)]` and the same fields in Rust".into()
        }
        _ => return None,
    })
}

/// Returns the number of axes of an array of cuda-compute that is passed with its strides.
fn axes_of_strided(name: &str) -> Option<&str> {
    let name = name.strip_prefix("Strided")?;
    let of = name
        .strip_prefix("Mut<")
        .or_else(|| name.strip_prefix('<'))?;
    let axes = of.strip_suffix('>')?.rsplit(", ").next()?;
    axes.parse::<usize>().is_ok().then_some(axes)
}

/// Returns a type's name without its modules. `DeviceBuffer` replaces the type that it aliases.
fn short(name: &str) -> String {
    let mut text = String::new();
    for part in name.split_inclusive("::") {
        match part.strip_suffix("::") {
            Some(part) => {
                let module = |c: char| c.is_alphanumeric() || c == '_';
                text += part.trim_end_matches(module);
            }
            None => text += part,
        }
    }
    text.replace("DeviceMemory<StreamOrdered, ", "DeviceBuffer<")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceBuffer;

    #[test]
    fn type_names_omit_modules_and_aliases() {
        let of = |name| short(name);
        assert_eq!(of("f64"), "f64");
        assert_eq!(
            of(std::any::type_name::<&mut DeviceBuffer<f32>>()),
            "&mut DeviceBuffer<f32>"
        );
        assert_eq!(
            of(std::any::type_name::<[Option<u8>; 3]>()),
            "[Option<u8>; 3]"
        );
        assert_eq!(of("the length as u64"), "the length as u64");
    }

    #[test]
    fn mismatches_have_suggestions() {
        let parameter = |kind, size| ParameterInfo {
            offset: 0,
            size,
            kind,
        };
        let float = parameter(ParameterKind::Float, 4);
        let int = parameter(ParameterKind::Integer, 4);
        let long = parameter(ParameterKind::Integer, 8);
        let bytes = parameter(ParameterKind::Unknown, 2);
        let aggregate = parameter(ParameterKind::Aggregate { alignment: 4 }, 12);
        let pointer = parameter(ParameterKind::Pointer, 8);
        for (name, kind, parameter, expected) in [
            ("f64", ArgumentKind::Float, float, "`2.0f32`"),
            ("i32", ArgumentKind::Integer, float, "convert by `as f32`"),
            (
                "usize",
                ArgumentKind::Integer,
                int,
                "`as i32` or `as u32`, or pass a buffer and its length",
            ),
            (
                "i32",
                ArgumentKind::Integer,
                long,
                "convert by `as i64` or `as u64`",
            ),
            (
                "f64",
                ArgumentKind::Float,
                long,
                "or pass `&buffer` for a pointer",
            ),
            (
                "the length as u64",
                ArgumentKind::Integer,
                int,
                "`WithLen::i32`",
            ),
            (
                "&DeviceBuffer<f32>",
                ArgumentKind::Pointer,
                int,
                "check the order of the arguments",
            ),
            ("f64", ArgumentKind::Float, pointer, "pass `&buffer`"),
            (
                "Pair",
                ArgumentKind::Other,
                aggregate,
                "`#[repr(C)]` and the same fields",
            ),
            (
                "StridedMut<'_, f32, 3>",
                ArgumentKind::Other,
                aggregate,
                "`Strided<T, 3>`",
            ),
            (
                "Strided<'_, f32, 2>",
                ArgumentKind::Other,
                pointer,
                "`Strided<T, 2>`",
            ),
        ] {
            let text = remedy(name, kind, &parameter).unwrap();
            assert!(text.contains(expected), "{name}: {text}");
        }
        assert_eq!(remedy("u8", ArgumentKind::Integer, &bytes), None);
        let fits = remedy("&DeviceBuffer<f32>", ArgumentKind::Pointer, &pointer);
        assert_eq!(fits, None);
        // The suggestions to pass a length or a pointer are limited to `usize` and to 8-byte
        // parameters.
        for (name, parameter) in [("i64", int), ("i32", long), ("usize", long)] {
            let text = remedy(name, ArgumentKind::Integer, &parameter).unwrap();
            assert!(!text.contains("pass"), "{name}: {text}");
        }
        let text = remedy("f64", ArgumentKind::Float, &int).unwrap();
        assert!(!text.contains("pass"), "{text}");
    }
}
