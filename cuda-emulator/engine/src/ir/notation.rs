//! The notation of the list's names, close to the one of PTX's manual.
//!
//! `add{.sat}.s32`: a part in braces may be missing. `mul.lo.[u32|s32]`: one of those in brackets.
//! `cvt{.rn|.rz}.f32.f64`: one of those in braces, or none. A name that ends in `*` takes any further modifiers; the
//! instruction's form reads them. Types have an order: `cvt.u64.u32` isn't `cvt.u32.u64`.

use crate::ptx::Type;

/// One place for a modifier.
#[derive(Debug)]
struct Place {
    /// It may be empty.
    optional: bool,
    names: Vec<&'static str>,
}

/// A name of the list, taken apart.
#[derive(Debug)]
pub(crate) struct Pattern {
    places: Vec<Place>,
    /// Takes any further modifiers.
    open: bool,
}

impl Pattern {
    /// Takes apart what follows the mnemonic.
    pub(crate) fn parse(name: &'static str) -> Pattern {
        let mut places = Vec::new();
        let mut rest = &name[name.find(['.', '{', '*']).unwrap_or(name.len())..];
        let mut open = false;
        while !rest.is_empty() {
            if rest == "*" {
                open = true;
                break;
            }
            let (text, after, optional) = if let Some(inner) = rest.strip_prefix('{') {
                let (inside, after) = inner.split_once('}').unwrap_or((inner, ""));
                (inside, after, true)
            } else if let Some(inner) = rest.strip_prefix(".[") {
                let (inside, after) = inner.split_once(']').unwrap_or((inner, ""));
                (inside, after, false)
            } else {
                let inner = rest.strip_prefix('.').unwrap_or(rest);
                let end = inner.find(['.', '{', '*']).unwrap_or(inner.len());
                (&inner[..end], &inner[end..], false)
            };
            places.push(Place {
                optional,
                names: text.split('|').map(|n| n.trim_start_matches('.')).collect(),
            });
            rest = after;
        }
        Pattern { places, open }
    }

    /// Whether the modifiers of an instruction fit: each finds a place, in any order among places of other names except
    /// for types, and no place that must be filled stays empty.
    pub(crate) fn fits(&self, modifiers: &[&str]) -> bool {
        let mut used = 0u64;
        // The first place that a type may take.
        let mut next = 0;
        for modifier in modifiers {
            let typed = Type::parse(modifier).is_some();
            let first = if typed { next } else { 0 };
            let place = (first..self.places.len())
                .find(|&i| used >> i & 1 == 0 && self.places[i].names.contains(modifier));
            match place {
                Some(i) => {
                    used |= 1 << i;
                    if typed {
                        next = i + 1;
                    }
                }
                None if self.open => {}
                None => return false,
            }
        }
        self.places
            .iter()
            .enumerate()
            .all(|(i, p)| p.optional || used >> i & 1 != 0)
    }

    /// Whether a type must be named.
    pub(crate) fn typed(&self) -> bool {
        let is_type = |p: &Place| p.names.iter().any(|n| Type::parse(n).is_some());
        self.places.iter().any(|p| !p.optional && is_type(p))
    }

    /// Whether any place has this modifier.
    pub(crate) fn knows(&self, modifier: &str) -> bool {
        self.open || self.places.iter().any(|p| p.names.contains(&modifier))
    }
}

#[cfg(test)]
impl super::Opcode {
    /// Spellings that together use every choice: the shortest, and one for each name that may stand in a place.
    pub(crate) fn spellings(&self) -> Vec<String> {
        let pattern = Pattern::parse(self.name);
        let shortest = |chosen: Option<(usize, &str)>| {
            let mut out = self.mnemonic().to_string();
            for (i, place) in pattern.places.iter().enumerate() {
                match chosen {
                    Some((at, name)) if at == i => out = format!("{out}.{name}"),
                    _ if place.optional => {}
                    _ => out = format!("{out}.{}", place.names[0]),
                }
            }
            out
        };
        let mut all = vec![shortest(None)];
        for (i, place) in pattern.places.iter().enumerate() {
            all.extend(place.names.iter().map(|name| shortest(Some((i, name)))));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn modifiers_find_their_places() {
        let add = Pattern::parse("add{.rn|.rz}{.ftz}.f32");
        assert!(add.fits(&["f32"]));
        assert!(add.fits(&["rz", "ftz", "f32"]));
        assert!(!add.fits(&["rz", "rn", "f32"]));
        assert!(!add.fits(&["sat", "f32"]));
        assert!(!add.fits(&["rn"]));
        let convert = Pattern::parse("set.[eq|ne].[u32|f32].f32");
        assert!(convert.fits(&["eq", "u32", "f32"]));
        assert!(convert.fits(&["eq", "f32", "f32"]));
        assert!(!convert.fits(&["eq", "f32"]));
        assert!(convert.fits(&["u32", "eq", "f32"]));
        let order = Pattern::parse("cvt{.sat}.u64.u32");
        assert!(order.fits(&["u64", "u32", "sat"]));
        assert!(!order.fits(&["u32", "u64"]));
        let open = Pattern::parse("ld*");
        assert!(open.fits(&["global", "nc", "u32"]));
        assert!(Pattern::parse("call{.uni}").fits(&[]));
        assert!(add.knows("rz") && !add.knows("sat"));
        assert!(add.typed() && !open.typed());
    }
}
