//! Reading without blocking for ever, and without taking all memory.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The largest file that somebody can have written as a test or a model.
pub const MAX_TEXT: u64 = 64 << 20;

/// How long a pipe, or a device, may have nothing to say.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often the budget is looked at meanwhile.
const TICK: Duration = Duration::from_millis(50);

/// Room beyond the end of a file: with less, the end is looked for in a buffer apart.
const END: usize = 64;

/// What a pipe is read by.
const CHUNK: usize = 64 << 10;

/// The bytes of a file, at most so many.
///
/// # Errors
/// It cannot be read, is larger, or is a pipe that nobody writes to.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_found(path, &std::fs::metadata(path)?, most)
}

/// The bytes of a file that has been looked at.
///
/// # Errors
/// As [`read_file`].
pub fn read_found(path: &Path, metadata: &Metadata, most: u64) -> io::Result<Vec<u8>> {
    if metadata.is_file() || metadata.is_dir() {
        // All of it at once, and room for the end to be seen. What the disk says of its size may be out of date: no more than a hint.
        let size = metadata.len().min(most).min(MAX_TEXT) as usize;
        let mut bytes = Vec::with_capacity(size + END);
        File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        return not_more_than(bytes, most);
    }
    let path = path.to_path_buf();
    patiently(move || File::open(path), most)
}

/// The text of a file that somebody has written.
///
/// # Errors
/// As [`read_file`], or it is not text.
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_file(path, MAX_TEXT)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// All that a reader gives, at most so many bytes; it is given up if it says nothing for long.
///
/// # Errors
/// As [`read_file`].
pub fn read_all(reader: impl Read + Send + 'static, most: u64) -> io::Result<Vec<u8>> {
    patiently(|| Ok(reader), most)
}

/// Opening a pipe blocks, reading from one does: another thread does both, and is left alone with it when nobody waits any more.
fn patiently<R: Read>(
    open: impl FnOnce() -> io::Result<R> + Send + 'static,
    most: u64,
) -> io::Result<Vec<u8>> {
    let (send, receive) = mpsc::sync_channel::<io::Result<Vec<u8>>>(4);
    let work = move || {
        let failed = open().and_then(|mut reader| {
            loop {
                let mut chunk = vec![0; CHUNK];
                let n = match reader.read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    n => n?,
                };
                chunk.truncate(n);
                if n == 0 || send.send(Ok(chunk)).is_err() {
                    return Ok(());
                }
            }
        });
        if let Err(error) = failed {
            let _ = send.send(Err(error));
        }
    };
    std::thread::Builder::new().name("reader".to_string()).spawn(work)?;
    let mut bytes = Vec::new();
    let mut heard = Instant::now();
    loop {
        match receive.recv_timeout(TICK) {
            Ok(chunk) => {
                heard = Instant::now();
                bytes.extend(chunk?);
                if bytes.len() as u64 > most {
                    return not_more_than(bytes, most);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(bytes),
            Err(RecvTimeoutError::Timeout) if heard.elapsed() > PATIENCE => {
                let message = format!("nothing came for {} seconds", PATIENCE.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            Err(RecvTimeoutError::Timeout) => super::poll_now(),
        }
    }
}

fn not_more_than(bytes: Vec<u8>, most: u64) -> io::Result<Vec<u8>> {
    if bytes.len() as u64 <= most {
        return Ok(bytes);
    }
    Err(io::Error::other(format!("more than {} MB", most >> 20)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_up_to_a_size() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_file(&path, 5).unwrap(), b"12345");
        assert_eq!(read_file(&path, 4).unwrap_err().to_string(), "more than 0 MB");
        // One that has grown since it was looked at.
        let before = std::fs::metadata(&path).unwrap();
        std::fs::write(&path, "1234567").unwrap();
        assert_eq!(read_found(&path, &before, 7).unwrap(), b"1234567");
        assert_eq!(read_all(&b"abc"[..], 3).unwrap(), b"abc");
        assert!(read_all(io::repeat(0), 1 << 20).is_err());
    }

    #[test]
    fn whoever_waits_can_be_stopped() {
        struct Silent;
        impl Read for Silent {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                std::thread::sleep(Duration::from_secs(5));
                Ok(0)
            }
        }
        let budget = super::super::Budget::starting_now(Some(Duration::from_millis(60)), None, None);
        let started = Instant::now();
        assert!(matches!(budget.run(|| read_all(Silent, 10)), Err(super::super::Stopped::Time)));
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
