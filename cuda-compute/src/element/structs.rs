//! Structs of plain data as elements.

use std::{
    borrow::Cow,
    fmt::Write as _,
    hash::{BuildHasher, Hash, Hasher},
};

use cuda_safe::{PlainData, bytemuck::Pod};
use rustc_hash::FxBuildHasher;

use super::{DataType, Element};

/// The description of a struct of plain data, which [`derive(Element)`](derive@crate::Element)
/// creates.
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
    /// The name.
    pub name: &'static str,
    /// The offset in the struct, in bytes.
    pub offset: usize,
    /// The type.
    pub data: FieldType,
}

/// The type of a field: an element, or an array of such types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A number or a nested struct.
    Element(DataType),
    /// An array: the type of its elements and their number.
    Array(&'static FieldType, usize),
}

/// A type that a field of an element can have: a number, a struct of plain data, or an array of
/// such types.
///
/// This trait is sealed, so [`FIELD_TYPE`](Self::FIELD_TYPE) always describes the type that it
/// belongs to. Kernels are compiled from these descriptions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a field of an element",
    label = "the fields of a struct that derives `Element` are numbers, structs that derive it too, and arrays of both"
)]
pub trait ElementField: PlainData + sealed::Field {
    /// The type as a value.
    const FIELD_TYPE: FieldType;
}

mod sealed {
    use super::{Element, Pod};

    #[diagnostic::on_unimplemented(
        message = "`{Self}` can't be a field of an element",
        label = "the fields of a struct that derives `Element` are numbers, structs that derive it too, and arrays of both"
    )]
    pub trait Field {}

    impl<T: Element + Pod> Field for T {}
    impl<T: Field, const N: usize> Field for [T; N] where Self: Pod {}
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

    /// Returns the innermost element type.
    fn element(self) -> DataType {
        match self {
            Self::Element(data) => data,
            Self::Array(of, _) => of.element(),
        }
    }

    /// Returns the lengths of an array in C++ syntax, such as `[2][3]`, or nothing for an element.
    fn lengths(self) -> String {
        match self {
            Self::Element(_) => String::new(),
            Self::Array(of, count) => format!("[{count}]{}", of.lengths()),
        }
    }
}

impl StructType {
    /// The maximum size of a struct in bytes. The limit exists because blocks keep an element for
    /// each thread in shared memory.
    pub const MAX_BYTES: usize = 128;

