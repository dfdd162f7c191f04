//! Lowering, from syntax tree to [`Program`]: resolves names, chooses instructions, assigns slots
//! to registers.

mod address;
mod allocate;
mod atomic;
mod compare;
mod control;
mod convert;
mod copy;
mod declare;
mod emit;
mod forms;
mod function;
mod link;
mod load;
mod load_store;
mod mbarrier;
mod modifiers;
mod operands;
mod prototype;
mod scope;
mod tensor;
mod tensor_map;
mod texture;
mod vector;
mod video;
mod warp;

pub use prototype::Prototypes;
