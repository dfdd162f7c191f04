//! The linker.

use crate::abi::pointers::{In, Out, Text};
use crate::abi::status::{Code, Result};
use crate::code::jit_options::Options;
use crate::code::{image, linker};
use crate::process::architecture::is_target;
use crate::process::call::export;
use crate::process::context;

fn create(count: u32, options: In<u32>, values: Out<u64>, state: Out<u64>) -> Result {
    state.check()?;
    context::current()?;
    let options = Options::new(count, options, values)?;
    if options.target().is_some_and(|target| !is_target(target)) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    state.set(linker::create(options).handle)
}

fn add_data(
    state: u64,
    kind: u32,
    data: In<u8>,
    size: usize,
    name: Text,
    options: Options,
) -> Result {
    let linker = linker::get(state)?;
    let name = name.lossy();
    let bytes = data.bytes(size)?;
    linker.add(kind, &bytes, &name, options.bounds())
}

fn add_file(state: u64, kind: u32, path: Text, options: Options) -> Result {
    let linker = linker::get(state)?;
    let path = path.str()?;
    linker.add(kind, &image::read_file(path)?, path, options.bounds())
}

export! {
    fn cuLinkCreate(numOptions: u32, options: In<u32>, optionValues: Out<u64>, stateOut: Out<u64>) {
        create(numOptions, options, optionValues, stateOut)
    }

    fn cuLinkCreate_v2(numOptions: u32, options: In<u32>, optionValues: Out<u64>, stateOut: Out<u64>) {
        create(numOptions, options, optionValues, stateOut)
    }

    fn cuLinkAddData(state: u64, type_: u32, data: In<u8>, size: usize, name: Text, numOptions: u32, options: In<u32>, optionValues: Out<u64>) {
        let options = Options::new(numOptions, options, optionValues)?;
        add_data(state, type_, data, size, name, options)
    }

    fn cuLinkAddData_v2(state: u64, type_: u32, data: In<u8>, size: usize, name: Text, numOptions: u32, options: In<u32>, optionValues: Out<u64>) {
        let options = Options::new(numOptions, options, optionValues)?;
        add_data(state, type_, data, size, name, options)
    }

    fn cuLinkAddFile(state: u64, type_: u32, path: Text, numOptions: u32, options: In<u32>, optionValues: Out<u64>) {
        let options = Options::new(numOptions, options, optionValues)?;
        add_file(state, type_, path, options)
    }

    fn cuLinkAddFile_v2(state: u64, type_: u32, path: Text, numOptions: u32, options: In<u32>, optionValues: Out<u64>) {
        let options = Options::new(numOptions, options, optionValues)?;
        add_file(state, type_, path, options)
    }

    fn cuLinkComplete(state: u64, cubinOut: Out<u64>, sizeOut: Out<usize>) {
        cubinOut.check()?;
        context::current()?;
        let (address, size) = linker::get(state)?.complete()?;
        sizeOut.set_optional(size as usize);
        cubinOut.set(address)
    }

    fn cuLinkDestroy(state: u64) {
        linker::destroy(state)
    }
}
