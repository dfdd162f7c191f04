//! Lists the names of a module's kernels.

use std::ffi::{CStr, c_char, c_uint};

use cuda_sys::{CUfunction, CUmodule, CUresult};

use super::Module;
use crate::{
    driver::newer,
    error::{Error, ErrorKind, Result},
};

type GetFunctionCount = unsafe extern "C" fn(*mut c_uint, CUmodule) -> CUresult;
type EnumerateFunctions = unsafe extern "C" fn(*mut CUfunction, c_uint, CUmodule) -> CUresult;
type FuncGetName = unsafe extern "C" fn(*mut *const c_char, CUfunction) -> CUresult;

pub(super) fn enumerate(module: &Module) -> Result<Vec<String>> {
    let calls = Calls {
        count: newer::cuModuleGetFunctionCount()?,
        enumerate: newer::cuModuleEnumerateFunctions()?,
        name: newer::cuFuncGetName()?,
    };
    let context = module.context();
    let _current = context.enter("cuModuleGetFunctionCount")?;
    // SAFETY: these are the driver's functions, the module is live, and its context is current.
    unsafe { calls.names(module.as_raw(), |call, code| context.check(call, code)) }
}

struct Calls {
    count: GetFunctionCount,
    enumerate: EnumerateFunctions,
    name: FuncGetName,
}

impl Calls {
    /// Returns the names of a module's kernels.
    ///
    /// # Safety
    /// The caller must ensure that the functions do what the driver documents, and that they can be
    /// called with this module now.
    unsafe fn names(
        &self,
        module: CUmodule,
        check: impl Fn(&'static str, CUresult) -> Result<()>,
    ) -> Result<Vec<String>> {
        let mut count = 0;
        // SAFETY: `count` is valid for writing, and the caller guarantees that the module can be
        // used.
        check("cuModuleGetFunctionCount", unsafe {
            (self.count)(&mut count, module)
        })?;
        let mut functions: Vec<CUfunction> = vec![std::ptr::null_mut(); count as usize];
        if functions.is_empty() {
            return Ok(Vec::new());
        }
        // SAFETY: the array has the length that the call above returned.
        check("cuModuleEnumerateFunctions", unsafe {
            (self.enumerate)(functions.as_mut_ptr(), count, module)
        })?;
        functions
            .into_iter()
            .filter(|function| !function.is_null())
            .map(|function| {
                const CALL: &str = "cuFuncGetName";
                let mut name = std::ptr::null();
                // SAFETY: `function` belongs to the module, and `name` is valid for writing.
                check(CALL, unsafe { (self.name)(&mut name, function) })?;
                if name.is_null() {
                    return Err(Error::checked(
                        ErrorKind::Driver,
                        CALL,
                        "the driver returned no name for a kernel",
                    ));
                }
                // SAFETY: the driver's string is NUL-terminated and lives as long as the module.
                Ok(unsafe { CStr::from_ptr(name) }
                    .to_string_lossy()
                    .into_owned())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;
    use crate::driver::check;

    /// A minimal driver. Modules are numbers instead of pointers, and the number selects the
    /// failure.
    mod driver {
        use super::*;

        pub const FINE: usize = 0;
        pub const NO_NAME: usize = 1;
        pub const FEWER: usize = 2;
        pub const EMPTY: usize = 3;
        pub const COUNT_FAILS: usize = 4;
        pub const ENUMERATE_FAILS: usize = 5;
        pub const NAME_FAILS: usize = 6;

        fn code(fails: bool) -> CUresult {
            if fails {
                CUresult::CUDA_ERROR_INVALID_HANDLE
            } else {
                CUresult::CUDA_SUCCESS
            }
        }

        pub unsafe extern "C" fn count(count: *mut c_uint, module: CUmodule) -> CUresult {
            // SAFETY: the caller's pointer is valid.
            unsafe { *count = if module.addr() == EMPTY { 0 } else { 2 } };
            code(module.addr() == COUNT_FAILS)
        }

        pub unsafe extern "C" fn enumerate(
            functions: *mut CUfunction,
            count: c_uint,
            module: CUmodule,
        ) -> CUresult {
            assert_eq!(count, 2, "a driver returns an error for 0 functions");
            let function = |number: usize| ptr::without_provenance_mut(10 * number + module.addr());
            // SAFETY: the caller's array has two elements.
            unsafe { functions.write(function(1)) };
            if module.addr() != FEWER {
                // SAFETY: as above.
                unsafe { functions.add(1).write(function(2)) };
            }
            code(module.addr() == ENUMERATE_FAILS)
        }

        pub unsafe extern "C" fn name(name: *mut *const c_char, function: CUfunction) -> CUresult {
            let (number, module) = (function.addr() / 10, function.addr() % 10);
            let text = if number == 1 { c"first" } else { c"second" };
            if !(module == NO_NAME && number == 2) {
                // SAFETY: the caller's pointer is valid.
                unsafe { *name = text.as_ptr() };
            }
            code(module == NAME_FAILS)
        }
    }

    fn names(module: usize) -> Result<Vec<String>> {
        let calls = Calls {
            count: driver::count,
            enumerate: driver::enumerate,
            name: driver::name,
        };
        // SAFETY: these functions accept numbers as modules.
        unsafe { calls.names(ptr::without_provenance_mut(module), check) }
    }

    #[test]
    fn names_come_from_the_driver() {
        assert_eq!(names(driver::FINE).unwrap(), ["first", "second"]);
        assert_eq!(names(driver::FEWER).unwrap(), ["first"]);
        assert!(names(driver::EMPTY).unwrap().is_empty());
    }

    #[test]
    fn missing_name_is_an_error() {
        let error = names(driver::NO_NAME).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Driver);
        assert_eq!(error.call(), "cuFuncGetName");
        assert!(error.detail().contains("no name"), "{error}");
    }

    #[test]
    fn failing_calls_are_reported() {
        for (module, call) in [
            (driver::COUNT_FAILS, "cuModuleGetFunctionCount"),
            (driver::ENUMERATE_FAILS, "cuModuleEnumerateFunctions"),
            (driver::NAME_FAILS, "cuFuncGetName"),
        ] {
            let error = names(module).unwrap_err();
            assert_eq!(error.call(), call);
            assert_eq!(
                error.driver_code(),
                Some(CUresult::CUDA_ERROR_INVALID_HANDLE)
            );
        }
    }
}
