//! Linking: resolves the names of all inputs, and lowers one function after another.

use super::declare::{SharedVariable, Signature, Symbol, declare, named};
use std::collections::{HashMap, HashSet};

use super::function::lower_function;
use super::prototype::Prototypes;
use crate::boundary::{KernelInfo, ParamInfo, VariableInfo};
use crate::device_runtime;
use crate::instructions::{self, Entries};
use crate::ir::Opcode;
use crate::program::{Constants, Function, Initializer, Input, Place, Program, Site, Target};
use crate::ptx::{self, Linkage, Module, Variable};
use crate::ptx::{LoadError, LoadErrorKind};
use crate::state::op::{LANES, Op};

/// The state shared by lowering all functions of a program.
pub(super) struct Linker<'a> {
    pub modules: &'a [Module<'a>],
    pub sources: &'a [(&'a str, &'a str)],
    /// The compute capability of the device.
    pub device: u32,
    pub signatures: Vec<Signature>,
    /// Variables that are declared in functions and live as long as the module.
    pub inner: HashMap<*const Variable<'a>, u32>,
    /// Names visible to all inputs.
    pub global: HashMap<&'a str, Symbol>,
    /// Names visible to one input.
    pub own: Vec<HashMap<&'a str, Symbol>>,
    pub shared: Vec<SharedVariable>,
    /// Size of the shared memory that device functions use, at the same offsets in every kernel.
    pub common_shared: u64,
    pub code: Vec<Op>,
    pub opcodes: Vec<&'static Opcode>,
    pub places: Vec<Place>,
    pub sites: Vec<Site>,
    pub lists: Vec<u32>,
    pub tables: Vec<Vec<u32>>,
    pub memory_instructions: u32,
    constants: Constants,
    /// Cached entries of the opcodes, keyed by opcode with modifiers.
    selected: HashMap<&'a str, (&'static Opcode, u64)>,
    known: HashMap<(u64, u8), u32>,
    known_addresses: HashMap<Target, u32>,
    /// Whether the device runtime is among the inputs.
    pub device_runtime: bool,
}

/// A lowered function's properties besides its code.
#[derive(Default)]
pub(super) struct Summary {
    pub local_size: u32,
    pub callees: HashSet<u32>,
    pub indirect: bool,
    /// Whether it uses stack beyond its variables.
    pub stack: bool,
    pub dynamic_shared: bool,
    /// Whether it uses the system's shared memory.
    pub reserved: bool,
    /// Whether it reads its cluster's index.
    pub clustered: bool,
    /// Whether it calls the device runtime.
    pub runtime: bool,
    /// Whether it launches graphs.
    pub graphs: bool,
    /// For kernels, the end of the shared variables.
    pub shared_end: u64,
    pub registers: u32,
}

pub(super) fn error(
    kind: LoadErrorKind,
    line: u32,
    instruction: &str,
    message: impl Into<String>,
) -> LoadError {
    LoadError {
        kind,
        line,
        instruction: instruction.into(),
        message: message.into(),
    }
}

impl<'a> Linker<'a> {
    /// Returns the cached entry of an opcode.
    pub(super) fn selected(&self, written: &str) -> Option<(&'static Opcode, u64)> {
        self.selected.get(written).copied()
    }

    /// Returns the entry that matches an opcode, and its immediate.
    pub(super) fn select(
        &mut self,
        written: &'a str,
        entries: &'static Entries,
        modifiers: &[&str],
    ) -> Option<(&'static Opcode, u64)> {
        let found = instructions::find(entries, modifiers)?;
        self.selected.insert(written, found);
        Some(found)
    }

    /// Returns the operand of a constant, repeated for all lanes. `bytes` is 4, 8 or 16.
    pub(super) fn constant(&mut self, bits: u64, bytes: u8) -> u32 {
        let constants = &mut self.constants.bytes;
        let at = *self.known.entry((bits, bytes)).or_insert_with(|| {
            let at = constants.len() as u32;
            for _ in 0..LANES {
                constants.extend_from_slice(&u128::from(bits).to_le_bytes()[..bytes as usize]);
            }
            at
        });
        crate::state::op::Area::Constant.at(at)
    }

    /// Returns the operand of an address.
    pub(super) fn address(&mut self, target: Target) -> u32 {
        let constants = &mut self.constants;
        let at = *self.known_addresses.entry(target).or_insert_with(|| {
            let at = constants.bytes.len() as u32;
            constants.bytes.resize(constants.bytes.len() + 8 * LANES, 0);
            constants.addresses.push((at, target));
            at
        });
        crate::state::op::Area::Constant.at(at)
    }

