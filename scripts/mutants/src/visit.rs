//! Walks through the syntax tree and adds the possible changes.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, UnOp};

use crate::attributes::compiled;
use crate::find::{Finder, Place};
use crate::mutant::shown;
use crate::{macros, operators};

/// Returns whether an expression is a chain of conditions with a `let`, which can't be put in
/// parentheses.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            has_let(&binary.left) || has_let(&binary.right)
        }
        _ => false,
    }
}

/// Returns whether the call is `with_capacity`, which has no visible effect.
fn is_capacity(expression: &Expr) -> bool {
    matches!(expression, Expr::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "with_capacity"))
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        use syn::Item::{Enum, Fn, Impl, Macro, Mod, Trait};
        match item {
            Fn(item) if compiled(&item.attrs) => {
                self.signed(&item.sig, item.span().byte_range(), &item.block);
            }
            Impl(item) if compiled(&item.attrs) => {
                let name = self.source(&*item.self_ty).to_string();
                let of = item.trait_.as_ref().map(|(_, path, _)| path);
                let name = match of {
                    Some(of) => format!("<impl {} for {name}>", self.source(of)),
                    None => name,
                };
                let of_default = of.is_some_and(|path| path.is_ident("Default"));
                let before = std::mem::replace(&mut self.of_default, of_default);
                self.within(shown(&name), |this| visit::visit_item_impl(this, item));
                self.of_default = before;
            }
            Trait(item) if compiled(&item.attrs) => {
                self.within(item.ident.to_string(), |this| {
                    visit::visit_item_trait(this, item)
                });
            }
            Mod(item) if compiled(&item.attrs) => {
                self.within(item.ident.to_string(), |this| {
                    visit::visit_item_mod(this, item)
                });
            }
            Macro(item) if compiled(&item.attrs) => macros::search(self, item),
            Mod(item) if item.content.is_none() => {
                self.found.modules_left_out.push(item.ident.to_string());
            }
            // Discriminants are constants.
            Enum(_) => {}
            Fn(_) | Impl(_) | Trait(_) | Mod(_) | Macro(_) => {}
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if compiled(&item.attrs) {
            self.signed(&item.sig, item.span().byte_range(), &item.block);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let (true, Some(block)) = (compiled(&item.attrs), &item.default) {
            self.signed(&item.sig, item.span().byte_range(), block);
        }
    }

    // Constants are evaluated before any mutant can be activated.
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.constant(&item.expr);
    }
    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.constant(&item.expr);
    }
    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.constant(&item.expr);
    }
    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        if let Some((_, expression)) = &item.default {
            self.constant(expression);
        }
    }
    fn visit_expr_const(&mut self, item: &'ast syn::ExprConst) {
        self.pass_over(item.span().byte_range().start, "a constant".into());
    }
    fn visit_expr_repeat(&mut self, item: &'ast syn::ExprRepeat) {
        self.visit_expr(&item.expr);
    }
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if compiled(&local.attrs) {
            visit::visit_local(self, local);
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if !is_capacity(&call.func) {
            visit::visit_expr_call(self, call);
        }
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let chain = has_let(&binary.left) || has_let(&binary.right);
        if binary.attrs.is_empty() && !chain {
            let (now, others) = operators::replacements(&binary.op);
            let (left, right) = (self.source(&*binary.left), self.source(&*binary.right));
            let about = shown(&format!("{left} {now} {right}"));
            let alternatives = others.iter().map(|other| {
                // The parentheses preserve the grouping if the other operator has higher
                // precedence, and prevent `as u32 <` from being parsed as a generic type.
                let text = format!("({left}) {other} ({right})");
                (format!("{now} becomes {other} in {about}"), text)
            });
            let at = binary.op.span().byte_range().start;
            self.choice(binary, at, alternatives.collect());
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        if unary.attrs.is_empty() && matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) {
            let (whole, inner) = (self.source(unary), self.source(&*unary.expr));
            let name = self.source(&unary.op);
            let change = format!("{name} removed from {}", shown(whole));
            let at = unary.op.span().byte_range().start;
            self.choice(unary, at, vec![(change, format!("({inner})"))]);
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_match(&mut self, found: &'ast syn::ExprMatch) {
        let catches_all =
            |arm: &syn::Arm| matches!(arm.pat, syn::Pat::Wild(_)) && arm.guard.is_none();
        let may_go = found.arms.iter().any(catches_all);
        for arm in found.arms.iter().filter(|arm| compiled(&arm.attrs)) {
            let pattern = shown(self.source(&arm.pat));
            let bytes = arm.pat.span().byte_range();
            if let Some((_, guard)) = &arm.guard {
                let expression = guard.span().byte_range();
                let about = format!("{pattern} if {}", shown(self.source(&**guard)));
                let always = self.add(expression.start, format!("guard always true in {about}"));
                let never = self.add(expression.start, format!("guard always false in {about}"));
                self.site(Place::Guard {
                    expression,
                    always,
                    never,
                });
            } else if may_go && !catches_all(arm) {
                let mutant = self.add(bytes.start, format!("arm removed: {pattern}"));
                self.site(Place::Arm {
                    at: bytes.end,
                    mutant,
                });
            }
        }
        self.visit_expr(&found.expr);
        for arm in found.arms.iter().filter(|arm| compiled(&arm.attrs)) {
            self.visit_arm(arm);
        }
    }

    fn visit_expr_struct(&mut self, found: &'ast syn::ExprStruct) {
        if let (Some(base), true) = (&found.rest, found.attrs.is_empty()) {
            let (path, base) = (self.source(&found.path), self.source(&**base));
            for (index, field) in found.fields.iter().enumerate() {
                let others: String = found
                    .fields
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != index)
                    .map(|(_, other)| format!("{}, ", self.source(other)))
                    .collect();
                let change = format!("field removed: {path} {{ {} }}", shown(self.source(field)));
                let at = field.span().byte_range().start;
                // Each has its own location, so they are numbered in source order.
                let text = format!("{path} {{ {others}..{base} }}");
                self.choice(found, at, vec![(change, text)]);
            }
        }
        visit::visit_expr_struct(self, found);
    }
}

impl Finder<'_> {
    /// Counts the operators that a constant's expression contains.
    fn constant(&mut self, expression: &Expr) {
        struct Operators(usize);
        impl<'ast> Visit<'ast> for Operators {
            fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
                self.0 += operators::replacements(&binary.op).1.len();
                visit::visit_expr_binary(self, binary);
            }
            fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
                self.0 += usize::from(matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)));
                visit::visit_expr_unary(self, unary);
            }
        }
        let mut operators = Operators(0);
        operators.visit_expr(expression);
        if operators.0 > 0 {
            let at = expression.span().byte_range().start;
            self.pass_over(
                at,
                format!("a constant with {} operators to replace", operators.0),
            );
        }
    }
}
