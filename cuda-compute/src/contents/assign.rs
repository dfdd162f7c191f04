//! Assignment to arrays and parts of arrays.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{Ordering, fence},
    },
};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    array::{Array, Layout, Memory, Shape, SliceItem},
    element::{DataType, Element},
    error::Result,
    expression::{
        Expr, IntoExpr, Target, assign,
        node::{Kind, Node},
    },
};

/// A mutable part of an array, which [`Array::slice_mut`] returns.
pub struct ArrayMut<'a, T> {
    pub(super) array: &'a mut Array<T>,
    /// The part's indices. The layout is derived from them at the assignment, because copying the
    /// array changes it.
    pub(super) items: Vec<SliceItem>,
    shape: Shape,
}

impl<T: Element> Array<T> {
    /// Computes an expression into this array.
    ///
    /// The expression may read this array and any part of it, and sees the elements as they were
    /// before. The array is copied first if anything other than the expression shares its memory,
    /// if it repeats elements (after broadcasting, for example), or if its memory is read-only.
    ///
    /// ```
    /// # use cuda_compute::{Array, s};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::from_slice(&stream, &[1, 2, 3, 4])?;
    /// x.assign(&x * 10)?; // in place
    /// let tail = x.slice(s![..3])?;
    /// x.slice_mut(s![1..])?.assign(tail)?; // as it was before
    /// assert_eq!(x.to_vec()?, [10, 10, 20, 30]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if the expression's shape can't be broadcast
    /// to the array's. Also returns the errors of [`Expr::eval`](crate::Expr::eval). If the driver
    /// reports an error, either all elements keep their old values or all have their new ones.
    pub fn assign(&mut self, expression: impl IntoExpr<T>) -> Result<()> {
        self.write(&expression.into_expr().node, T::DATA_TYPE, |layout| {
            Ok(*layout)
        })
    }

    /// Sets all elements to a value.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`](crate::Error::Cuda) if device memory runs out or a driver call
    /// fails. See [`assign`](Self::assign).
    pub fn fill(&mut self, value: T) -> Result<()> {
        self.assign(value)
    }

    /// Returns the part that [`s!`](crate::s) selects, for assignment.
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if the selection does not fit the array: see
    /// [`slice`](Self::slice).
    pub fn slice_mut(&mut self, items: impl AsRef<[SliceItem]>) -> Result<ArrayMut<'_, T>> {
        let items = items.as_ref().to_vec();
        let shape = self.layout.sliced(&items)?.shape;
        Ok(ArrayMut {
            array: self,
            items,
            shape,
        })
    }

    /// Computes values into the elements for which the mask is true, in place. The mask and the
    /// values are broadcast to this array's shape.
    ///
    /// This is NumPy's `copyto(a, values, where=mask)`, and for a number `a[mask] = number`. To
    /// assign consecutive values to the selected elements, as `a[mask] = values` does in NumPy, call
    /// [`put`](Self::put) with the indices from [`nonzero`](crate::Expr::nonzero).
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::from_slice(&stream, &[1.0, -2.0, 3.0, -4.0])?;
    /// x.assign_where(x.less(-3.0), 0.0)?;
    /// x.assign_where(x.less(0.0), -&x)?; // at the same places
    /// assert_eq!(x.to_vec()?, [1.0, 2.0, 3.0, 0.0]);
    /// let mask = x.greater(1.0);
    /// x.put(mask.nonzero()?, Array::from_slice(&stream, &[20.0, 30.0])?)?; // one after the other
    /// assert_eq!(x.to_vec()?, [1.0, 20.0, 30.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if the mask or the values can't be broadcast to
    /// this array's shape. For other errors, see [`assign`](Self::assign).
    pub fn assign_where(
        &mut self,
        mask: impl IntoExpr<bool>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        let value = mask.into_expr().select(values, &*self);
        self.assign(value)
    }

    /// Returns whether other arrays or expressions use this array's memory, so that the next write
    /// copies it.
    ///
    /// A shadowed variable still exists: after `let x = x.t()`, the memory is shared. `x = x.t()`
    /// on a `mut` variable drops the old array.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::range(&stream, 0..6)?.reshape([2, 3])?;
    /// x = x.t();
    /// assert!(!x.is_shared());
    /// let row = x.slice(cuda_compute::s![0])?;
    /// assert!(x.is_shared() && row.is_shared());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.memory) > 1
    }

    /// Copies the array unless it may be written in place. `readers` are the references of the
    /// caller to the memory, in addition to this array's. If it is `None`, the array is copied.
    pub(crate) fn make_writable(&mut self, readers: Option<usize>) -> Result<()> {
        // No other thread can add references meanwhile: all existing ones are in `self` and in the
        // caller's `readers`.
        let others = readers.is_none_or(|readers| Arc::strong_count(&self.memory) > 1 + readers);
        // Makes work that other threads enqueued before they dropped their references visible here,
        // as in `Arc::get_mut`.
        fence(Ordering::Acquire);
        // Writing one of several repeated elements would write all of them.
        if others || self.layout.repeats() || self.memory.is_read_only() {
            *self = self.copy()?;
        }
        Ok(())
    }

    /// Computes an expression into the elements of type `data` whose layout `part` derives from
    /// this array's layout.
    fn write(
        &mut self,
        node: &Arc<Node>,
        data: DataType,
        part: impl FnOnce(&Layout) -> Result<Layout>,
    ) -> Result<()> {
        self.make_writable(references(node, &self.memory))?;
        let target = Target {
            memory: &self.memory,
            layout: part(&self.layout)?,
            data,
        };
        assign(&target, node)
    }
}

