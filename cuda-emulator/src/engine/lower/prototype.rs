//! Whether inputs agree on the functions that they share.

use std::collections::{HashMap, HashSet};

use super::link::error;
use crate::engine::interface::{LoadError, LoadErrorKind};
use crate::ptx::{Function, Linkage, Module, Operand, Statement, Variable};

/// What an input says of a function.
struct Prototype {
    input: String,
    /// Bytes of results and parameters.
    returns: Vec<u64>,
    params: Vec<u64>,
    /// For messages.
    text: String,
    weak: bool,
}

fn sizes(list: &[Variable<'_>]) -> Vec<u64> {
    list.iter().map(|v| v.size).collect()
}

/// A list of results or parameters in short: `b32, b8[12]`.
fn types(list: &[Variable<'_>]) -> String {
    let one = |variable: &Variable<'_>| {
        let ty = format!("{:?}", variable.ty).to_lowercase();
        let element = u64::from(variable.ty.size()).max(1);
        match variable.size == element {
            true => ty,
            false => format!("{ty}[{}]", variable.size / element),
        }
    };
    list.iter().map(one).collect::<Vec<_>>().join(", ")
}

impl Prototype {
    fn new(input: &str, function: &Function<'_>) -> Prototype {
        Prototype {
            input: input.into(),
            returns: sizes(&function.returns),
            params: sizes(&function.params),
            text: format!(
                "({}) {}({})",
                types(&function.returns),
                function.name,
                types(&function.params)
            ),
            weak: function.linkage == Linkage::Weak,
        }
    }

    /// Compares a declaration with this definition. The driver's linker of an H200 refuses what differs in the number or
    /// the sizes of results or parameters.
    fn fits(&self, declared: &Prototype, name: &str) -> Result<(), LoadError> {
        if (&self.returns, &self.params) == (&declared.returns, &declared.params) {
            return Ok(());
        }
        let message = format!(
            "the prototypes of `{name}` don't match: declared as {} in {}, defined as {} in {}; declare it as it is \
             defined",
            declared.text, declared.input, self.text, self.input
        );
        Err(error(LoadErrorKind::Link, 0, "", message))
    }
}

/// The names that a module's code and initialisers use.
fn used<'a>(module: &'a Module<'a>) -> HashSet<&'a str> {
    fn add<'a>(names: &mut HashSet<&'a str>, operand: &'a Operand<'a>) {
        match operand {
            Operand::Name(name) | Operand::NameOffset(name, _) => {
                names.insert(name);
            }
            Operand::List(list) | Operand::Vector(list) => {
                list.iter().for_each(|one| add(names, one))
            }
            _ => {}
        }
    }
    let mut names = HashSet::new();
    for statement in module.functions.iter().flat_map(|f| &f.body).flatten() {
        if let Statement::Instruction(instruction) = statement {
            let operands = instruction.operands.iter();
            operands.for_each(|one| add(&mut names, one));
        }
    }
    let initialisers = module.variables.iter().flat_map(|v| &v.init);
    let relocations = initialisers.flat_map(|init| &init.relocations);
    names.extend(relocations.map(|relocation| relocation.symbol));
    names
}

/// The functions that inputs share.
#[derive(Default)]
pub(crate) struct Prototypes {
    defined: HashMap<String, Prototype>,
    declared: HashMap<String, Vec<Prototype>>,
}

impl Prototypes {
    /// Adds an input. A declaration that nothing uses doesn't count: the compiler drops it.
    ///
    /// # Errors
    /// [`LoadErrorKind::Link`] for the first declaration that isn't like the definition.
    pub(crate) fn add(&mut self, input: &str, module: &Module<'_>) -> Result<(), LoadError> {
        let (defined, declared): (Vec<_>, Vec<_>) =
            module.functions.iter().partition(|f| f.body.is_some());
        let here: HashSet<&str> = defined.iter().map(|f| f.name).collect();
        for function in defined {
            if function.entry || function.linkage == Linkage::Internal {
                continue;
            }
            let name = function.name;
            let old = self.defined.get(name);
            if old.is_none_or(|old| old.weak) {
                let new = Prototype::new(input, function);
                for declared in self.declared.get(name).into_iter().flatten() {
                    new.fits(declared, name)?;
                }
                self.defined.insert(name.into(), new);
            }
        }
        let names = match declared.is_empty() {
            true => HashSet::new(),
            false => used(module),
        };
        for function in declared {
            let name = function.name;
            if here.contains(name) || !names.contains(name) {
                continue;
            }
            let new = Prototype::new(input, function);
            if let Some(defined) = self.defined.get(name) {
                defined.fits(&new, name)?;
            }
            self.declared.entry(name.into()).or_default().push(new);
        }
        Ok(())
    }
}
