//! Kernels for expressions with transposed operands.

use std::fmt::Write as _;

use super::{
    hashed::Hashed,
    operands::grid,
    plan::LeafSource,
    render::{Form, LeafForm},
    space::{Access, Inner, Space, Still},
};
use crate::{
    array::MAX_RANK,
    error::Result,
    kernel::{Source, Specialisation},
};

const TEXT: &str = include_str!("../kernels/tile.cu");
/// The minimum length of an axis. Shorter axes don't fill a tile.
const MIN_AXIS: usize = 16;
/// Side lengths of tiles, in order of preference.
const EDGES: [usize; 2] = [64, 32];
/// Rows of a tile that a block reads at once.
const ROWS: u8 = 8;
/// The shared memory in bytes that every device offers to a block.
const SHARED_BYTES: usize = 48 << 10;

/// A kernel for one form of expression with transposed leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tile {
    form: Hashed<Form>,
    /// A bit for each transposed leaf.
    turned: u64,
    /// The axis along which the transposed leaves are contiguous.
    across: u8,
    /// The number of elements along each side of a tile.
    edge: u8,
    /// Rows of a tile that the threads of a block read at once.
    rows: u8,
}

impl Specialisation for Tile {
    fn source(&self) -> Source {
        self.form
            .add_headers(Source::new("tile.cu", TEXT, "tile"))
            .header("turned.cuh", self.header())
            .define("RANK", self.form.rank)
            .define("ACROSS", self.across)
            .define("EDGE", self.edge)
            .define("ROWS", self.rows)
    }
}

/// Returns a kernel whose operands all use strides, its number of blocks and the lengths of the
/// axes. Returns `None` if transposing operands through shared memory would not make it faster.
pub(super) fn prepare(form: &Form, space: &Space) -> Result<Option<(Tile, u32, [u64; MAX_RANK])>> {
    let rank = space.rank();
    if rank < 2 || space.inner() < MIN_AXIS || space.inner_stride(form.leaves.len()) != 1 {
        return Ok(None);
    }
    // Returns the axis along which a leaf is contiguous, if this is not the result's.
    let dense_along = |leaf: usize| {
        let strides = &space.strides[leaf][..rank];
        let axis = strides.iter().position(|&stride| stride == 1)?;
        let turned = axis + 1 < rank && space.lengths[axis] >= MIN_AXIS && strides[rank - 1] > 1;
        (form.leaves[leaf].source == LeafSource::Memory && turned).then_some(axis)
    };
    if form.leaves.iter().any(|leaf| leaf.through.is_some()) {
        return Ok(None);
    }
    let Some(across) = (0..form.leaves.len()).find_map(dense_along) else {
        return Ok(None);
    };
    let turned = (0..form.leaves.len()).filter(|&leaf| dense_along(leaf) == Some(across));
    let (mut mask, mut bytes) = (0, 0);
    for leaf in turned {
        bytes += form.leaves[leaf].data.size();
        mask |= 1 << leaf;
    }
    let fits = |edge: &usize| edge * (edge + 1) * bytes <= SHARED_BYTES;
    let Some(edge) = EDGES.into_iter().find(fits) else {
        return Ok(None);
    };
    let strided = |access: Access| match access {
        Access::Uniform => Access::Uniform,
        _ => Access::Strided(Inner::Any, Still::NONE),
    };
    let form = Form {
        leaves: form
            .leaves
            .iter()
            .map(|leaf| LeafForm {
                access: strided(leaf.access),
                ..*leaf
            })
            .collect(),
        outputs: form
            .outputs
            .iter()
            .map(|&(data, access)| (data, strided(access)))
            .collect(),
        vector: 1,
        ..form.clone()
    };
    let mut lengths = [1; MAX_RANK];
    let mut blocks = 1;
    for (axis, &length) in space.lengths.iter().enumerate() {
        lengths[axis] = length as u64;
        let tiled = axis == across || axis + 1 == rank;
        blocks *= if tiled {
            length.div_ceil(edge) as u64
        } else {
            length as u64
        };
    }
    let kernel = Tile {
        form: Hashed::new(form),
        turned: mask,
        across: across as u8,
        edge: edge as u8,
        rows: ROWS,
    };
    Ok(Some((kernel, grid(blocks)?, lengths)))
}

impl Tile {
    pub(super) fn form(&self) -> &Form {
        &self.form
    }

    /// Returns the number of threads per block.
    pub(super) fn threads(&self) -> u32 {
        u32::from(self.edge) * u32::from(self.rows)
    }

    fn is_turned(&self, leaf: usize) -> bool {
        self.turned >> leaf & 1 == 1
    }

