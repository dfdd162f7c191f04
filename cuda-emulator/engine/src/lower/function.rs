//! Lowering one function: scopes, operands, emission.

use super::emit::{New, Slot};
use super::scope::Local;
use std::collections::HashMap;

use super::allocate::{self, End, Field, Mode, Ref};
use super::link::{Linker, Summary, error, layout};
use super::modifiers::Modifiers;
use crate::instructions;
use crate::ir::{Opcode, Targets, Written};
use crate::program::{Function, Place, Slice};
use crate::ptx::{self, Instruction, Location, Operand, StateSpace, Statement, Type, Variable};
use crate::ptx::{LoadError, LoadErrorKind};
use crate::state::op::{Area, Op};

pub(super) type Result<T> = std::result::Result<T, LoadError>;

/// Maximum size in bytes of a function's frame, local memory or parameters.
pub(super) const MAX_BYTES: u64 = 1 << 28;
/// Maximum number of registers in a function.
pub(super) const MAX_REGISTERS: usize = 1 << 20;

/// Size class of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Predicate,
    W32,
    W64,
    W128,
}

impl Width {
    pub(super) fn of(ty: Type) -> Width {
        match ty.size() {
            0 => Width::Predicate,
            1..=4 => Width::W32,
            8 => Width::W64,
            _ => Width::W128,
        }
    }

    /// Returns the size of all lanes together in bytes.
    pub(super) fn bytes(self) -> u32 {
        match self {
            Width::Predicate => 4,
            Width::W32 => 128,
            Width::W64 => 256,
            Width::W128 => 512,
        }
    }
}

/// A function being lowered.
pub(super) struct Lower<'l, 'a> {
    pub linker: &'l mut Linker<'a>,
    pub input: usize,
    pub function: &'a ptx::Function<'a>,
    pub summary: Summary,
    pub(super) scopes: Vec<HashMap<&'a str, Local<'a>>>,
    pub widths: Vec<Width>,
    pub(super) types: Vec<Type>,
    pub(super) code: Vec<Op>,
    pub(super) opcodes: Vec<&'static Opcode>,
    pub(super) refs: Vec<Ref>,
    /// Instructions after which control flow may not continue with the next instruction.
    pub(super) ends: Vec<(u32, End)>,
    pub(super) labels: Vec<HashMap<&'a str, u32>>,
    /// Position of each label, by number.
    pub label_positions: Vec<Option<u32>>,
    pub(super) label_scope: Vec<usize>,
    pub(super) places: Vec<Place>,
    pub(super) place: Place,
    /// For each inlined location in a `.loc`, the location of the call.
    inlined: HashMap<Location, Location>,
    pub(super) guard: (Slot, u32),
    pub(super) line: u32,
    pub(super) text: &'a str,
    pub(super) params_size: u64,
    pub(super) local_size: u64,
    pub(super) shared_at: HashMap<u32, u32>,
    pub(super) returns: Vec<Slice>,
    /// Results that are registers, and the slices from which the caller reads them.
    pub(super) return_registers: Vec<(u32, Slice)>,
    pub(super) dump: Option<u32>,
    pub(super) carry: Option<u32>,
    /// `.pragma "used_bytes_mask"` for the next load.
    pub(super) used_bytes: Option<u32>,
    pub guarded: bool,
    pub(super) body: &'a [Statement<'a>],
    /// The scope of the current instruction.
    pub(super) scope: usize,
    /// Whether there are vector registers.
    pub(super) vectors: bool,
}

/// Lowers a function with a body and appends its code.
pub(super) fn lower_function<'a>(
    linker: &mut Linker<'a>,
    input: usize,
    function: &'a ptx::Function<'a>,
) -> Result<(Function, Summary)> {
    let body = function.body.as_deref().unwrap_or_default();
    let shared_end = linker.common_shared;
    let mut lower = Lower {
        linker,
        input,
        function,
        summary: Summary {
            shared_end: if function.entry { shared_end } else { 0 },
            ..Summary::default()
        },
        scopes: vec![HashMap::new()],
        widths: Vec::new(),
        types: Vec::new(),
        code: Vec::new(),
        opcodes: Vec::new(),
        refs: Vec::new(),
        ends: Vec::new(),
        labels: Vec::new(),
        label_positions: Vec::new(),
        label_scope: Vec::new(),
        places: Vec::new(),
        place: Place {
            input: input as u16,
            ..Place::default()
        },
        inlined: HashMap::new(),
        guard: (Slot::Fixed(Area::Constant.at(0)), 0),
        line: function.line,
        text: function.name,
        params_size: 0,
        local_size: 0,
        shared_at: HashMap::new(),
        returns: Vec::new(),
        return_registers: Vec::new(),
        dump: None,
        carry: None,
        used_bytes: None,
        guarded: false,
        body,
        scope: 0,
        vectors: false,
    };
    let params = lower.formals()?;
    lower.body(body)?;
    lower.finish(params)
}

