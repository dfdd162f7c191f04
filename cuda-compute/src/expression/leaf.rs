//! The forms of leaves, which affect the code that loads them.

use super::{
    plan::LeafSource,
    space::{Access, Inner},
};
use crate::element::DataType;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LeafForm {
    pub(crate) data: DataType,
    pub(crate) access: Access,
    pub(crate) source: LeafSource,
    /// Whether the elements of a vector are loaded one by one, because vectors are not aligned.
    pub(crate) apart: bool,
    /// Indices that also determine the place of each element.
    pub(crate) through: Option<Indirect>,
    /// Whether it is loaded after the reductions or the scan, which do not need it.
    pub(crate) late: bool,
    /// An earlier leaf with the same access and strides, whose offsets are the same.
    pub(crate) like: Option<u16>,
}

/// Indices in another leaf, which comes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Indirect {
    pub(crate) leaf: u16,
    /// Whether the elements of a vector have different indices.
    pub(crate) varies: bool,
}

impl LeafForm {
    /// Returns the form of a leaf without indices, whose vectors are aligned.
    pub(crate) const fn of(source: LeafSource, data: DataType, access: Access) -> Self {
        Self {
            data,
            access,
            source,
            apart: false,
            through: None,
            late: false,
            like: None,
        }
    }

    /// Returns whether vectors of this leaf are loaded from memory.
    pub(super) fn is_read(&self) -> bool {
        self.source == LeafSource::Memory && !self.is_single() && !self.late
    }

    /// Returns whether the elements of a vector are loaded from memory one by one.
    pub(super) fn is_read_apart(&self) -> bool {
        let varies = self.through.is_some_and(|through| through.varies);
        let strided = matches!(self.access, Access::Strided(Inner::Any, _));
        self.is_read() && (self.apart || strided || varies)
    }

    /// Returns whether all elements of a vector are the same.
    pub(super) fn is_single(&self) -> bool {
        self.access.is_single() && !self.through.is_some_and(|through| through.varies)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::space::Still, *};

    const STRIDED: Access = Access::Strided(Inner::Next, Still::NONE);

    #[test]
    fn leaves_are_read_in_vectors_if_they_lie_in_memory() {
        let same = Access::Strided(Inner::Same, Still::NONE);
        for (source, access, read, single) in [
            (LeafSource::Memory, Access::Linear, true, false),
            (LeafSource::Memory, STRIDED, true, false),
            (LeafSource::Memory, Access::Uniform, false, true),
            (LeafSource::Memory, same, false, true),
            (LeafSource::Place, Access::Linear, false, false),
            (LeafSource::Place, same, false, true),
            (LeafSource::Random, Access::Linear, false, false),
            (LeafSource::Given(0), Access::Uniform, false, true),
        ] {
            let leaf = LeafForm::of(source, DataType::F32, access);
            assert_eq!(
                (leaf.is_read(), leaf.is_single()),
                (read, single),
                "{leaf:?}"
            );
        }
    }

    #[test]
    fn elements_at_strides_or_at_indices_are_read_one_by_one() {
        let leaf = |source, access| LeafForm::of(source, DataType::F32, access);
        let any = Access::Strided(Inner::Any, Still::NONE);
        let next = leaf(LeafSource::Memory, STRIDED);
        let through = |varies| LeafForm {
            through: Some(Indirect { leaf: 0, varies }),
            ..next
        };
        assert!(leaf(LeafSource::Memory, any).is_read_apart());
        assert!(!leaf(LeafSource::Random, any).is_read_apart());
        assert!(!next.is_read_apart());
        assert!(
            LeafForm {
                apart: true,
                ..next
            }
            .is_read_apart()
        );
        assert_eq!(
            [true, false].map(|varies| through(varies).is_read_apart()),
            [true, false]
        );
    }
}
