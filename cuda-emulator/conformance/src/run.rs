//! Runs forms on the current driver.

use anyhow::{Context as _, Result, bail};
use cuda_safe::{
    Context, DeviceBuffer, Function, LaunchConfig, Module, Stream, module::JitOptions,
};

use crate::form::{BLOCK, Form, module};
use crate::operand::Width;

/// Number of kernels in a module.
const KERNELS_PER_MODULE: usize = 128;

/// The results of a form: a column for each result register, with an entry for each case.
pub type Columns = Vec<Vec<u64>>;

/// The outcome of a form: its results, or the reason why there are none.
pub type Outcome = Result<Columns, String>;

/// A device to run forms on.
pub struct Runner {
    context: Context,
    stream: Stream,
    options: JitOptions,
}

impl Runner {
    /// Creates a runner on device 0 of the driver that the program is linked to.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no driver or no device.
    pub fn new() -> Result<Self> {
        let context = Context::primary(0)?;
        let stream = Stream::new(&context)?;
        Ok(Self {
            context,
            stream,
            options: JitOptions::default(),
        })
    }

    /// Sets options for the driver's compiler.
    #[must_use]
    pub fn options(mut self, options: JitOptions) -> Self {
        self.options = options;
        self
    }

    /// Returns the device's name, and the driver's version.
    ///
    /// # Errors
    ///
    /// Returns an error if a driver call fails.
    pub fn device(&self) -> Result<String> {
        let name = self.context.device().name()?;
        Ok(format!(
            "{name}, driver for CUDA {}",
            cuda_safe::driver::version()?
        ))
    }

    /// Runs every form, in the order given.
    #[must_use]
    pub fn run(&self, forms: &[Form]) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = forms.iter().map(|_| None).collect();
        let mut order: Vec<usize> = (0..forms.len()).collect();
        let needs = |i: usize| (forms[i].version, forms[i].target);
        order.sort_by_key(|&i| needs(i));
        for batch in order.chunk_by(|&a, &b| needs(a) == needs(b)) {
            for part in batch.chunks(KERNELS_PER_MODULE) {
                let of_part: Vec<&Form> = part.iter().map(|&i| &forms[i]).collect();
                for (&i, outcome) in part.iter().zip(self.run_module(&of_part)) {
                    outcomes[i] = Some(outcome);
                }
            }
        }
        outcomes.into_iter().flatten().collect()
    }

    fn run_module(&self, forms: &[&Form]) -> Vec<Outcome> {
        match Module::from_ptx_with(&self.context, &module(forms), &self.options) {
            Ok(module) => forms
                .iter()
                .enumerate()
                .map(|(i, form)| {
                    let function = module.function(&format!("form_{i}"));
                    let columns = function
                        .map_err(Into::into)
                        .and_then(|f| self.launch(&f, form));
                    columns.map_err(|error| format!("{error:#}"))
                })
                .collect(),
            // A rejected form must not hide the others.
            Err(_) if forms.len() > 1 => {
                let (first, second) = forms.split_at(forms.len() / 2);
                let mut outcomes = self.run_module(first);
                outcomes.extend(self.run_module(second));
                outcomes
            }
            Err(error) => vec![Err(format!("rejected at load: {error}"))],
        }
    }

    fn launch(&self, function: &Function, form: &Form) -> Result<Columns> {
        let (cases, results) = (form.cases, form.results.len());
        let block = cases.min(BLOCK);
        if cases == 0 || cases % block != 0 {
            bail!("{cases} cases are not a whole number of blocks");
        }
        let mut host = form.inputs();
        host.resize(host.len().max(1), 0);
        let inputs = DeviceBuffer::from_slice(&self.stream, &host)?;
        let mut outputs = DeviceBuffer::<u64>::zeroed(&self.stream, cases * results)?;
        let mut scratch = DeviceBuffer::<u64>::zeroed(&self.stream, cases * 2)?;
        let config = LaunchConfig::new((cases / block) as u32, block as u32);
        // SAFETY: the kernel reads its case's operands, writes its case's results and uses 16 bytes
        // of scratch for each case. The buffers have exactly these sizes.
        unsafe { function.launch(&self.stream, config, (&inputs, &mut outputs, &mut scratch)) }
            .context("launch")?;
        let all = outputs.to_vec(&self.stream).context("results")?;
        Ok((0..results)
            .map(|r| {
                let width: Width = form.results[r];
                let column = all.iter().skip(r).step_by(results);
                column.map(|&value| width.cut(value)).collect()
            })
            .collect())
    }
}
