//! The syntax tree of a closure whose types are inferred.

use proc_macro2::Span;

use crate::{methods::Text, types::Ty};

/// The index of a variable in [`Closure::variables`].
pub type Variable = usize;

/// The properties of a variable.
pub struct Declared {
    /// The name on the device.
    pub name: String,
    /// The name in the Rust function.
    pub host: String,
    pub ty: Ty,
    /// Whether it may change after its initialization.
    pub mutable: bool,
    /// The span of the declaration.
    pub span: Span,
}

/// An expression.
pub struct Node {
    pub what: What,
    pub ty: Ty,
    pub span: Span,
}

/// The kind of an expression.
pub enum What {
    /// A literal, and whether it includes a preceding minus.
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
    /// A conversion to the node's type.
    Cast(Box<Node>),
    Call(Text, Vec<Node>),
    Block(Block),
    If(Box<Node>, Block, Option<Box<Node>>),
    /// A loop whose value is that of its `break`s.
    Loop(Block),
    While(Box<Node>, Block),
    For(Box<For>),
    Break(Option<Box<Node>>),
    Continue,
    Return(Box<Node>),
    Assign(Variable, Box<Node>),
    AssignWith(Operator, Variable, Box<Node>),
}

/// A constant, as an `f64` or an integer.
#[derive(Clone, Copy)]
pub enum Constant {
    Real(f64),
    /// An `f32` constant. Storing it as `f64` could round it twice.
    Single(f32),
    Integer(i128),
}

/// A binary operator.
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

/// Statements, and the value at the end.
pub struct Block {
    pub statements: Vec<Statement>,
    pub value: Option<Box<Node>>,
    pub ty: Ty,
}

/// A statement.
pub enum Statement {
    Let(Variable, Option<Node>),
    /// An expression whose value is not used.
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

/// A whole closure.
pub struct Closure {
    pub parameters: Vec<Variable>,
    pub variables: Vec<Declared>,
    pub body: Node,
    pub result: Ty,
}
