//! The names in a function: registers, parameters, variables.

use super::emit::Slot;
use super::function::{MAX_BYTES, MAX_REGISTERS};

use super::declare::Symbol;
use super::function::{Lower, Result, Width};
use crate::boundary::ParamInfo;
use crate::program::Slice;
use crate::ptx::{StateSpace, Type, Variable};

/// A name in a function's scope.
#[derive(Clone, Debug)]
pub(super) enum Local<'a> {
    Register(u32),
    /// `name<count>`, not yet used.
    Range {
        ty: Type,
        vector: u32,
        count: u32,
    },
    /// The elements of a vector register.
    Vector(Vec<u32>),
    /// Per-lane bytes in the frame.
    Param(Slice),
    /// A kernel's parameter, in the launch's buffer.
    KernelParam(ParamInfo),
    /// Offset in the frame's local memory.
    Variable(u32),
    Shared(u32),
    /// A module symbol with a local name.
    Symbol(Symbol),
    BranchTargets(Vec<&'a str>),
    /// The last operand of an indirect call: a prototype or a list of targets.
    Prototype,
}

/// The base of a memory operand.
pub(super) enum Base {
    /// A register with an address, 32 or 64 bits.
    Address(Slot, Width),
    Param(Slice),
    KernelParam(ParamInfo),
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn declare(&mut self, name: &'a str, local: Local<'a>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, local);
        }
    }

    pub(super) fn variable(&mut self, variable: &'a Variable<'a>) -> Result<()> {
        self.line = variable.line;
        self.text = variable.name;
        let local = match variable.space {
            StateSpace::Param => Local::Param(self.param_slice(variable)?),
            StateSpace::Local => {
                let at = self.local_size.next_multiple_of(variable.align);
                self.local_size = at + variable.size;
                if self.local_size > MAX_BYTES {
                    return Err(self.unsupported("the function's local variables are too large"));
                }
                Local::Variable(at as u32)
            }
            StateSpace::Shared if variable.size == 0 => Local::Symbol(Symbol::Dynamic),
            StateSpace::Shared => Local::Shared(self.place_shared(variable.size, variable.align)?),
            _ => match self.linker.inner.get(&std::ptr::from_ref(variable)) {
                Some(&index) => Local::Symbol(Symbol::Variable(index)),
                None => {
                    return Err(self.syntax("a variable of this state space is not allowed here"));
                }
            },
        };
        self.declare(variable.name, local);
        Ok(())
    }

    pub(super) fn place_shared(&mut self, size: u64, align: u64) -> Result<u32> {
        let end = if self.function.entry {
            &mut self.summary.shared_end
        } else {
            &mut self.linker.common_shared
        };
        let at = end.next_multiple_of(align);
        *end = at.saturating_add(size);
        if *end > 1 << 24 {
            return Err(self.unsupported("the shared variables are too large"));
        }
        Ok(at as u32)
    }

    /// Creates a register.
    pub(super) fn register(&mut self, ty: Type) -> Result<u32> {
        if self.widths.len() >= MAX_REGISTERS {
            return Err(self.unsupported("the function uses too many registers"));
        }
        self.widths.push(Width::of(ty));
        self.types.push(ty);
        Ok(self.widths.len() as u32 - 1)
    }

    /// Returns a predicate for unused results.
    pub(super) fn dump(&mut self) -> Result<Slot> {
        if self.dump.is_none() {
            self.dump = Some(self.register(Type::Pred)?);
        }
        Ok(Slot::Def(self.dump.unwrap_or(0)))
    }

    /// The carry flag.
    pub(super) fn carry(&mut self) -> Result<u32> {
        if self.carry.is_none() {
            self.carry = Some(self.register(Type::Pred)?);
        }
        Ok(self.carry.unwrap_or(0))
    }

    /// Allocates space in the frame for a parameter of every lane.
    pub(super) fn param_slice(&mut self, param: &Variable<'_>) -> Result<Slice> {
        self.slice(param.size, param.align)
    }

    /// Allocates space in the frame for a value of every lane.
    pub(super) fn slice(&mut self, size: u64, align: u64) -> Result<Slice> {
        let stride = size.max(1).next_multiple_of(align.max(1));
        let offset = self.params_size;
        self.params_size = (offset + stride * 32).next_multiple_of(64);
        if self.params_size > MAX_BYTES || align > 64 {
            return Err(self.unsupported("the function's parameters are too large"));
        }
        Ok(Slice {
            offset: offset as u32,
            stride: stride as u32,
            size: size as u32,
        })
    }
}
