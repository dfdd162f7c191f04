//! Branches, calls, barriers, fences.

use super::allocate::End;
use super::function::{Lower, New, Result, Slot};
use super::link::{Builtin, Symbol};
use super::modifiers::Modifiers;
use crate::engine::control::{self as exec, Barrier};
use crate::engine::interface::LoadErrorKind;
use crate::engine::ir::Code;
use crate::engine::print;
use crate::engine::program::Site;
use crate::ptx::{Operand, Statement, Type};

impl<'a> Lower<'_, 'a> {
    pub(super) fn control(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
        scope: usize,
        body: &'a [Statement<'a>],
    ) -> Result<bool> {
        match name {
            "bra" => {
                m.take("uni");
                let [Operand::Name(label)] = o else {
                    return Err(self.syntax("bra needs a label"));
                };
                let label = self.label(label, scope)?;
                self.emit(New::run(exec::branch));
                self.end(End::Branch(label));
                self.end_unguarded();
            }
            "brx" => {
                m.take("idx");
                m.take("uni");
                let [index, Operand::Name(list)] = o else {
                    return Err(self.syntax("brx.idx needs an index and a list of targets"));
                };
                let a = self.src(index, Type::U32)?;
                let mut labels = Vec::new();
                for name in self.branch_targets(list, body)? {
                    labels.push(self.label(name, scope)?);
                }
                self.emit(New {
                    a,
                    ..New::run(exec::switch)
                });
                self.end(End::Switch(labels));
            }
            "call" => self.call(m, o)?,
            "ret" => {
                m.take("uni");
                self.store_results()?;
                self.emit(New::run(exec::ret));
                self.end_unguarded();
            }
            "exit" => {
                self.emit(New::run(exec::exit));
                self.end_unguarded();
            }
            "trap" => self.emit(New::run(exec::trap)),
            "brkpt" => self.emit(New::run(exec::breakpoint)),
            "nanosleep" => {
                m.ty();
                self.emit(New::run(exec::pause));
            }
            "bar" | "barrier" => self.barrier(m, o)?,
            "membar" | "fence" => {
                if m.take("proxy") {
                    // All proxies are the same memory here.
                    while m.next().is_some() {}
                }
                for name in [
                    "acq_rel",
                    "sc",
                    "acquire",
                    "release",
                    "cta",
                    "gpu",
                    "gl",
                    "sys",
                    "cluster",
                    "mbarrier_init",
                    "sync_restrict::shared::cta",
                    "sync_restrict::shared::cluster",
                ] {
                    m.take(name);
                }
                self.fence();
            }
            "pmevent" | "setmaxnreg" | "griddepcontrol" => while m.next().is_some() {},
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Control doesn't go on after the last instruction, if it is done by all lanes.
    fn end_unguarded(&mut self) {
        if !self.guarded {
            self.end(End::Stop);
        }
    }

    fn barrier(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        if m.take("warp") {
            if !m.take("sync") {
                return Err(self.syntax("only bar.warp.sync is known"));
            }
            return self.warp_barrier(o);
        }
        if m.take("cluster") {
            if !o.is_empty() {
                return Err(self.syntax("barrier.cluster has no operands"));
            }
            let what = match m.one_of(&["arrive", "wait"]) {
                Some("arrive") => Barrier::ClusterArrive,
                Some(_) => Barrier::ClusterWait,
                None => return Err(self.syntax("arrive or wait is missing")),
            };
            for name in ["release", "relaxed", "acquire", "aligned"] {
                m.take(name);
            }
            self.emit(New {
                imm: what as u64,
                ..New::run(exec::barrier)
            });
            return Ok(());
        }
        m.take("cta");
        m.take("aligned");
        let what = match m.one_of(&["sync", "arrive", "red"]) {
            Some("sync") => Barrier::Sync,
            Some("arrive") => Barrier::Arrive,
            Some(_) => match m.one_of(&["popc", "and", "or"]) {
                Some("popc") => Barrier::ReduceCount,
                Some("and") => Barrier::ReduceAnd,
                Some(_) => Barrier::ReduceOr,
                None => return Err(self.syntax("the operation is missing")),
            },
            None => return Err(self.syntax("sync, arrive or red is missing")),
        };
        m.take("aligned");
        let mut new = New::run(exec::barrier);
        new.imm = what as u64;
        let mut rest = o;
        if what >= Barrier::ReduceCount {
            let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
            let [d, middle @ .., p] = o else {
                return Err(self.syntax("operands are missing"));
            };
            // Threads that come later write their results when the barrier opens, so the destination must not be
            // taken for dead before.
            new.d = self.dst(d, ty)?;
            let (c, flip) = self.predicate(p)?;
            new.c = c;
            new.y = Slot::Raw(flip);
            rest = middle;
        }
        new.a = match rest.first() {
            Some(number) => self.src(number, Type::U32)?,
            None => self.fixed(0, Type::U32),
        };
        new.b = match rest.get(1) {
            Some(count) => self.src(count, Type::U32)?,
            None => self.fixed(0, Type::U32),
        };
        self.emit(new);
        Ok(())
    }

    fn call(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        m.take("uni");
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
        for argument in arguments {
            let (slice, register) = self.argument(argument)?;
            if let Some(register) = register {
                self.store_slice(slice, register)?;
            }
            site.arguments.push(slice);
        }
        let mut results = Vec::new();
        for result in returns {
            let (slice, register) = self.argument(result)?;
            results.extend(register.map(|register| (slice, register)));
            site.returns.push(slice);
        }
        let symbol = if target.starts_with('%') {
            None
        } else {
            self.callee(target)?
        };
        let mut new = New::run(exec::call);
        match symbol {
            Some(Symbol::Function(index)) => {
                site.function = Some(index);
                self.summary.callees.insert(index);
                let wanted = self.declared(index);
                if wanted != (site.returns.len(), site.arguments.len()) {
                    return Err(self.syntax(format!(
                        "`{target}` has {} results and {} parameters",
                        wanted.0, wanted.1
                    )));
                }
            }
            Some(Symbol::Builtin(builtin)) => {
                let (run, results, count): (crate::engine::state::Exec, _, _) = match builtin {
                    Builtin::Print => (print::print, 1, 2),
                    Builtin::Assert => (print::assert_fail, 0, 5),
                    Builtin::Malloc => (print::malloc, 1, 1),
                    Builtin::Free => (print::free, 0, 1),
                };
                let sizes = site.arguments.iter().chain(&site.returns);
                let odd = sizes
                    .into_iter()
                    .any(|s| !matches!(s.size, 4 | 8) || s.stride != s.size);
                if odd || site.returns.len() != results || site.arguments.len() != count {
                    return Err(self.syntax(format!(
                        "`{target}` has {results} results and {count} parameters"
                    )));
                }
                new.code = Code::new(run);
            }
            _ => {
                if self.type_of(&Operand::Name(target))?.is_none() {
                    return Err(self.error(
                        LoadErrorKind::Unresolved,
                        format!(
                            "no input defines the function `{target}`; link the module that does"
                        ),
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
                        format!("`{prototype}` isn't a prototype"),
                    ));
                }
                new.a = self.src(&Operand::Name(target), Type::U64)?;
                self.summary.indirect = true;
            }
        }
        let number = self.linker.sites.len() as u32;
        self.linker.sites.push(site);
        new.x = Slot::Raw(number);
        self.emit(new);
        self.end(End::Call(number));
        for (slice, register) in results {
            self.load_slice(slice, register)?;
        }
        Ok(())
    }
}
