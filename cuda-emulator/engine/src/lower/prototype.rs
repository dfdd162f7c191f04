//! The check that inputs agree on the functions and variables that they share.

use std::collections::{HashMap, HashSet};

use super::link::error;
use crate::ptx::{Function, Linkage, Module, Operand, StateSpace, Statement, Variable, parse};
use crate::ptx::{LoadError, LoadErrorKind};

/// An input's declaration of a function.
struct Prototype {
    input: String,
    /// Sizes of results and parameters in bytes.
    returns: Vec<u64>,
    params: Vec<u64>,
    /// Text for messages.
    text: String,
    weak: bool,
}

fn sizes(list: &[Variable<'_>]) -> Vec<u64> {
    list.iter().map(|v| v.size).collect()
}

/// Formats a list of results or parameters: `b32, b8[12]`.
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

    /// Compares a declaration with this definition. The driver's linker of an H200 rejects
    /// differences in the number or sizes of results or parameters.
    fn fits(&self, declared: &Prototype, name: &str) -> Result<(), LoadError> {
        if (&self.returns, &self.params) == (&declared.returns, &declared.params) {
            return Ok(());
        }
        let message = format!(
            "the prototypes of `{name}` don't match: declared as {} in {}, defined as {} in {}. Fix: declare it as it \
             is defined",
            declared.text, declared.input, self.text, self.input
        );
        Err(mismatch(message))
    }
}

/// Returns the names that a module's code and initializers use.
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
    let initializers = module.variables.iter().flat_map(|v| &v.init);
    let relocations = initializers.flat_map(|init| &init.relocations);
    names.extend(relocations.map(|relocation| relocation.symbol));
    names
}

/// An input's declaration of a variable.
struct Declared {
    input: String,
    space: StateSpace,
    size: u64,
    external: bool,
}

impl Declared {
    /// Checks that declarations of two inputs agree. The driver's linker of an H200 compares them
    /// even if the variable is unused. Types and alignments may differ.
    fn fits(&self, other: &Declared, name: &str) -> Result<(), LoadError> {
        let what = match (self.space == other.space, self.size == other.size) {
            (true, true) => return Ok(()),
            // `x[]` matches any size. If there are two definitions, one is weak or common.
            (true, false)
                if self.size == 0 || other.size == 0 || !(self.external || other.external) =>
            {
                return Ok(());
            }
            (false, _) => "state spaces",
            (true, false) => "sizes",
        };
        Err(mismatch(format!(
            "the {what} of `{name}` do not match: {} in {}, {} in {}. Fix: declare it as it is defined",
            self.text(),
            self.input,
            other.text(),
            other.input
        )))
    }

    fn text(&self) -> String {
        let space = format!("{:?}", self.space).to_lowercase();
        format!("{} bytes .{space}", self.size)
    }
}

fn mismatch(message: String) -> LoadError {
    error(LoadErrorKind::Link, 0, "", message)
}

/// The functions and variables that inputs share.
#[derive(Default)]
pub struct Prototypes {
    defined: HashMap<String, Prototype>,
    declared: HashMap<String, Vec<Prototype>>,
    variables: HashMap<String, Vec<Declared>>,
    /// The input of each strong definition.
    strong: HashMap<String, String>,
}

impl Prototypes {
    /// Adds an input. An unused declaration is ignored, since the compiler drops it.
    ///
    /// # Errors
    ///
    /// Returns [`LoadErrorKind::Link`] for the first name that is already defined, or the first
    /// declaration that differs from the definition.
    pub(crate) fn add(&mut self, input: &str, module: &Module<'_>) -> Result<(), LoadError> {
        self.define(input, module)?;
        self.add_variables(input, module)?;
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

    /// Adds the functions and variables of an input's text. Text that is not PTX has none.
    ///
    /// # Errors
    ///
    /// Returns [`LoadErrorKind::Link`] if the input defines a name that is already defined, or
    /// declares it differently.
    pub fn add_text(&mut self, input: &str, text: &str) -> Result<(), LoadError> {
        match parse(text) {
            Ok(module) => self.add(input, &module),
            Err(_) => Ok(()),
        }
    }

    fn define(&mut self, input: &str, module: &Module<'_>) -> Result<(), LoadError> {
        let functions = module.functions.iter().filter(|f| f.body.is_some());
        let functions = functions.map(|f| (f.name, f.linkage));
        // Inputs share dynamic shared memory.
        let variables = module
            .variables
            .iter()
            .filter(|v| v.space != StateSpace::Shared || v.size != 0);
        let all = functions.chain(variables.map(|v| (v.name, v.linkage)));
        let strong = all.filter(|(_, linkage)| *linkage == Linkage::Visible);
        let names: Vec<&str> = strong.map(|(name, _)| name).collect();
        for name in &names {
            if let Some(first) = self.strong.get(*name) {
                return Err(mismatch(format!(
                    "`{name}` is defined twice, in {first} and in {input}. Fix: keep one definition, or make one .weak"
                )));
            }
        }
        self.strong
            .extend(names.iter().map(|name| (name.to_string(), input.into())));
        Ok(())
    }

    fn add_variables(&mut self, input: &str, module: &Module<'_>) -> Result<(), LoadError> {
        let shared = module.variables.iter().filter(|v| {
            v.linkage != Linkage::Internal
                && matches!(v.space, StateSpace::Global | StateSpace::Const)
        });
        for variable in shared {
            if let Some(function) = self.defined.get(variable.name) {
                return Err(mismatch(format!(
                    "`{}` is a function in {} and a variable in {input}",
                    variable.name, function.input
                )));
            }
            let new = Declared {
                input: input.into(),
                space: variable.space,
                size: variable.size,
                external: variable.linkage == Linkage::Extern,
            };
            let known = self.variables.entry(variable.name.into()).or_default();
            known
                .iter()
                .try_for_each(|old| new.fits(old, variable.name))?;
            known.push(new);
        }
        let functions = module
            .functions
            .iter()
            .filter(|f| f.body.is_some() && f.linkage != Linkage::Internal);
        for function in functions {
            if let Some(variable) = self.variables.get(function.name).and_then(|v| v.first()) {
                return Err(mismatch(format!(
                    "`{}` is a variable in {} and a function in {input}",
                    function.name, variable.input
                )));
            }
        }
        Ok(())
    }

    /// Checks that every declared variable is defined.
    ///
    /// # Errors
    ///
    /// Returns [`LoadErrorKind::Link`] for the first undefined variable, in the order of names.
    pub fn undefined(&self) -> Result<(), LoadError> {
        let undefined = self
            .variables
            .iter()
            .filter(|(_, all)| all.iter().all(|one| one.external));
        match undefined.min_by_key(|(name, _)| *name) {
            None => Ok(()),
            Some((name, all)) => Err(mismatch(format!(
                "no input defines `{name}`, which {} declares. Fix: link the module that defines it",
                all[0].input
            ))),
        }
    }
}
