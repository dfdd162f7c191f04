//! The forms of asynchronous and bulk copies.

use super::emit::{New, Slot};
use super::function::{Lower, Result};
use super::modifiers::Modifiers;
use crate::instructions;
use crate::memory::bulk::MULTICAST;
use crate::ptx::{Operand, Type};
use crate::state::bulk::Direction;

impl<'a> Lower<'_, 'a> {
    /// `cp.async`. The copy is complete when it is issued, so waiting for it does nothing.
    pub(super) fn copy_async(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        if m.take("reduce") {
            if ["async", "bulk", "tensor"].iter().all(|name| m.take(name)) {
                return self.copy_tensor(m, o, true);
            }
            return Err(self.unsupported(
                "bulk reductions without a tensor map aren't supported by the emulator",
            ));
        }
        if !m.take("async") {
            return Err(self.syntax("cp must be followed by .async"));
        }
        if m.take("bulk") {
            return self.copy_bulk(m, o);
        }
        if m.take("mbarrier") {
            // The copies are complete. Without .noinc, the barrier's expected count would first
            // increase by this arrival, so the two cancel out.
            return if m.take("noinc") {
                self.mbarrier(m, o)
            } else {
                while m.next().is_some() {}
                Ok(())
            };
        }
        if m.take("commit_group") || m.take("wait_group") || m.take("wait_all") {
            return Ok(());
        }
        let policy = m.take("L2::cache_hint");
        m.drop_prefixed("L2::");
        for name in ["ca", "cg", "shared", "shared::cta", "global", "ignore-src"] {
            m.take(name);
        }
        let [to, from, Operand::Int(size @ (4 | 8 | 16)), rest @ ..] = o else {
            return Err(self.syntax("cp.async needs two addresses and a size of 4, 8 or 16"));
        };
        let rest = if policy {
            &rest[..rest.len().saturating_sub(1)]
        } else {
            rest
        };
        let a = self.address(to)?;
        let b = self.address(from)?;
        let (c, flip) = match rest {
            [] => (self.fixed(*size, Type::U32), None),
            [p @ (Operand::Name(_) | Operand::Not(_))]
                if matches!(self.type_of(p)?, Some(Type::Pred)) || matches!(p, Operand::Not(_)) =>
            {
                (self.fixed(*size, Type::U32), Some(self.predicate(p)?))
            }
            [n] => (self.src(n, Type::U32)?, None),
            _ => return Err(self.syntax("too many operands")),
        };
        let y = self.cache();
        // Without an ignore-src predicate, use one that never holds.
        let (x, ignore) = flip.unwrap_or((Slot::Fixed(0x4000_0000), u32::MAX));
        self.emit(New {
            imm: size | u64::from(ignore) << 32,
            a,
            b,
            c,
            x,
            y,
            ..New::of(&instructions::COPY_ASYNC)
        });
        Ok(())
    }
    /// `cp.async.bulk`.
    fn copy_bulk(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        if m.take("tensor") {
            return self.copy_tensor(m, o, false);
        }
        let multicast = m.take("multicast::cluster");
        if m.take("cp_mask") {
            return Err(self.unsupported("byte masks aren't supported by the emulator"));
        }
        if m.take("commit_group") {
            self.emit(New::of(&instructions::BULK_COMMIT));
            return Ok(());
        }
        if m.take("wait_group") {
            // Reads and writes complete together.
            m.take("read");
            let [Operand::Int(most)] = o else {
                return Err(self.syntax("wait_group needs a number"));
            };
            self.emit(New {
                imm: *most,
                ..New::of(&instructions::BULK_WAIT)
            });
            self.fence();
            return Ok(());
        }
        let policy = m.take("L2::cache_hint");
        let o = match o {
            [rest @ .., _] if policy => rest,
            o => o,
        };
        if m.take("prefetch") {
            m.take("L2");
            m.take("global");
            let [from, size] = o else {
                return Err(self.syntax("a prefetch needs an address and a size"));
            };
            let (b, c) = (self.address(from)?, self.src(size, Type::U32)?);
            self.emit(New {
                b,
                c,
                ..New::of(&instructions::BULK_PREFETCH)
            });
            return Ok(());
        }
        let spaces = &["shared::cluster", "shared::cta", "global"];
        let (to, from) = (m.first_of(spaces), m.first_of(spaces));
        let direction = match (to, from) {
            (Some("shared::cluster" | "shared::cta"), Some("global")) => Direction::GlobalToShared,
            (Some("global"), Some("shared::cta")) => Direction::SharedToGlobal,
            (Some("shared::cluster"), Some("shared::cta")) => Direction::SharedToPeer,
            _ => {
                return Err(
                    self.unsupported("the emulator does not support this form of cp.async.bulk")
                );
            }
        };
        let (end, operands) = if direction == Direction::SharedToGlobal {
            ("bulk_group", 3)
        } else {
            ("mbarrier::complete_tx::bytes", 4)
        };
        if !m.take(end) {
            return Err(self.syntax(format!("`.{end}` is missing")));
        }
        if multicast && direction != Direction::GlobalToShared {
            return Err(self.syntax("only copies from global memory can be multicast"));
        }
        let operands = operands + usize::from(multicast);
        let ([to, from, size, rest @ ..], true) = (o, o.len() == operands) else {
            return Err(self.syntax("the number of operands is wrong"));
        };
        let (a, b, c) = (
            self.address(to)?,
            self.address(from)?,
            self.src(size, Type::U32)?,
        );
        let x = match rest.first() {
            Some(barrier) => self.address(barrier)?,
            None => b,
        };
        if let (true, Some(blocks)) = (multicast, rest.get(1)) {
            let d = self.src(blocks, Type::U16)?;
            self.emit(New {
                imm: direction as u64 | MULTICAST,
                d,
                a,
                b,
                c,
                x,
                ..New::of(&instructions::BULK_MULTICAST)
            });
            return Ok(());
        }
        self.emit(New {
            imm: direction as u64,
            a,
            b,
            c,
            x,
            ..New::of(&instructions::BULK)
        });
        Ok(())
    }
}
