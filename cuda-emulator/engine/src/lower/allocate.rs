//! Register allocation: registers that are never live at the same time share a slot.
//!
//! PTX uses a new register for almost every value. With a slot for each, a kernel's registers would
//! overflow the cache. Liveness is computed per basic block, each register's live range is one
//! interval over the code, and a linear scan assigns slots. Divergent lanes need no special
//! handling: a slot keeps its size, and each lane has a separate part of it.

use super::function::Width;

/// The field of an instruction that contains a register.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    D,
    A,
    B,
    C,
    X,
    Y,
    Guard,
    /// An entry of the operand lists.
    List(u32),
}

/// The way an instruction uses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Use,
    Def,
    Both,
    /// Not a register: an offset in the parameter area.
    Param,
}

/// A use of a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ref {
    pub op: u32,
    pub field: Field,
    pub register: u32,
    pub mode: Mode,
}

/// The way control leaves an instruction.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// To a label or to the next instruction.
    Branch(u32),
    Switch(Vec<u32>),
    /// To a function and back.
    Call(u32),
    /// Never to the next instruction.
    Stop,
}

/// The slots of a function's registers.
pub(super) struct Plan {
    pub offsets: Vec<u32>,
    pub bytes: u64,
    /// Maximum number of 32-bit registers live at once.
    pub pressure: u32,
}

/// Above this number of bits in the liveness sets, every register gets a separate slot.
const MAX_BITS: usize = 1 << 28;

/// Assigns slots to a function's registers.
pub(super) fn allocate(
    widths: &[Width],
    refs: &[Ref],
    ends: &[(u32, End)],
    labels: &[u32],
    code: usize,
) -> Plan {
    let intervals = intervals(widths.len(), refs, ends, labels, code);
    let mut order: Vec<u32> = (0..widths.len() as u32)
        .filter(|&r| intervals[r as usize].0 <= intervals[r as usize].1)
        .collect();
    order.sort_unstable_by_key(|&r| intervals[r as usize].0);
    let mut index = vec![u32::MAX; widths.len()];
    let mut pressure = [0u32; 4];
    let class = |w: Width| w as usize;
    let mut free: [Vec<u32>; 4] = Default::default();
    // Registers in use, the one that ends first on top.
    let mut active: std::collections::BinaryHeap<std::cmp::Reverse<(u64, u32)>> =
        Default::default();
    for r in order {
        let (start, end) = intervals[r as usize];
        while let Some(&std::cmp::Reverse((last, old))) = active.peek() {
            if last >= start {
                break;
            }
            active.pop();
            free[class(widths[old as usize])].push(index[old as usize]);
        }
        let class = class(widths[r as usize]);
        index[r as usize] = free[class].pop().unwrap_or_else(|| {
            pressure[class] += 1;
            pressure[class] - 1
        });
        active.push(std::cmp::Reverse((end, r)));
    }
    let mut bases = [0u64; 4];
    let mut bytes = 0u64;
    for (class, width) in [Width::Predicate, Width::W32, Width::W64, Width::W128]
        .into_iter()
        .enumerate()
    {
        bytes = bytes.next_multiple_of(64);
        bases[class] = bytes;
        bytes += u64::from(pressure[class]) * u64::from(width.bytes());
    }
    let offsets = widths
        .iter()
        .zip(&index)
        .map(|(&w, &i)| {
            if i == u32::MAX {
                0
            } else {
                (bases[class(w)] + u64::from(i) * u64::from(w.bytes())) as u32
            }
        })
        .collect();
    Plan {
        offsets,
        bytes,
        pressure: pressure[1] + 2 * pressure[2] + 4 * pressure[3],
    }
}

