//! Names of variables on the device.

use std::collections::HashSet;

/// The names that are taken.
///
/// A variable keeps its name if that is one small letter. Others end in `_` or in `_` and a number: so do no keyword,
/// function or macro of CUDA C++ that they could be taken for. Each declaration has a name of its own, since
/// `float x = x + 1.0f;` would not read the earlier `x`.
#[derive(Default)]
pub struct Names {
    taken: HashSet<String>,
    temporaries: usize,
}

impl Names {
    /// The name for a variable that is called `name` in Rust.
    pub fn variable(&mut self, name: &str) -> String {
        let plain = name.len() == 1 && name.starts_with(|c: char| c.is_ascii_lowercase());
        let name: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        // Two underscores, or one and a capital, begin names that belong to the compiler.
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

    /// The same name, or if it is taken, with a number behind it.
    pub fn same(&mut self, name: &str) -> String {
        self.free(name.to_string(), name)
    }

    fn free(&mut self, first: String, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(first)
            .chain(numbered)
            .find(|name| !self.taken.contains(name))
            .expect("there is always a greater number");
        self.taken.insert(free.clone());
        free
    }

    /// The name for a value that has none in Rust: a digit behind a letter ends no variable's name.
    pub fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_differ_from_each_other_and_from_those_of_cuda() {
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
