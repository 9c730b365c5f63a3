//! Generates the parser of the cat language from `src/cat/grammar.lalrpop`.

fn main() {
    println!("cargo:rerun-if-changed=src/cat/grammar.lalrpop");
    lalrpop::Configuration::new()
        .use_cargo_dir_conventions()
        .emit_rerun_directives(true)
        .process()
        .expect("src/cat/grammar.lalrpop is a valid grammar");
}
