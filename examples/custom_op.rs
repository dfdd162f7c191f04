//! An operator object for the array type of another library.
//!
//! Shows device operators for the arrays of a library, here `ndarray`. Arrays of any strides are made
//! contiguous if necessary, output memory is allocated only when the shape changes, and a kernel may have
//! several outputs. The number of arguments is known only at run time, so the launch takes a list.

mod common;

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{measure, measure_cpu, show},
    table::Table,
};
use cuda_safe::{DeviceBuffer, Function, LaunchConfig, Module, launch::ArgumentList};
use ndarray::{Array, Array2, ArrayD, ArrayViewD, Axis, Slice};

const SOURCE: &str = r#"
#define INDEX blockIdx.x * blockDim.x + threadIdx.x

extern "C" __global__ void twice(float *out, const float *x, int n) {
    const int i = INDEX;
    if (i < n) out[i] = 2.0f * x[i];
}

extern "C" __global__ void product(float *out, const float *x, const float *y, int n) {
    const int i = INDEX;
    if (i < n) out[i] = x[i] * y[i];
}

extern "C" __global__ void sum_and_difference(float *sum, float *difference,
                                              const float *x, const float *y, int n) {
    const int i = INDEX;
    if (i < n) {
        sum[i] = x[i] + y[i];
        difference[i] = x[i] - y[i];
    }
}
"#;

/// Threads per block.
const BLOCK: u32 = 512;

/// An elementwise kernel with `INPUTS` input arrays and `OUTPUTS` output arrays, called as a function
/// of arrays. Its parameters are the outputs, the inputs, and the number of elements as an `int`.
struct Operator<'gpu, const INPUTS: usize, const OUTPUTS: usize> {
    gpu: &'gpu Gpu,
    kernel: Function,
    shape: Vec<usize>,
    inputs: Vec<DeviceBuffer<f32>>,
    outputs: Vec<DeviceBuffer<f32>>,
    /// The numbers of allocations, and of inputs that were made contiguous.
    allocations: usize,
    rearranged: usize,
}

impl<'gpu, const INPUTS: usize, const OUTPUTS: usize> Operator<'gpu, INPUTS, OUTPUTS> {
    /// # Safety
    /// The caller must ensure that the kernel has the parameters of this type, and accesses only the
    /// elements of its arguments.
    unsafe fn new(gpu: &'gpu Gpu, module: &Module, name: &str) -> Result<Self> {
        let kernel = module.function(name)?;
        if let Some(parameters) = kernel.parameters()? {
            let (has, needs) = (parameters.len(), OUTPUTS + INPUTS + 1);
            ensure!(
                has == needs,
                "{name} has {has} parameters, and must have {needs}"
            );
        }
        Ok(Self {
            gpu,
            kernel,
            shape: vec![0],
            inputs: Vec::new(),
            outputs: Vec::new(),
            allocations: 0,
            rearranged: 0,
        })
    }

    /// Applies the operator to arrays of one shape.
    fn apply(&mut self, inputs: [ArrayViewD<f32>; INPUTS]) -> Result<[ArrayD<f32>; OUTPUTS]> {
        let shape = inputs[0].shape().to_vec();
        for input in &inputs {
            let other = input.shape();
            ensure!(
                other == shape,
                "the arrays have the shapes {shape:?} and {other:?}, and must have the same shape"
            );
        }
        self.allocate_for(&shape)?;
        for (input, buffer) in inputs.iter().zip(&mut self.inputs) {
            if !input.is_standard_layout() {
                self.rearranged += 1;
            }
            let contiguous = input.as_standard_layout();
            let elements = contiguous
                .as_slice()
                .expect("the standard layout is contiguous");
            buffer.copy_from_slice(&self.gpu.stream, elements)?;
        }
        self.launch()?;
        let mut results = Vec::new();
        for buffer in &self.outputs {
            results.push(Array::from_shape_vec(
                shape.clone(),
                buffer.to_vec(&self.gpu.stream)?,
            )?);
        }
        Ok(results.try_into().expect("one result per output"))
    }

    fn allocate_for(&mut self, shape: &[usize]) -> Result<()> {
        if self.shape == shape && !self.outputs.is_empty() {
            return Ok(());
        }
        let stream = &self.gpu.stream;
        let make = || DeviceBuffer::uninit(stream, shape.iter().product());
        self.outputs = (0..OUTPUTS).map(|_| make()).collect::<Result<_, _>>()?;
        self.inputs = (0..INPUTS).map(|_| make()).collect::<Result<_, _>>()?;
        self.shape = shape.to_vec();
        self.allocations += 1;
        Ok(())
    }

