//! Types of kernel parameters that exist in both C++ and Rust.

/// A number type: its C++ spellings (words in alphabetical order), its letter in mangled names, its
/// Rust name, its size in bytes, and whether it is a float.
type Number = (&'static [&'static str], char, &'static str, usize, bool);

/// The letters of `long` and `unsigned long`, or of the 64-bit types that C's headers use on Windows.
const WIDE: [char; 2] = if cfg!(windows) {
    ['x', 'y']
} else {
    ['l', 'm']
};

/// The Rust names of `long` and `unsigned long`, and their size. NVRTC takes it from the system on
/// which it runs.
const LONG: (&str, &str, usize) = if cfg!(windows) {
    ("i32", "u32", 4)
} else {
    ("i64", "u64", 8)
};

/// The number types, with their sizes on 64-bit systems.
const NUMBERS: &[Number] = &[
    (&["bool"], 'b', "bool", 1, false),
    (&["char"], 'c', "i8", 1, false),
    (&["char signed", "int8_t"], 'a', "i8", 1, false),
    (&["char unsigned", "uint8_t"], 'h', "u8", 1, false),
    (
        &[
            "short",
            "int short",
            "short signed",
            "int short signed",
            "int16_t",
        ],
        's',
        "i16",
        2,
        false,
    ),
    (
        &["short unsigned", "int short unsigned", "uint16_t"],
        't',
        "u16",
        2,
        false,
    ),
    (
        &["int", "signed", "int signed", "int32_t"],
        'i',
        "i32",
        4,
        false,
    ),
    (
        &["unsigned", "int unsigned", "uint32_t"],
        'j',
        "u32",
        4,
        false,
    ),
    (
        &["ptrdiff_t", "ssize_t", "intptr_t"],
        WIDE[0],
        "isize",
        8,
        false,
    ),
    (
        &["long", "int long", "long signed", "int long signed"],
        'l',
        LONG.0,
        LONG.2,
        false,
    ),
    (&["int64_t"], WIDE[0], "i64", 8, false),
    (&["size_t", "uintptr_t"], WIDE[1], "usize", 8, false),
    (
        &["long unsigned", "int long unsigned"],
        'm',
        LONG.1,
        LONG.2,
        false,
    ),
    (&["uint64_t"], WIDE[1], "u64", 8, false),
    (
        &[
            "long long",
            "int long long",
            "long long signed",
            "int long long signed",
        ],
        'x',
        "i64",
        8,
        false,
    ),
    (
        &["long long unsigned", "int long long unsigned"],
        'y',
        "u64",
        8,
        false,
    ),
    (&["float"], 'f', "f32", 4, true),
    (&["double"], 'd', "f64", 8, true),
];

/// A parameter's type: a number, or a pointer to numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type {
    number: &'static Number,
    pub(crate) pointer: bool,
    /// Whether the pointer's target is constant.
    constant: bool,
}

/// Two types are equal if they are one type in C++.
impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        let all = |one: &Self| (one.number.1, one.pointer, one.constant);
        all(self) == all(other)
    }
}

impl Type {
    /// Parses the words and signs of a declaration without the parameter's name, such as
    /// `const float *__restrict__`. Returns `None` for anything except numbers and pointers to
    /// them.
    pub(crate) fn of(tokens: &[&str]) -> Option<Self> {
        let stars = tokens.iter().filter(|token| **token == "*").count();
        let at = tokens.iter().position(|token| *token == "*");
        let (before, behind) = tokens.split_at(at.unwrap_or(tokens.len()));
        let qualifies = |token: &&str| {
            matches!(
                *token,
                "const" | "*" | "__restrict__" | "__restrict" | "__grid_constant__"
            )
        };
        if stars > 1 || !behind.iter().all(qualifies) {
            return None;
        }
        let is_constant = before.contains(&"const");
        let of_number = before
            .iter()
            .filter(|token| !matches!(**token, "const" | "__grid_constant__"));
        let mut words: Vec<&str> = of_number
            .map(|word| word.rsplit("::").next().unwrap_or(word))
            .collect();
        words.sort_unstable();
        let words = words.join(" ");
        let number = NUMBERS
            .iter()
            .find(|number| number.0.contains(&words.as_str()))?;
        Some(Self {
            number,
            pointer: stars == 1,
            constant: stars == 1 && is_constant,
        })
    }

