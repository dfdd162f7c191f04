//! Whether a launch fits the kernel and the device, checked before the driver is called.

use cuda_sys::CUresult;

use super::{KernelArgument, LaunchConfig};
use crate::{
    context::Context,
    error::{Error, ErrorKind, Result},
    function::{Function, FunctionAttribute},
    parameter::{ArgumentKind, ParameterInfo},
};

/// What an argument's type says about it.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentType {
    pub(super) name: fn() -> &'static str,
    pub(super) size: usize,
    pub(super) kind: fn() -> ArgumentKind,
}

impl ArgumentType {
    pub(super) const fn of<A: KernelArgument>() -> Self {
        Self {
            name: std::any::type_name::<A>,
            size: A::SIZE,
            kind: A::kind,
        }
    }

    pub(crate) fn fits(&self, parameter: &ParameterInfo) -> bool {
        parameter.size == self.size && parameter.kind.takes((self.kind)())
    }
}

impl Function {
    /// Whether there is something to launch; an error if it can't be launched.
    #[inline]
    pub(crate) fn is_launchable(
        &self,
        context: &Context,
        config: &LaunchConfig,
        arguments: &'static [ArgumentType],
    ) -> Result<bool> {
        let limits = self.limits();
        let (grid, block) = (config.grid, config.block);
        let fits = context == self.context()
            && block.x <= limits.block[0]
            && block.y <= limits.block[1]
            && block.z <= limits.block[2]
            && (1..=u64::from(limits.threads_per_block)).contains(&block.count())
            && grid.x <= limits.grid[0]
            && grid.y <= limits.grid[1]
            && grid.z <= limits.grid[2]
            && self.fits(arguments)?;
        if fits {
            Ok(grid.count() > 0)
        } else {
            Err(self.misfit(context, config, arguments))
        }
    }

    #[cold]
    fn misfit(
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
        let detail = if let Some(text) = self.argument_misfit(arguments) {
            text
        } else if config.block.count() == 0 {
            format!("a block of {} threads has none", config.block)
        } else if config.block.count() > u64::from(limits.threads_per_block) {
            format!(
                "a block of {} has {} threads; the device allows {}",
                config.block,
                config.block.count(),
                limits.threads_per_block
            )
        } else if config.grid.x == LaunchConfig::TOO_MANY {
            format!(
                "a grid of {0} or more blocks, and the device allows {1}: a negative number of elements, or more than \
                 a grid has threads. Let each thread compute several elements (`LaunchConfig::for_occupancy`)",
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
            .map(|(axis, asked, allowed)| format!("{axis} is {asked}, {allowed} allowed"))
            .collect();
            beyond.join("; ")
        };
        let detail = format!("kernel `{name}`: {detail}");
        Error::checked(ErrorKind::LaunchArguments, "Function::launch", detail)
    }

    fn argument_misfit(&self, arguments: &[ArgumentType]) -> Option<String> {
        let parameters = self.parameters().ok()??;
        if parameters.len() != arguments.len() {
            return Some(format!(
                "it has {} parameters, and {} arguments were passed",
                parameters.len(),
                arguments.len()
            ));
        }
        let mut pairs = parameters.iter().zip(arguments).enumerate();
        let (i, (parameter, argument)) =
            pairs.find(|(_, (parameter, argument))| !argument.fits(parameter))?;
        Some(format!(
            "argument {i} (counted from 0) is {}, {}of {} bytes, and the parameter {parameter}",
            (argument.name)(),
            (argument.kind)().words(),
            argument.size
        ))
    }

    /// What the code of a failed launch means for this kernel.
    #[cold]
    pub(super) fn refusal(&self, code: CUresult, config: &LaunchConfig) -> Error {
        let call = if config.cooperative {
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
                        "{} bytes of dynamic shared memory requested, {dynamic} allowed: raise the limit \
                         with Function::set_max_dynamic_shared{}",
                        config.shared_bytes,
                        self.dynamic_shared_limit()
                            .map_or_else(String::new, |most| format!(", up to {most}"))
                    )
                } else {
                    let threads = get(FunctionAttribute::MAX_THREADS_PER_BLOCK);
                    format!(
                        "a grid of {} blocks of {} threads does not fit; the kernel was compiled for \
                         at most {threads} threads per block",
                        config.grid, config.block
                    )
                }
            }
            CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => format!(
                "blocks of {} threads with {} registers per thread don't fit on a multiprocessor: use \
                 smaller blocks, or compile with Program::max_registers",
                config.block,
                get(FunctionAttribute::NUM_REGS)
            ),
            CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => format!(
                "{} blocks can't be resident at the same time, as a cooperative launch requires: see \
                 Function::max_active_blocks",
                config.grid.count()
            ),
            _ => return error,
        };
        error
            .with_kind(ErrorKind::LaunchArguments)
            .with_detail(format!("kernel `{}`: {detail}", self.name()))
    }
}
