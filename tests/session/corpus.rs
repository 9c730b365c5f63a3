//! Every model file of the reference corpus through `model check`, files meant only for inclusion too.

use std::path::PathBuf;

use litmus::diag::{Color, render_all};
use litmus::session::{CheckedModel, Settings, check_model};

/// Checks every `.cat` file of a folder of the corpus, `-I` that folder.
fn check_folder(folder: &str, on_path: bool) -> Vec<(String, CheckedModel)> {
    let root =
        std::env::var_os("LITMUS_CORPUS").map_or_else(|| PathBuf::from("../shared/corpus"), PathBuf::from);
    let dir = root.join("cat").join(folder);
    let mut names: Vec<String> = std::fs::read_dir(&dir)
        .expect("the corpus")
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.ends_with(".cat"))
        .collect();
    names.sort();
    let settings =
        Settings { include: if on_path { vec![dir.clone()] } else { Vec::new() }, ..Settings::default() };
    let check = |name: String| {
        let checked = check_model(&settings, &dir.join(&name).display().to_string(), None, true);
        (name, checked)
    };
    names.into_iter().map(check).collect()
}

/// The names of those with errors.
fn refused(checked: &[(String, CheckedModel)]) -> Vec<&str> {
    let mut names = Vec::new();
    for (name, checked) in checked.iter().filter(|(_, checked)| checked.model.is_none()) {
        println!("{}", render_all(&checked.diagnostics, &checked.sources, Color::Never));
        names.push(name.as_str());
    }
    names
}

/// The four that are refused fail on every test in herd7 as well: they use the fences of `aarch64fences.cat` as relations, which are sets
/// by now.
#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn herd_and_the_kernel() {
    let herd = check_folder("herd", true);
    assert!(herd.len() > 80);
    assert_eq!(refused(&herd), ["aarch64-obsolete.cat", "doc64.cat", "herd.cat", "pretty.cat"]);
    assert_eq!(refused(&check_folder("linux", true)), [""; 0]);
}

/// With their own `stdlib.cat` and with ours; what they expect to be predefined is listed.
#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn dat3m() {
    for on_path in [true, false] {
        let checked = check_folder("dat3m", on_path);
        assert_eq!(refused(&checked), [""; 0]);
        if let Some((_, sc)) = checked.iter().find(|(name, _)| name == "sc.cat") {
            assert!(sc.unbound.iter().any(|(name, _)| name == "co"));
        }
    }
}