/// Returns the first and last position of each register's live range: twice the instruction's
/// index, plus one for a write.
fn intervals(
    registers: usize,
    refs: &[Ref],
    ends: &[(u32, End)],
    labels: &[u32],
    code: usize,
) -> Vec<(u64, u64)> {
    let mut starts = vec![false; code + 1];
    starts[0] = true;
    for &label in labels {
        starts[label as usize] = true;
    }
    for (op, end) in ends {
        if !matches!(end, End::Call(_)) {
            starts[*op as usize + 1] = true;
        }
    }
    let mut first: Vec<u32> = (0..code as u32).filter(|&i| starts[i as usize]).collect();
    let blocks = first.len();
    first.push(code as u32);
    let mut block_of = vec![0u32; code + 1];
    for b in 0..blocks {
        block_of[first[b] as usize..first[b + 1] as usize].fill(b as u32);
    }
    block_of[code] = blocks as u32;
    let words = registers.div_ceil(64);
    let mut lives = vec![(u64::MAX, 0u64); registers];
    if words * blocks * 64 > MAX_BITS {
        return vec![(0, 2 * code as u64 + 1); registers];
    }
    let mut gen_set = vec![0u64; words * blocks];
    let mut kill = vec![0u64; words * blocks];
    let mut extend = |r: u32, at: u64| {
        let life = &mut lives[r as usize];
        *life = (life.0.min(at), life.1.max(at));
    };
    // References are in the order of instructions. Within an instruction, reads come before writes.
    let mut i = 0;
    while i < refs.len() {
        let op = refs[i].op;
        let mut j = i;
        while j < refs.len() && refs[j].op == op {
            j += 1;
        }
        let row = block_of[op as usize] as usize * words;
        for r in refs[i..j]
            .iter()
            .filter(|r| matches!(r.mode, Mode::Use | Mode::Both))
        {
            let (word, bit) = (row + r.register as usize / 64, 1u64 << (r.register % 64));
            gen_set[word] |= bit & !kill[word];
            extend(r.register, u64::from(op) * 2);
        }
        for r in refs[i..j]
            .iter()
            .filter(|r| matches!(r.mode, Mode::Def | Mode::Both))
        {
            let (word, bit) = (row + r.register as usize / 64, 1u64 << (r.register % 64));
            if r.mode == Mode::Def {
                kill[word] |= bit;
            }
            extend(r.register, u64::from(op) * 2 + 1);
        }
        i = j;
    }
    let mut successors: Vec<Vec<u32>> = (0..blocks as u32)
        .map(|b| {
            if (b as usize) + 1 < blocks {
                vec![b + 1]
            } else {
                vec![]
            }
        })
        .collect();
    for (op, end) in ends {
        if matches!(end, End::Stop) {
            successors[block_of[*op as usize] as usize].clear();
        }
    }
    for (op, end) in ends {
        let from = block_of[*op as usize] as usize;
        match end {
            End::Branch(label) => successors[from].push(block_of[labels[*label as usize] as usize]),
            End::Switch(list) => {
                successors[from].extend(list.iter().map(|&l| block_of[labels[l as usize] as usize]))
            }
            End::Call(_) | End::Stop => {}
        }
    }
    // live-in = used first, or live-out and not written first.
    let mut live_in = gen_set;
    let mut live_out = vec![0u64; words * blocks];
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..blocks).rev() {
            for &s in &successors[b] {
                let s = s as usize;
                if s >= blocks {
                    continue;
                }
                for w in 0..words {
                    let new = live_in[s * words + w] & !live_out[b * words + w];
                    if new != 0 {
                        live_out[b * words + w] |= new;
                        let more = new & !kill[b * words + w] & !live_in[b * words + w];
                        live_in[b * words + w] |= more;
                        changed |= more != 0;
                    }
                }
            }
        }
    }
    for b in 0..blocks {
        let (start, end) = (u64::from(first[b]) * 2, u64::from(first[b + 1]) * 2 - 1);
        for w in 0..words {
            let mut at = |mut bits: u64, position: u64| {
                while bits != 0 {
                    extend((w * 64) as u32 + bits.trailing_zeros(), position);
                    bits &= bits - 1;
                }
            };
            at(live_in[b * words + w], start);
            at(live_out[b * words + w], end);
        }
    }
    lives
}
