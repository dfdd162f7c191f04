//! The forms of copies with tensor maps, and of changes of maps.

use super::emit::{New, Slot};
use super::function::{Lower, Result};
use super::load_store::take_space;
use super::modifiers::Modifiers;
use crate::instructions;
use crate::memory::tensor_field::{FIELDS, pack};
use crate::memory::tensor_map::{Form, operand};
use crate::ptx::{Operand, Type};
use crate::state::bulk::Transfer;
use crate::state::reduction::{NAMES, Operation};

impl<'a> Lower<'_, 'a> {
    /// Returns the address and the coordinates of an operand such as `[map, {x, y}]`.
    fn tensor(&mut self, o: &Operand<'a>) -> Result<(Slot, Vec<Slot>)> {
        let Operand::Tensor(name, offset, coordinates) = o else {
            return Err(self.syntax("a tensor map and coordinates in braces are needed"));
        };
        // A map may also be a named parameter.
        let place = Operand::NameOffset(name, *offset);
        let map = match self.type_of(&Operand::Name(name))? {
            Some(_) => self.address(&Operand::Address(Some(name), *offset))?,
            None => self.src(&place, Type::B64)?,
        };
        let coordinates: Result<Vec<_>> = coordinates
            .iter()
            .map(|coordinate| self.src(coordinate, Type::S32))
            .collect();
        Ok((map, coordinates?))
    }

    /// `cp.async.bulk.tensor`, `cp.async.bulk.prefetch.tensor` and `cp.reduce.async.bulk.tensor`.
    /// The caller has removed these modifiers.
    pub(super) fn copy_tensor(
        &mut self,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
        reduce: bool,
    ) -> Result<()> {
        self.needs(90)?;
        let prefetch = m.take("prefetch");
        let ranks = ["1d", "2d", "3d", "4d", "5d"];
        let Some(rank) = m.one_of(&ranks) else {
            return Err(self.syntax("the number of dimensions is missing"));
        };
        let rank = 1 + ranks.iter().position(|&r| r == rank).unwrap_or(0);
        for name in [
            "im2col::w",
            "im2col::w::128",
            "tile::gather4",
            "tile::scatter4",
            "cta_group::1",
            "cta_group::2",
        ] {
            if m.take(name) {
                return Err(self.unsupported(format!(
                    "`.{name}` is for devices of compute capability 10.0, and is not supported by the emulator"
                )));
            }
        }
        let im2col = m.one_of(&["im2col", "im2col_no_offs"]);
        m.take("tile");
        let policy = m.take("L2::cache_hint");
        let multicast = m.take("multicast::cluster");
        let spaces = ["shared::cluster", "shared::cta", "global"];
        let mut operation = m.one_of(&NAMES);
        if !reduce {
            operation = None;
        }
        let transfer = if prefetch {
            m.take("L2");
            m.take("global");
            Transfer::Prefetch
        } else {
            let ends = match (m.first_of(&spaces), m.first_of(&spaces)) {
                (Some("shared::cluster" | "shared::cta"), Some("global")) if !reduce => {
                    (Transfer::Load, "mbarrier::complete_tx::bytes")
                }
                (Some("global"), Some("shared::cta")) => {
                    let transfer = match operation.and_then(Operation::named) {
                        Some(operation) => Transfer::Reduce(operation),
                        None if reduce => return Err(self.syntax("the operation is missing")),
                        None => Transfer::Store,
                    };
                    (transfer, "bulk_group")
                }
                _ => {
                    return Err(self.unsupported(
                        "the emulator does not support this form of cp.async.bulk.tensor",
                    ));
                }
            };
            if !m.take(ends.1) {
                return Err(self.syntax(format!("`.{}` is missing", ends.1)));
            }
            ends.0
        };
        let o = match o {
            [rest @ .., _] if policy => rest,
            o => o,
        };
        let zero = self.fixed(0, Type::B32);
        let nowhere = self.fixed(0, Type::B64);
        let mut list = [zero; operand::COUNT];
        (list[operand::SHARED], list[operand::BARRIER]) = (nowhere, nowhere);
        let (map, rest) = match (transfer, o) {
            (Transfer::Load, [shared, map, barrier, rest @ ..]) => {
                list[operand::SHARED] = self.address(shared)?;
                list[operand::BARRIER] = self.address(barrier)?;
                (map, rest)
            }
            (Transfer::Store | Transfer::Reduce(_), [map, shared, rest @ ..]) => {
                list[operand::SHARED] = self.address(shared)?;
                (map, rest)
            }
            (Transfer::Prefetch, [map, rest @ ..]) => (map, rest),
            _ => return Err(self.syntax("operands are missing")),
        };
        let (map, coordinates) = self.tensor(map)?;
        if coordinates.len() != rank {
            return Err(self.syntax(format!(
                "{rank} coordinates are needed, not {}",
                coordinates.len()
            )));
        }
        list[operand::MAP] = map;
        list[operand::AT..][..rank].copy_from_slice(&coordinates);
        let mut rest = rest.iter();
        if im2col == Some("im2col") {
            let Some(Operand::Vector(offsets)) = rest.next() else {
                return Err(self.syntax("im2col needs offsets in braces"));
            };
            if offsets.len() + 2 != rank {
                return Err(self.syntax(format!(
                    "im2col of {rank} dimensions needs {} offsets, not {}",
                    rank.saturating_sub(2),
                    offsets.len()
                )));
            }
            for (to, offset) in list[operand::OFFSETS..].iter_mut().zip(offsets) {
                *to = self.src(offset, Type::U16)?;
            }
        }
        if multicast {
            let Some(mask) = rest.next() else {
                return Err(self.syntax("the mask of the blocks is missing"));
            };
            list[operand::MASK] = self.src(mask, Type::U16)?;
        }
        if rest.next().is_some() {
            return Err(self.syntax("there are too many operands"));
        }
        let form = Form {
            transfer,
            im2col: im2col.is_some(),
            rank: rank as u8,
            multicast,
        };
        let x = self.list(&list);
        self.emit(New {
            imm: form.pack(),
            x: Slot::Raw(x),
            ..New::of(&instructions::TENSOR_COPY)
        });
        Ok(())
    }

    /// `tensormap.…`
    pub(super) fn tensor_map(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        if m.take("cp_fenceproxy") {
            for name in [
                "global",
                "shared::cta",
                "tensormap::generic",
                "release",
                "cta",
                "cluster",
                "gpu",
                "sys",
                "sync",
                "aligned",
            ] {
                m.take(name);
            }
            let [to, from, Operand::Int(128)] = o else {
                return Err(self.syntax("two addresses and a size of 128 are needed"));
            };
            let (a, b) = (self.address(to)?, self.address(from)?);
            self.gather();
            self.emit(New {
                a,
                b,
                ..New::of(&instructions::TENSOR_MAP_COPY)
            });
            self.fence();
            return Ok(());
        }
        if !m.take("replace") {
            return Err(self.unsupported("the emulator does not support this form of tensormap"));
        }
        m.take("tile");
        m.take("b1024");
        let named = FIELDS.iter().find(|(_, name)| m.take(name));
        let Some(&(field, _)) = named else {
            return Err(self.syntax("the field is missing"));
        };
        let space = take_space(m);
        let space = self.space_of(space);
        let ty = if field.long() { Type::B64 } else { Type::B32 };
        if m.ty() != Some(ty) {
            return Err(self.syntax(format!("the field has the type {ty:?}")));
        }
        let (address, ordinal, value) = match o {
            [address, Operand::Int(ordinal @ 0..=4), value] if field.ordinal() => {
                (address, *ordinal, value)
            }
            [address, value] if !field.ordinal() => (address, 0, value),
            _ => return Err(self.syntax("an address, the dimension and a value are needed")),
        };
        if field.constant() && !matches!(value, Operand::Int(_)) {
            return Err(self.syntax("this field's value must be a constant"));
        }
        let a = self.address(address)?;
        let mut b = self.src(value, ty)?;
        if ty == Type::B32 {
            let wide = self.temp(Type::B64)?;
            self.emit(New {
                d: Slot::Def(wide),
                a: b,
                ..New::of(&instructions::ADDRESS_OF_32)
            });
            b = Slot::Use(wide);
        }
        self.emit(New {
            imm: pack(field, ordinal, space),
            a,
            b,
            ..New::of(&instructions::TENSOR_REPLACE)
        });
        Ok(())
    }
}
