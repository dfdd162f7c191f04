//! Structs of plain data as elements.

use std::{
    fmt::Write as _,
    hash::{BuildHasher, Hash, Hasher},
};

use cuda_safe::{PlainData, bytemuck::Pod};
use rustc_hash::FxBuildHasher;

use super::{DataType, Element};

/// A struct of plain data, as [`derive(Element)`](derive@crate::Element) describes it.
#[derive(Clone, Copy, Debug)]
pub struct StructType {
    name: &'static str,
    size: usize,
    alignment: usize,
    fields: &'static [StructField],
}

/// A field of a [`StructType`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructField {
    /// Its name.
    pub name: &'static str,
    /// The bytes of the struct that lie before it.
    pub offset: usize,
    /// Its type.
    pub data: FieldType,
}

/// The type of a field: an element, or an array of such types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A number, or a struct of its own.
    Element(DataType),
    /// So many of a type.
    Array(&'static FieldType, usize),
}

/// What a struct may have as a field: elements of plain data, and arrays of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a field of an element",
    label = "the fields of a struct that derives `Element` are numbers, structs that derive it too, and arrays of both"
)]
pub trait ElementField: PlainData {
    /// The type as a value.
    const FIELD_TYPE: FieldType;
}

impl<T: Element + Pod> ElementField for T {
    const FIELD_TYPE: FieldType = FieldType::Element(T::DATA_TYPE);
}

impl<T: ElementField, const N: usize> ElementField for [T; N]
where
    Self: Pod,
{
    const FIELD_TYPE: FieldType = FieldType::Array(&T::FIELD_TYPE, N);
}

impl FieldType {
    const fn size(self) -> usize {
        match self {
            Self::Element(data) => data.size(),
            Self::Array(of, count) => of.size() * count,
        }
    }

    /// The elements that it is made of.
    fn element(self) -> DataType {
        match self {
            Self::Element(data) => data,
            Self::Array(of, _) => of.element(),
        }
    }

    /// The lengths of an array, as they stand behind the name of a member.
    fn lengths(self) -> String {
        match self {
            Self::Element(_) => String::new(),
            Self::Array(of, count) => format!("[{count}]{}", of.lengths()),
        }
    }
}

impl StructType {
    /// The most bytes of a struct: blocks keep an element for each thread in shared memory.
    pub const MOST_BYTES: usize = 128;

    /// What `derive(Element)` expands to.
    #[doc(hidden)]
    #[must_use]
    pub const fn of<T: PlainData>(name: &'static str, fields: &'static [StructField]) -> Self {
        let (size, alignment) = (size_of::<T>(), align_of::<T>());
        assert!(size > 0, "an element has at least one byte");
        assert!(
            size <= Self::MOST_BYTES,
            "a struct of more than 128 bytes can't be an element"
        );
        assert!(
            alignment <= 16,
            "a struct that is aligned to more than 16 bytes can't be an element"
        );
        // `Pod` has no padding, so the fields lie side by side; the code that kernels get relies on it.
        let (mut at, mut i) = (0, 0);
        while i < fields.len() {
            assert!(
                fields[i].offset == at,
                "the fields of an element lie side by side"
            );
            at += fields[i].data.size();
            i += 1;
        }
        assert!(at == size, "the fields of an element are all of it");
        Self {
            name,
            size,
            alignment,
            fields,
        }
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The size in bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The bytes that an address is a multiple of.
    #[must_use]
    pub const fn alignment(&self) -> usize {
        self.alignment
    }

    /// The fields, in their order in memory.
    #[must_use]
    pub const fn fields(&self) -> &'static [StructField] {
        self.fields
    }

    /// The members in CUDA C++.
    fn members(&self) -> String {
        let mut text = String::new();
        for field in self.fields {
            let element = field.data.element().member();
            let _ = writeln!(
                text,
                "    {element} {}{};",
                field.name,
                field.data.lengths()
            );
        }
        text
    }

    /// The namespace in CUDA C++, by what the struct is: structs of one name may differ.
    fn namespace(&self) -> String {
        let what = (self.members(), self.alignment);
        format!("type_{:016x}", FxBuildHasher.hash_one(what))
    }

    /// The name in CUDA C++.
    pub(crate) fn qualified(&self) -> String {
        format!("{}::{}", self.namespace(), self.name)
    }

    /// Writes the definition, behind those of the structs in it, unless the text has it.
    fn define(&self, text: &mut String, known: &mut Vec<String>) {
        let qualified = self.qualified();
        if known.contains(&qualified) {
            return;
        }
        for field in self.fields {
            if let DataType::Struct(inner) = field.data.element() {
                inner.define(text, known);
            }
        }
        let (space, name) = (self.namespace(), self.name);
        let equal = |field: &StructField| match field.data {
            FieldType::Element(_) => format!("a.{0} == b.{0}", field.name),
            FieldType::Array(..) => format!("equal_arrays(a.{0}, b.{0})", field.name),
        };
        let equal: Vec<String> = self.fields.iter().map(equal).collect();
        let _ = writeln!(
            text,
            "namespace {space} {{\nstruct alignas({}) {name} {{\n{}}};\n\
             __device__ __forceinline__ bool operator==(const {name} &a, const {name} &b) {{ return {}; }}\n\
             __device__ __forceinline__ bool operator!=(const {name} &a, const {name} &b) {{ return !(a == b); }}\n}}\n\
             static_assert(sizeof({qualified}) == {size} && alignof({qualified}) == {}, \"{name} has another layout\");",
            self.alignment,
            self.members(),
            equal.join(" && "),
            self.alignment,
            size = self.size,
        );
        for field in self.fields {
            let _ = writeln!(
                text,
                "static_assert(sizeof({qualified}::{}) == {}, \"{name} has another layout\");",
                field.name,
                field.data.size()
            );
        }
        known.push(qualified);
    }
}

/// The definitions of all structs among these types, in CUDA C++.
pub(crate) fn definitions(types: impl IntoIterator<Item = DataType>) -> String {
    let (mut text, mut known) = (String::new(), Vec::new());
    for data in types {
        if let DataType::Struct(own) = data {
            own.define(&mut text, &mut known);
        }
    }
    text
}

/// The same description in several places is the same type.
impl PartialEq for StructType {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || (self.name == other.name
                && self.size == other.size
                && self.alignment == other.alignment
                && self.fields == other.fields)
    }
}

impl Eq for StructType {}

impl Hash for StructType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.size.hash(state);
    }
}
