//! Copies of elements from the places that an expression gives, and the places of indices.

use cuda_safe::Stream;

use super::{THREADS, blocks, source};
use crate::{
    array::{Array, Layout, Order},
    element::{Class, DataType, Element, Integer},
    error::{Error, Result},
    expression::{Expr, fused::Prepared, hashed::Hashed, render::Form},
    kernel::{Source, Specialisation},
};

/// A kernel that copies elements from places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pick {
    form: Hashed<Form>,
    data: DataType,
}

impl Specialisation for Pick {
    fn source(&self) -> Source {
        let text = include_str!("../kernels/pick.cu");
        let own = Source::new("pick.cu", text, "pick");
        source(own, &self.form, self.data, DataType::U64)
    }
}

/// The place of an index that is out of bounds.
pub(super) const NOWHERE: u64 = u64::MAX;

/// Returns indices along an axis of this length, counted from the start. Negative ones count from
/// the end. Indices out of bounds are not less than the length.
pub(super) fn from_start<I: Integer>(indices: &Expr<I>, length: usize) -> Expr<u64> {
    if I::DATA_TYPE.class() != Class::Signed {
        return indices.converted();
    }
    let index = indices.converted::<i64>();
    let from_end = &index + length as i64;
    index.less(0).select(from_end, index).converted()
}

impl<T: Element> Array<T> {
    /// Copies the elements at these places, counted in C order, to a new array of the places' shape.
    /// A place out of bounds gets the value `otherwise`.
    pub(super) fn pick(&self, places: &Expr<u64>, otherwise: T) -> Result<Self> {
        self.picked(places, otherwise, None)
    }

    /// Copies the elements at these places, counted in C order, to a new array of the places' shape.
    /// `wrong` returns the error for the number of a place that is out of bounds. This waits for the
    /// kernel.
    pub(super) fn pick_checked(
        &self,
        places: &Expr<u64>,
        wrong: impl FnOnce(&Stream, u64) -> Error,
    ) -> Result<Self> {
        let mut number = 0;
        let picked = self.picked(places, T::default(), Some(&mut number))?;
        match number.checked_sub(1) {
            Some(number) => Err(wrong(self.stream(), number)),
            None => Ok(picked),
        }
    }

    /// Copies elements. `wrong` receives the number of a place that is out of bounds, plus 1.
    fn picked(&self, places: &Expr<u64>, otherwise: T, wrong: Option<&mut u64>) -> Result<Self> {
        let from = self.contiguous(Order::C)?;
        let otherwise = Expr::scalar(otherwise);
        let roots = [&places.node, &otherwise.node];
        let mut prepared = Prepared::on(from.memory.kernels(), from.stream(), &roots)?;
        let shape = prepared.shape;
        let memory = prepared.memory(shape.elements(), T::DATA_TYPE)?;
        let result = Self::of(memory.clone(), Layout::dense(shape, Order::C));
        if result.is_empty() {
            return Ok(result);
        }
        let order: Vec<usize> = (0..shape.rank()).collect();
        let fused = prepared.fuse_single(&order)?;
        let (kernels, stream) = (&prepared.kernels, &prepared.stream);
        let kernel = kernels.get(&Pick {
            form: fused.form.clone(),
            data: T::DATA_TYPE,
        })?;
        let count = result.len() as u64;
        let enqueue = |wrong| {
            let mut parameters = [
                count,
                from.len() as u64,
                from.as_device_ptr(),
                memory.address(),
                wrong,
            ];
            let launch = (blocks(count), THREADS);
            let others = [&*memory, &*from.memory];
            // SAFETY: `pick` has these parameters, checks the places that it reads, and writes
            // `count` elements.
            unsafe { fused.launch(&kernel, stream, launch, &mut parameters, &others) }
        };
        match wrong {
            Some(wrong) => *wrong = kernels.results().fetch_or(stream, 0, enqueue)?,
            None => enqueue(0)?,
        }
        Ok(result)
    }
}
