//! Changes of layouts, which select or reorder values.

use crate::{
    array::{Layout, Shape, SliceItem},
    error::Result,
};

/// A change of a layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum View {
    Slice(Vec<SliceItem>),
    Permute(Vec<isize>),
    /// Another shape, with the elements in C order.
    Reshape(Shape),
}

impl View {
    /// Returns the view of a layout, or `None` if strides cannot express it.
    pub(super) fn of(&self, layout: &Layout) -> Result<Option<Layout>> {
        match self {
            Self::Slice(items) => layout.sliced(items).map(Some),
            Self::Permute(axes) => layout.permuted(&axes[..]).map(Some),
            Self::Reshape(shape) => Ok(layout.reshaped(*shape)),
        }
    }

    /// Returns the view of a layout that is broadcast to a shape. In the result, broadcast axes have
    /// length 1.
    pub(super) fn of_broadcast(&self, layout: &Layout, shape: Shape) -> Option<Layout> {
        if layout.shape == shape {
            return self.of(layout).ok()?;
        }
        let view = self.of(&layout.broadcast_to(shape).ok()?).ok()??;
        Some(view.with_lengths(|axis| match view.strides()[axis] {
            0 => 1,
            _ => view.shape[axis],
        }))
    }
}
