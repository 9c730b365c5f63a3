//! Models for programs.

use super::{Failure, Prepared, Settings, prepare_model};
use crate::arch::ArchId;
use crate::arch::c::unit::lower::Machine;

/// The model of that name, for programs in C. Models of machines are for what it is compiled to.
///
/// # Errors
/// There is no such model, or it is wrong.
pub fn prepare_for_programs(settings: &Settings, name: &str) -> Result<Prepared, Failure> {
    let own = match name {
        "aarch64" => "aarch64-programs",
        "lkmm" | "linux-kernel" => "lkmm-programs",
        "power" => "ppc",
        name => name,
    };
    let for_c = prepare_model(settings, own, ArchId::C);
    let machines = || ArchId::ALL.into_iter().filter(|arch| Machine::of(*arch).is_some());
    match for_c {
        Ok(prepared) => match prepared.arch.filter(|arch| Machine::of(*arch).is_some()) {
            Some(arch) => prepare_model(settings, own, arch),
            None => Ok(prepared),
        },
        Err(failure) if failure.other_arch => {
            let compiled = machines().find_map(|arch| prepare_model(settings, own, arch).ok());
            compiled.ok_or(failure)
        }
        failed => failed,
    }
}
