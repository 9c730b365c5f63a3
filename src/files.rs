//! Where files come from: the disk, or memory only.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::limits;

/// A place to read files from. Models, what they include, bell and macro files and tests are all read through one: who must not touch the
/// disk (a server, a page in a browser) gives a [`Memory`].
pub trait Files: fmt::Debug + Send + Sync {
    /// The bytes of a file; `None`: there is none (a folder is none).
    ///
    /// # Errors
    /// There is one, but it cannot be read, or has more than `most` bytes.
    fn read(&self, path: &Path, most: u64) -> io::Result<Option<Vec<u8>>>;

    /// Is there a folder of that name?
    fn is_folder(&self, path: &Path) -> bool;

    /// Is there a file of that name?
    fn is_file(&self, path: &Path) -> bool;
}

/// What bytes say; invalid UTF-8 is replaced. Nearly always they are text as it should be, and then looked at word by word.
pub fn text(bytes: &[u8]) -> Arc<str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Arc::from(text),
        Err(_) => Arc::from(String::from_utf8_lossy(bytes)),
    }
}

/// The disk.
#[derive(Clone, Copy, Default, Debug)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Ok(None),
            Ok(metadata) => limits::read_found(path, &metadata, most).map(Some),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
            // Not there; or not a possible path at all (a name with a NUL byte, a file where a folder should be).
            Err(_) => Ok(None),
        }
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }
}

/// Files in memory, and no others.
#[derive(Clone, Default, Debug)]
pub struct Memory {
    files: BTreeMap<PathBuf, String>,
}

impl Memory {
    /// None yet.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// With one more file.
    #[must_use]
    pub fn with(mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> Memory {
        self.files.insert(path.into(), text.into());
        self
    }
}

impl Files for Memory {
    fn read(&self, path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
        match self.files.get(path) {
            Some(text) if text.len() as u64 > most => {
                Err(io::Error::other(format!("more than {most} bytes")))
            }
            found => Ok(found.map(|text| text.as_bytes().to_vec())),
        }
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.files.keys().any(|file| file != path && file.starts_with(path))
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }
}
