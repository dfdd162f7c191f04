//! Linear interpolation between samples.

use crate::{
    array::{Array, Layout, Order},
    element::{DataType, Float},
    error::{Error, Result},
    expression::{
        Expr,
        fused::{self, Prepared},
        hashed::Hashed,
        render::Form,
    },
    kernel::{Source, Specialisation},
};

/// A kernel that interpolates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Interp {
    form: Hashed<Form>,
    data: DataType,
}

const THREADS: u32 = 256;

impl Specialisation for Interp {
    fn source(&self) -> Source {
        let text = include_str!("../kernels/interp.cu");
        fused::source(Source::new("interp.cu", text, "interp"), &self.form)
            .define("THREADS", THREADS)
            .define("STORED", self.data.stored())
            .define("VALUE", self.data.computed())
    }
}

impl<T: Float> Expr<T> {
    /// Interpolates linearly between samples, in a new array, like NumPy's `interp`.
    ///
    /// The samples have the values `fp` at the positions `xp`, which must be in ascending order. If
    /// they are not, results have no meaning. The result for a number below the first position is the
    /// first value, and beyond the last position the last value. It is NaN for NaN.
    ///
    /// Each thread finds its samples by binary search. The kernel also computes this expression.
    /// Halves are computed as `f32`. This does not wait.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let xp = Array::from_slice(&stream, &[1.0f32, 2.0, 4.0])?;
    /// let fp = Array::from_slice(&stream, &[3.0, 2.0, 0.0])?;
    /// let x = Array::from_slice(&stream, &[0.0, 1.5, 3.0, 9.0])?;
    /// assert_eq!(x.interp(&xp, &fp)?.to_vec()?, [3.0, 2.5, 1.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - `xp` and `fp` don't both have one axis, of the same length, with at least one element;
    /// - the arrays belong to several contexts;
    /// - the expression reads no array, so it has no stream;
    /// - memory runs out.
    pub fn interp(&self, xp: &Array<T>, fp: &Array<T>) -> Result<Array<T>> {
        if xp.shape() != fp.shape() {
            return Err(Error::Shape(format!(
                "interp: xp has shape {} and fp has shape {}, which must be equal",
                xp.shape(),
                fp.shape()
            )));
        }
        let (xp, fp) = (xp.vector("interp, xp", 1)?, fp.vector("interp, fp", 1)?);
        let mut prepared = Prepared::new(&[&self.node])?;
        let shape = prepared.shape;
        let memory = prepared.memory(shape.elements(), T::DATA_TYPE)?;
        let result = Array::of(memory.clone(), Layout::dense(shape, Order::C));
        if result.is_empty() {
            return Ok(result);
        }
        let order: Vec<usize> = (0..shape.rank()).collect();
        let fused = prepared.fuse_single(&order)?;
        let kernel = prepared.kernels.get(&Interp {
            form: fused.form.clone(),
            data: T::DATA_TYPE,
        })?;
        let count = result.len() as u64;
        let mut parameters = [
            count,
            xp.len() as u64,
            xp.as_device_ptr(),
            fp.as_device_ptr(),
            memory.address(),
        ];
        let launch = (count.div_ceil(u64::from(THREADS)), THREADS);
        let others = [&*memory, &*xp.memory, &*fp.memory];
        // SAFETY: `interp` has these parameters, reads as many samples as `xp` and `fp` have, and
        // writes `count` elements.
        unsafe { fused.launch(&kernel, &prepared.stream, launch, &mut parameters, &others)? };
        Ok(result)
    }
}

impl<T: Float> Array<T> {
    /// Interpolates linearly between samples, in a new array. See [`Expr::interp`].
    ///
    /// # Errors
    /// Returns an error if `xp` and `fp` don't both have one axis, of the same length, with at least
    /// one element, or if memory runs out. See [`Expr::interp`].
    pub fn interp(&self, xp: &Self, fp: &Self) -> Result<Self> {
        self.expr().interp(xp, fp)
    }
}
