//! `litmus merge`.

use std::io::Write;

use super::args::MergeArgs;
use super::{Done, Stop};

/// Not there yet.
pub fn merge(_args: &MergeArgs, _out: &mut (dyn Write + Send), _err: &mut (dyn Write + Send)) -> Done {
    Err(Stop::Unsupported("`litmus merge` is not there yet".to_string()))
}