    /// Returns the type as `cuda_safe::kernels!` declares it.
    pub(crate) fn in_rust(&self) -> String {
        let name = self.number.2;
        match (self.pointer, self.constant) {
            (false, _) => name.to_owned(),
            (true, true) => format!("&[{name}]"),
            (true, false) => format!("&mut [{name}]"),
        }
    }

    /// Returns the parameter's size in bytes, and whether it is a float.
    pub(crate) fn passed(&self) -> (usize, bool) {
        match self.pointer {
            true => (8, false),
            false => (self.number.3, self.number.4),
        }
    }

    /// Returns the type as it appears in a mangled name. `seen` contains the earlier compound
    /// types, which are replaced by substitutions such as `S_`.
    fn mangled(&self, seen: &mut Vec<String>) -> String {
        let letter = self.number.1.to_string();
        if !self.pointer {
            return letter;
        }
        let pointed = if self.constant {
            format!("K{letter}")
        } else {
            letter
        };
        let whole = format!("P{pointed}");
        if let Some(number) = known(seen, &whole) {
            return number;
        }
        let text = match known(seen, &pointed) {
            Some(number) => format!("P{number}"),
            None => {
                // Numbers have no substitutions, because their encoding is a single letter.
                if self.constant {
                    seen.push(pointed);
                }
                whole.clone()
            }
        };
        seen.push(whole);
        text
    }
}

/// Returns a template argument as it appears in a mangled name, if it is a number type or an `int`.
pub(crate) fn mangled_number(argument: &str) -> Option<String> {
    if !argument.is_empty() && argument.chars().all(|c| c.is_ascii_digit()) {
        return Some(format!("Li{argument}E"));
    }
    let words: Vec<&str> = argument.split_whitespace().collect();
    let of = Type::of(&words).filter(|of| !of.pointer)?;
    Some(of.number.1.to_string())
}

/// Returns the substitution for a type that occurred before, such as `S_` or `S0_`.
fn known(seen: &[String], of: &str) -> Option<String> {
    match seen.iter().position(|one| one == of)? {
        0 => Some("S_".into()),
        // The index is a digit in base 36. One digit is enough, because there are at most two
        // compound types for each of the sixteen number types.
        number => {
            let digit = char::from_digit(number as u32 - 1, 36)?;
            Some(format!("S{}_", digit.to_ascii_uppercase()))
        }
    }
}

/// Returns the linked name of a function with these parameters, according to the Itanium C++ ABI.
pub(crate) fn mangled_name(name: &str, types: &[Type]) -> String {
    let mut seen = Vec::new();
    let all: String = types.iter().map(|one| one.mangled(&mut seen)).collect();
    let all = if all.is_empty() { "v" } else { &all };
    format!("_Z{}{name}{all}", name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Type> {
        Type::of(&text.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn numbers_and_pointers_are_known() {
        for (text, rust) in [
            ("float", "f32"),
            ("const unsigned", "u32"),
            ("unsigned long long int", "u64"),
            ("long unsigned", "u64"),
            ("std::size_t", "usize"),
            ("const float * __restrict__", "&[f32]"),
            ("float const *", "&[f32]"),
            ("double * const", "&mut [f64]"),
            ("uint8_t *", "&mut [u8]"),
            ("char *", "&mut [i8]"),
        ] {
            assert_eq!(of(text).expect(text).in_rust(), rust, "{text}");
        }
        for text in [
            "void *",
            "float * *",
            "float2",
            "half *",
            "float &",
            "T",
            "unsigned float",
            "",
        ] {
            assert!(of(text).is_none(), "{text}");
        }
    }

    /// Matches the names that NVRTC 13.0 generates.
    #[test]
    fn names_are_mangled() {
        for (types, expected) in [
            (
                &["float", "const float *", "float *", "unsigned"][..],
                "_Z1kfPKfPfj",
            ),
            (
                &["const float *", "const float *", "float *", "float *"],
                "_Z1kPKfS0_PfS1_",
            ),
            (&["int *", "const int *", "int *"], "_Z1kPiPKiS_"),
            (&["const int *", "const int *"], "_Z1kPKiS0_"),
            (
                &["size_t", "long long", "bool", "char", "signed char"],
                "_Z1kmxbca",
            ),
            (&[], "_Z1kv"),
        ] {
            let types: Vec<_> = types.iter().map(|text| of(text).unwrap()).collect();
            assert_eq!(mangled_name("k", &types), expected);
        }
    }
}
