//! Checks that the bindings in `bindings/nccl.rs` are bindgen's output for NCCL's header.
//!
//! `scripts/carry-nccl-bindings.sh` runs this with the path of the header in `CUDA_NCCL_HEADER`.

use std::{env, fs, path::Path};

use quote::quote;
use syn::{ForeignItem, Item};

/// Replacements for the CUDA and system headers that NCCL's header includes, so that these need not
/// be installed.
const REPLACEMENTS: [(&str, &str); 5] = [
    (
        "cuda_runtime.h",
        "typedef __SIZE_TYPE__ size_t;\n#define NULL ((void *)0)\n\
         typedef struct CUstream_st *cudaStream_t;\ntypedef struct CUevent_st *cudaEvent_t;\n",
    ),
    ("cuda_fp16.h", ""),
    ("cuda_bf16.h", ""),
    (
        "limits.h",
        "#define INT_MAX 2147483647\n#define INT_MIN (-INT_MAX - 1)\n",
    ),
    (
        "stdint.h",
        "typedef __INT8_TYPE__ int8_t;\ntypedef __UINT8_TYPE__ uint8_t;\ntypedef __INT16_TYPE__ int16_t;\n\
         typedef __UINT16_TYPE__ uint16_t;\ntypedef __INT32_TYPE__ int32_t;\ntypedef __UINT32_TYPE__ uint32_t;\n\
         typedef __INT64_TYPE__ int64_t;\ntypedef __UINT64_TYPE__ uint64_t;\n",
    ),
];

/// Runs bindgen on the header, and converts the functions to a table of addresses.
fn generate(header: &Path) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nccl-headers");
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in REPLACEMENTS {
        fs::write(folder.join(name), format!("#pragma once\n{text}")).unwrap();
    }
    let made = bindgen::Builder::default()
        .header(header.display().to_string())
        .clang_arg(format!("-I{}", folder.display()))
        .allowlist_item("nccl.*|NCCL_.*")
        .blocklist_type("cudaStream_t|cudaEvent_t|CUstream_st|CUevent_st")
        .default_enum_style(bindgen::EnumVariation::NewType {
            is_bitfield: false,
            is_global: false,
        })
        .prepend_enum_name(false)
        .use_core()
        .derive_default(true)
        .derive_eq(true)
        .derive_hash(true)
        .layout_tests(true)
        .generate_comments(false)
        .formatter(bindgen::Formatter::None)
        .disable_header_comment()
        .generate()
        .unwrap();
    let mut file = syn::parse_file(&made.to_string()).unwrap();
    let mut functions = Vec::new();
    file.items.retain(|item| match item {
        Item::ForeignMod(block) => {
            functions.extend(block.items.iter().cloned());
            false
        }
        _ => true,
    });
    file.items.push(Item::Verbatim(table(&functions)));
    let use_cuda = "use cuda_safe::sys::{CUevent as cudaEvent_t, CUstream as cudaStream_t};";
    file.items.insert(0, syn::parse_str(use_cuda).unwrap());
    let parsed = syn::parse2(quote!(#file)).unwrap();
    prettyplease::unparse(&parsed)
}

/// Converts the functions to fields of a struct, which a library of any version can fill.
fn table(functions: &[ForeignItem]) -> proc_macro2::TokenStream {
    let (mut fields, mut loads) = (Vec::new(), Vec::new());
    for function in functions {
        let ForeignItem::Fn(function) = function else {
            panic!("the header declares something other than a function");
        };
        let signature = &function.sig;
        let (name, inputs, output) = (&signature.ident, &signature.inputs, &signature.output);
        let symbol = syn::LitCStr::new(
            &std::ffi::CString::new(name.to_string()).unwrap(),
            name.span(),
        );
        fields.push(quote!(pub #name: Option<unsafe extern "C" fn(#inputs) #output>));
        loads.push(quote!(#name: unsafe { ::core::mem::transmute(find(#symbol)) }));
    }
    quote! {
        #[derive(Debug, Copy, Clone)]
        pub struct Functions {
            #(#fields,)*
        }
        impl Functions {
            pub(crate) unsafe fn load(
                find: &mut dyn FnMut(&::core::ffi::CStr) -> *mut ::core::ffi::c_void,
            ) -> Self {
                Self {
                    #(#loads,)*
                }
            }
        }
    }
}

#[test]
#[ignore = "needs libclang and a header: scripts/carry-nccl-bindings.sh"]
fn stored_bindings_match_the_header() {
    let header = env::var_os("CUDA_NCCL_HEADER").expect("CUDA_NCCL_HEADER names nccl.h");
    let made = generate(Path::new(&header));
    let carried = Path::new(env!("CARGO_MANIFEST_DIR")).join("bindings/nccl.rs");
    if env::var_os("CUDA_NCCL_CARRY").is_some() {
        fs::write(&carried, made).unwrap();
    } else if fs::read_to_string(&carried).unwrap() != made {
        panic!(
            "bindings/nccl.rs differs from bindgen's output. Fix: run scripts/carry-nccl-bindings.sh {}",
            header.display()
        );
    }
}
