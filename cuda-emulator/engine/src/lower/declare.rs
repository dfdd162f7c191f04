//! The module-scope names of all inputs.

use std::collections::HashMap;

use super::link::{Linker, Names, error};
use crate::boundary::{Space, VariableInfo};
use crate::device_runtime;
use crate::program::{Initializer, Patch, Target};
use crate::ptx::{Linkage, StateSpace, Statement, Variable};
use crate::ptx::{LoadError, LoadErrorKind};

/// Functions that the engine provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Print,
    Assert,
    Malloc,
    Free,
    /// `cudaGraphSetConditional`, which is not in any archive.
    SetConditional,
    /// `cudaGraphLaunch`, which is not in any archive.
    LaunchGraph,
    /// `cudaGraphKernelNodeSetParam`.
    SetNodeParam,
    SetNodeEnabled,
    SetNodeGrid,
    UpdateNodes,
    /// A function of the device runtime.
    Runtime(device_runtime::Number),
}

/// The meaning of a module-scope name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    /// Index into the program's variables.
    Variable(u32),
    /// Index into [`Linker::shared`].
    Shared(u32),
    /// Dynamic shared memory.
    Dynamic,
    Function(u32),
    Builtin(Builtin),
}

/// A module-scope shared variable.
pub(super) struct SharedVariable {
    pub size: u64,
    pub align: u64,
    /// Its offset, once a device function has used it.
    pub common: Option<u32>,
}

/// A function's signature, as needed by calls.
pub(super) struct Signature {
    /// Sizes of results and parameters in bytes.
    pub returns: Vec<u64>,
    pub params: Vec<u64>,
}

fn builtin(name: &str, runtime: bool) -> Option<Builtin> {
    Some(match name {
        "vprintf" => Builtin::Print,
        "__assertfail" => Builtin::Assert,
        "malloc" => Builtin::Malloc,
        "free" => Builtin::Free,
        "cudaGraphSetConditional" => Builtin::SetConditional,
        "cudaGraphLaunch" => Builtin::LaunchGraph,
        "cudaGraphKernelNodeSetParam" => Builtin::SetNodeParam,
        "cudaGraphKernelNodeSetEnabled" => Builtin::SetNodeEnabled,
        "cudaGraphKernelNodeSetGridDim" => Builtin::SetNodeGrid,
        "cudaGraphKernelNodeUpdatesApply" => Builtin::UpdateNodes,
        _ if runtime => Builtin::Runtime(device_runtime::Number::of(name)?),
        _ => return None,
    })
}

pub(super) fn named(error: LoadError, name: &str) -> LoadError {
    if name.is_empty() {
        error
    } else {
        LoadError {
            message: format!("in {name}: {}", error.message),
            ..error
        }
    }
}

fn described(variable: &Variable<'_>) -> VariableInfo {
    VariableInfo {
        name: variable.name.into(),
        size: variable.size,
        align: variable.align,
        space: if variable.space == StateSpace::Const {
            Space::Const
        } else {
            Space::Global
        },
        managed: variable.managed,
        exported: variable.linkage != Linkage::Internal,
    }
}

fn rank(linkage: Linkage) -> u32 {
    match linkage {
        Linkage::Extern => 0,
        Linkage::Weak | Linkage::Common => 1,
        _ => 2,
    }
}

