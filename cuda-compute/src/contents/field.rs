//! Fields of structs, as arrays that share the structs' memory and as expressions.

use std::{fmt, sync::Arc};

use cuda_safe::bytemuck::Pod;

use super::ArrayMut;
use crate::{
    array::{Array, Layout, SliceItem},
    element::{DataType, Element, Words},
    error::{Error, Result},
    expression::{
        Expr, IntoExpr,
        node::{Kind, Node},
        operation::Operation,
    },
};

/// Returns the byte offset of a field in a struct, by calling `field` with a struct on the host.
/// Returns `None` if `field` returns a reference to something else.
fn offset_of<T: Pod, F: Pod>(field: impl Fn(&T) -> &F) -> Option<usize> {
    let value = T::zeroed();
    let (start, at) = (
        std::ptr::from_ref(&value).addr(),
        std::ptr::from_ref(field(&value)).addr(),
    );
    let offset = at.checked_sub(start)?;
    (offset + size_of::<F>() <= size_of::<T>()).then_some(offset)
}

#[cold]
fn no_field(whole: DataType, field: DataType) -> Error {
    Error::Shape(format!(
        "the closure that selects a field of {} returns a reference of type {} to something else. Fix: write it as \
         |value| &value.x",
        whole.name(),
        field.name()
    ))
}

/// Returns the layout of a field of the structs that `layout` describes.
fn layout_of_field(
    layout: &Layout,
    whole: DataType,
    field: DataType,
    offset: usize,
) -> Result<Layout> {
    layout
        .of_parts(whole.size(), field.size(), offset)
        .ok_or_else(|| {
            Error::Shape(format!(
                "a field of type {} ({} bytes) at byte {offset} of {} ({} bytes) has no strides: the offset and the struct's \
                 size must be multiples of the field's size. Fix: use Expr::field, which does not share the memory",
                field.name(),
                field.size(),
                whole.name(),
                whole.size()
            ))
        })
}

impl<T: Element + Pod> Array<T> {
    /// Returns a field of each struct, or a part of each complex number, as an array that shares
    /// the memory. Nothing is copied.
    ///
    /// ```
    /// use bytemuck::{Pod, Zeroable};
    /// use cuda_compute::{Array, Element};
    /// # use cuda_safe::{Context, Stream};
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
    /// #[repr(C)]
    /// struct Particle {
    ///     position: [f32; 3],
    ///     mass: f32,
    /// }
    ///
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let one = Particle { position: [1.0, 2.0, 3.0], mass: 0.5 };
    /// let mut particles = Array::full(&stream, 4, one)?;
    /// let mass = particles.field(|p| &p.mass)?;
    /// assert_eq!(mass.sum().eval()?.item()?, 2.0);
    /// particles.field_mut(|p| &p.position[1])?.assign(&mass * 8.0)?;
    /// assert_eq!(particles.to_vec()?[3].position, [1.0, 4.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if:
    /// - the struct's size or the field's offset is not a multiple of the field's size, so that no
    ///   strides describe the field ([`Expr::field`](crate::Expr::field) has no such limit);
    /// - the array's memory is not aligned for the field's type;
    /// - `field` does not return a field of its argument.
    pub fn field<F: Element + Pod>(&self, field: impl Fn(&T) -> &F) -> Result<Array<F>> {
        let (whole, part) = (T::DATA_TYPE, F::DATA_TYPE);
        let offset = offset_of(field).ok_or_else(|| no_field(whole, part))?;
        let layout = layout_of_field(&self.layout, whole, part, offset)?;
        self.memory.check_alignment(part)?;
        Ok(Array::of(self.memory.clone(), layout))
    }

    /// Returns a field of each struct, for assignment: see [`field`](Self::field).
    ///
    /// # Errors
    /// Returns [`Error::Shape`] in the cases that [`field`](Self::field) lists.
    pub fn field_mut<F: Element + Pod>(
        &mut self,
        field: impl Fn(&T) -> &F,
    ) -> Result<FieldMut<'_, T, F>> {
        self.slice_mut([SliceItem::Ellipsis])?.field(field)
    }
}

impl<'a, T: Element + Pod> ArrayMut<'a, T> {
    /// Returns a field of each struct in this part, for assignment: see [`Array::field`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`] in the cases that [`Array::field`] lists.
    pub fn field<F: Element + Pod>(self, field: impl Fn(&T) -> &F) -> Result<FieldMut<'a, T, F>> {
        let (whole, part) = (T::DATA_TYPE, F::DATA_TYPE);
        let offset = offset_of(field).ok_or_else(|| no_field(whole, part))?;
        layout_of_field(&self.layout()?, whole, part, offset)?;
        self.array.memory.check_alignment(part)?;
        Ok(FieldMut {
            part: self,
            offset,
            field: std::marker::PhantomData,
        })
    }
}

/// A mutable field of an array's structs, which [`Array::field_mut`] returns.
pub struct FieldMut<'a, T, F> {
    part: ArrayMut<'a, T>,
    offset: usize,
    field: std::marker::PhantomData<fn(F)>,
}

impl<T: Element + Pod, F: Element + Pod> FieldMut<'_, T, F> {
    /// Computes an expression into this field: see [`Array::assign`]. The other fields keep their
    /// values.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the expression's shape can't be broadcast to this part. For
    /// other errors, see [`Array::assign`].
    pub fn assign(self, expression: impl IntoExpr<F>) -> Result<()> {
        let node = expression.into_expr().node;
        self.part.write(&node, F::DATA_TYPE, |layout| {
            layout_of_field(layout, T::DATA_TYPE, F::DATA_TYPE, self.offset)
        })
    }

    /// Sets this field of all structs to a value.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if device memory runs out or a driver call fails.
    pub fn fill(self, value: F) -> Result<()> {
        self.assign(value)
    }
}

impl<T: Element, F: Element> fmt::Debug for FieldMut<'_, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldMut<{}> of {:?}", F::DATA_TYPE.name(), self.part)
    }
}

impl<T: Element + Pod> Expr<T> {
    /// Returns a field of each struct, or a part of each complex number, as an expression.
    ///
    /// ```
    /// use bytemuck::{Pod, Zeroable};
    /// use cuda_compute::{Array, Element};
    /// # use cuda_safe::{Context, Stream};
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
    /// #[repr(C)]
    /// struct Particle {
    ///     position: [f32; 3],
    ///     mass: f32,
    /// }
    ///
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let particles = Array::full(&stream, 4, Particle { position: [1.0; 3], mass: 0.5 })?.expr();
    /// let moment = particles.field(|p| &p.position[0]) * particles.field(|p| &p.mass);
    /// assert_eq!(moment.sum().eval()?.item()?, 2.0); // each struct is read once
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`eval`](Self::eval) returns [`Error::Shape`] if `field` does not return a field of its
    /// argument.
    #[must_use]
    #[track_caller]
    pub fn field<F: Element + Pod>(&self, field: impl Fn(&T) -> &F) -> Expr<F> {
        let (whole, part) = (T::DATA_TYPE, F::DATA_TYPE);
        let Some(offset) = offset_of(field) else {
            let why = Arc::from(no_field(whole, part).to_string());
            let kind = Kind::Scalar(Words::ZERO);
            return Expr::of(Node::new(kind, part, Err(why)));
        };
        let inputs = [self.node.clone()];
        Expr::of(Node::apply(Operation::Field(offset), part, inputs))
    }
}