    /// Returns whether an input declares a name that other inputs must define.
    pub(super) fn declares(&self, input: usize, name: &str) -> bool {
        let module = &self.modules[input];
        let mut functions = module.functions.iter();
        let mut variables = module.variables.iter();
        functions.any(|f| f.name == name && f.body.is_none())
            || variables.any(|v| v.name == name && v.linkage == Linkage::Extern)
    }

    pub(super) fn find(&self, input: usize, name: &str) -> Option<Symbol> {
        self.own[input]
            .get(name)
            .or_else(|| self.global.get(name))
            .copied()
    }
}

/// Loads and links. See [`Program::link`].
pub(crate) fn link(sources: &[(&str, &str)], device: u32) -> Result<Program, LoadError> {
    let mut modules = Vec::with_capacity(sources.len());
    for (name, text) in sources {
        let text = text.trim_end_matches('\0');
        modules.push(ptx::parse(text).map_err(|e| named(e, name))?);
    }
    if modules.len() > 1 {
        let mut prototypes = Prototypes::default();
        for ((name, _), module) in sources.iter().zip(&modules) {
            prototypes.add(name, module)?;
        }
    }
    let mut linker = Linker {
        modules: &modules,
        sources,
        device,
        signatures: Vec::new(),
        inner: HashMap::new(),
        global: HashMap::new(),
        own: vec![HashMap::new(); modules.len()],
        shared: Vec::new(),
        common_shared: 0,
        code: Vec::new(),
        opcodes: Vec::new(),
        places: Vec::new(),
        sites: Vec::new(),
        lists: Vec::new(),
        tables: Vec::new(),
        memory_instructions: 0,
        constants: Constants::default(),
        selected: HashMap::new(),
        known: HashMap::new(),
        known_addresses: HashMap::new(),
        device_runtime: modules
            .iter()
            .flat_map(|module| &module.functions)
            .any(|function| function.name == device_runtime::MARK),
    };
    // Offset 0 is the predicate that always holds.
    linker
        .constants
        .bytes
        .extend_from_slice(&u32::MAX.to_le_bytes());
    linker.constants.bytes.resize(64, 0);
    let names = declare(&mut linker)?;
    let mut program = lower_all(&mut linker, &names)?;
    program.variables = names.variables;
    program.initializers = names.initializers;
    Ok(program)
}

/// The merged declarations of all inputs.
pub(super) struct Names {
    pub variables: Vec<VariableInfo>,
    pub initializers: Vec<Initializer>,
    /// The input of each function, and the function's index in it.
    pub functions: Vec<(usize, usize)>,
}

