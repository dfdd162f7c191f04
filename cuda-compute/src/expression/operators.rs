//! Operators on arrays, expressions and numbers.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use half::{bf16, f16};
use num_complex::Complex;

use super::{Expr, IntoExpr, node::Node, operation::Operation};
use crate::{
    array::Array,
    element::{Element, Number, Signed},
};

/// Elements with the operators `&`, `|` and `^`: `bool` and integers. This trait is sealed.
pub trait Bits: Element + sealed::Bits {}

mod sealed {
    pub trait Bits {}
}

/// Elements with the operator `%`: integers and floats. The result has the sign of the left
/// operand.
pub trait Remainder: Number {}

/// Elements with the operators `<<` and `>>`: integers. The shift count is taken modulo the number
/// of bits.
pub trait Shift: Number {}

macro_rules! marker {
    (@sealed $trait:ident: $($type:ty),*) => {
        $(impl sealed::$trait for $type {})*
        marker!($trait: $($type),*);
    };
    ($trait:ident: $($type:ty),*) => {
        $(impl $trait for $type {})*
    };
}

marker!(@sealed Bits: bool, i8, i16, i32, i64, u8, u16, u32, u64, isize, usize);
marker!(Remainder: i8, i16, i32, i64, u8, u16, u32, u64, isize, usize, f16, bf16, f32, f64);
marker!(Shift: i8, i16, i32, i64, u8, u16, u32, u64, isize, usize);

macro_rules! binary {
    ($($trait:ident $method:ident $class:ident $operation:ident;)*) => {$(
        binary!(@left $trait $method $class $operation, Expr<T>);
        binary!(@left $trait $method $class $operation, &Expr<T>);
        binary!(@left $trait $method $class $operation, Array<T>);
        binary!(@left $trait $method $class $operation, &Array<T>);
    )*};
    (@left $trait:ident $method:ident $class:ident $operation:ident, $left:ty) => {
        impl<T: $class, R: IntoExpr<T>> $trait<R> for $left {
            type Output = Expr<T>;

            #[track_caller]
            fn $method(self, right: R) -> Expr<T> {
                let inputs = [IntoExpr::<T>::into_expr(self).node, right.into_expr().node];
                Expr::of(Node::apply(Operation::$operation, T::DATA_TYPE, inputs))
            }
        }
    };
}

binary! {
    Add add Number Add;
    Sub sub Number Subtract;
    Mul mul Number Multiply;
    Div div Number Divide;
    Rem rem Remainder Remainder;
    BitAnd bitand Bits And;
    BitOr bitor Bits Or;
    BitXor bitxor Bits Xor;
    Shl shl Shift ShiftLeft;
    Shr shr Shift ShiftRight;
}

/// Operators with a number on the left.
macro_rules! scalars {
    ($($type:ty: $($trait:ident $method:ident)*;)*) => {$(
        scalars!(@type $type: $($trait $method)*);
    )*};
    (@type $type:ty: $($trait:ident $method:ident)*) => {$(
        scalars!(@one $type, $trait $method, Expr<$type>);
        scalars!(@one $type, $trait $method, &Expr<$type>);
        scalars!(@one $type, $trait $method, Array<$type>);
        scalars!(@one $type, $trait $method, &Array<$type>);
    )*};
    (@one $type:ty, $trait:ident $method:ident, $right:ty) => {
        impl $trait<$right> for $type {
            type Output = Expr<$type>;

            #[track_caller]
            fn $method(self, right: $right) -> Expr<$type> {
                Expr::scalar(self).$method(right)
            }
        }
    };
}

scalars! {
    bool: BitAnd bitand BitOr bitor BitXor bitxor;
    i8: Add add Sub sub Mul mul Div div Rem rem BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr;
    i16: Add add Sub sub Mul mul Div div Rem rem BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr;
    i32: Add add Sub sub Mul mul Div div Rem rem BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr;
    i64: Add add Sub sub Mul mul Div div Rem rem BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr;
    u8: Add add Sub sub Mul mul Div div Rem rem BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr;
    u16: Add add Sub sub Mul mul Div div Rem rem BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr;
    u32: Add add Sub sub Mul mul Div div Rem rem BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr;
    u64: Add add Sub sub Mul mul Div div Rem rem BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr;
    isize: Add add Sub sub Mul mul Div div Rem rem BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr;
    usize: Add add Sub sub Mul mul Div div Rem rem BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr;
    f16: Add add Sub sub Mul mul Div div Rem rem;
    bf16: Add add Sub sub Mul mul Div div Rem rem;
    f32: Add add Sub sub Mul mul Div div Rem rem;
    f64: Add add Sub sub Mul mul Div div Rem rem;
    Complex<f32>: Add add Sub sub Mul mul Div div;
    Complex<f64>: Add add Sub sub Mul mul Div div;
}

macro_rules! unary {
    ($($trait:ident $method:ident $class:ident $operation:ident;)*) => {$(
        unary!(@on $trait $method $class $operation, Expr<T>);
        unary!(@on $trait $method $class $operation, &Expr<T>);
        unary!(@on $trait $method $class $operation, Array<T>);
        unary!(@on $trait $method $class $operation, &Array<T>);
    )*};
    (@on $trait:ident $method:ident $class:ident $operation:ident, $on:ty) => {
        impl<T: $class> $trait for $on {
            type Output = Expr<T>;

            #[track_caller]
            fn $method(self) -> Expr<T> {
                let input = IntoExpr::<T>::into_expr(self).node;
                Expr::of(Node::apply(Operation::$operation, T::DATA_TYPE, [input]))
            }
        }
    };
}

unary! {
    Neg neg Signed Negate;
    Not not Bits Not;
}
