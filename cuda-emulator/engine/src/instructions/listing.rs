//! The disassembly: a program's instructions as text.

use std::fmt::Write as _;

use crate::ir::{Code, Opcode, Role};
use crate::memory::reach::Reach;
use crate::program::Program;
use crate::state::op::{Area, Op};
use crate::state::special;

impl Opcode {
    /// The name without optional parts, and with the first of each alternative: `add.u32` for
    /// `add{.sat}.[u32|s32]`.
    pub(crate) fn short_name(&self) -> String {
        let mut out = String::new();
        let mut rest = self.name;
        while let Some(at) = rest.find(['{', '[', '*']) {
            out.push_str(&rest[..at]);
            let inside = &rest[at + 1..];
            let (group, after) = match &rest[at..at + 1] {
                "{" => ("", inside.split_once('}').map_or("", |(_, after)| after)),
                "[" => inside.split_once(']').unwrap_or((inside, "")),
                _ => ("", inside),
            };
            out.push_str(group.split('|').next().unwrap_or(""));
            rest = after;
        }
        out + rest
    }
}

impl Program {
    /// Lists the program's instructions, function by function, one per line: number, guard, name,
    /// operands, and the PTX line.
    ///
    /// Registers are named by their offset in the function's frame, in bytes, after a letter for
    /// their size: `p` for a predicate, `h` for 16 bits or fewer, `r` for 32, `d` for 64 and `q`
    /// for 128 bits. Registers that are never live at the same time share an offset.
    #[must_use]
    pub fn listing(&self) -> String {
        let mut out = String::new();
        let mut functions: Vec<_> = self.functions.iter().collect();
        functions.sort_by_key(|f| f.entry_pc);
        let ends = functions.iter().skip(1).map(|f| f.entry_pc as usize);
        let ends: Vec<usize> = ends.chain([self.code.len()]).collect();
        for (function, end) in functions.iter().zip(ends) {
            let _ = writeln!(
                out,
                "{}: {} bytes of registers and parameters, {} bytes of local memory",
                function.name, function.frame_size, function.local_size
            );
            for at in function.entry_pc as usize..end {
                self.line(at, &mut out);
            }
        }
        out
    }

    fn line(&self, at: usize, out: &mut String) {
        let (op, opcode) = (&self.code[at], self.opcodes[at]);
        let _ = write!(out, "{at:6}  ");
        if op.guard != Area::Constant.at(0) || op.flip != 0 {
            let not = if op.flip == 0 { "" } else { "!" };
            let _ = write!(
                out,
                "@{not}{} ",
                self.operand(op.guard, Role::Read(crate::ptx::Type::Pred))
            );
        }
        out.push_str(&opcode.short_name());
        let fields = fields(&opcode.code, op);
        let mut texts: Vec<String> = fields
            .iter()
            .filter(|(role, _)| !matches!(role, Role::Unused | Role::Cache))
            .map(|&(role, value)| self.operand(value, role))
            .collect();
        if opcode.code.imm {
            texts.push(format!("0x{:x}", op.imm));
        }
        if !texts.is_empty() {
            let _ = write!(out, " {}", texts.join(", "));
        }
        let place = self.places[at];
        let _ = write!(out, "  // line {}", place.line);
        let faults: Vec<&str> = opcode.code.faults.names().collect();
        let faults = faults.join(", ");
        let _ = match faults.as_str() {
            "" => writeln!(out),
            faults => writeln!(out, "; may fault: {faults}"),
        };
    }

    /// An operand as shown in the listing.
    fn operand(&self, value: u32, role: Role) -> String {
        let ty = match role {
            Role::Read(ty) | Role::Write(ty) | Role::Update(ty) => ty,
            Role::Target => return format!("to {value}"),
            Role::Frame => return format!("[frame+{value}]"),
            Role::Reach => return Reach::decode(value).name(),
            Role::List => return format!("list {value}"),
            Role::Address => crate::ptx::Type::U64,
            Role::Number | Role::Cache | Role::Unused => return value.to_string(),
        };
        let offset = value & 0x3fff_ffff;
        match value >> 30 {
            0 => {
                let letter = match ty.size() {
                    0 => 'p',
                    1 | 2 => 'h',
                    4 => 'r',
                    8 => 'd',
                    _ => 'q',
                };
                format!("{letter}{offset}")
            }
            1 => {
                let constant = |bytes: usize| {
                    let at = offset as usize;
                    let slice = self.constants.bytes.get(at..at + bytes).unwrap_or(&[]);
                    slice
                        .iter()
                        .rev()
                        .fold(0u128, |v, b| v << 8 | u128::from(*b))
                };
                let address = self
                    .constants
                    .addresses
                    .iter()
                    .find(|(at, _)| *at == offset);
                match (ty.size(), address) {
                    (8, Some((_, target))) => format!("{target:?}"),
                    (0, _) => format!("{}", constant(4) & 1),
                    (size, _) => format!("0x{:x}", constant(size.max(4) as usize)),
                }
            }
            _ => special::name(value).unwrap_or_else(|| format!("[block+{offset}]")),
        }
    }
}

/// The fields of an instruction in display order.
fn fields(code: &Code, op: &Op) -> [(Role, u32); 6] {
    [
        (code.d, op.d),
        (code.a, op.a),
        (code.b, op.b),
        (code.c, op.c),
        (code.x, op.x),
        (code.y, op.y),
    ]
}
