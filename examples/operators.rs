//! The operators of other examples, as handwritten kernels and as one-line array expressions.
//!
//! Shows the kernels of `double_matrix`, `multiply_vectors` and `custom_op` as expressions: doubling, a product, two outputs
//! of one kernel, and input of any strides. Both versions produce the same bits, and both are timed.

mod common;

use anyhow::{Result, bail, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{measure, show},
    table::Table,
};
use cuda_compute::{Array, eval, s};
use cuda_safe::{DeviceBuffer, Function, LaunchConfig, Module};

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

// Element (row, column) of x is at start + row * row_stride + column * column_stride.
extern "C" __global__ void twice_strided(float *out, const float *x, int start, int row_stride,
                                         int column_stride, int rows, int columns) {
    const int i = INDEX;
    if (i < rows * columns) {
        const int row = i / columns, column = i % columns;
        out[i] = 2.0f * x[start + row * row_stride + column * column_stride];
    }
}
"#;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let both = Both::new(&gpu)?;
    let mut table = Table::new(&["by events", "handwritten", "one line"]);

    heading("2 x");
    both.twice(&mut table)?;
    heading("x y");
    both.product(&mut table)?;
    heading("x + y and x - y, two outputs of one kernel");
    both.sum_and_difference(&mut table)?;
    heading("2 x of any strides");
    both.strided(&mut table)?;
    heading("shapes that don't fit");
    both.mistake()?;

    heading("times of the kernels, with results in existing memory");
    print!("{table}");
    Ok(())
}

/// The same numbers twice: as buffers for kernels, and as arrays for expressions.
struct Both<'gpu> {
    gpu: &'gpu Gpu,
    module: Module,
    rows: usize,
    columns: usize,
    x_host: Vec<f32>,
    y_host: Vec<f32>,
    x_buffer: DeviceBuffer<f32>,
    y_buffer: DeviceBuffer<f32>,
    x: Array<f32>,
    y: Array<f32>,
}

impl<'gpu> Both<'gpu> {
    fn new(gpu: &'gpu Gpu) -> Result<Self> {
        let (rows, columns) = (gpu.size(8192, 96), gpu.size(4098, 300));
        let stream = &gpu.stream;
        let x_host = data::normal(rows * columns);
        let y_host = data::uniform(rows * columns);
        Ok(Self {
            gpu,
            module: Module::compile(&gpu.context, SOURCE)?,
            rows,
            columns,
            x_buffer: DeviceBuffer::from_slice(stream, &x_host)?,
            y_buffer: DeviceBuffer::from_slice(stream, &y_host)?,
            x: Array::from_shape(stream, [rows, columns], &x_host)?,
            y: Array::from_shape(stream, [rows, columns], &y_host)?,
            x_host,
            y_host,
        })
    }

    fn kernel(&self, name: &str) -> Result<(Function, i32, LaunchConfig)> {
        let n = self.rows * self.columns;
        let config = LaunchConfig::for_elements(n);
        Ok((self.module.function(name)?, i32::try_from(n)?, config))
    }

    /// Memory for a result.
    fn empty(&self, elements: usize) -> Result<DeviceBuffer<f32>> {
        Ok(DeviceBuffer::uninit(&self.gpu.stream, elements)?)
    }

    /// Adds a row of times: of the kernel, and of the expression written to existing memory.
    fn time(
        &self,
        table: &mut Table,
        name: &str,
        mut by_hand: impl FnMut() -> cuda_safe::Result<()>,
        one_line: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let runs = self.gpu.size(20, 2);
        let by_hand = measure(self.gpu, runs, || Ok(by_hand()?))?.device;
        let one_line = measure(self.gpu, runs, one_line)?.device;
        table.row([name, &show(by_hand), &show(one_line)]);
        Ok(())
    }

    fn twice(&self, table: &mut Table) -> Result<()> {
        let (twice, n, config) = self.kernel("twice")?;
        let mut out = self.empty(self.x_host.len())?;
        let mut by_hand = || {
            // SAFETY: n threads, each with one of the n elements of both buffers.
            unsafe { twice.launch(&self.gpu.stream, config, (&mut out, &self.x_buffer, n)) }
        };
        by_hand()?;

        let mut doubled = (&self.x * 2.0).eval()?;

        self.time(table, "2 x", &mut by_hand, || {
            Ok(doubled.assign(&self.x * 2.0)?)
        })?;
        let expected: Vec<f32> = self.x_host.iter().map(|x| 2.0 * x).collect();
        self.check(&out, &doubled, &expected)
    }

