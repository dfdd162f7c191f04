//! Vectors that are stored to 16 bytes of memory and loaded as other vectors: sixteen bytes are
//! stored, a part of them is overwritten, and a part is loaded.

use crate::form::{BLOCK, Form};
use crate::operand::{
    Operand::{Byte, I16, I32, I64},
    Width::{self, B16, B32, B64},
};
use crate::random::Random;

/// Number of forms for each state space.
const FORMS: usize = 60;
/// The register with the address of a thread's 16 bytes of shared memory.
pub const SHARED: &str = "%own";

/// The elements of vectors: their types and sizes in bytes.
const ELEMENTS: [(&str, usize); 14] = [
    ("b8", 1),
    ("u8", 1),
    ("s8", 1),
    ("b16", 2),
    ("u16", 2),
    ("s16", 2),
    ("b32", 4),
    ("u32", 4),
    ("s32", 4),
    ("f32", 4),
    ("b64", 8),
    ("u64", 8),
    ("s64", 8),
    ("f64", 8),
];

/// Declares [`SHARED`].
pub fn own_shared() -> String {
    format!(
        ".shared .align 16 .b8 owned[{}];\n.reg .b32 {SHARED}, thread;\nmov.u32 {SHARED}, owned;\n\
         mov.u32 thread, %tid.x;\nmad.lo.u32 {SHARED}, thread, 16, {SHARED};\n",
        16 * BLOCK
    )
}

/// A vector in memory.
struct Vector {
    count: usize,
    element: &'static str,
    size: usize,
    at: usize,
}

impl Vector {
    fn random(random: &mut Random) -> Self {
        loop {
            let (element, size) = *random.pick(&ELEMENTS);
            let count = *random.pick(&[2, 4]);
            let whole = count * size;
            if whole <= 16 {
                let at = random.below(16 / whole) * whole;
                return Self {
                    count,
                    element,
                    size,
                    at,
                };
            }
        }
    }

    /// Fills all sixteen bytes.
    fn whole(random: &mut Random) -> Self {
        loop {
            let vector = Self::random(random);
            if vector.count * vector.size == 16 {
                return vector;
            }
        }
    }

    /// Parses a vector in a form's name: `v2.b16+4`.
    fn parse(text: &str) -> Option<Self> {
        let (vector, at) = text.split_once('+')?;
        let (count, element) = vector.strip_prefix('v')?.split_once('.')?;
        let &(element, size) = ELEMENTS.iter().find(|(name, _)| *name == element)?;
        Some(Self {
            count: count.parse().ok()?,
            element,
            size,
            at: at.parse().ok()?,
        })
    }

    fn name(&self) -> String {
        format!("v{}.{}+{}", self.count, self.element, self.at)
    }

    fn instruction(&self, what: &str, space: &str) -> String {
        format!("{what}{space}.v{}.{}", self.count, self.element)
    }

    fn width(&self) -> Width {
        match self.size {
            1 | 2 => B16,
            4 => B32,
            _ => B64,
        }
    }
}

/// Adds forms named `vectors SPACE VECTOR VECTOR VECTOR`.
pub fn add(forms: &mut Vec<Form>) {
    for (space, base) in [(".global", "%m"), ("", "%m"), (".shared", SHARED)] {
        let mut random = Random::from_name(&format!("vectors {space}"));
        for _ in 0..FORMS {
            let vectors = [
                Vector::whole(&mut random),
                Vector::random(&mut random),
                Vector::random(&mut random),
            ];
            let names = vectors.each_ref().map(Vector::name).join(" ");
            let name = format!(
                "vectors {} {names}",
                if space.is_empty() {
                    "generic"
                } else {
                    &space[1..]
                }
            );
            let (mut body, mut operands) = (String::new(), Vec::new());
            let list = |prefix: &str, first: usize, count: usize| {
                let list = (first..first + count).map(|i| format!("%{prefix}{i}"));
                format!("{{{}}}", list.collect::<Vec<_>>().join(", "))
            };
            for store in &vectors[..2] {
                let kind = match store.size {
                    1 => Byte,
                    2 => I16,
                    4 => I32,
                    _ => I64,
                };
                body += &format!(
                    "{} [{base}+{}], {};\n",
                    store.instruction("st", space),
                    store.at,
                    list("a", operands.len(), store.count)
                );
                operands.resize(operands.len() + store.count, kind);
            }
            let load = &vectors[2];
            body += &format!(
                "{} {}, [{base}+{}];",
                load.instruction("ld", space),
                list("d", 0, load.count),
                load.at
            );
            let results = vec![load.width(); load.count];
            forms.push(Form::new(name, &operands, &results).body(body));
        }
    }
}

/// Returns the loaded value.
pub fn reference(names: &str, operands: &[u64]) -> Option<Vec<u64>> {
    let vectors: Option<Vec<Vector>> = names.split(' ').skip(1).map(Vector::parse).collect();
    let vectors = vectors?;
    let (load, stores) = vectors.split_last()?;
    let (mut memory, mut rest) = ([0; 16], operands);
    for store in stores {
        let (mine, others) = rest.split_at_checked(store.count)?;
        rest = others;
        for (value, at) in mine.iter().zip((store.at..).step_by(store.size)) {
            memory[at..at + store.size].copy_from_slice(&value.to_le_bytes()[..store.size]);
        }
    }
    let elements = memory[load.at..].chunks(load.size).take(load.count);
    let signed = load.element.starts_with('s');
    let results = elements.map(|bytes| {
        let negative = signed && bytes[load.size - 1] & 0x80 != 0;
        let mut all = [if negative { 0xff } else { 0 }; 8];
        all[..load.size].copy_from_slice(bytes);
        load.width().cut(u64::from_le_bytes(all))
    });
    Some(results.collect())
}
