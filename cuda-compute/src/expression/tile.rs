//! Kernels for expressions with transposed operands.

use std::fmt::Write as _;

use super::{
    elementwise::with_headers,
    hashed::Hashed,
    operands::grid,
    render::{Form, LeafForm, Source as LeafSource},
    space::{Access, Inner, Space},
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
        with_headers(Source::new("tile.cu", TEXT, "tile"), &self.form)
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
        _ => Access::Strided(Inner::Any),
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