    fn product(&self, table: &mut Table) -> Result<()> {
        let (product, n, config) = self.kernel("product")?;
        let mut out = self.empty(self.x_host.len())?;
        let mut by_hand = || {
            let arguments = (&mut out, &self.x_buffer, &self.y_buffer, n);
            // SAFETY: n threads, each with one of the n elements of the three buffers.
            unsafe { product.launch(&self.gpu.stream, config, arguments) }
        };
        by_hand()?;

        let mut multiplied = (&self.x * &self.y).eval()?;

        self.time(table, "x y", &mut by_hand, || {
            Ok(multiplied.assign(&self.x * &self.y)?)
        })?;
        let expected: Vec<f32> = self.pairs().map(|(x, y)| x * y).collect();
        self.check(&out, &multiplied, &expected)
    }

    fn sum_and_difference(&self, table: &mut Table) -> Result<()> {
        let (kernel, n, config) = self.kernel("sum_and_difference")?;
        let mut sum_out = self.empty(self.x_host.len())?;
        let mut difference_out = self.empty(self.x_host.len())?;
        let (x, y) = (&self.x, &self.y);
        let by_hand = || {
            let arguments = (
                &mut sum_out,
                &mut difference_out,
                &self.x_buffer,
                &self.y_buffer,
                n,
            );
            // SAFETY: n threads, each with one of the n elements of the four buffers.
            unsafe { kernel.launch(&self.gpu.stream, config, arguments) }
        };

        let (sum, difference) = eval((x + y, x - y))?;

        // The results' memory comes from the driver's pool, which has retained that of the previous results.
        self.time(table, "x + y and x - y", by_hand, || {
            drop(eval((x + y, x - y))?);
            Ok(())
        })?;
        let expected: Vec<f32> = self.pairs().map(|(x, y)| x + y).collect();
        self.check(&sum_out, &sum, &expected)?;
        let expected: Vec<f32> = self.pairs().map(|(x, y)| x - y).collect();
        self.check(&difference_out, &difference, &expected)
    }

    fn strided(&self, table: &mut Table) -> Result<()> {
        let (rows, columns) = (self.rows, self.columns);
        let (height, width) = (rows as i32, columns as i32);
        // For a handwritten kernel, you must compute the start, strides and lengths of every view.
        let views = [
            (
                "transposed",
                self.x.t(),
                (0, 1, width, width, height),
                self.expected(columns, rows, |row, column| (column, row)),
            ),
            (
                "every third column",
                self.x.slice(s![.., ..;3])?,
                (0, width, 3, height, width / 3),
                self.expected(rows, columns / 3, |row, column| (row, 3 * column)),
            ),
            (
                "rows from the last",
                self.x.slice(s![..;-1])?,
                ((height - 1) * width, -width, 1, height, width),
                self.expected(rows, columns, |row, column| (rows - 1 - row, column)),
            ),
        ];
        let (kernel, _, _) = self.kernel("twice_strided")?;
        for (name, view, layout, expected) in views {
            let (start, row_stride, column_stride, rows, columns) = layout;
            let mut out = self.empty(view.len())?;
            let config = LaunchConfig::for_elements(view.len());
            let mut by_hand = || {
                let x = &self.x_buffer;
                let arguments = (&mut out, x, start, row_stride, column_stride, rows, columns);
                // SAFETY: one thread per element of out. Start and strides stay within x for all of them.
                unsafe { kernel.launch(&self.gpu.stream, config, arguments) }
            };
            by_hand()?;

            let mut doubled = (&view * 2.0).eval()?;

            self.time(table, &format!("2 x, {name}"), &mut by_hand, || {
                Ok(doubled.assign(&view * 2.0)?)
            })?;
            print!("{name}, {:?}:", view.shape());
            self.check(&out, &doubled, &expected)?;
        }
        Ok(())
    }

    /// Returns twice the elements of a view of x, row by row.
    fn expected(
        &self,
        rows: usize,
        columns: usize,
        place: impl Fn(usize, usize) -> (usize, usize),
    ) -> Vec<f32> {
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        places
            .map(|(row, column)| {
                let (row, column) = place(row, column);
                2.0 * self.x_host[row * self.columns + column]
            })
            .collect()
    }

    fn mistake(&self) -> Result<()> {
        let Err(error) = (&self.x * self.x.t()).eval() else {
            bail!("arrays of different shapes were multiplied");
        };
        println!("  {error}");
        Ok(())
    }

    fn pairs(&self) -> impl Iterator<Item = (&f32, &f32)> {
        self.x_host.iter().zip(&self.y_host)
    }

    /// A single operation rounds in the same way everywhere, so all three are equal bit for bit.
    fn check(&self, by_hand: &DeviceBuffer<f32>, array: &Array<f32>, cpu: &[f32]) -> Result<()> {
        let (by_hand, array) = (by_hand.to_vec(&self.gpu.stream)?, array.to_vec()?);
        ensure!(
            by_hand == cpu,
            "the handwritten kernel differs from the CPU"
        );
        ensure!(array == cpu, "the expression differs from the CPU");
        println!(
            "  handwritten, as an expression and on the CPU: {} equal numbers",
            cpu.len()
        );
        Ok(())
    }
}