    /// Enqueues the kernel with one thread per element, in ceil(n / 512) blocks.
    fn launch(&mut self) -> Result<()> {
        let n = i32::try_from(self.shape.iter().product::<usize>())?;
        let config = LaunchConfig::for_elements_in_blocks(n, BLOCK);
        if n == 0 {
            return Ok(());
        }
        let mut arguments = ArgumentList::new();
        for buffer in &mut self.outputs {
            arguments.push(buffer);
        }
        for buffer in &self.inputs {
            arguments.push(buffer);
        }
        arguments.push(n);
        // SAFETY: the kernel accesses n elements of each buffer, by the contract of `new`.
        unsafe {
            self.kernel
                .launch_list(&self.gpu.stream, config, arguments)?
        };
        Ok(())
    }
}

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let module = Module::compile(&gpu.context, SOURCE)?;
    // SAFETY: the kernels above, with one or two inputs and one or two outputs.
    let (mut twice, mut product, mut both) = unsafe {
        (
            Operator::<1, 1>::new(&gpu, &module, "twice")?,
            Operator::<2, 1>::new(&gpu, &module, "product")?,
            Operator::<2, 2>::new(&gpu, &module, "sum_and_difference")?,
        )
    };

    heading("doubling arrays of any strides");
    let rows = gpu.size(2048, 128);
    let x = Array2::from_shape_vec((rows, 700), data::normal(rows * 700))?;
    let views = [
        ("unchanged", x.view().into_dyn()),
        ("transposed", x.t().into_dyn()),
        (
            "every third column",
            x.slice_axis(Axis(1), Slice::from(..).step_by(3)).into_dyn(),
        ),
        (
            "rows in reverse order",
            x.slice_axis(Axis(0), Slice::from(..).step_by(-1))
                .into_dyn(),
        ),
        (
            "one row",
            x.slice_axis(Axis(0), Slice::from(0..1)).into_dyn(),
        ),
        (
            "no elements",
            x.slice_axis(Axis(0), Slice::from(0..0)).into_dyn(),
        ),
    ];
    let mut table = Table::new(&[
        "view",
        "shape",
        "strides",
        "allocations so far",
        "rearranged",
    ]);
    for (name, view) in views {
        let before = twice.rearranged;
        let [doubled] = twice.apply([view.clone()])?;
        ensure!(
            doubled == view.mapv(|value| 2.0 * value),
            "double of {name} is wrong"
        );
        table.row([
            name.to_owned(),
            format!("{:?}", view.shape()),
            format!("{:?}", view.strides()),
            twice.allocations.to_string(),
            if twice.rearranged > before {
                "yes"
            } else {
                "no"
            }
            .to_owned(),
        ]);
    }
    print!("{table}");

    heading("x * y, and x + y with x - y");
    let y = Array2::from_shape_vec((700, rows), data::uniform(rows * 700))?;
    let arguments = || [x.view().into_dyn(), y.t().into_dyn()];
    let y = y.t();
    let [times] = product.apply(arguments())?;
    ensure!(times == (&x * &y).into_dyn(), "the product is wrong");
    let [plus, minus] = both.apply(arguments())?;
    ensure!(plus == (&x + &y).into_dyn(), "the sum is wrong");
    ensure!(minus == (&x - &y).into_dyn(), "the difference is wrong");
    println!(
        "two outputs of one kernel, {} elements each, equal to ndarray's",
        plus.len()
    );
    let refused = product.apply([x.view().into_dyn(), x.t().into_dyn()]);
    ensure!(
        refused.is_err(),
        "arrays of different shapes were multiplied"
    );

    heading("times of x + y with x - y");
    let again = both.allocations;
    let kernel = measure(&gpu, gpu.size(20, 2), || both.launch())?;
    let (_, whole) = measure_cpu(gpu.size(5, 2), || both.apply(arguments()));
    let (_, cpu) = measure_cpu(gpu.size(5, 2), || (&x + &y, &x - &y));
    ensure!(
        both.allocations == again,
        "memory was allocated although the shape did not change"
    );
    let mut table = Table::new(&["", "time"]);
    table.row([
        format!("{}, only the kernel, by events", gpu.label()),
        show(kernel.device),
    ]);
    table.row([
        format!("{}, with copies, by the clock", gpu.label()),
        show(whole),
    ]);
    table.row(["ndarray on the CPU, by the clock".to_owned(), show(cpu)]);
    print!("{table}");
    Ok(())
}
