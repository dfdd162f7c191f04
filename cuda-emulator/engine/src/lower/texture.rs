//! The forms of texture and surface instructions.

use super::emit::{New, Slot};
use super::function::{Lower, Result};
use crate::boundary::tensor_map::Element;
use crate::instructions;
use crate::ir::Written;
use crate::memory::query::{QUESTIONS, SURFACE};
use crate::memory::surface::{self, Action, Beyond};
use crate::memory::texture::{self, Ask, GEOMETRIES, Geometry};
use crate::ptx::{Operand, Type};
use crate::state::reduction::{NAMES, Operation};

/// The parsed operand `[handle, {coordinates}]`.
struct Place {
    handle: Slot,
    layer: Slot,
    at: Vec<Slot>,
}

impl<'a> Lower<'_, 'a> {
    /// Returns the geometry that an instruction addresses.
    fn geometry(&self, written: Written<'_>) -> Result<Geometry> {
        let found = GEOMETRIES.iter().find(|(name, _)| written.has(name));
        match found {
            Some((_, geometry)) => Ok(*geometry),
            None => Err(self.syntax("the geometry is missing")),
        }
    }

    /// Returns the first operands of a list. If PTX requires a power of two, the last ones are
    /// ignored.
    fn first_of(
        &mut self,
        list: &[Operand<'a>],
        used: usize,
        what: &str,
        ty: Type,
    ) -> Result<Vec<Slot>> {
        self.expect_count(list, used, what)?;
        list[..used].iter().map(|one| self.src(one, ty)).collect()
    }

    /// Checks that a list has this number of operands, or the next power of two.
    fn expect_count(&self, list: &[Operand<'a>], used: usize, what: &str) -> Result<()> {
        let given = list.len();
        if given != used && given != used.next_power_of_two() {
            return Err(self.syntax(format!("{used} {what} are needed, not {given}")));
        }
        Ok(())
    }

    /// Lowers the location of texels. In PTX, a layer comes before the coordinates.
    fn texels(&mut self, operand: &Operand<'a>, geometry: Geometry, ty: Type) -> Result<Place> {
        let Operand::Tensor(name, 0, list) = operand else {
            return Err(self.syntax("a handle and coordinates in braces are needed"));
        };
        let handle = self.src(&Operand::Name(name), Type::B64)?;
        let used = geometry.coordinates() + usize::from(geometry.layered);
        self.expect_count(list, used, "coordinates")?;
        let (layer, coordinates) = list[..used].split_at(usize::from(geometry.layered));
        let layer = match layer {
            // The layer is an integer, whatever the type of the coordinates.
            [layer] => self.src(layer, Type::U32)?,
            _ => self.fixed(0, Type::U32),
        };
        let at = coordinates.iter().map(|one| self.src(one, ty));
        let at = at.collect::<Result<_>>()?;
        Ok(Place { handle, layer, at })
    }

    /// [`Form::Texture`](crate::ir::Form::Texture)
    pub(super) fn texture(&mut self, written: Written<'a>, o: &[Operand<'a>]) -> Result<()> {
        use texture::operand;
        let geometry = self.geometry(written)?;
        let gathered = ["r", "g", "b", "a"].iter().position(|c| written.has(c));
        let ask = match gathered {
            Some(_) => Ask::Gather,
            None if written.has("level") => Ask::Level,
            None if written.has("grad") => Ask::Gradients,
            None => Ask::Plain,
        };
        let ty = self.type_at(written, 1)?;
        let [d, from, rest @ ..] = o else {
            return Err(self.syntax("results and a texture are needed"));
        };
        let (results, resident) = match d {
            Operand::Vector(list) => (list, None),
            Operand::Marked(list, p) => (list, Some(*p)),
            _ => return Err(self.syntax("four results in braces are needed")),
        };
        if results.len() != 4 {
            return Err(self.syntax("four results in braces are needed"));
        }
        let place = self.texels(from, geometry, ty)?;
        let zero = self.fixed(0, Type::U32);
        let mut list = [zero; operand::COUNT];
        list[operand::HANDLE] = place.handle;
        list[operand::LAYER] = place.layer;
        list[operand::AT..][..place.at.len()].copy_from_slice(&place.at);
        let wrong = match (ask, rest) {
            (Ask::Level, [detail]) => {
                list[operand::DETAIL] = self.src(detail, ty)?;
                None
            }
            (Ask::Gradients, [Operand::Vector(x), Operand::Vector(y)]) => {
                for (part, along) in [x, y].into_iter().enumerate() {
                    let count = geometry.coordinates();
                    let slots = self.first_of(along, count, "derivatives", Type::F32)?;
                    list[operand::DETAIL + 3 * part..][..count].copy_from_slice(&slots);
                }
                None
            }
            (Ask::Level, _) => Some("a level of detail is needed"),
            (Ask::Gradients, _) => Some("two lists of derivatives in braces are needed"),
            (_, []) => None,
            _ => Some("offsets and depth comparisons are not supported by the emulator"),
        };
        if let Some(wrong) = wrong {
            return Err(self.unsupported(wrong));
        }
        for (slot, result) in list[operand::RESULTS..].iter_mut().zip(results) {
            *slot = self.dst(result, Type::B32)?;
        }
        if let Some(p) = resident {
            list[operand::RESIDENT] = self.dst(&Operand::Name(p), Type::Pred)?;
        }
        let form = texture::Form {
            ask,
            geometry,
            integers: ty == Type::S32,
            component: gathered.unwrap_or(0) as u8,
            residency: resident.is_some(),
        };
        let x = self.list(&list);
        self.emit(New {
            imm: form.pack(),
            x: Slot::Raw(x),
            ..New::of(&instructions::SAMPLE)
        });
        Ok(())
    }

    /// [`Form::TextureQuery`](crate::ir::Form::TextureQuery) and
    /// [`Form::SurfaceQuery`](crate::ir::Form::SurfaceQuery)
    pub(super) fn query(
        &mut self,
        written: Written<'a>,
        o: &[Operand<'a>],
        surface: bool,
    ) -> Result<()> {
        let question = QUESTIONS.iter().find(|(name, _)| written.has(name));
        let Some((_, question)) = question else {
            return Err(self.syntax("the queried property is missing"));
        };
        let (d, name, level) = match o {
            [d, Operand::Address(Some(name), 0)] if !written.has("level") => (d, name, None),
            [d, Operand::Address(Some(name), 0), level] if written.has("level") => {
                (d, name, Some(level))
            }
            _ => return Err(self.syntax("a result and a handle in brackets are needed")),
        };
        let a = self.src(&Operand::Name(name), Type::B64)?;
        let b = match level {
            Some(level) => self.src(level, Type::U32)?,
            None => self.fixed(0, Type::U32),
        };
        let d = self.dst(d, Type::B32)?;
        self.emit(New {
            imm: *question as u64 | if surface { SURFACE } else { 0 },
            d,
            a,
            b,
            ..New::of(&instructions::QUERY)
        });
        Ok(())
    }

    /// [`Form::Surface`](crate::ir::Form::Surface)
    pub(super) fn surface(
        &mut self,
        mnemonic: &str,
        written: Written<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        use surface::operand;
        let geometry = self.geometry(written)?;
        let ty = self.type_at(written, 0)?;
        let load = mnemonic == "suld";
        let action = match mnemonic {
            "suld" => Action::Load,
            "sust" => Action::Store,
            _ => {
                let named = NAMES.iter().find(|name| written.has(name));
                let element = match ty {
                    Type::S32 => Element::S32,
                    Type::U64 | Type::B64 => Element::U64,
                    Type::S64 => Element::S64,
                    Type::U32 | Type::B32 => Element::U32,
                    _ => return Err(self.syntax("reductions do not support this type")),
                };
                match named.and_then(|name| Operation::named(name)) {
                    Some(operation) => Action::Reduce(operation, element),
                    None => return Err(self.syntax("the operation is missing")),
                }
            }
        };
        let [first, second] = o else {
            return Err(self.syntax("a surface and values are needed"));
        };
        let (from, values) = if load {
            (second, first)
        } else {
            (first, second)
        };
        let count = match (written.has("v2"), written.has("v4")) {
            (true, _) => 2,
            (_, true) => 4,
            _ => 1,
        };
        let single = std::slice::from_ref(values);
        let values = match values {
            Operand::Vector(list) => &list[..],
            _ => single,
        };
        if values.len() != count {
            let given = values.len();
            return Err(self.syntax(format!("{count} values are needed, not {given}")));
        }
        let place = self.texels(from, geometry, Type::S32)?;
        let nothing = self.fixed(0, Type::B64);
        let mut list = [nothing; operand::COUNT];
        list[operand::HANDLE] = place.handle;
        list[operand::LAYER] = place.layer;
        list[operand::AT..][..place.at.len()].copy_from_slice(&place.at);
        for (slot, value) in list[operand::VALUES..].iter_mut().zip(values) {
            *slot = if load {
                self.dst(value, ty)?
            } else {
                self.src(value, ty)?
            };
        }
        let form = surface::Form {
            action,
            geometry,
            beyond: match (written.has("zero"), written.has("clamp")) {
                (true, _) => Beyond::Zero,
                (_, true) => Beyond::Clamp,
                _ => Beyond::Trap,
            },
            element: ty.size() as u8,
            count: count as u8,
            formatted: written.has("p"),
        };
        let x = self.list(&list);
        self.emit(New {
            imm: form.pack(),
            x: Slot::Raw(x),
            ..New::of(&instructions::SURFACE)
        });
        Ok(())
    }
}
