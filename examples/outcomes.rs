//! Which outcomes does a model of one's own allow a test? Nothing is read from the disk.
//!
//! `cargo run --example outcomes`

fn main() -> Result<(), litmus::Error> {
    let model = litmus::Model::from_text(
        "mine",
        "\"writes wait, reads do not\"\ninclude \"cos.cat\"\nacyclic (po \\ W*R) | rfe | co | fr as ghb\n",
    )?;
    let test = litmus::Test::from_text(
        "X86 SB
{}
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)",
    );
    let answers = litmus::run(&test, &model)?;
    for state in answers.states() {
        println!("{state}");
    }
    println!("{} executions; the condition holds: {}", answers.executions(), answers.condition_holds());
    Ok(())
}