    /// Describes the struct `T`. `derive(Element)` expands to a call of this function.
    ///
    /// # Safety
    /// The caller must ensure that `fields` are the fields of `T`, in the order of their
    /// declaration, each with its own name, offset and type. Kernels are compiled from this
    /// description.
    ///
    /// # Panics
    /// Panics at compile time if:
    /// - the size of `T` is 0 or more than [`MAX_BYTES`](Self::MAX_BYTES);
    /// - the alignment of `T` is more than 16 bytes;
    /// - the fields do not fill `T`;
    /// - a name is not a valid C++ identifier.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn of<T: PlainData>(
        name: &'static str,
        fields: &'static [StructField],
    ) -> Self {
        let (size, alignment) = (size_of::<T>(), align_of::<T>());
        assert!(
            is_identifier(name),
            "the name of an element is not a valid C++ identifier"
        );
        assert!(size > 0, "an element must have at least one byte");
        assert!(
            size <= Self::MAX_BYTES,
            "an element can't have more than 128 bytes"
        );
        assert!(
            alignment <= 16,
            "an element can't have an alignment of more than 16 bytes"
        );
        // `Pod` has no padding, so the fields are adjacent. The generated code relies on this.
        let (mut at, mut i) = (0, 0);
        while i < fields.len() {
            assert!(
                fields[i].offset == at,
                "the fields of an element must be adjacent"
            );
            assert!(
                is_identifier(fields[i].name),
                "the name of an element's field is not a valid C++ identifier"
            );
            at += fields[i].data.size();
            i += 1;
        }
        assert!(at == size, "the fields of an element must fill it");
        Self {
            name,
            size,
            alignment,
            fields,
        }
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the size in bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Returns the alignment in bytes.
    #[must_use]
    pub const fn alignment(&self) -> usize {
        self.alignment
    }

    /// Returns the fields, in their order in memory.
    #[must_use]
    pub const fn fields(&self) -> &'static [StructField] {
        self.fields
    }

    /// Returns the fields with at least one byte. CUDA C++ has no empty arrays.
    fn stored_fields(&self) -> impl Iterator<Item = &'static StructField> {
        self.fields.iter().filter(|field| field.data.size() > 0)
    }

    /// Returns the members in CUDA C++.
    fn members(&self) -> String {
        let mut text = String::new();
        for field in self.stored_fields() {
            let _ = writeln!(
                text,
                "    {} {}{};",
                field.data.element().member(),
                cuda_name(field.name),
                field.data.lengths()
            );
        }
        text
    }

    /// Returns the struct's name in kernels. It is a hash of the whole description, because structs
    /// with the same name may differ, and a kernel may have a macro with that name.
    pub(crate) fn kernel_name(&self) -> String {
        let description = (self.name, self.members(), self.alignment);
        format!("type_{:016x}", FxBuildHasher.hash_one(description))
    }

    /// Returns a `typedef` that lets functions in CUDA C++ use the struct's Rust name.
    pub(crate) fn alias(&self) -> String {
        format!("typedef {} {};\n", self.kernel_name(), cuda_name(self.name))
    }

    /// Appends the definitions of nested structs and then of this struct to `text`. Skips structs
    /// that `known` already contains.
    fn define(&'static self, text: &mut String, known: &mut Vec<&'static Self>) {
        if known.contains(&self) {
            return;
        }
        for field in self.stored_fields() {
            if let DataType::Struct(inner) = field.data.element() {
                inner.define(text, known);
            }
        }
        // The compiler may predefine a macro with the same name, such as `NULL`.
        for name in self
            .fields
            .iter()
            .map(|field| field.name)
            .chain([self.name])
        {
            let _ = writeln!(text, "#undef {}", cuda_name(name));
        }
        let name = self.kernel_name();
        let equal = |field: &StructField| {
            let member = cuda_name(field.name);
            match field.data {
                FieldType::Element(_) => format!("a.{member} == b.{member}"),
                FieldType::Array(..) => format!("equal_arrays(a.{member}, b.{member})"),
            }
        };
        let equal: Vec<String> = self.stored_fields().map(equal).collect();
        let _ = writeln!(
            text,
            "struct alignas({alignment}) {name} {{\n{}}};\n\
             __device__ __forceinline__ bool operator==(const {name} &a, const {name} &b) {{ return {}; }}\n\
             __device__ __forceinline__ bool operator!=(const {name} &a, const {name} &b) {{ return !(a == b); }}\n\
             static_assert(sizeof({name}) == {size} && alignof({name}) == {alignment}, \"{} has another layout\");",
            self.members(),
            equal.join(" && "),
            self.name,
            alignment = self.alignment,
            size = self.size,
        );
        for field in self.stored_fields() {
            let _ = writeln!(
                text,
                "static_assert(sizeof({name}::{}) == {}, \"{} has another layout\");",
                cuda_name(field.name),
                field.data.size(),
                self.name
            );
        }
        known.push(self);
    }
}

/// Returns whether a name is valid in CUDA C++: it consists only of ASCII letters, digits and
/// single underscores.
const fn is_identifier(name: &str) -> bool {
    let name = name.as_bytes();
    let mut i = 0;
    while i < name.len() {
        let underscores = i > 0 && name[i] == b'_' && name[i - 1] == b'_';
        if underscores || !(name[i].is_ascii_alphanumeric() || name[i] == b'_') {
            return false;
        }
        i += 1;
    }
    !name.is_empty() && !name[0].is_ascii_digit()
}

/// The keywords and operators of C++ and its preprocessor that are valid identifiers in Rust, in
/// ASCII order.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "_Pragma", "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool",
    "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await",
    "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr",
    "constinit", "continue", "decltype", "default", "defined", "delete", "do", "double", "dynamic_cast",
    "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
    "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert",
    "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try",
    "typedef", "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual", "void",
    "volatile", "wchar_t", "while", "xor", "xor_eq",
];

