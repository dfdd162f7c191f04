//! A closure whose types are inferred.

use proc_macro2::Span;

use crate::{methods::Text, types::Ty};

/// A variable, by its place in [`Closure::variables`].
pub type Variable = usize;

/// What is known of a variable.
pub struct Declared {
    /// Its name on the device.
    pub name: String,
    /// Its name in the Rust function.
    pub host: String,
    pub ty: Ty,
    /// Whether it may change once it has a value.
    pub mutable: bool,
    /// Where it is declared.
    pub span: Span,
}

/// An expression.
pub struct Node {
    pub what: What,
    pub ty: Ty,
    pub span: Span,
}

/// What an expression is.
pub enum What {
    /// A literal, and whether it stands behind a minus that belongs to it.
    Integer {
        value: u128,
        negative: bool,
    },
    /// The digits of a literal.
    Real(String),
    Truth(bool),
    Constant(Constant),
    Variable(Variable),
    Negative(Box<Node>),
    Not(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    /// To the node's type.
    Cast(Box<Node>),
    Call(Text, Vec<Node>),
    Block(Block),
    If(Box<Node>, Block, Option<Box<Node>>),
    /// Its value is that of its `break`s.
    Loop(Block),
    While(Box<Node>, Block),
    For(Box<For>),
    Break(Option<Box<Node>>),
    Continue,
    Return(Box<Node>),
    Assign(Variable, Box<Node>),
    AssignWith(Operator, Variable, Box<Node>),
}

/// A constant, by its bits as an `f64` or as an integer.
#[derive(Clone, Copy)]
pub enum Constant {
    Real(f64),
    /// Of type `f32`: through `f64` a constant could be rounded twice.
    Single(f32),
    Integer(i128),
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Statements, and the value in the end.
pub struct Block {
    pub statements: Vec<Statement>,
    pub value: Option<Box<Node>>,
    pub ty: Ty,
}

/// A statement.
pub enum Statement {
    Let(Variable, Option<Node>),
    /// Whose value is not used.
    Expression(Node),
}

/// `for variable in start..end`, or `start..=end`.
pub struct For {
    pub variable: Variable,
    pub start: Node,
    pub end: Node,
    pub inclusive: bool,
    pub body: Block,
}

/// All of a closure.
pub struct Closure {
    pub parameters: Vec<Variable>,
    pub variables: Vec<Declared>,
    pub body: Node,
    pub result: Ty,
}
