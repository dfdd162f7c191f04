//! Host objects that contain fat binaries, and archives of such objects, in the formats of nvcc and
//! ar.

/// Machine numbers of ELF files.
pub const HOST: u16 = 62;
pub const CUDA: u16 = 190;

/// Creates an ELF file with sections, and symbols that it defines.
pub fn elf(machine: u16, sections: &[(&str, &[u8])], symbols: &[&str]) -> Vec<u8> {
    let mut strings = vec![0];
    let mut add = |text: &str| {
        let at = strings.len() as u32;
        strings.extend_from_slice(text.as_bytes());
        strings.push(0);
        at
    };
    let mut table = vec![0; 24];
    for name in symbols {
        let mut symbol = vec![0; 24];
        symbol[..4].copy_from_slice(&add(name).to_le_bytes());
        // A global function in section 1.
        symbol[4..8].copy_from_slice(&[0x12, 0, 1, 0]);
        table.extend(symbol);
    }
    let mut all: Vec<(u32, u32, u32, Vec<u8>)> = vec![(0, 0, 0, Vec::new())];
    for (name, contents) in sections {
        all.push((add(name), 1, 0, contents.to_vec()));
    }
    let strings_at = all.len() as u32 + 1;
    all.push((add(".symtab"), 2, strings_at, table));
    let name = add(".strtab");
    all.push((name, 3, 0, strings));
    let mut file = vec![0; 64];
    file[..4].copy_from_slice(b"\x7fELF");
    file[4..7].copy_from_slice(&[2, 1, 1]);
    file[18..20].copy_from_slice(&machine.to_le_bytes());
    let mut headers = Vec::new();
    for (name, kind, link, contents) in &all {
        file.resize(file.len().next_multiple_of(8), 0);
        let mut header = [0; 64];
        header[..4].copy_from_slice(&name.to_le_bytes());
        header[4..8].copy_from_slice(&kind.to_le_bytes());
        header[24..32].copy_from_slice(&(file.len() as u64).to_le_bytes());
        header[32..40].copy_from_slice(&(contents.len() as u64).to_le_bytes());
        header[40..44].copy_from_slice(&link.to_le_bytes());
        headers.extend(header);
        file.extend_from_slice(contents);
    }
    file.resize(file.len().next_multiple_of(8), 0);
    let place = file.len() as u64;
    file[40..48].copy_from_slice(&place.to_le_bytes());
    file[58..60].copy_from_slice(&64u16.to_le_bytes());
    file[60..62].copy_from_slice(&(all.len() as u16).to_le_bytes());
    file[62..64].copy_from_slice(&(strings_at as u16).to_le_bytes());
    file.extend(headers);
    file
}

/// Creates a fat binary of PTX (kind 1) and machine code (kind 2) for compute capability 8.0.
pub fn fat_binary(entries: &[(u16, &[u8])]) -> Vec<u8> {
    let entries: Vec<_> = entries
        .iter()
        .map(|(kind, payload)| (*kind, 80, *payload))
        .collect();
    fat_binary_for(&entries)
}

/// Creates a fat binary of entries: kind, compute capability and contents.
pub fn fat_binary_for(entries: &[(u16, u32, &[u8])]) -> Vec<u8> {
    let mut all = Vec::new();
    for (kind, capability, payload) in entries {
        let mut entry = vec![0; 64];
        entry[..2].copy_from_slice(&kind.to_le_bytes());
        entry[4..8].copy_from_slice(&64u32.to_le_bytes());
        entry[8..16].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        entry[28..32].copy_from_slice(&capability.to_le_bytes());
        all.extend(entry);
        all.extend_from_slice(payload);
    }
    let mut file = 0xba55_ed50_u32.to_le_bytes().to_vec();
    file.extend_from_slice(&[1, 0, 16, 0]);
    file.extend_from_slice(&(all.len() as u64).to_le_bytes());
    file.extend(all);
    file
}

/// Creates a host object with relocatable PTX.
pub fn object(ptx: &str) -> Vec<u8> {
    let image = fat_binary(&[(1, ptx.as_bytes())]);
    elf(HOST, &[("__nv_relfatbin", &image)], &["host_function"])
}

/// Creates a host object with relocatable machine code that defines the names.
pub fn code_object(names: &[&str]) -> Vec<u8> {
    let code = elf(CUDA, &[(".text", b"code")], names);
    let image = fat_binary(&[(2, &code)]);
    elf(HOST, &[("__nv_relfatbin", &image)], &["host_function"])
}

/// Creates an archive in GNU's format, with long names in a table.
pub fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut names = String::new();
    let mut list = Vec::new();
    for (name, contents) in members {
        if name.len() < 16 {
            list.push((format!("{name}/"), *contents));
        } else {
            list.push((format!("/{}", names.len()), *contents));
            names += &format!("{name}/\n");
        }
    }
    if !names.is_empty() {
        list.insert(0, ("//".into(), names.as_bytes()));
    }
    let mut file = b"!<arch>\n".to_vec();
    for (name, contents) in list {
        let size = contents.len();
        let header = format!("{name:<16}{0:<12}{0:<6}{0:<6}{1:<8}{size:<10}`\n", 0, 644);
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(contents);
        file.extend_from_slice(&b"\n"[..size % 2]);
    }
    file
}

/// Creates an archive that defines the names of NVIDIA's `libcudadevrt.a`. Like the real one, it is
/// never executed.
pub fn device_runtime() -> Vec<u8> {
    let names = [
        "__cudaCDP2GetParameterBuffer",
        "__cudaCDP2GetParameterBufferV2",
        "__cudaCDP2LaunchDeviceV2",
        "__cudaCDP2GetLastError",
        "__cudaCDP2PeekAtLastError",
        "__cudaCDP2MemcpyAsync",
        "cudaCGGetIntrinsicHandle",
        "cudaCGSynchronize",
        "cudaCGSynchronizeGrid",
    ];
    archive(&[("cuda_device_runtime.o", &code_object(&names))])
}