/// Returns the name in CUDA C++: a keyword gets an underscore at the end, and a keyword with
/// underscores at the end gets another one.
fn cuda_name(name: &str) -> Cow<'_, str> {
    match KEYWORDS.binary_search(&name.trim_end_matches('_')) {
        Ok(_) => Cow::Owned(format!("{name}_")),
        Err(_) => Cow::Borrowed(name),
    }
}

/// Returns the definitions of all structs among these types, in CUDA C++.
pub(crate) fn definitions(types: impl IntoIterator<Item = DataType>) -> String {
    let (mut text, mut known) = (String::new(), Vec::new());
    for data in types {
        if let DataType::Struct(own) = data {
            own.define(&mut text, &mut known);
        }
    }
    text
}

/// Equal descriptions at different addresses are the same type.
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

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &[StructField] = &[StructField {
        name: "x",
        offset: 0,
        data: FieldType::Element(DataType::F32),
    }];

    fn described(name: &'static str, fields: &'static [StructField]) -> StructType {
        // SAFETY: the fields describe one `f32`, and no kernel is compiled from the description.
        unsafe { StructType::of::<f32>(name, fields) }
    }

    #[test]
    #[should_panic(expected = "the name of an element's field is not a valid C++ identifier")]
    fn of_rejects_field_names_that_are_not_identifiers() {
        const FORGED: &[StructField] = &[StructField {
            name: "x\n#define value_of(v) 7",
            offset: 0,
            data: FieldType::Element(DataType::F32),
        }];
        described("Forged", FORGED);
    }

    #[test]
    #[should_panic(expected = "the name of an element is not a valid C++ identifier")]
    fn of_rejects_struct_names_that_are_not_identifiers() {
        described("Forged {}; struct Other", ONE);
    }

    #[test]
    fn is_identifier_rejects_other_text() {
        for name in ["x", "_", "_x1", "THREADS", "double_"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in [
            "", "1x", "x y", "x;", "x\n", "x__y", "größe", "a::b", "a/**/",
        ] {
            assert!(!is_identifier(name), "{name}");
        }
        assert!(KEYWORDS.is_sorted());
        assert_eq!(cuda_name("class"), "class_");
        assert_eq!(cuda_name("class_"), "class__");
        assert_eq!(cuda_name("classes"), "classes");
    }

    #[test]
    fn kernel_name_depends_on_the_fields() {
        const OTHER: &[StructField] = &[StructField {
            name: "y",
            offset: 0,
            data: FieldType::Element(DataType::F32),
        }];
        let (one, other) = (described("Same", ONE), described("Same", OTHER));
        assert_ne!(one.kernel_name(), other.kernel_name());
        assert_ne!(one.kernel_name(), described("Other", ONE).kernel_name());
        assert_eq!(one.kernel_name(), described("Same", ONE).kernel_name());
    }

    #[test]
    fn structs_are_equal_if_all_of_them_is() {
        const OTHER: &[StructField] = &[StructField {
            name: "y",
            ..ONE[0]
        }];
        let one = described("Same", ONE);
        assert!(one == described("Same", ONE));
        assert!(one != described("Other", ONE) && one != described("Same", OTHER));
        let larger = StructType { size: 8, ..one };
        let aligned = StructType {
            alignment: 8,
            ..one
        };
        assert!(one != larger && one != aligned);
    }

    #[test]
    fn fields_without_bytes_are_left_out_of_kernels() {
        const F32: FieldType = FieldType::Element(DataType::F32);
        const NONE: &[StructField] = &[
            ONE[0],
            StructField {
                name: "none",
                offset: 4,
                data: FieldType::Array(&F32, 0),
            },
        ];
        let described = described("Padded", NONE);
        assert_eq!(described.members(), "    float x;\n");
        let nested = FieldType::Array(&FieldType::Array(&F32, 2), 3);
        assert_eq!((nested.size(), nested.lengths().as_str()), (24, "[3][2]"));
        assert_eq!(nested.element(), DataType::F32);
    }
}
