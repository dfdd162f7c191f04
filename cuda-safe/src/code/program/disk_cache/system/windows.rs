//! The file system of Windows.

use std::{
    ffi::{OsString, c_void},
    fs::{self, File, Metadata, OpenOptions},
    io,
    os::windows::{
        ffi::OsStringExt,
        fs::{MetadataExt, OpenOptionsExt},
        io::AsRawHandle,
    },
    path::{Path, PathBuf},
    ptr,
    sync::OnceLock,
};

use windows_sys::Win32::{
    Foundation::{CloseHandle, ERROR_SUCCESS, GENERIC_ALL, GENERIC_READ, GENERIC_WRITE, LocalFree},
    Security::{
        ACCESS_ALLOWED_ACE, ACE_HEADER, ACL, Authorization::GetSecurityInfo,
        Authorization::SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, EqualSid, GetAce,
        GetTokenInformation, INHERIT_ONLY_ACE, IsWellKnownSid, OWNER_SECURITY_INFORMATION, PSID,
        TOKEN_QUERY, TOKEN_USER, TokenUser, WinBuiltinAdministratorsSid, WinCreatorOwnerRightsSid,
        WinLocalSystemSid,
    },
    Storage::FileSystem::{
        DELETE, FILE_APPEND_DATA, FILE_ATTRIBUTE_REPARSE_POINT, FILE_DELETE_CHILD,
        FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_SHARE_READ,
        FILE_SHARE_WRITE, FILE_WRITE_ATTRIBUTES, FILE_WRITE_DATA, FILE_WRITE_EA,
        GetFinalPathNameByHandleW, WRITE_DAC, WRITE_OWNER,
    },
    System::{
        SystemServices::{ACCESS_ALLOWED_ACE_TYPE, ACCESS_DENIED_ACE_TYPE},
        Threading::{GetCurrentProcess, OpenProcessToken},
    },
};

/// The rights to change a file or a folder.
const WRITES: u32 = FILE_WRITE_DATA
    | FILE_APPEND_DATA
    | FILE_WRITE_EA
    | FILE_WRITE_ATTRIBUTES
    | FILE_DELETE_CHILD
    | DELETE
    | WRITE_DAC
    | WRITE_OWNER
    | GENERIC_WRITE
    | GENERIC_ALL;

/// The longest path of Windows.
const LONGEST: usize = 1 << 15;

/// An open folder that only this user, the system and its administrators can write to.
///
/// While it is open, it cannot be renamed or deleted, nor can its parent folders. The path is the
/// one of the open folder, without links.
pub(in super::super) struct Folder {
    path: PathBuf,
    _open: File,
}

impl Folder {
    /// The folder inherits the permissions of its parent.
    pub(in super::super) fn create(folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)
    }

    pub(in super::super) fn open(folder: &Path) -> Option<Self> {
        let folder = open_with(folder, FILE_FLAG_BACKUP_SEMANTICS).ok()?;
        let is_folder = folder.metadata().ok()?.is_dir();
        let path = (is_folder && is_trusted(&folder)).then(|| path_of(&folder))??;
        let _open = folder;
        Some(Self { path, _open })
    }

    /// Opens a regular file that only this user, the system and its administrators can write to.
    pub(in super::super) fn open_trusted(&self, name: &str) -> Option<File> {
        let file = open_with(&self.file(name).ok()?, 0).ok()?;
        let is_file = file.metadata().ok()?.is_file();
        (is_file && is_trusted(&file)).then_some(file)
    }

    /// Creates a file that does not exist yet. It inherits the permissions of the folder.
    pub(in super::super) fn create_file(&self, name: &str) -> io::Result<File> {
        File::create_new(self.file(name)?)
    }

    /// Returns the path of a file.
    ///
    /// # Errors
    /// Returns an error if it could be outside of the folder.
    fn file(&self, name: &str) -> io::Result<PathBuf> {
        match name.contains(['/', '\\', ':', '\0']) || name == ".." {
            true => Err(io::ErrorKind::InvalidFilename.into()),
            false => Ok(self.path.join(name)),
        }
    }

    pub(in super::super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.file(from)?, self.file(to)?)
    }

    pub(in super::super) fn remove(&self, name: &str) {
        let _ = self.file(name).and_then(fs::remove_file);
    }
}

