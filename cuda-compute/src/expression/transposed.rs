//! Operands that kernels transpose through shared memory.

mod vectors;

use std::fmt::Write as _;

pub(super) use self::vectors::Vectors;
use super::{
    leaf::LeafForm,
    plan::LeafSource,
    render::Form,
    space::{Access, Inner, Space, Still},
};
use crate::kernel::Source;

/// The leaves of a form that are contiguous along another axis than the space's innermost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Transposed {
    /// A bit for each of these leaves.
    mask: u64,
    /// The axis along which they are contiguous.
    pub(super) across: u8,
    /// The size in bytes of an element of each of them together.
    pub(super) bytes: u8,
}

/// The shape of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sides {
    /// The number of elements along the space's innermost axis.
    pub(super) width: u16,
    /// The number of elements along the axis along which transposed operands are contiguous.
    pub(super) height: u16,
}

impl Transposed {
    /// Finds the leaves that are contiguous along another axis than the innermost one. `size`
    /// returns the size in bytes of a leaf's elements, or `None` if it is not read from memory. Both axes
    /// have at least `least` elements.
    pub(super) fn find(
        space: &Space,
        leaves: usize,
        least: usize,
        size: impl Fn(usize) -> Option<usize>,
    ) -> Option<Self> {
        let last = space.rank().checked_sub(1)?;
        if last == 0 || space.inner() < least {
            return None;
        }
        let dense_along = |leaf: usize| {
            let strides = &space.strides[leaf][..=last];
            let axis = strides.iter().position(|&stride| stride == 1)?;
            let other = axis < last && space.lengths[axis] >= least && strides[last] > 1;
            (other && size(leaf).is_some()).then_some(axis)
        };
        let across = (0..leaves).find_map(dense_along)?;
        let (mut mask, mut bytes) = (0, 0);
        for leaf in (0..leaves).filter(|&leaf| dense_along(leaf) == Some(across)) {
            mask |= 1 << leaf;
            bytes += size(leaf)?;
        }
        Some(Self {
            mask,
            across: across as u8,
            bytes: u8::try_from(bytes).ok()?,
        })
    }

    /// Returns the number of tiles along each axis.
    pub(super) fn tiles(self, space: &Space, sides: Sides) -> Vec<u64> {
        let last = space.rank() - 1;
        let side = |axis: usize| match axis {
            _ if axis == last => sides.width,
            _ if axis == usize::from(self.across) => sides.height,
            _ => 1,
        };
        let lengths = space.lengths.iter().enumerate();
        let tiles = lengths.map(|(axis, length)| length.div_ceil(usize::from(side(axis))) as u64);
        tiles.collect()
    }

    pub(super) fn has(self, leaf: usize) -> bool {
        self.mask >> leaf & 1 == 1
    }

    /// Returns the form whose operands are all addressed by coordinates.
    pub(super) fn form(form: Form) -> Form {
        let strided = |access: Access| match access {
            Access::Uniform => Access::Uniform,
            Access::Strided(Inner::Same, _) => Access::Strided(Inner::Same, Still::NONE),
            _ => Access::Strided(Inner::Any, Still::NONE),
        };
        let leaves = form.leaves.into_iter().map(|leaf| LeafForm {
            access: strided(leaf.access),
            ..leaf
        });
        let outputs = form.outputs.into_iter();
        Form {
            leaves: leaves.collect(),
            outputs: outputs
                .map(|(data, access)| (data, strided(access)))
                .collect(),
            ..form
        }
    }

    /// Returns the number of registers for one element of each of the other leaves.
    pub(super) fn other_words(self, form: &Form) -> usize {
        let others = form.leaves.iter().enumerate();
        let others = others
            .filter(|(i, leaf)| !self.has(*i) && !leaf.late && leaf.access != Access::Uniform);
        others.map(|(_, leaf)| leaf.data.size().div_ceil(4)).sum()
    }

    /// Adds the headers and macros for tiles of a form that [`form`](Self::form) returned.
    pub(super) fn add_to(self, source: Source, form: &Form, sides: Sides) -> Source {
        source
            .header("transposed.cuh", self.header(form))
            .header("corner.cuh", include_str!("../kernels/corner.cuh"))
            .define("RANK", form.rank)
            .define("ACROSS", self.across)
            .define("WIDTH", sides.width)
            .define("HEIGHT", sides.height)
    }