    /// Returns the code that loads and stores operands at given coordinates.
    fn header(&self) -> String {
        let slots = self.form.slots();
        let rank = usize::from(self.form.rank);
        let mut text = String::from("// Written for one expression.\nstruct Turned {\n");
        let leaves = || self.form.leaves.iter().enumerate();
        for (i, leaf) in leaves().filter(|(i, _)| self.is_turned(*i)) {
            let _ = writeln!(text, "    {} x{i}[EDGE][EDGE + 1];", leaf.data.stored());
        }
        let offset = |access: Access, slot: usize| -> String {
            if access == Access::Uniform {
                return "0".into();
            }
            let axes =
                (0..rank).map(|axis| format!("p.at[{axis}] * (offset_t)w.at[{}]", slot + 1 + axis));
            axes.collect::<Vec<_>>().join(" + ")
        };
        text.push_str(
            "};\n__device__ __forceinline__ void turn(const Words &w, const Place &p, Turned &turned, unsigned row, unsigned column) {\n",
        );
        for (i, leaf) in leaves().filter(|(i, _)| self.is_turned(*i)) {
            let slot = slots.leaves[i];
            let (stored, offset) = (leaf.data.stored(), offset(leaf.access, slot));
            let _ = writeln!(
                text,
                "    turned.x{i}[row][column] = load_one<{stored}>(w.at[{slot}], {offset});"
            );
        }
        text.push_str(
            "}\n__device__ __forceinline__ void load_at(const Words &w, const Place &p, const Turned &turned, unsigned row, unsigned column, Inputs<1> &in) {\n",
        );
        for (i, leaf) in leaves() {
            let slot = slots.leaves[i];
            let (stored, offset) = (leaf.data.stored(), offset(leaf.access, slot));
            let single = if leaf.is_single() { "" } else { ".at[0]" };
            let _ = match (self.is_turned(i), leaf.source) {
                (true, _) => writeln!(text, "    in.x{i}{single} = turned.x{i}[row][column];"),
                (false, LeafSource::Memory) => writeln!(
                    text,
                    "    in.x{i}{single} = load_one<{stored}>(w.at[{slot}], {offset});"
                ),
                (false, LeafSource::Given) => Ok(()),
                (false, LeafSource::Random) => writeln!(text, "    in.x{i} = {offset};"),
                (false, LeafSource::Place) => {
                    writeln!(text, "    in.x{i} = (offset_t)w.at[{slot}] + {offset};")
                }
            };
        }
        text.push_str(
            "}\n__device__ __forceinline__ void store_at(const Words &w, const Place &p, const Outputs<1> &out) {\n",
        );
        for (i, (data, access)) in self.form.outputs.iter().enumerate() {
            let slot = slots.outputs[i];
            let (stored, offset) = (data.stored(), offset(*access, slot));
            let _ = writeln!(
                text,
                "    store_pack<{stored}, 1>(w.at[{slot}], {offset}, out.y{i});"
            );
        }
        text.push_str("}\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::DataType;

    const F32: DataType = DataType::F32;

    /// Prepares leaves with these strides, and a result in C order.
    fn prepared(
        lengths: &[usize],
        leaves: &[(DataType, &[isize])],
    ) -> Option<(Tile, u32, [u64; MAX_RANK])> {
        let leaves: Vec<_> = leaves
            .iter()
            .map(|&(data, strides)| (data, LeafSource::Memory, strides))
            .collect();
        let mut dense = vec![1isize; lengths.len()];
        for axis in (1..lengths.len()).rev() {
            dense[axis - 1] = dense[axis] * lengths[axis] as isize;
        }
        prepared_for(lengths, &leaves, &dense)
    }

    fn prepared_for(
        lengths: &[usize],
        leaves: &[(DataType, LeafSource, &[isize])],
        output: &[isize],
    ) -> Option<(Tile, u32, [u64; MAX_RANK])> {
        let padded = |own: &[isize]| {
            let mut strides = [0; MAX_RANK];
            strides[..own.len()].copy_from_slice(own);
            strides
        };
        let strides = leaves.iter().map(|&(_, _, strides)| strides);
        let space = Space {
            lengths: lengths.to_vec(),
            groups: vec![0; lengths.len()],
            strides: strides.chain([output]).map(padded).collect(),
        };
        let forms = leaves.iter().enumerate();
        let forms = forms.map(|(i, &(data, source, _))| LeafForm {
            data,
            access: space.access(i),
            source,
            apart: false,
            through: None,
        });
        let form = Form {
            values: Vec::new(),
            roots: Vec::new(),
            stages: Vec::new(),
            leaves: forms.collect(),
            outputs: vec![(F32, space.access(leaves.len()))],
            rank: lengths.len() as u8,
            narrow: true,
            vector: 4,
        };
        prepare(&form, &space).unwrap()
    }

    /// The mask, the axis and the edge of a tile, and the number of blocks.
    fn tiles(lengths: &[usize], leaves: &[(DataType, &[isize])]) -> Option<(u64, u8, u8, u32)> {
        let (tile, blocks, _) = prepared(lengths, leaves)?;
        Some((tile.turned, tile.across, tile.edge, blocks))
    }

    #[test]
    fn a_transposed_operand_goes_through_tiles() {
        let (tile, blocks, lengths) = prepared(&[65, 128], &[(F32, &[1, 65])]).unwrap();
        assert_eq!((tile.turned, tile.across, tile.edge), (1, 0, 64));
        assert_eq!((tile.threads(), tile.rows), (512, 8));
        assert_eq!((blocks, lengths), (4, [65, 128, 1, 1, 1, 1, 1, 1]));
        // Only the two axes of a tile are cut.
        let (tile, blocks, lengths) = prepared(&[3, 65, 70], &[(F32, &[4550, 1, 65])]).unwrap();
        assert_eq!((tile.across, blocks), (1, 3 * 2 * 2));
        assert_eq!(lengths[..4], [3, 65, 70, 1]);
        let (tile, blocks, _) = prepared(&[65, 3, 70], &[(F32, &[1, 4550, 65])]).unwrap();
        assert_eq!((tile.across, blocks), (0, 2 * 3 * 2));
    }

    #[test]
    fn short_axes_and_other_operands_are_not_turned() {
        assert_eq!(tiles(&[256], &[(F32, &[2])]), None);
        assert!(tiles(&[16, 16], &[(F32, &[1, 16])]).is_some());
        assert_eq!(tiles(&[16, 15], &[(F32, &[1, 16])]), None);
        assert_eq!(tiles(&[15, 16], &[(F32, &[1, 15])]), None);
        // Dense along the innermost axis, the same along it, or along both axes at once.
        assert_eq!(tiles(&[64, 64], &[(F32, &[64, 1])]), None);
        assert_eq!(tiles(&[64, 64], &[(F32, &[1, 0])]), None);
        assert_eq!(tiles(&[64, 64], &[(F32, &[1, 1])]), None);
        assert_eq!(tiles(&[64, 64], &[(F32, &[2, 128])]), None);
        let with = |source, output: &[isize]| {
            prepared_for(&[64, 64], &[(F32, source, &[1, 64])], output).is_some()
        };
        assert!(with(LeafSource::Memory, &[64, 1]));
        assert!(!with(LeafSource::Place, &[64, 1]));
        assert!(!with(LeafSource::Memory, &[128, 2]));
    }

    #[test]
    fn tiles_fit_into_shared_memory() {
        let turned: (DataType, &[isize]) = (F32, &[1, 64]);
        let large: (DataType, &[isize]) = (DataType::Complex64, &[1, 64]);
        assert_eq!(tiles(&[64, 64], &[turned; 2]), Some((0b11, 0, 64, 1)));
        assert_eq!(tiles(&[64, 64], &[turned; 3]), Some((0b111, 0, 32, 4)));
        assert_eq!(tiles(&[64, 64], &[large; 2]), Some((0b11, 0, 32, 4)));
        assert_eq!(tiles(&[64, 64], &[large; 3]), None);
        // Leaves that are contiguous along another axis are not transposed.
        let dense: (DataType, &[isize]) = (DataType::Complex64, &[64, 1]);
        let leaves = [dense, turned, dense, turned];
        assert_eq!(tiles(&[64, 64], &leaves), Some((0b1010, 0, 64, 1)));
    }

    #[test]
    fn what_is_the_same_for_all_needs_no_place() {
        let leaves: [(DataType, &[isize]); 3] = [(F32, &[0, 0]), (F32, &[64, 1]), (F32, &[1, 64])];
        let (tile, ..) = prepared(&[64, 64], &leaves).unwrap();
        let accesses: Vec<Access> = tile.form().leaves.iter().map(|leaf| leaf.access).collect();
        let any = Access::Strided(Inner::Any, Still::NONE);
        assert_eq!(accesses, [Access::Uniform, any, any]);
        assert_eq!((tile.form().outputs[0].1, tile.form().vector), (any, 1));
        assert_eq!(
            [0, 1, 2].map(|leaf| tile.is_turned(leaf)),
            [false, false, true]
        );
        let header = tile.header();
        assert!(
            header.contains("in.x0 = load_one<float>(w.at[3], 0);"),
            "{header}"
        );
    }
}