impl<T: Element> ArrayMut<'_, T> {
    /// Computes an expression into this part. See [`Array::assign`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if the expression's shape can't be broadcast
    /// to this part. For other errors, see [`Array::assign`].
    pub fn assign(self, expression: impl IntoExpr<T>) -> Result<()> {
        self.write(&expression.into_expr().node, T::DATA_TYPE, |layout| {
            Ok(*layout)
        })
    }

    /// Returns the part's layout in the array's memory.
    pub(super) fn layout(&self) -> Result<Layout> {
        self.array.layout.sliced(&self.items)
    }

    /// Computes an expression into the elements of type `data` whose layout `within` derives from
    /// this part's layout.
    pub(super) fn write(
        self,
        node: &Arc<Node>,
        data: DataType,
        within: impl FnOnce(&Layout) -> Result<Layout>,
    ) -> Result<()> {
        let items = self.items;
        self.array
            .write(node, data, |layout| within(&layout.sliced(&items)?))
    }

    /// Computes values into the elements of this part for which the mask is true. See
    /// [`Array::assign_where`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if the mask or the values can't be broadcast to
    /// this part's shape. For other errors, see [`Array::assign`].
    pub fn assign_where(
        mut self,
        mask: impl IntoExpr<bool>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        let value = mask.into_expr().select(values, self.old()?);
        self.update(&value)
    }

    /// Returns this part's present elements.
    pub(super) fn old(&self) -> Result<Expr<T>> {
        Ok(self.array.slice(&self.items)?.expr())
    }

    /// Computes an expression into this part.
    pub(super) fn update(&mut self, value: &Expr<T>) -> Result<()> {
        let items = &self.items;
        self.array
            .write(&value.node, T::DATA_TYPE, |layout| layout.sliced(items))
    }

    /// Sets all elements of this part to a value.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`](crate::Error::Cuda) if device memory runs out or a driver call
    /// fails.
    pub fn fill(self, value: T) -> Result<()> {
        self.assign(value)
    }
}

impl<T: Element> fmt::Debug for ArrayMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArrayMut{:?} of {:?}", self.shape, self.array)
    }
}

/// Counts an expression's references to this memory. Returns `None` if a subexpression that refers
/// to it is also used outside of the expression.
fn references(root: &Arc<Node>, memory: &Arc<Memory>) -> Option<usize> {
    // References to each node from within the expression. In `order`, inputs precede their users.
    let mut counts = FxHashMap::default();
    let mut order = Vec::new();
    let mut waiting = vec![(root, false)];
    while let Some((node, ready)) = waiting.pop() {
        if ready {
            order.push(node);
            continue;
        }
        let count = counts.entry(Arc::as_ptr(node)).or_insert(0);
        *count += 1;
        if *count == 1 {
            waiting.push((node, true));
            waiting.extend(node.inputs().iter().map(|input| (input, false)));
        }
    }
    let mut holders = FxHashSet::default();
    let mut references = 0;
    for node in order {
        let own = matches!(&node.kind, Kind::Array(own, _) if Arc::ptr_eq(own, memory));
        let holds = own
            || node
                .inputs()
                .iter()
                .any(|input| holders.contains(&Arc::as_ptr(input)));
        if holds {
            if Arc::strong_count(node) > counts[&Arc::as_ptr(node)] {
                return None;
            }
            holders.insert(Arc::as_ptr(node));
        }
        references += usize::from(own);
    }
    Some(references)
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};
    use num_complex::Complex;

    use super::*;
    use crate::s;

    #[test]
    fn parts_name_their_shape_and_their_array() {
        let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
        let mut x = Array::<Complex<f32>>::zeros(&stream, [3, 4]).unwrap();
        let whole = format!("{x:?}");
        let part = x.slice_mut(s![1.., 2]).unwrap();
        let text = format!("ArrayMut[2] of {whole}");
        assert_eq!(format!("{part:?}"), text);
        let field = part.field(|value| &value.im).unwrap();
        assert_eq!(format!("{field:?}"), format!("FieldMut<f32> of {text}"));
    }

    #[test]
    fn arrays_that_nobody_else_reads_are_written_in_place() {
        let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
        let mut x = Array::<f32>::zeros(&stream, 4).unwrap();
        let place = x.as_device_ptr();
        x.fill(1.0).unwrap();
        // References in the expression itself don't count.
        let more = &x + 1.0;
        x.assign(more).unwrap();
        let twice = x.expr() + x.expr();
        x.assign(twice).unwrap();
        let shared = &x + 1.0;
        let squares = &shared * &shared;
        drop(shared);
        x.assign(squares).unwrap();
        assert_eq!(
            (x.as_device_ptr(), x.to_vec().unwrap()),
            (place, vec![25.0; 4])
        );
        // Another array, or an expression that is used again, does.
        let other = x.clone();
        x.fill(2.0).unwrap();
        let second = x.as_device_ptr();
        assert!(second != place && other.as_device_ptr() == place);
        let kept = &x + 1.0;
        x.assign(&kept).unwrap();
        assert_ne!(x.as_device_ptr(), second);
        assert_eq!(kept.eval().unwrap().to_vec().unwrap(), [3.0; 4]);
        assert_eq!(
            (x.to_vec().unwrap(), other.to_vec().unwrap()),
            (vec![3.0; 4], vec![25.0; 4])
        );
    }
}