fn lower_all<'a>(linker: &mut Linker<'a>, names: &Names) -> Result<Program, LoadError> {
    let modules = linker.modules;
    let count = names.functions.len();
    let mut functions: Vec<Option<Function>> = (0..count).map(|_| None).collect();
    let mut summaries: Vec<Summary> = (0..count).map(|_| Summary::default()).collect();
    // Device functions come first, because they fix the offsets of the shared variables that they
    // use.
    for kernels in [false, true] {
        for (index, &(input, f)) in names.functions.iter().enumerate() {
            let function = &modules[input].functions[f];
            if function.entry != kernels {
                continue;
            }
            let (lowered, summary) = lower_function(linker, input, function)
                .map_err(|e| named(e, linker.sources[input].0))?;
            functions[index] = Some(lowered);
            summaries[index] = summary;
        }
    }
    let mut program = Program {
        kernels: Vec::new(),
        variables: Vec::new(),
        initializers: Vec::new(),
        target: modules.iter().map(|m| m.target).max().unwrap_or(0),
        device: linker.device,
        code: std::mem::take(&mut linker.code),
        opcodes: std::mem::take(&mut linker.opcodes),
        places: std::mem::take(&mut linker.places),
        functions: functions.into_iter().flatten().collect(),
        entries: Vec::new(),
        calls: Vec::new(),
        dynamic: Vec::new(),
        sites: std::mem::take(&mut linker.sites),
        lists: std::mem::take(&mut linker.lists),
        tables: std::mem::take(&mut linker.tables),
        constants: std::mem::take(&mut linker.constants),
        memory_instructions: linker.memory_instructions,
        inputs: Vec::new(),
        reserved: Vec::new(),
        clustered: Vec::new(),
        device_runtime: linker.device_runtime,
    };
    for (module, (name, text)) in modules.iter().zip(linker.sources) {
        program.inputs.push(Input {
            name: (*name).into(),
            text: (*text).into(),
            // NVRTC for Windows escapes the separators of a path.
            files: (module.files.iter())
                .map(|&(i, n)| (i, n.replace(r"\\", r"\")))
                .collect(),
        });
    }
    for (index, &(input, f)) in names.functions.iter().enumerate() {
        let function = &modules[input].functions[f];
        if !function.entry {
            continue;
        }
        let reached = reach(index as u32, &summaries);
        let (params, param_bytes) = layout(&function.params);
        let summary = &summaries[index];
        let callees = reached.iter().any(|&f| f != index as u32);
        let registers = reached
            .iter()
            .map(|&f| summaries[f as usize].registers)
            .max()
            .unwrap_or(0);
        let shared_end = if callees {
            summary.shared_end.max(linker.common_shared)
        } else {
            summary.shared_end
        };
        program.kernels.push(KernelInfo {
            input,
            name: function.name.into(),
            params,
            param_bytes,
            static_shared: u32::try_from(shared_end).unwrap_or(u32::MAX),
            local_bytes: deepest(index as u32, &summaries),
            registers: registers.clamp(8, 255),
            max_threads: function.max_threads.or(function
                .required_block
                .map(|b| b.iter().fold(1u32, |a, &b| a.saturating_mul(b)))),
            required_block: function.required_block,
            min_blocks: function.min_blocks,
            max_registers: function.max_registers,
            required_cluster: function.required_cluster,
            explicit_cluster: function.explicit_cluster,
            max_cluster: function.max_cluster,
            nests: reached.iter().any(|&f| summaries[f as usize].runtime),
            launches_graphs: reached.iter().any(|&f| summaries[f as usize].graphs),
        });
        program.entries.push(index as u32);
        program.calls.push(
            callees
                || reached
                    .iter()
                    .any(|&f| summaries[f as usize].indirect || summaries[f as usize].stack),
        );
        program.dynamic.push(
            reached
                .iter()
                .any(|&f| summaries[f as usize].dynamic_shared),
        );
        program
            .reserved
            .push(reached.iter().any(|&f| summaries[f as usize].reserved));
        program
            .clustered
            .push(reached.iter().any(|&f| summaries[f as usize].clustered));
    }
    Ok(program)
}

/// Returns the offsets of parameters.
pub(super) fn layout(params: &[Variable<'_>]) -> (Vec<ParamInfo>, u32) {
    let mut at = 0u64;
    let list = params
        .iter()
        .map(|p| {
            at = at.next_multiple_of(p.align);
            let info = ParamInfo {
                offset: at as u32,
                size: p.size as u32,
                align: p.align as u32,
            };
            at += p.size;
            info
        })
        .collect();
    (list, at as u32)
}

/// Returns a function and all functions that it may call. Indirect calls may reach every function.
fn reach(from: u32, summaries: &[Summary]) -> HashSet<u32> {
    let mut reached = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(f) = open.pop() {
        let summary = &summaries[f as usize];
        let all = summary
            .indirect
            .then_some(0..summaries.len() as u32)
            .into_iter()
            .flatten();
        for callee in summary.callees.iter().copied().chain(all) {
            if reached.insert(callee) {
                open.push(callee);
            }
        }
    }
    reached
}

/// Returns the local memory of the deepest chain of direct calls, counting recursion once.
/// Iterative, since chains may be long.
fn deepest(from: u32, summaries: &[Summary]) -> u32 {
    let mut best: HashMap<u32, u32> = HashMap::new();
    let mut on_path = HashSet::new();
    let mut stack = vec![(from, false)];
    while let Some((f, done)) = stack.pop() {
        let summary = &summaries[f as usize];
        if done {
            let below = summary
                .callees
                .iter()
                .filter_map(|c| best.get(c))
                .max()
                .copied()
                .unwrap_or(0);
            best.insert(
                f,
                summary
                    .local_size
                    .next_multiple_of(16)
                    .saturating_add(below),
            );
            on_path.remove(&f);
        } else if !best.contains_key(&f) && on_path.insert(f) {
            stack.push((f, true));
            stack.extend(summary.callees.iter().map(|&c| (c, false)));
        }
    }
    best.get(&from).copied().unwrap_or(0)
}
