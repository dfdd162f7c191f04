//! Expressions: literals, variables, operators, conversions.

use syn::{
    BinOp, Error, Expr, ExprAssign, ExprBinary, ExprCast, ExprUnary, Lit, LitFloat, LitInt, Result,
    UnOp, spanned::Spanned,
};

use super::{Checker, refused};
use crate::{
    tree::{Block, Node, Operator, Variable, What},
    types::{Kind, Scalar, Ty, unknown},
};

impl Checker {
    pub(super) fn expression(&mut self, expression: &Expr) -> Result<Node> {
        let span = expression.span();
        let (what, ty) = match expression {
            Expr::Paren(inner) => return self.expression(&inner.expr),
            Expr::Group(inner) => return self.expression(&inner.expr),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(literal) => return self.integer(literal, false, None),
                Lit::Float(literal) => return self.real(literal, false, None),
                Lit::Bool(literal) => (What::Truth(literal.value), Scalar::Bool.into()),
                _ => return Err(refused::expression(expression)),
            },
            Expr::Path(path) => self.path(path)?,
            Expr::Unary(unary) => self.unary(unary)?,
            Expr::Binary(binary) => self.binary(binary)?,
            Expr::Assign(assign) => self.assign(assign)?,
            Expr::Cast(cast) => self.cast(cast)?,
            Expr::Call(call) => self.call(call)?,
            Expr::MethodCall(call) => self.method_call(call)?,
            Expr::Tuple(tuple) if tuple.elems.is_empty() => {
                let nothing = Block {
                    statements: Vec::new(),
                    value: None,
                    ty: Ty::Unit,
                };
                (What::Block(nothing), Ty::Unit)
            }
            _ => match self.control(expression)? {
                Some(found) => found,
                None => return Err(refused::expression(expression)),
            },
        };
        Ok(Node { what, ty, span })
    }

    /// Reads an integer literal. `hint` is the type that an unsuffixed literal is converted to.
    fn integer(&mut self, literal: &LitInt, negative: bool, hint: Option<Scalar>) -> Result<Node> {
        let ty: Ty = match (literal.suffix(), hint) {
            ("", Some(scalar)) if scalar.is_integer() => scalar.into(),
            ("", _) => self.types.open(Kind::Integer),
            (suffix, _) => suffixed(suffix, literal)?.into(),
        };
        self.literals.push(ty);
        let what = if matches!(ty, Ty::Scalar(scalar) if scalar.is_real()) {
            What::Real(signed(literal.base10_digits(), negative))
        } else {
            What::Integer {
                value: literal.base10_parse()?,
                negative,
            }
        };
        let span = literal.span();
        Ok(Node { what, ty, span })
    }

    fn real(&mut self, literal: &LitFloat, negative: bool, hint: Option<Scalar>) -> Result<Node> {
        let ty: Ty = match (literal.suffix(), hint) {
            ("", Some(scalar)) if scalar.is_real() => scalar.into(),
            ("", _) => self.types.open(Kind::Real),
            (suffix, _) => suffixed(suffix, literal)?.into(),
        };
        self.literals.push(ty);
        Ok(Node {
            what: What::Real(signed(literal.base10_digits(), negative)),
            ty,
            span: literal.span(),
        })
    }

    /// Reads a literal, optionally after a minus.
    fn literal(
        &mut self,
        expression: &Expr,
        negative: bool,
        hint: Option<Scalar>,
    ) -> Result<Option<Node>> {
        match expression {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(literal) => self.integer(literal, negative, hint).map(Some),
                Lit::Float(literal) => self.real(literal, negative, hint).map(Some),
                _ => Ok(None),
            },
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) && !negative => {
                self.literal(&unary.expr, true, hint)
            }
            Expr::Paren(inner) if !negative => self.literal(&inner.expr, false, hint),
            Expr::Group(inner) => self.literal(&inner.expr, negative, hint),
            _ => Ok(None),
        }
    }

    fn unary(&mut self, unary: &ExprUnary) -> Result<(What, Ty)> {
        match unary.op {
            UnOp::Neg(_) => {
                if let Some(node) = self.literal(&unary.expr, true, None)? {
                    return Ok((node.what, node.ty));
                }
                let operand = self.operand(&unary.expr)?;
                let ty = operand.ty;
                Ok((What::Negative(Box::new(operand)), ty))
            }
            UnOp::Not(_) => {
                let operand = self.operand(&unary.expr)?;
                let ty = operand.ty;
                Ok((What::Not(Box::new(operand)), ty))
            }
            _ => Err(refused::expression(&Expr::Unary(unary.clone()))),
        }
    }

    /// Reads an expression that has a value.
    pub(super) fn operand(&mut self, expression: &Expr) -> Result<Node> {
        let node = self.expression(expression)?;
        if self.types.now(node.ty) == Ty::Unit {
            return Err(Error::new(
                node.span,
                "this has no value, but one is expected here",
            ));
        }
        Ok(node)
    }

    /// Reads an expression of this type.
    pub(super) fn of_type(&mut self, expression: &Expr, ty: impl Into<Ty>) -> Result<Node> {
        let node = self.operand(expression)?;
        self.types.join(ty.into(), node.ty, node.span)?;
        Ok(node)
    }

    fn binary(&mut self, binary: &ExprBinary) -> Result<(What, Ty)> {
        let (operator, assigns) = match binary.op {
            BinOp::And(_) | BinOp::Or(_) => {
                let left = Box::new(self.of_type(&binary.left, Scalar::Bool)?);
                let right = Box::new(self.of_type(&binary.right, Scalar::Bool)?);
                let what = match binary.op {
                    BinOp::And(_) => What::And(left, right),
                    _ => What::Or(left, right),
                };
                return Ok((what, Scalar::Bool.into()));
            }
            BinOp::Add(_) => (Operator::Add, false),
            BinOp::Sub(_) => (Operator::Sub, false),
            BinOp::Mul(_) => (Operator::Mul, false),
            BinOp::Div(_) => (Operator::Div, false),
            BinOp::Rem(_) => (Operator::Rem, false),
            BinOp::BitAnd(_) => (Operator::BitAnd, false),
            BinOp::BitOr(_) => (Operator::BitOr, false),
            BinOp::BitXor(_) => (Operator::BitXor, false),
            BinOp::Shl(_) => (Operator::Shl, false),
            BinOp::Shr(_) => (Operator::Shr, false),
            BinOp::Eq(_) => (Operator::Eq, false),
            BinOp::Ne(_) => (Operator::Ne, false),
            BinOp::Lt(_) => (Operator::Lt, false),
            BinOp::Le(_) => (Operator::Le, false),
            BinOp::Gt(_) => (Operator::Gt, false),
            BinOp::Ge(_) => (Operator::Ge, false),
            BinOp::AddAssign(_) => (Operator::Add, true),
            BinOp::SubAssign(_) => (Operator::Sub, true),
            BinOp::MulAssign(_) => (Operator::Mul, true),
            BinOp::DivAssign(_) => (Operator::Div, true),
            BinOp::RemAssign(_) => (Operator::Rem, true),
            BinOp::BitAndAssign(_) => (Operator::BitAnd, true),
            BinOp::BitOrAssign(_) => (Operator::BitOr, true),
            BinOp::BitXorAssign(_) => (Operator::BitXor, true),
            BinOp::ShlAssign(_) => (Operator::Shl, true),
            BinOp::ShrAssign(_) => (Operator::Shr, true),
            _ => {
                return Err(Error::new_spanned(
                    binary.op,
                    "this operator is not supported on the device",
                ));
            }
        };
        if assigns {
            let (variable, ty) = self.target(&binary.left)?;
            let value = self.operand(&binary.right)?;
            self.joined(operator, ty, &value)?;
            return Ok((
                What::AssignWith(operator, variable, Box::new(value)),
                Ty::Unit,
            ));
        }
        let left = self.operand(&binary.left)?;
        let right = self.operand(&binary.right)?;
        let joined = self.joined(operator, left.ty, &right)?;
        let ty = if operator.compares() {
            Scalar::Bool.into()
        } else {
            joined
        };
        Ok((What::Binary(operator, Box::new(left), Box::new(right)), ty))
    }

    /// Returns the common type of both operands. For shifts it is the type of the left one, because
    /// the count may have any integer type.
    fn joined(&mut self, operator: Operator, left: Ty, right: &Node) -> Result<Ty> {
        match operator {
            Operator::Shl | Operator::Shr => Ok(left),
            _ => self.types.join(left, right.ty, right.span),
        }
    }

    /// Returns the variable that is assigned to.
    fn target(&mut self, place: &Expr) -> Result<(Variable, Ty)> {
        match place {
            Expr::Path(path) if path.qself.is_none() => match path.path.get_ident() {
                Some(name) => {
                    let variable = self.variable(name)?;
                    Ok((variable, self.variables[variable].ty))
                }
                None => Err(Error::new_spanned(
                    place,
                    "only variables can be assigned to",
                )),
            },
            Expr::Paren(inner) => self.target(&inner.expr),
            Expr::Group(inner) => self.target(&inner.expr),
            Expr::Index(_) | Expr::Field(_) | Expr::Unary(_) | Expr::Tuple(_) => {
                Err(refused::expression(place))
            }
            _ => Err(Error::new_spanned(
                place,
                "only variables can be assigned to",
            )),
        }
    }

    fn assign(&mut self, assign: &ExprAssign) -> Result<(What, Ty)> {
        let (variable, ty) = self.target(&assign.left)?;
        let value = self.of_type(&assign.right, ty)?;
        Ok((What::Assign(variable, Box::new(value)), Ty::Unit))
    }

    fn cast(&mut self, cast: &ExprCast) -> Result<(What, Ty)> {
        let to = Scalar::written(&cast.ty)?;
        // An unsuffixed literal takes the type that it is converted to, as in rustc.
        let value = match self.literal(&cast.expr, false, Some(to))? {
            Some(literal) => literal,
            None => self.operand(&cast.expr)?,
        };
        Ok((What::Cast(Box::new(value)), to.into()))
    }
}

impl Operator {
    pub fn compares(self) -> bool {
        matches!(
            self,
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge
        )
    }
}

fn suffixed(suffix: &str, literal: impl quote::ToTokens) -> Result<Scalar> {
    Scalar::named(suffix).ok_or_else(|| unknown(literal, suffix))
}

fn signed(digits: &str, negative: bool) -> String {
    let sign = if negative { "-" } else { "" };
    format!("{sign}{digits}")
}