pub(super) fn declare<'a>(linker: &mut Linker<'a>) -> Result<Names, LoadError> {
    let mut names = Names {
        variables: Vec::new(),
        initializers: Vec::new(),
        functions: Vec::new(),
    };
    let mut ranks: HashMap<&str, u32> = HashMap::new();
    // The chosen variables, each with its input and the first variable of the same function.
    let mut chosen: Vec<(&'a Variable<'a>, usize, usize)> = Vec::new();
    let modules = linker.modules;
    for (input, module) in modules.iter().enumerate() {
        for variable in &module.variables {
            let symbol = match (variable.space, variable.linkage) {
                (StateSpace::Shared, _) if variable.size == 0 => Symbol::Dynamic,
                (_, Linkage::Extern) => continue,
                (StateSpace::Shared, _) => {
                    linker.shared.push(SharedVariable {
                        size: variable.size,
                        align: variable.align,
                        common: None,
                    });
                    Symbol::Shared(linker.shared.len() as u32 - 1)
                }
                (StateSpace::Local, _) => {
                    return Err(error(
                        LoadErrorKind::Unsupported,
                        variable.line,
                        variable.name,
                        "module-scope .local variables are not supported. Fix: declare it in the function",
                    ));
                }
                _ => Symbol::Variable(names.variables.len() as u32),
            };
            let local = variable.linkage == Linkage::Internal || matches!(symbol, Symbol::Dynamic);
            if local {
                let twice = linker.own[input].insert(variable.name, symbol);
                if twice.is_some() && !matches!(symbol, Symbol::Dynamic) {
                    return Err(error(
                        LoadErrorKind::Syntax,
                        variable.line,
                        variable.name,
                        "this name is defined twice",
                    ));
                }
            } else {
                let rank = rank(variable.linkage);
                match ranks.get(variable.name) {
                    Some(&2) if rank == 2 => {
                        let message =
                            format!("defined twice (second time in {})", linker.sources[input].0);
                        return Err(error(
                            LoadErrorKind::Syntax,
                            variable.line,
                            variable.name,
                            message,
                        ));
                    }
                    Some(&old) if old >= rank => continue,
                    _ => {}
                }
                ranks.insert(variable.name, rank);
                linker.global.insert(variable.name, symbol);
            }
            if let Symbol::Variable(_) = symbol {
                chosen.push((variable, input, names.variables.len()));
                names.variables.push(described(variable));
            }
        }
        for (index, function) in module.functions.iter().enumerate() {
            if function.body.is_none() {
                continue;
            }
            let symbol = Symbol::Function(names.functions.len() as u32);
            if function.linkage == Linkage::Internal {
                if linker.own[input].insert(function.name, symbol).is_some() {
                    return Err(error(
                        LoadErrorKind::Syntax,
                        function.line,
                        function.name,
                        "this name is defined twice",
                    ));
                }
            } else {
                let rank = rank(function.linkage);
                match ranks.get(function.name) {
                    Some(&2) if rank == 2 => {
                        let message =
                            format!("defined twice (second time in {})", linker.sources[input].0);
                        return Err(error(
                            LoadErrorKind::Syntax,
                            function.line,
                            function.name,
                            message,
                        ));
                    }
                    Some(&old) if old >= rank => continue,
                    _ => {}
                }
                ranks.insert(function.name, rank);
                linker.global.insert(function.name, symbol);
            }
            names.functions.push((input, index));
            let sizes = |list: &[Variable<'_>]| list.iter().map(|v| v.size).collect();
            linker.signatures.push(Signature {
                returns: sizes(&function.returns),
                params: sizes(&function.params),
            });
            let first = names.variables.len();
            let body = function.body.iter().flatten();
            for variable in body.filter_map(|s| match s {
                Statement::Variable(variable) => Some(variable),
                _ => None,
            }) {
                if matches!(variable.space, StateSpace::Global | StateSpace::Const) {
                    let index = names.variables.len() as u32;
                    linker.inner.insert(variable, index);
                    names.variables.push(described(variable));
                    chosen.push((variable, input, first));
                }
            }
        }
    }
    for (input, module) in modules.iter().enumerate() {
        for &(name, target) in &module.aliases {
            let symbol = linker.find(input, target).ok_or_else(|| {
                error(
                    LoadErrorKind::Unresolved,
                    0,
                    ".alias",
                    format!("`{target}`, the target of alias `{name}`, is not defined"),
                )
            })?;
            linker.own[input].insert(name, symbol);
            linker.global.entry(name).or_insert(symbol);
        }
        for function in &module.functions {
            let builtin = builtin(function.name, linker.device_runtime);
            if let Some(builtin) = builtin.filter(|_| function.body.is_none()) {
                linker.own[input]
                    .entry(function.name)
                    .or_insert(Symbol::Builtin(builtin));
            }
        }
    }
    for (index, (variable, input, first)) in chosen.iter().enumerate() {
        let Some(init) = &variable.init else { continue };
        let mut relocations = Vec::new();
        for relocation in &init.relocations {
            let own = (*first..index).rfind(|&v| names.variables[v].name == relocation.symbol);
            let found = match own {
                Some(v) => Some(Symbol::Variable(v as u32)),
                None => linker.find(*input, relocation.symbol),
            };
            let target = match found {
                Some(Symbol::Variable(v)) => Target::Variable(v, relocation.addend),
                Some(Symbol::Function(f)) if relocation.addend == 0 => Target::Function(f),
                Some(_) => {
                    return Err(error(
                        LoadErrorKind::Unsupported,
                        variable.line,
                        relocation.symbol,
                        "an initializer can only contain addresses of global variables and functions",
                    ));
                }
                None => {
                    return Err(error(
                        LoadErrorKind::Link,
                        variable.line,
                        relocation.symbol,
                        "no input defines this name. Fix: link the module that defines it",
                    ));
                }
            };
            relocations.push(Patch {
                offset: relocation.offset,
                target,
                size: relocation.size,
                shift: relocation.shift,
            });
        }
        names.initializers.push(Initializer {
            variable: index as u32,
            bytes: init.bytes.clone(),
            relocations,
        });
    }
    Ok(names)
}