impl<'a> Lower<'_, 'a> {
    /// Sets the source location of the following instructions, for reports.
    fn locate(&mut self, at: Location, inlined_at: Option<Location>) {
        match inlined_at {
            Some(outer) => self.inlined.insert(at, outer),
            None => self.inlined.remove(&at),
        };
        // An inlined function may be inlined into another one, which has an earlier `.loc`.
        let mut outer = inlined_at;
        for _ in 0..64 {
            match outer.and_then(|place| self.inlined.get(&place)) {
                Some(next) => outer = Some(*next),
                None => break,
            }
        }
        [self.place.file, self.place.source_line, _] = at;
        [self.place.outer_file, self.place.outer_line, _] = outer.unwrap_or_default();
    }

    pub(super) fn error(&self, kind: LoadErrorKind, message: impl Into<String>) -> LoadError {
        error(kind, self.line, self.text, message)
    }

    pub(super) fn syntax(&self, message: impl Into<String>) -> LoadError {
        self.error(LoadErrorKind::Syntax, message)
    }

    pub(super) fn unsupported(&self, message: impl Into<String>) -> LoadError {
        self.error(LoadErrorKind::Unsupported, message)
    }

    fn formals(&mut self) -> Result<Vec<Slice>> {
        let function = self.function;
        let mut params = Vec::new();
        if function.entry {
            let (list, bytes) = layout(&function.params);
            if u64::from(bytes) > 32764 || function.params.iter().any(|p| p.size > 32764) {
                return Err(self.unsupported("a kernel's parameters can have at most 32764 bytes"));
            }
            for (param, info) in function.params.iter().zip(list) {
                self.scopes[0].insert(param.name, Local::KernelParam(info));
            }
        } else {
            for param in &function.params {
                let slice = self.param_slice(param)?;
                params.push(slice);
                for (register, part) in self.formal(param, slice)? {
                    self.load_slice(part, register)?;
                }
            }
        }
        for param in &function.returns {
            let slice = self.param_slice(param)?;
            self.returns.push(slice);
            let registers = self.formal(param, slice)?;
            self.return_registers.extend(registers);
        }
        Ok(params)
    }

    /// Declares a formal parameter or result. Returns its registers and their slices, if it is in
    /// registers. Registers are passed in the frame, too.
    fn formal(&mut self, param: &Variable<'a>, slice: Slice) -> Result<Vec<(u32, Slice)>> {
        if param.space != StateSpace::Reg {
            self.scopes[0].insert(param.name, Local::Param(slice));
            return Ok(Vec::new());
        }
        let local = self.named(param.ty, param.vector)?;
        let parts = self.parts(&local, slice);
        self.scopes[0].insert(param.name, local);
        Ok(parts)
    }

    /// Stores results that are registers to the slices from which the caller reads them.
    pub(super) fn store_results(&mut self) -> Result<()> {
        for (register, slice) in self.return_registers.clone() {
            self.store_slice(slice, register)?;
        }
        Ok(())
    }

    fn body(&mut self, body: &'a [Statement<'a>]) -> Result<()> {
        // Collect labels first, since branches can go forward. A label is visible in its scope and
        // in inner ones.
        let mut stack = vec![0];
        self.labels.push(HashMap::new());
        self.label_scope.push(0);
        for statement in body {
            match statement {
                Statement::Enter => {
                    self.labels.push(HashMap::new());
                    let parent = *stack.last().unwrap_or(&0);
                    self.label_scope.push(parent);
                    stack.push(self.labels.len() - 1);
                }
                Statement::Leave => {
                    stack.pop();
                }
                Statement::Label(name, line) => {
                    let number = self.label_positions.len() as u32;
                    self.label_positions.push(None);
                    let scope = *stack.last().unwrap_or(&0);
                    if self.labels[scope].insert(name, number).is_some() {
                        return Err(error(
                            LoadErrorKind::Syntax,
                            *line,
                            name,
                            "this label is defined twice",
                        ));
                    }
                }
                _ => {}
            }
        }
        let (mut stack, mut entered, mut label) = (vec![0usize], 0usize, 0usize);
        for statement in body {
            match statement {
                Statement::Enter => {
                    entered += 1;
                    stack.push(entered);
                    self.scopes.push(HashMap::new());
                }
                Statement::Leave => {
                    stack.pop();
                    self.scopes.pop();
                }
                Statement::Label(..) => {
                    self.label_positions[label] = Some(self.code.len() as u32);
                    label += 1;
                }
                Statement::Registers {
                    name,
                    ty,
                    vector,
                    count,
                    line,
                } => {
                    self.line = *line;
                    self.text = name;
                    match count {
                        None => {
                            let local = self.named(*ty, *vector)?;
                            self.declare(name, local);
                        }
                        Some(count) => {
                            // The registers themselves are created at their first use.
                            self.vectors |= *vector > 1;
                            self.declare(
                                name,
                                Local::Range {
                                    ty: *ty,
                                    vector: *vector,
                                    count: *count,
                                },
                            );
                        }
                    }
                }
                Statement::Variable(variable) => self.variable(variable)?,
                Statement::Location { at, inlined_at } => self.locate(*at, *inlined_at),
                Statement::Pragma(text, line) => {
                    self.line = *line;
                    self.text = text;
                    self.pragma(text)?;
                }
                Statement::BranchTargets(name, list) => {
                    self.declare(name, Local::BranchTargets(list.clone()))
                }
                Statement::CallPrototype(name) => self.declare(name, Local::Prototype),
                Statement::Instruction(instruction) => {
                    self.scope = *stack.last().unwrap_or(&0);
                    self.instruction(instruction)?;
                    self.used_bytes = None;
                }
            }
        }
        // Control flow must not run past the end.
        self.text = "}";
        self.guard = (Slot::Fixed(Area::Constant.at(0)), 0);
        self.guarded = false;
        self.store_results()?;
        self.emit(New::of(&instructions::RETURN));
        self.end(End::Stop);
        Ok(())
    }

    fn instruction(&mut self, instruction: &'a Instruction<'a>) -> Result<()> {
        self.line = instruction.line;
        self.place.line = instruction.line;
        let source = self.linker.sources[self.input].1;
        self.text = source
            .get(instruction.span.0 as usize..instruction.span.1 as usize)
            .unwrap_or(instruction.opcode)
            .trim();
        self.guarded = false;
        self.guard = (Slot::Fixed(Area::Constant.at(0)), 0);
        if let Some((name, negated)) = instruction.guard {
            let operand = if negated {
                Operand::Not(name)
            } else {
                Operand::Name(name)
            };
            self.guard = self.predicate(&operand)?;
            self.guarded = true;
        }
        if self.vectors {
            let o = self.expanded(&instruction.operands)?;
            return self.lowered(instruction.opcode, &o);
        }
        self.lowered(instruction.opcode, &instruction.operands)
    }

    /// Lowers an instruction whose guard is set.
    pub(super) fn lowered(&mut self, opcode: &'a str, o: &[Operand<'a>]) -> Result<()> {
        if opcode.starts_with("mov.v") {
            return self.vector_move(opcode, o);
        }
        let written = Written(opcode);
        let (opcode, imm) = match self.linker.selected(opcode) {
            Some(found) => found,
            None => self.select(opcode)?,
        };
        self.has(opcode)?;
        self.listed(opcode, imm, written, o)
    }

    /// Returns an error if the module's target or version does not have the instruction.
    fn has(&self, opcode: &Opcode) -> Result<()> {
        let module = &self.linker.modules[self.input];
        let (target, suffix) = (module.target, module.suffix);
        if opcode.version > module.version {
            let ((major, minor), (own, part)) = (opcode.version, module.version);
            return Err(self.syntax(format!(
                "the instruction needs `.version {major}.{minor}` or newer, but the module has {own}.{part}"
            )));
        }
        let (missing, wanted) = match opcode.targets {
            Targets::All => return self.needs(opcode.since),
            Targets::Specific => (suffix.is_empty(), target.max(opcode.since)),
            Targets::One => (suffix != "a", opcode.since),
        };
        if wanted == target && !missing {
            return Ok(());
        }
        Err(self.syntax(format!(
            "the instruction is for sm_{wanted}a, but the module is for sm_{target}{suffix}. Fix: write `.target sm_{wanted}a`, or \
             compile with `--gpu-architecture=compute_{wanted}a`"
        )))
    }

    /// Returns an error if the module's target is older than this one.
    pub(super) fn needs(&self, since: u32) -> Result<()> {
        let target = self.linker.modules[self.input].target;
        if since <= target {
            return Ok(());
        }
        Err(self.syntax(format!(
            "the instruction is for sm_{since} or newer, but the module is for sm_{target}"
        )))
    }

    /// Looks up the entry of an opcode at its first use.
    fn select(&mut self, written: &'a str) -> Result<(&'static Opcode, u64)> {
        let (name, modifiers) = Modifiers::split(written);
        let modifiers = modifiers.rest();
        let Some(entries) = instructions::entries(name) else {
            return Err(self.unsupported(instructions::unknown(name)));
        };
        if let Some(found) = self.linker.select(written, entries, modifiers) {
            return Ok(found);
        }
        if instructions::untyped(entries, modifiers) {
            return Err(self.syntax("the type is missing"));
        }
        Err(self.unsupported(instructions::mismatch(entries, modifiers)))
    }

    /// Assigns slots to registers and appends the code to the program's.
    fn finish(mut self, params: Vec<Slice>) -> Result<(Function, Summary)> {
        let positions: Vec<u32> = self
            .label_positions
            .iter()
            .map(|p| p.unwrap_or(0))
            .collect();
        let plan = allocate::allocate(
            &self.widths,
            &self.refs,
            &self.ends,
            &positions,
            self.code.len(),
        );
        let params_at = plan.bytes.next_multiple_of(64);
        if params_at + self.params_size > MAX_BYTES {
            return Err(self.unsupported("the function's registers take too much memory"));
        }
        let params_at = params_at as u32;
        for r in &self.refs {
            let op = &mut self.code[r.op as usize];
            let field = match r.field {
                Field::D => &mut op.d,
                Field::A => &mut op.a,
                Field::B => &mut op.b,
                Field::C => &mut op.c,
                Field::X => &mut op.x,
                Field::Y => &mut op.y,
                Field::Guard => &mut op.guard,
                Field::List(at) => &mut self.linker.lists[at as usize],
            };
            *field = if r.mode == Mode::Param {
                *field + params_at
            } else {
                plan.offsets[r.register as usize]
            };
        }
        let start = self.linker.code.len() as u32;
        for (op, end) in &self.ends {
            match end {
                End::Branch(label) => {
                    self.code[*op as usize].x = start + positions[*label as usize]
                }
                End::Switch(labels) => {
                    self.code[*op as usize].x = self.linker.tables.len() as u32;
                    self.linker.tables.push(
                        labels
                            .iter()
                            .map(|&l| start + positions[l as usize])
                            .collect(),
                    );
                }
                End::Call(site) => {
                    let site = &mut self.linker.sites[*site as usize];
                    for slice in site.arguments.iter_mut().chain(&mut site.returns) {
                        slice.offset += params_at;
                    }
                }
                End::Stop => {}
            }
        }
        self.linker.code.append(&mut self.code);
        self.linker.opcodes.append(&mut self.opcodes);
        self.linker.places.append(&mut self.places);
        let shift = |list: Vec<Slice>| {
            list.into_iter()
                .map(|s| Slice {
                    offset: s.offset + params_at,
                    ..s
                })
                .collect()
        };
        self.summary.local_size = self.local_size as u32;
        self.summary.registers = plan.pressure;
        let function = Function {
            name: self.function.name.into(),
            entry_pc: start,
            frame_size: (u64::from(params_at) + self.params_size).max(64) as u32,
            local_size: self.local_size as u32,
            params: shift(params),
            returns: shift(self.returns),
        };
        Ok((function, self.summary))
    }
}