/// Opens a file or folder for reading, so that it cannot be deleted or replaced meanwhile. A link is
/// opened itself, and rejected.
fn open_with(path: &Path, flags: u32) -> io::Result<File> {
    let file = OpenOptions::new()
        // Includes the right to read the owner and the permissions.
        .access_mode(GENERIC_READ)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
        .custom_flags(flags | FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)?;
    match file.metadata()?.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT {
        0 => Ok(file),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// Returns the path of an open folder, without links.
fn path_of(folder: &File) -> Option<PathBuf> {
    let mut name = vec![0; LONGEST];
    // SAFETY: the handle is open, and `name` is valid for that many characters.
    let length = unsafe {
        GetFinalPathNameByHandleW(folder.as_raw_handle(), name.as_mut_ptr(), LONGEST as u32, 0)
    };
    (1..LONGEST).contains(&(length as usize)).then(|| {
        let name = &name[..length as usize];
        OsString::from_wide(name).into()
    })
}

/// Returns whether only this user, the system and its administrators can write to an open file or
/// folder.
fn is_trusted(file: &File) -> bool {
    let (mut owner, mut list, mut both) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: the handle is open, and the variables are valid for writing.
    let code = unsafe {
        GetSecurityInfo(
            file.as_raw_handle(),
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
            &mut owner,
            ptr::null_mut(),
            &mut list,
            ptr::null_mut(),
            &mut both,
        )
    };
    if code != ERROR_SUCCESS {
        return false;
    }
    // SAFETY: the call has succeeded, so both are null or valid until `both` is freed.
    let trusted = unsafe { is_trusted_owner(owner) && grants_no_writes(list) };
    // SAFETY: the function has allocated it for the caller.
    unsafe { LocalFree(both) };
    trusted
}

/// # Safety
/// `owner` must be null or a valid identifier.
unsafe fn is_trusted_owner(owner: PSID) -> bool {
    // SAFETY: the identifier is valid.
    !owner.is_null() && unsafe { is_trusted_user(owner) }
}

/// Returns whether a list of permissions gives no other user a right to write. Without a list,
/// everyone has all rights.
///
/// # Safety
/// `list` must be null or a valid list.
unsafe fn grants_no_writes(list: *const ACL) -> bool {
    if list.is_null() {
        return false;
    }
    // SAFETY: the list is valid.
    let count = unsafe { (*list).AceCount };
    (0..u32::from(count)).all(|index| {
        let mut entry: *mut c_void = ptr::null_mut();
        // SAFETY: the list is valid and has this entry.
        if unsafe { GetAce(list, index, &mut entry) } == 0 {
            return false;
        }
        // SAFETY: every entry begins with a header.
        let header = unsafe { entry.cast::<ACE_HEADER>().read() };
        match u32::from(header.AceType) {
            _ if u32::from(header.AceFlags) & INHERIT_ONLY_ACE != 0 => true,
            ACCESS_DENIED_ACE_TYPE => true,
            ACCESS_ALLOWED_ACE_TYPE => {
                let allowed = entry.cast::<ACCESS_ALLOWED_ACE>();
                // SAFETY: the entry has this type, which ends with an identifier.
                unsafe {
                    (*allowed).Mask & WRITES == 0
                        || is_trusted_user((&raw mut (*allowed).SidStart).cast())
                }
            }
            // Entries with conditions.
            _ => false,
        }
    })
}

/// # Safety
/// The identifier must be valid.
unsafe fn is_trusted_user(user: PSID) -> bool {
    // The last one stands for the owner.
    let groups = [
        WinBuiltinAdministratorsSid,
        WinLocalSystemSid,
        WinCreatorOwnerRightsSid,
    ];
    // SAFETY: the identifier is valid, and so is that of this user.
    unsafe {
        groups.iter().any(|&group| IsWellKnownSid(user, group) != 0)
            || this_user().is_some_and(|own| EqualSid(user, own) != 0)
    }
}

/// Returns the identifier of the user who runs this process.
fn this_user() -> Option<PSID> {
    static USER: OnceLock<Option<Vec<u64>>> = OnceLock::new();
    let read = || {
        let mut token = ptr::null_mut();
        // SAFETY: `token` is valid for writing.
        if unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &mut token) } == 0 {
            return None;
        }
        // An identifier has at most 68 bytes.
        let mut user = vec![0u64; 32];
        let (size, mut needed) = (size_of_val(&user[..]) as u32, 0);
        // SAFETY: the token is open, and `user` is valid for that many bytes and aligned.
        let found = unsafe {
            GetTokenInformation(
                token,
                TokenUser,
                user.as_mut_ptr().cast(),
                size,
                &mut needed,
            )
        };
        // SAFETY: the token was opened above, and is not used any more.
        unsafe { CloseHandle(token) };
        (found != 0).then_some(user)
    };
    let user = USER.get_or_init(read).as_ref()?;
    // SAFETY: the memory begins with this structure, and is never changed or freed, so the pointer
    // into it stays valid.
    Some(unsafe { (*user.as_ptr().cast::<TOKEN_USER>()).User.Sid })
}

/// Identifies a file, except under another name of a hard link.
pub(in super::super) type FileNumber = PathBuf;

pub(in super::super) fn number(path: &Path, _: &Metadata) -> Option<FileNumber> {
    path.canonicalize().ok()
}

/// Returns metadata that differs after a change.
pub(in super::super) fn times(metadata: &Metadata) -> [u64; 4] {
    [
        metadata.file_size(),
        metadata.creation_time(),
        metadata.last_write_time(),
        metadata.file_attributes().into(),
    ]
}

/// Returns the size and time that a copy of the file would also have.
pub(in super::super) fn size_and_time(metadata: &Metadata) -> [[u8; 8]; 2] {
    [
        metadata.file_size().to_le_bytes(),
        metadata.last_write_time().to_le_bytes(),
    ]
}