    /// Returns the header `transposed.cuh`, which moves operands between memory, shared memory and
    /// registers.
    fn header(self, form: &Form) -> String {
        let slots = form.slots();
        let rank = usize::from(form.rank);
        let leaves = || form.leaves.iter().enumerate();
        let transposed = || leaves().filter(|(i, _)| self.has(*i));
        let offset = |leaf: &LeafForm, slot: usize| -> String {
            if leaf.access == Access::Uniform {
                return "0".into();
            }
            let along = |axis: usize| format!("c.at[{axis}] * (offset_t)w.at[{}]", slot + 1 + axis);
            (0..rank).map(along).collect::<Vec<_>>().join(" + ")
        };
        let mut text = String::from("// Written for one expression.\nstruct Transposed {\n");
        for (i, leaf) in transposed() {
            let stored = leaf.data.stored();
            let _ = writeln!(
                text,
                "    {stored} x{i}[WIDTH][padded<sizeof({stored}) * VECTOR>(HEIGHT)];"
            );
        }
        text.push_str("};\ntemplate <int R> struct Read {\n");
        for (i, leaf) in transposed() {
            let _ = writeln!(text, "    pack<{}, R> x{i};", leaf.data.stored());
        }
        text.push_str(
            "};\ntemplate <int R> __device__ __forceinline__ void load_transposed(const Words &w, const Coordinates &c, Read<R> &read) {\n",
        );
        for (i, leaf) in transposed() {
            let slot = slots.leaves[i];
            let (stored, offset) = (leaf.data.stored(), offset(leaf, slot));
            let _ = writeln!(
                text,
                "    read.x{i} = load_pack<{stored}, R>(w.at[{slot}], {offset});"
            );
        }
        text.push_str(
            "}\ntemplate <int R> __device__ __forceinline__ void put_transposed(const Read<R> &read, Transposed &tile, unsigned row, unsigned column) {\n",
        );
        for (i, _) in transposed() {
            let _ = writeln!(
                text,
                "#pragma unroll\n    for (int i = 0; i < R; ++i) tile.x{i}[row][column + i] = read.x{i}.at[i];"
            );
        }
        text.push_str(
            "}\ntemplate <int V> __device__ __forceinline__ void load_others(const Words &w, const Coordinates &c, Inputs<V> &in) {\n",
        );
        for (i, leaf) in leaves().filter(|(i, leaf)| !self.has(*i) && !leaf.late) {
            let slot = slots.leaves[i];
            let (stored, offset) = (leaf.data.stored(), offset(leaf, slot));
            let load = match leaf.is_single() {
                true => format!("load_one<{stored}>"),
                false => format!("load_pack<{stored}, V>"),
            };
            let _ = match leaf.source {
                LeafSource::Memory => {
                    writeln!(text, "    in.x{i} = {load}(w.at[{slot}], {offset});")
                }
                LeafSource::Given(_) => Ok(()),
                LeafSource::Random => writeln!(text, "    in.x{i} = {offset};"),
                LeafSource::Place => {
                    writeln!(text, "    in.x{i} = (offset_t)w.at[{slot}] + {offset};")
                }
            };
        }
        text.push_str(
            "}\n// Takes V elements that are consecutive along the last axis, from `x` on, at `y` along ACROSS.\n\
             template <int V> __device__ __forceinline__ void take_transposed(const Transposed &tile, unsigned x, unsigned y, Inputs<V> &in) {\n",
        );
        for (i, _) in transposed() {
            let _ = writeln!(
                text,
                "#pragma unroll\n    for (int i = 0; i < V; ++i) in.x{i}.at[i] = tile.x{i}[x + i][y];"
            );
        }
        text.push_str("}\n");
        text
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{array::MAX_RANK, element::DataType};

    /// A space of these lengths, with operands of these strides.
    pub(in super::super) fn space(lengths: &[usize], strides: &[&[isize]]) -> Space {
        let padded = |own: &&[isize]| {
            let mut strides = [0; MAX_RANK];
            strides[..own.len()].copy_from_slice(own);
            strides
        };
        Space {
            lengths: lengths.to_vec(),
            groups: vec![0; lengths.len()],
            strides: strides.iter().map(padded).collect(),
        }
    }

    /// The mask, the axis, and the bytes of an element of leaves with these strides.
    fn found(lengths: &[usize], strides: &[&[isize]]) -> Option<(u64, u8, u8)> {
        let space = space(lengths, strides);
        let found = Transposed::find(&space, strides.len(), 16, |leaf| Some(4 << leaf))?;
        Some((found.mask, found.across, found.bytes))
    }

    #[test]
    fn leaves_along_another_axis_are_transposed() {
        assert_eq!(found(&[65, 128], &[&[1, 65]]), Some((1, 0, 4)));
        assert_eq!(found(&[3, 65, 70], &[&[4550, 1, 65]]), Some((1, 1, 4)));
        assert_eq!(found(&[65, 3, 70], &[&[1, 4550, 65]]), Some((1, 0, 4)));
        // Only some of several leaves. Leaves along a third axis are read as before.
        let (direct, other): (&[isize], &[isize]) = (&[64, 1], &[1, 64]);
        let four = [direct, other, direct, other];
        assert_eq!(found(&[64, 64], &four), Some((0b1010, 0, 8 + 32)));
        let (first, second): (&[isize], &[isize]) = (&[64, 1, 4096], &[1, 4096, 64]);
        assert_eq!(found(&[64; 3], &[first, second]), Some((0b01, 1, 4)));
        let space = space(&[64, 64], &[&[1, 64]]);
        assert!(Transposed::find(&space, 1, 16, |_| None).is_none());
    }

    #[test]
    fn short_axes_and_other_operands_are_not_transposed() {
        assert_eq!(found(&[256], &[&[2]]), None);
        assert!(found(&[16, 16], &[&[1, 16]]).is_some());
        assert_eq!(found(&[16, 15], &[&[1, 16]]), None);
        assert_eq!(found(&[15, 16], &[&[1, 15]]), None);
        // Dense along the innermost axis, the same along it, or along both axes at once.
        assert_eq!(found(&[64, 64], &[&[64, 1]]), None);
        assert_eq!(found(&[64, 64], &[&[1, 0]]), None);
        assert_eq!(found(&[64, 64], &[&[1, 1]]), None);
        assert_eq!(found(&[64, 64], &[&[2, 128]]), None);
    }

    #[test]
    fn uniform_operands_have_no_coordinates() {
        let space = space(&[64, 64], &[&[0, 0], &[64, 1], &[1, 64]]);
        let leaf = |i| LeafForm::of(LeafSource::Memory, DataType::F32, space.access(i));
        let form = Transposed::form(Form {
            leaves: (0..3).map(leaf).collect(),
            outputs: vec![(DataType::F32, Access::Linear)],
            rank: 2,
            narrow: true,
            vector: 4,
            ..Form::default()
        });
        let any = Access::Strided(Inner::Any, Still::NONE);
        let accesses: Vec<Access> = form.leaves.iter().map(|leaf| leaf.access).collect();
        assert_eq!(accesses, [Access::Uniform, any, any]);
        assert_eq!((form.outputs[0].1, form.vector), (any, 4));
        let transposed = Transposed::find(&space, 3, 16, |_| Some(4)).unwrap();
        assert_eq!(transposed.other_words(&form), 1);
        let header = transposed.header(&form);
        for line in [
            "in.x0 = load_one<float>(w.at[3], 0);",
            "in.x1 = load_pack<float, V>(w.at[4], ",
            "float x2[WIDTH][padded<sizeof(float) * VECTOR>(HEIGHT)];",
        ] {
            assert!(header.contains(line), "{header}");
        }
    }

    #[test]
    fn only_two_axes_are_divided_into_tiles() {
        let space = space(&[65, 3, 70], &[&[1, 4550, 65]]);
        let transposed = Transposed::find(&space, 1, 16, |_| Some(4)).unwrap();
        let tiles = |width, height| transposed.tiles(&space, Sides { width, height });
        assert_eq!(tiles(32, 32), [3, 3, 3]);
        assert_eq!(tiles(70, 33), [2, 3, 1]);
    }
}
