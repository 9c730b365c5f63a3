//! The manual: one page, a section for each subcommand.

use std::io::Write;

use clap::{Command, CommandFactory};

use super::args::Cli;
use super::{Done, Exit};

/// Prints the manual page.
pub fn man(out: &mut (dyn Write + Send)) -> Done {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    // The date is left open, not left out: else the version would stand for it.
    let page = String::from_utf8_lossy(&page).replacen(".TH litmus 1  ", ".TH LITMUS 1 \"\" ", 1);
    let mut page = end_matter(&page, ".SH");
    // There is one page, not one for each subcommand.
    for sub in command.get_subcommands() {
        let name = sub.get_name();
        page = page.replace(&format!("litmus\\-{name}(1)"), &format!("\\fBlitmus {name}\\fR"));
    }
    for sub in command.get_subcommands() {
        section(sub, &mut page)?;
    }
    // A blank line ends a line by itself.
    let page = page.replace("\n.br\n\n.br\n", "\n\n");
    out.write_all(plain(&page).as_bytes())?;
    Ok(Exit::Success)
}

/// The section of a subcommand, and those of its own subcommands.
fn section(command: &Command, page: &mut String) -> std::io::Result<()> {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_string();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    *page += &format!(".SH \"{}\"\n{}\n", name.to_uppercase(), escaped(&about));
    let man = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    man.render_synopsis_section(&mut text)?;
    man.render_options_section(&mut text)?;
    man.render_extra_section(&mut text)?;
    let text = String::from_utf8_lossy(&text).replace(".SH ", ".SS ");
    *page += &end_matter(&text, ".SS");
    for sub in command.get_subcommands() {
        section(sub, page)?;
    }
    Ok(())
}

/// Exit codes and examples keep their lines, under a title that says what they are.
fn end_matter(text: &str, macro_name: &str) -> String {
    let extra = format!("{macro_name} EXTRA\n");
    let Some((before, after)) = text.split_once(&extra) else { return text.to_string() };
    let end = after.find("\n.S").map_or(after.len(), |at| at + 1);
    let (body, rest) = after.split_at(end);
    format!("{before}{macro_name} \"NOTES AND EXAMPLES\"\n.nf\n{}\n.fi\n{rest}", body.trim_end())
}

/// Without blanks at the end of lines, and in ASCII: not every formatter reads more.
fn plain(page: &str) -> String {
    let mut text = String::new();
    for line in page.lines() {
        for c in line.trim_end().chars() {
            match c.is_ascii() {
                true => text.push(c),
                false => text += &format!("\\[u{:04X}]", u32::from(c)),
            }
        }
        text.push('\n');
    }
    text
}

fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('-', "\\-");
    // A line must not start like a request.
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}
