//! The forms of branches, calls and barriers.

use super::allocate::End;
use super::declare::{Builtin, Symbol};
use super::emit::{New, Slot};
use super::function::{Lower, Result};
use crate::device_runtime;
use crate::instructions;
use crate::ir::{Code, Opcode, Role};
use crate::program::{Site, Slice};
use crate::ptx::LoadErrorKind;
use crate::ptx::{Operand, Type};

impl<'a> Lower<'_, 'a> {
    /// [`Form::Branch`](crate::ir::Form::Branch)
    pub(super) fn branch(&mut self, opcode: &'static Opcode, o: &[Operand<'a>]) -> Result<()> {
        let [Operand::Name(label)] = o else {
            return Err(self.syntax("a branch needs a label"));
        };
        let label = self.label(label, self.scope)?;
        self.emit(New::of(opcode));
        self.end(End::Branch(label));
        self.end_unguarded();
        Ok(())
    }

    /// [`Form::Switch`](crate::ir::Form::Switch)
    pub(super) fn switch(&mut self, opcode: &'static Opcode, o: &[Operand<'a>]) -> Result<()> {
        let [index, Operand::Name(list)] = o else {
            return Err(self.syntax("brx.idx needs an index and a list of targets"));
        };
        let a = self.source(opcode.code.a, index)?;
        let mut labels = Vec::new();
        for name in self.branch_targets(list, self.body)? {
            labels.push(self.label(name, self.scope)?);
        }
        self.emit(New {
            a,
            ..New::of(opcode)
        });
        self.end(End::Switch(labels));
        Ok(())
    }

    /// [`Form::Return`](crate::ir::Form::Return)
    pub(super) fn leave(&mut self, opcode: &'static Opcode, o: &[Operand<'a>]) -> Result<()> {
        self.counted(o, 0)?;
        self.store_results()?;
        self.exit(opcode, o)
    }

    /// [`Form::Exit`](crate::ir::Form::Exit)
    pub(super) fn exit(&mut self, opcode: &'static Opcode, o: &[Operand<'a>]) -> Result<()> {
        self.counted(o, 0)?;
        self.emit(New::of(opcode));
        self.end_unguarded();
        Ok(())
    }

    /// Marks the end of control flow after the last instruction, unless it is guarded.
    fn end_unguarded(&mut self) {
        if !self.guarded {
            self.end(End::Stop);
        }
    }

    /// [`Form::Barrier`](crate::ir::Form::Barrier)
    pub(super) fn barrier(
        &mut self,
        opcode: &'static Opcode,
        imm: u64,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let Code { d, a, b, .. } = opcode.code;
        let mut new = New {
            imm,
            ..New::of(opcode)
        };
        let mut rest = o;
        if d != Role::Unused {
            let [result, middle @ .., value] = o else {
                return Err(self.syntax("operands are missing"));
            };
            new.d = self.destination(d, result)?;
            let (value, flip) = self.predicate(value)?;
            (new.c, new.y) = (value, Slot::Raw(flip));
            rest = middle;
        }
        if rest.len() > 2 {
            return Err(self.syntax("there are too many operands"));
        }
        new.a = match rest.first() {
            Some(number) => self.source(a, number)?,
            None => self.fixed(0, Type::U32),
        };
        new.b = match rest.get(1) {
            Some(count) => self.source(b, count)?,
            None => self.fixed(0, Type::U32),
        };
        self.emit(new);
        Ok(())
    }

    /// [`Form::Call`](crate::ir::Form::Call)
    pub(super) fn call(&mut self, opcode: &'static Opcode, o: &[Operand<'a>]) -> Result<()> {
        let (returns, rest): (&[_], _) = match o {
            [Operand::List(list), rest @ ..] => (list, rest),
            rest => (&[], rest),
        };
        let [Operand::Name(target), rest @ ..] = rest else {
            return Err(self.syntax("call needs a function"));
        };
        let (arguments, rest): (&[_], _) = match rest {
            [Operand::List(list), rest @ ..] => (list, rest),
            rest => (&[], rest),
        };
        let mut site = Site {
            function: None,
            arguments: Vec::new(),
            returns: Vec::new(),
        };
        let symbol = if target.starts_with('%') {
            None
        } else {
            self.callee(target)?
        };
        for (i, argument) in arguments.iter().enumerate() {
            let size = match symbol {
                Some(Symbol::Function(index)) => {
                    let signature = &self.linker.signatures[index as usize];
                    signature.params.get(i).copied()
                }
                _ => None,
            };
            let (slice, registers) = self.argument(argument, size)?;
            for (register, part) in registers {
                self.store_slice(part, register)?;
            }
            site.arguments.push(slice);
        }
        let mut results = Vec::new();
        for result in returns {
            let (slice, registers) = self.argument(result, None)?;
            results.extend(registers);
            site.returns.push(slice);
        }
        let mut new = New::of(opcode);
        match symbol {
            Some(Symbol::Function(index)) => {
                site.function = Some(index);
                self.summary.callees.insert(index);
                let signature = &self.linker.signatures[index as usize];
                let wanted = (signature.returns.len(), signature.params.len());
                if wanted != (site.returns.len(), site.arguments.len()) {
                    return Err(self.syntax(format!(
                        "`{target}` has {} results and {} parameters",
                        wanted.0, wanted.1
                    )));
                }
            }
            Some(Symbol::Builtin(Builtin::Runtime(number))) => {
                let function = number.function();
                let fits = |slices: &[Slice], sizes: &[u32]| {
                    let slices = slices.iter().map(|s| (s.size, s.stride));
                    slices.eq(sizes.iter().map(|&n| (n, n)))
                };
                let returns = &[function.returns];
                if !fits(&site.arguments, function.params) || !fits(&site.returns, returns) {
                    return Err(self.syntax(format!(
                        "`{target}` returns {} bytes and takes {:?}",
                        function.returns, function.params
                    )));
                }
                self.summary.runtime = true;
                new = New {
                    imm: number.bits(),
                    ..New::of(&instructions::DEVICE_RUNTIME)
                };
            }
            Some(Symbol::Builtin(builtin)) => {
                let (opcode, results, count) = match builtin {
                    Builtin::Print => (&instructions::PRINT, 1, 2),
                    Builtin::Assert => (&instructions::ASSERT_FAIL, 0, 5),
                    Builtin::Malloc => (&instructions::MALLOC, 1, 1),
                    Builtin::Free => (&instructions::FREE, 0, 1),
                    Builtin::SetConditional => (&instructions::SET_CONDITIONAL, 0, 2),
                    Builtin::LaunchGraph => (&instructions::LAUNCH_GRAPH, 1, 2),
                    Builtin::SetNodeParam => (&instructions::SET_NODE_PARAM, 1, 4),
                    Builtin::SetNodeEnabled => (&instructions::SET_NODE_ENABLED, 1, 2),
                    Builtin::SetNodeGrid => (&instructions::SET_NODE_GRID, 1, 2),
                    Builtin::UpdateNodes => (&instructions::UPDATE_NODES, 1, 2),
                    Builtin::Runtime(_) => {
                        return Err(self.syntax("the device runtime cannot be called here"));
                    }
                };
                let sizes = site.arguments.iter().chain(&site.returns);
                let odd = sizes
                    .into_iter()
                    .any(|s| !matches!(s.size, 4 | 8) || s.stride != s.size);
                let odd = match builtin {
                    Builtin::SetNodeGrid => {
                        let sizes = site.arguments.iter().map(|s| (s.size, s.stride));
                        !sizes.eq([(8, 8), (12, 12)])
                    }
                    _ => odd,
                };
                if odd || site.returns.len() != results || site.arguments.len() != count {
                    return Err(self.syntax(format!(
                        "`{target}` has {results} results and {count} parameters"
                    )));
                }
                self.summary.graphs |= builtin == Builtin::LaunchGraph;
                new = New::of(opcode);
            }
            _ => {
                if self.type_of(&Operand::Name(target))?.is_none() {
                    let what = match device_runtime::is_name(target) {
                        true => "libcudadevrt.a (cuLinkAddFile, CU_JIT_INPUT_LIBRARY)",
                        false => "the module that defines it",
                    };
                    let kind = match self.linker.declares(self.input, target) {
                        true => LoadErrorKind::Link,
                        false => LoadErrorKind::Unresolved,
                    };
                    return Err(self.error(
                        kind,
                        format!("no input defines the function `{target}`. Fix: link {what}"),
                    ));
                }
                let [Operand::Name(prototype)] = rest else {
                    return Err(
                        self.syntax("an indirect call needs a prototype or a list of targets")
                    );
                };
                if !self.is_prototype(prototype)? {
                    return Err(self.error(
                        LoadErrorKind::Unresolved,
                        format!("`{prototype}` is not a prototype"),
                    ));
                }
                new = New::of(&instructions::CALL_INDIRECT);
                new.a = self.src(&Operand::Name(target), Type::U64)?;
                self.summary.indirect = true;
            }
        }
        let number = self.linker.sites.len() as u32;
        self.linker.sites.push(site);
        new.x = Slot::Raw(number);
        self.emit(new);
        self.end(End::Call(number));
        for (register, part) in results {
            self.load_slice(part, register)?;
        }
        Ok(())
    }
}
