//! Blocks, variables, branches and loops.

use std::collections::HashMap;

use syn::{
    Error, Expr, ExprBreak, ExprForLoop, ExprIf, Local, Pat, RangeLimits, Result, Stmt,
    spanned::Spanned,
};

use super::{Checker, Loop, refused};
use crate::{
    tree::{Block, For, Statement, What},
    types::{Kind, Scalar, Ty},
};

impl Checker {
    /// Reads an expression with control flow, or returns none for any other expression.
    pub(super) fn control(&mut self, expression: &Expr) -> Result<Option<(What, Ty)>> {
        let found = match expression {
            Expr::Block(block) => {
                if let Some(label) = &block.label {
                    return Err(refused::label(label));
                }
                let block = self.block(&block.block)?;
                let ty = block.ty;
                (What::Block(block), ty)
            }
            Expr::If(branch) => self.branch(branch)?,
            Expr::Loop(endless) => {
                if let Some(label) = &endless.label {
                    return Err(refused::label(label));
                }
                let ty = self.types.open(Kind::Any);
                let (body, ends) = self.body(&endless.body, ty, true)?;
                (What::Loop(body), if ends { ty } else { Ty::Never })
            }
            Expr::While(repeat) => {
                if let Some(label) = &repeat.label {
                    return Err(refused::label(label));
                }
                let condition = self.of_type(&repeat.cond, Scalar::Bool)?;
                let (body, _) = self.body(&repeat.body, Ty::Unit, false)?;
                (What::While(Box::new(condition), body), Ty::Unit)
            }
            Expr::ForLoop(repeat) => self.repeat(repeat)?,
            Expr::Break(leave) => (self.leave(leave)?, Ty::Never),
            Expr::Continue(next) => {
                if let Some(label) = &next.label {
                    return Err(refused::label(label));
                }
                if self.loops.is_empty() {
                    return Err(Error::new_spanned(next, "there is no loop to continue"));
                }
                (What::Continue, Ty::Never)
            }
            Expr::Return(back) => {
                let Some(result) = self.result else {
                    return Err(Error::new_spanned(back, "there is nothing to return from"));
                };
                let Some(value) = &back.expr else {
                    return Err(Error::new_spanned(
                        back,
                        "`return` needs a value, as in `return 0.0`",
                    ));
                };
                let value = self.of_type(value, result)?;
                (What::Return(Box::new(value)), Ty::Never)
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    fn block(&mut self, block: &syn::Block) -> Result<Block> {
        self.scopes.push(HashMap::new());
        let read = self.statements(&block.stmts);
        self.scopes.pop();
        read
    }

    fn statements(&mut self, all: &[Stmt]) -> Result<Block> {
        let mut block = Block {
            statements: Vec::new(),
            value: None,
            ty: Ty::Unit,
        };
        for (index, statement) in all.iter().enumerate() {
            let node = match statement {
                Stmt::Local(local) => {
                    let statement = self.declaration(local)?;
                    block.statements.push(statement);
                    continue;
                }
                Stmt::Item(item) => {
                    return Err(Error::new_spanned(
                        item,
                        "items are not supported on the device: write out what it is for",
                    ));
                }
                Stmt::Macro(call) => return Err(refused::macros(call)),
                Stmt::Expr(expression, None) if index + 1 == all.len() => {
                    let node = self.expression(expression)?;
                    block.ty = self.types.now(node.ty);
                    block.value = Some(Box::new(node));
                    return Ok(block);
                }
                Stmt::Expr(expression, None) => {
                    let node = self.expression(expression)?;
                    self.types.join(Ty::Unit, node.ty, node.span)?;
                    node
                }
                Stmt::Expr(expression, Some(_)) => self.expression(expression)?,
            };
            if self.types.now(node.ty) == Ty::Never {
                block.ty = Ty::Never;
            }
            block.statements.push(Statement::Expression(node));
        }
        Ok(block)
    }

    fn declaration(&mut self, local: &Local) -> Result<Statement> {
        let (pattern, ty) = match &local.pat {
            Pat::Type(typed) if matches!(*typed.ty, syn::Type::Infer(_)) => {
                (&*typed.pat, self.types.open(Kind::Any))
            }
            Pat::Type(typed) => (&*typed.pat, Scalar::written(&typed.ty)?.into()),
            pattern => (pattern, self.types.open(Kind::Any)),
        };
        let value = match &local.init {
            Some(init) => {
                if let Some((token, _)) = &init.diverge {
                    return Err(Error::new_spanned(
                        token,
                        "`let` with `else` is not supported on the device: write `if`",
                    ));
                }
                Some(self.of_type(&init.expr, ty)?)
            }
            None => None,
        };
        // Declare it after the value, which may use an earlier variable of this name.
        match (self.pattern(pattern, ty)?, value) {
            (Some(variable), value) => Ok(Statement::Let(variable, value)),
            (None, Some(value)) => Ok(Statement::Expression(value)),
            (None, None) => Err(Error::new_spanned(
                local,
                "this declares nothing: leave it out",
            )),
        }
    }

    fn branch(&mut self, branch: &ExprIf) -> Result<(What, Ty)> {
        let condition = Box::new(self.of_type(&branch.cond, Scalar::Bool)?);
        let then = self.block(&branch.then_branch)?;
        let Some((_, other)) = &branch.else_branch else {
            if !matches!(self.types.now(then.ty), Ty::Unit | Ty::Never) {
                let message =
                    "an `if` with a value needs an `else`, for the value if the condition is false";
                return Err(Error::new(branch.if_token.span, message));
            }
            return Ok((What::If(condition, then, None), Ty::Unit));
        };
        let other = self.expression(other)?;
        let ty = self.types.join(then.ty, other.ty, other.span)?;
        Ok((What::If(condition, then, Some(Box::new(other))), ty))
    }

    /// Reads the body of a loop whose value has the type `ty`. Returns it, and whether it contains
    /// a `break`.
    fn body(&mut self, body: &syn::Block, ty: Ty, has_value: bool) -> Result<(Block, bool)> {
        self.loops.push(Loop {
            ty,
            has_value,
            ends: false,
        });
        let block = self.block(body)?;
        self.types.join(Ty::Unit, block.ty, body.span())?;
        let done = self.loops.pop().expect("pushed above");
        Ok((block, done.ends))
    }

    fn leave(&mut self, leave: &ExprBreak) -> Result<What> {
        if let Some(label) = &leave.label {
            return Err(refused::label(label));
        }
        let Some(last) = self.loops.last_mut() else {
            return Err(Error::new_spanned(leave, "there is no loop to leave"));
        };
        last.ends = true;
        let (ty, has_value) = (last.ty, last.has_value);
        let value = match &leave.expr {
            Some(value) if has_value => Some(Box::new(self.of_type(value, ty)?)),
            Some(value) => {
                let message =
                    "only a `loop` has a value: assign it to a variable before the `break`";
                return Err(Error::new_spanned(value, message));
            }
            None => {
                self.types.join(ty, Ty::Unit, leave.span())?;
                None
            }
        };
        Ok(What::Break(value))
    }

    fn repeat(&mut self, repeat: &ExprForLoop) -> Result<(What, Ty)> {
        if let Some(label) = &repeat.label {
            return Err(refused::label(label));
        }
        let mut over = &*repeat.expr;
        loop {
            over = match over {
                Expr::Paren(inner) => &inner.expr,
                Expr::Group(inner) => &inner.expr,
                _ => break,
            };
        }
        let (start, end, inclusive) = match over {
            Expr::Range(range) => match (&range.start, &range.end) {
                (Some(start), Some(end)) => {
                    (start, end, matches!(range.limits, RangeLimits::Closed(_)))
                }
                _ => {
                    return Err(Error::new_spanned(
                        range,
                        "a range needs both ends here, as in `0..n`",
                    ));
                }
            },
            other => {
                return Err(Error::new_spanned(
                    other,
                    "on the device, `for` supports only ranges, as in `0..n` or `1..=n`",
                ));
            }
        };
        let start = self.operand(start)?;
        let end = self.operand(end)?;
        let ty = self.types.join(start.ty, end.ty, end.span)?;
        self.scopes.push(HashMap::new());
        let variable = match self.pattern(&repeat.pat, ty)? {
            Some(variable) => variable,
            None => self.declare("unused", ty, false, repeat.pat.span()),
        };
        let (body, _) = self.body(&repeat.body, Ty::Unit, false)?;
        self.scopes.pop();
        let whole = For {
            variable,
            start,
            end,
            inclusive,
            body,
        };
        Ok((What::For(Box::new(whole)), Ty::Unit))
    }
}