/// Returns the time of the last write, in seconds since 1970. Programs can set it.
pub(in super::super) fn changed(metadata: &Metadata) -> u64 {
    let since = |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH);
    let time = metadata.modified().ok().and_then(|time| since(time).ok());
    // Without a time, the file could change at any moment.
    time.map_or(u64::MAX - 1, |time| time.as_secs())
}

/// Opens a file for reading.
pub(in super::super) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Returns whether the name of a header can only lead to one file below the folder in which it is
/// searched for, with `/` between folders. The caller checks the folders.
///
/// Windows has other separators, drives and streams (`:`), short names (`~`), and ignores dots and
/// spaces at the end of a name.
pub(in super::super) fn is_plain(name: &str) -> bool {
    let is_exact = |part: &str| part == "." || !part.ends_with(['.', ' ']);
    !name.contains(['\\', ':', '~']) && name.split('/').all(is_exact)
}

/// Returns whether the path of a text can only lead to one file. It may begin with a drive and a
/// separator. Short names are allowed: the folder is hashed under any of its names.
pub(in super::super) fn is_plain_path(path: &str) -> bool {
    let rest = match path.as_bytes() {
        [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic() => &path[3..],
        _ => path,
    };
    let rest = rest.replace('\\', "/").replace('~', "_");
    !rest.starts_with("//") && is_plain(&rest)
}

/// Returns whether NVRTC searches an include path with backslashes as it is written.
///
/// NVRTC doubles them, which makes no difference except at the beginning of network paths and
/// verbatim paths.
pub(in super::super) fn backslashes_are_plain(path: &str) -> bool {
    !path.contains('\\') || !path.starts_with(['/', '\\'])
}

/// Returns the folder of a path, with the separator at its end.
pub(in super::super) fn folder_of(path: &str) -> &str {
    &path[..path.rfind(['/', '\\']).map_or(0, |at| at + 1)]
}

/// Returns the position of `wanted`.
pub(in super::super) fn find(text: &[u8], wanted: &str) -> Option<usize> {
    let wanted = wanted.as_bytes();
    let (&first, rest) = wanted.split_first()?;
    let mut start = 0;
    loop {
        // SAFETY: the pointer and the length are those of a slice.
        let found = unsafe {
            let text = &text[start..];
            libc::memchr(text.as_ptr().cast(), first.into(), text.len())
        };
        if found.is_null() {
            return None;
        }
        let at = found as usize - text.as_ptr() as usize;
        if text[at + 1..].starts_with(rest) {
            return Some(at);
        }
        start = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_another_meaning_are_not_plain() {
        for name in ["a.h", "a/b.cuh", "./a", "a b/c"] {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "a\\b", "C:a", "a:b", "GIT~1/a", "a. /b", "a./b", "a ", "a/.. /b",
        ] {
            assert!(!is_plain(name), "{name}");
        }
    }

    #[test]
    fn paths_may_begin_with_a_drive() {
        for (path, folder) in [
            ("a.cu", ""),
            ("a/b.cu", "a/"),
            ("C:\\a b\\x.cu", "C:\\a b\\"),
            ("C:\\RUNNER~1\\a/x.cu", "C:\\RUNNER~1\\a/"),
        ] {
            assert!(is_plain_path(path), "{path}");
            assert_eq!(folder_of(path), folder);
        }
        for path in [
            "C:a.cu",
            "C:\\a\\b:c",
            "\\\\?\\C:\\a.cu",
            "//server/a.cu",
            "a\\..\\b.cu",
            "a. \\b.cu",
        ] {
            assert!(!is_plain_path(path), "{path}");
        }
    }

    #[test]
    fn find_returns_the_first_position() {
        for (text, wanted, position) in [
            ("", "ab", None),
            ("aab", "ab", Some(1)),
            ("abab", "ab", Some(0)),
            ("xxa", "ab", None),
            ("xxa", "a", Some(2)),
        ] {
            assert_eq!(find(text.as_bytes(), wanted), position, "{text} {wanted}");
        }
    }

    #[test]
    fn folder_of_this_user_is_trusted() {
        let path = std::env::temp_dir().join(format!("cuda-safe-trust-{}", std::process::id()));
        assert!(Folder::open(&path).is_none());
        Folder::create(&path).unwrap();
        let folder = Folder::open(&path).unwrap();
        assert!(folder.open_trusted("a").is_none());
        drop(folder.create_file("a").unwrap());
        assert!(folder.create_file("a").is_err(), "it exists");
        assert!(folder.open_trusted("a").is_some());
        folder.rename("a", "b").unwrap();
        for name in ["..", "../a", "a\\b", "C:a"] {
            assert!(folder.create_file(name).is_err(), "{name}");
        }
        assert!(fs::remove_dir_all(&path).is_err(), "it is open");
        folder.remove("b");
        drop(folder);
        let _ = fs::remove_dir_all(&path);
    }
}
