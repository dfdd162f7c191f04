//! The notation of the list's names, which follows PTX's manual.
//!
//! - `add{.sat}.s32`: a part in braces is optional.
//! - `mul.lo.[u32|s32]`: one of the parts in brackets is required.
//! - `cvt{.rn|.rz}.f32.f64`: one of the parts in braces, or none.
//! - A name that ends in `*` accepts any further modifiers, which the instruction's form reads.
//!
//! Types are ordered: `cvt.u64.u32` differs from `cvt.u32.u64`.

use crate::ptx::Type;

/// A position for a modifier.
#[derive(Debug)]
struct Place {
    /// Whether it may be empty.
    optional: bool,
    names: Vec<&'static str>,
}

/// A parsed name of the list.
#[derive(Debug)]
pub(crate) struct Pattern {
    places: Vec<Place>,
    /// Whether further modifiers are accepted.
    open: bool,
}

impl Pattern {
    /// Parses the part after the mnemonic.
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

    /// Returns whether an instruction's modifiers match. Each modifier must find a place, and each
    /// required place must be filled. The order matters only for types.
    pub(crate) fn fits(&self, modifiers: &[&str]) -> bool {
        let mut used = 0u64;
        // The first place that can match the next type.
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

    /// Returns whether a type is required.
    pub(crate) fn typed(&self) -> bool {
        let is_type = |p: &Place| p.names.iter().any(|n| Type::parse(n).is_some());
        self.places.iter().any(|p| !p.optional && is_type(p))
    }

    /// Returns whether any place has this modifier.
    pub(crate) fn knows(&self, modifier: &str) -> bool {
        self.open || self.places.iter().any(|p| p.names.contains(&modifier))
    }
}

#[cfg(test)]
impl super::Opcode {
    /// Returns spellings that together use every choice: the shortest, and one for each
    /// alternative.
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
