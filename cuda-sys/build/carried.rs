//! The bindings that this crate carries, for where there are no headers or no libclang.
//!
//! `scripts/carry-bindings.sh` makes them, from the newest headers, by the same passes of bindgen. They are the
//! signatures, types and values; the header's text stays with the header.

use std::fs;
use std::path::Path;

use syn::{File, ForeignItem, Item, Type};

use crate::bindings::Bindings;
use crate::layout::Target;
use crate::locate::dotted;

const CUDA: &str = include_str!("../bindings/cuda.rs");
const NVRTC: &str = include_str!("../bindings/nvrtc.rs");
const VERSIONED: &str = include_str!("../bindings/versioned.rs");

/// The version of the headers they were made from, as `CUDA_VERSION` writes it.
pub fn version() -> Result<u32, String> {
    let declaration = "pub const CUDA_VERSION: u32 = ";
    CUDA.lines()
        .find_map(|line| line.strip_prefix(declaration)?.strip_suffix(';'))
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| "cuda-sys's own bindings name no version".to_owned())
}

/// Whether they hold for a target: types are laid out as by a C compiler for 64-bit Linux.
///
/// On Windows C's enums are signed, so that bindgen gives other types there.
pub fn are_for(target: Target, pointer_width: &str) -> bool {
    target.os == "linux" && pointer_width == "64"
}

/// All of them.
pub fn bindings(nvrtc: bool) -> Result<Bindings, String> {
    let mut root = parse(CUDA)?;
    if nvrtc {
        root.items.extend(parse(NVRTC)?.items);
    }
    Ok(Bindings::carried(root, parse(VERSIONED)?))
}

/// Those of NVRTC alone.
pub fn nvrtc() -> Result<Vec<Item>, String> {
    Ok(parse(NVRTC)?.items)
}

fn parse(text: &str) -> Result<File, String> {
    syn::parse_file(text).map_err(|error| format!("cuda-sys cannot read its own bindings: {error}"))
}

/// Writes what bindgen made, without comments and with NVRTC, in the form in which it is carried.
pub fn write(bindings: &Bindings, version: u32, folder: &Path) -> Result<(), String> {
    let (nvrtc, cuda) = bindings.root.items.iter().cloned().partition(is_of_nvrtc);
    let file = |items| File {
        shebang: None,
        attrs: Vec::new(),
        items,
    };
    let head = format!(
        "// Made by scripts/carry-bindings.sh from the headers of CUDA {}. Not to be edited.\n\n",
        dotted(version)
    );
    for (name, file) in [
        ("cuda.rs", file(cuda)),
        ("nvrtc.rs", file(nvrtc)),
        ("versioned.rs", bindings.versioned.clone()),
    ] {
        let path = folder.join(name);
        fs::write(&path, head.clone() + &prettyplease::unparse(&file))
            .map_err(|error| format!("cuda-sys cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

/// Whether an item comes from `nvrtc.h`, all of whose names say so.
fn is_of_nvrtc(item: &Item) -> bool {
    let name = match item {
        Item::Struct(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        Item::Const(item) if item.ident != "_" => item.ident.to_string(),
        // A layout test.
        Item::Const(item) => quote::ToTokens::to_token_stream(&item.expr).to_string(),
        Item::Use(item) => quote::ToTokens::to_token_stream(&item.tree).to_string(),
        Item::Impl(item) => match &*item.self_ty {
            Type::Path(path) => path
                .path
                .get_ident()
                .map(ToString::to_string)
                .unwrap_or_default(),
            _ => return false,
        },
        Item::ForeignMod(block) => match block.items.first() {
            Some(ForeignItem::Fn(function)) => function.sig.ident.to_string(),
            _ => return false,
        },
        _ => return false,
    };
    name.contains("nvrtc") || name.contains("NVRTC")
}
