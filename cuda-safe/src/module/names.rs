//! Which kernels a module has.

use std::ffi::{CStr, c_char, c_uint};

use cuda_sys::{CUfunction, CUmodule, CUresult};

use super::Module;
use crate::{driver::LazySymbol, error::Result};

type GetFunctionCount = unsafe extern "C" fn(*mut c_uint, CUmodule) -> CUresult;
type EnumerateFunctions = unsafe extern "C" fn(*mut CUfunction, c_uint, CUmodule) -> CUresult;
type FuncGetName = unsafe extern "C" fn(*mut *const c_char, CUfunction) -> CUresult;
// SAFETY: the signatures that the driver documents for these names since these versions.
static GET_FUNCTION_COUNT: LazySymbol<GetFunctionCount> =
    unsafe { LazySymbol::new(c"cuModuleGetFunctionCount", 12, 4) };
// SAFETY: as above.
static ENUMERATE_FUNCTIONS: LazySymbol<EnumerateFunctions> =
    unsafe { LazySymbol::new(c"cuModuleEnumerateFunctions", 12, 4) };
// SAFETY: as above.
static FUNC_GET_NAME: LazySymbol<FuncGetName> = unsafe { LazySymbol::new(c"cuFuncGetName", 12, 3) };

pub(super) fn enumerate(module: &Module) -> Result<Vec<String>> {
    let (count_of, enumerate, name_of) = (
        GET_FUNCTION_COUNT.get()?,
        ENUMERATE_FUNCTIONS.get()?,
        FUNC_GET_NAME.get()?,
    );
    let context = module.context();
    let _current = context.enter()?;
    let mut count = 0;
    // SAFETY: `count` is valid for the write, the module is live.
    context.check("cuModuleGetFunctionCount", unsafe {
        count_of(&mut count, module.as_raw())
    })?;
    let mut functions: Vec<CUfunction> = vec![std::ptr::null_mut(); count as usize];
    // SAFETY: room for as many as the call above announced.
    context.check("cuModuleEnumerateFunctions", unsafe {
        enumerate(functions.as_mut_ptr(), count, module.as_raw())
    })?;
    functions
        .into_iter()
        .filter(|function| !function.is_null())
        .map(|function| {
            let mut name = std::ptr::null();
            // SAFETY: a function of the live module; `name` is valid for the write.
            context.check("cuFuncGetName", unsafe { name_of(&mut name, function) })?;
            // SAFETY: a NUL-terminated string that lives as long as the module.
            Ok(unsafe { CStr::from_ptr(name) }
                .to_string_lossy()
                .into_owned())
        })
        .collect()
}

/// The kernels that PTX defines.
pub(super) fn entries(ptx: &str) -> Vec<String> {
    ptx.match_indices(".entry")
        .filter_map(|(at, word)| {
            let rest = ptx[at + word.len()..].trim_start();
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_$%".contains(c)))?;
            (end > 0).then(|| rest[..end].to_owned())
        })
        .collect()
}

/// The variables that PTX defines in the module's scope.
pub(super) fn variables(ptx: &str) -> Vec<String> {
    ptx.lines()
        .filter_map(|line| {
            let line = line.trim_start();
            let (before, _) = line.split_once(['=', ';']).unwrap_or((line, ""));
            let mut words = before.split_whitespace();
            let space = words.find(|word| !matches!(*word, ".visible" | ".weak" | ".common"))?;
            if !matches!(space, ".global" | ".const") {
                return None;
            }
            let (name, _) = before.split_once('[').unwrap_or((before, ""));
            Some(name.split_whitespace().last()?.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn variables_are_found_in_ptx() {
        let ptx = ".visible .global .align 4 .u32 counter = 5;\n.visible .const .align 4 .b8 table[16];\n\
            .global .align 1 .b8 $str[3] = {37, 102, 0};\n\tst.global.u32 [%rd1], %r1;\n.extern .global .f32 other;";
        assert_eq!(super::variables(ptx), ["counter", "table", "$str"]);
    }

    #[test]
    fn entries_are_found_in_ptx() {
        let ptx = ".visible .entry add(\n.param .u64 p)\n{ ret; }\n.entry\t_Z1fv()\n{ ret; }";
        assert_eq!(super::entries(ptx), ["add", "_Z1fv"]);
        assert!(super::entries(".entry").is_empty());
    }
}
