//! Names of variables on the device.

use std::collections::HashSet;

/// The names that are in use.
///
/// A variable keeps its name if that is a single lower-case letter. Other names end in `_`, or in
/// `_` and a number, which no keyword, function or macro of CUDA C++ does. Each declaration gets a
/// unique name, because `float x = x + 1.0f;` would not read the earlier `x`.
#[derive(Default)]
pub struct Names {
    taken: HashSet<String>,
    temporaries: usize,
}

impl Names {
    /// Returns the device name for a variable that is called `name` in Rust.
    pub fn variable(&mut self, name: &str) -> String {
        let plain = name.len() == 1 && name.starts_with(|c: char| c.is_ascii_lowercase());
        let name: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        // Names that start with two underscores, or with one and a capital, are reserved for the
        // compiler.
        let name = name.trim_start_matches('_');
        let name = if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.to_string()
        } else {
            format!("v{name}")
        };
        let first = if plain {
            name.clone()
        } else {
            format!("{name}_")
        };
        self.free(first, &name)
    }

    /// Returns the same name, with a number appended if it is in use.
    pub fn same(&mut self, name: &str) -> String {
        self.free(name.to_string(), name)
    }

    fn free(&mut self, first: String, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(first)
            .chain(numbered)
            .find(|name| !self.taken.contains(name))
            .expect("there is always a larger number");
        self.taken.insert(free.clone());
        free
    }

    /// Returns a name for a value that has none in Rust. No variable's name ends in a letter and a
    /// digit.
    pub fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_unique_and_not_reserved_in_cuda() {
        let mut names = Names::default();
        let given: Vec<String> = [
            "x", "x", "x", "int", "scale", "scale_", "scale", "sin", "π", "_", "__a", "X", "_1",
        ]
        .iter()
        .map(|name| names.variable(name))
        .collect();
        assert_eq!(
            given,
            [
                "x", "x_2", "x_3", "int_", "scale_", "scale__", "scale_2", "sin_", "v_", "v_2",
                "a_", "X_", "v1_"
            ]
        );
    }
}
