//! Modules.

use std::time::Instant;

use crate::abi::pointers::{In, Out, Text};
use crate::abi::status::{Code, Result};
use crate::code::image::{self, Contents, ImageError, Sources};
use crate::code::jit_options::Options;
use crate::code::module;
use crate::code::register_counts::Bounds;
use crate::graph::capture;
use crate::process::call::export;
use crate::process::context;

/// Loads the contents returned by `read`. Stores times and logs as the options request.
///
/// # Errors
/// Returns the error of `read` or `load`, whose text goes to the error log.
pub fn load_with<T>(
    options: Options,
    read: impl FnOnce() -> std::result::Result<Contents, ImageError>,
    load: impl FnOnce(&Sources, &[Bounds]) -> std::result::Result<T, ImageError>,
) -> Result<T> {
    let start = Instant::now();
    let logs = options.logs();
    let loaded = read().and_then(|contents| {
        let remark = match contents.bounds {
            Some(_) => String::new(),
            None => options.bounds().remark(),
        };
        let bounds = contents
            .bounds
            .unwrap_or_else(|| vec![options.bounds(); contents.sources.len()]);
        load(&contents.sources, &bounds).map(|loaded| (loaded, remark))
    });
    options.set_wall_time(start.elapsed().as_secs_f32() * 1e3);
    match loaded {
        Ok((loaded, remark)) => {
            logs.write(&remark, "");
            Ok(loaded)
        }
        Err((code, text)) => {
            logs.write("", &text);
            Err(code)
        }
    }
}

fn load_image(place: Out<u64>, image: u64, options: Options) -> Result {
    place.check()?;
    let context = context::current()?;
    let module = load_with(
        options,
        || image::read(image),
        |sources, bounds| module::load(&context, sources, bounds),
    )?;
    place.set(module.handle)
}

export! {
    fn cuModuleLoad(module_: Out<u64>, fname: Text) {
        module_.check()?;
        let context = context::current()?;
        let bytes = image::read_file(fname.str()?)?;
        let options = Options::none();
        let module = load_with(options, || image::from_bytes(&bytes), |sources, bounds| module::load(&context, sources, bounds))?;
        module_.set(module.handle)
    }

    fn cuModuleLoadData(module_: Out<u64>, image_: u64) {
        load_image(module_, image_, Options::none())
    }

    fn cuModuleLoadDataEx(module_: Out<u64>, image_: u64, numOptions: u32, options: In<u32>, optionValues: Out<u64>) {
        load_image(module_, image_, Options::new(numOptions, options, optionValues)?)
    }

    fn cuModuleLoadFatBinary(module_: Out<u64>, fatCubin: u64) {
        load_image(module_, fatCubin, Options::none())
    }

    fn cuModuleUnload(hmod: u64) {
        capture::reject_unsafe()?;
        module::unload(hmod)
    }

    fn cuModuleGetLoadingMode(mode: Out<u32>) {
        // CU_MODULE_EAGER_LOADING: a module is complete once it is loaded.
        mode.set(1)
    }

    fn cuModuleGetFunction(hfunc: Out<u64>, hmod: u64, name: Text) {
        hfunc.check()?;
        let name = name.str()?;
        hfunc.set(module::get(hmod)?.function_named(name)?.handle)
    }

    fn cuModuleGetFunctionCount(count: Out<u32>, mod_: u64) {
        count.check()?;
        count.set(module::get(mod_)?.program().kernels().len() as u32)
    }

    fn cuModuleEnumerateFunctions(functions: Out<u64>, numFunctions: u32, mod_: u64) {
        functions.check()?;
        let module = module::get(mod_)?;
        if numFunctions == 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        for index in 0..module.program().kernels().len().min(numFunctions as usize) {
            functions.at(index).set(module.function(index)?.handle)?;
        }
        Ok(())
    }

    fn cuModuleGetGlobal_v2(dptr: Out<u64>, bytes: Out<usize>, hmod: u64, name: Text) {
        if dptr.is_null() && bytes.is_null() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let name = name.str()?;
        let (address, size) = module::get(hmod)?.variable(name)?;
        dptr.set_optional(address);
        bytes.set_optional(size as usize);
        Ok(())
    }
}
