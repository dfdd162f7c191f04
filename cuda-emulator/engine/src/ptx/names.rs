//! The names that PTX texts define and use.

use super::{Linkage, parse};

/// The names that a PTX text defines for other files, and the names that it needs from them. Both
/// are empty for text that is not PTX, which is an error at the link.
#[derive(Default)]
pub struct Names {
    /// Functions and variables that other files can use.
    pub defined: Vec<String>,
    /// Functions and variables that another file must define.
    pub needed: Vec<String>,
}

impl Names {
    /// Reads the names of a PTX text.
    pub fn of(text: &str) -> Names {
        let mut names = Names::default();
        let Ok(module) = parse(text) else {
            return names;
        };
        let functions = module.functions.iter();
        let functions = functions.map(|f| (f.name, f.linkage, f.body.is_some()));
        let variables = module.variables.iter();
        let variables = variables.map(|v| (v.name, v.linkage, v.linkage != Linkage::Extern));
        for (name, linkage, here) in functions.chain(variables) {
            if !here {
                names.needed.push(name.into());
            } else if linkage != Linkage::Internal {
                names.defined.push(name.into());
            }
        }
        names
    }
}
