//! Compound assignment operators: `+=`, `-=` and so on.

use std::ops::{
    AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign, ShlAssign,
    ShrAssign, SubAssign,
};

use super::ArrayMut;
use crate::{
    array::Array,
    element::Number,
    error::Result,
    expression::{Bits, Expr, IntoExpr, Remainder, Shift},
};

/// Panics with the error of a compound assignment, because an operator can't return it. `call` is a
/// call that returns it.
#[track_caller]
fn unwrap(operator: &str, outcome: Result<()>, call: &str) {
    if let Err(error) = outcome {
        panic!(
            "`{operator}` of an array failed: {error}. Fix: to handle the error, write `{call}`"
        );
    }
}

macro_rules! compound {
    ($($trait:ident $method:ident $class:ident $operator:tt $text:literal;)*) => {$(
        #[doc = concat!("`a ", $text, " b` computes in place, as [`assign`](Array::assign) does.")]
        ///
        /// # Panics
        /// Panics in the cases in which `assign` returns an error: if the shape of the right operand
        /// can't be broadcast to that of the array, if memory runs out, or if the driver reports an
        /// error. To handle these errors, call `assign`.
        impl<T: $class, R: IntoExpr<T>> $trait<R> for Array<T> {
            #[track_caller]
            fn $method(&mut self, right: R) {
                let value = &*self $operator right;
                let call = concat!("a.assign(&a ", stringify!($operator), " b)?");
                unwrap($text, self.assign(value), call);
            }
        }

        #[doc = concat!("`part ", $text, " b` computes in place, as `", $text, "` of [`Array`] does.")]
        ///
        /// # Panics
        /// Panics in the cases in which [`assign`](ArrayMut::assign) returns an error.
        impl<T: $class, R: IntoExpr<T>> $trait<R> for ArrayMut<'_, T> {
            #[track_caller]
            fn $method(&mut self, right: R) {
                let value = self.old().map(|old| old $operator right);
                let call = concat!(
                    "let value = a.slice(items)? ",
                    stringify!($operator),
                    " b; a.slice_mut(items)?.assign(value)?"
                );
                unwrap($text, value.and_then(|value| self.update(&value)), call);
            }
        }

        #[doc = concat!("`a ", $text, " b` of expressions replaces `a` by a larger expression. It computes nothing.")]
        impl<T: $class, R: IntoExpr<T>> $trait<R> for Expr<T> {
            #[track_caller]
            fn $method(&mut self, right: R) {
                *self = &*self $operator right;
            }
        }
    )*};
}

compound! {
    AddAssign add_assign Number + "+=";
    SubAssign sub_assign Number - "-=";
    MulAssign mul_assign Number * "*=";
    DivAssign div_assign Number / "/=";
    RemAssign rem_assign Remainder % "%=";
    BitAndAssign bitand_assign Bits & "&=";
    BitOrAssign bitor_assign Bits | "|=";
    BitXorAssign bitxor_assign Bits ^ "^=";
    ShlAssign shl_assign Shift << "<<=";
    ShrAssign shr_assign Shift >> ">>=";
}
