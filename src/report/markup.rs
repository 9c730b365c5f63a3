//! Tables for papers and pages: Markdown and LaTeX.

use std::io::{self, Write};

/// What a table is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Markup {
    /// A pipe table.
    Markdown,
    /// A `tabular`.
    Latex,
}

/// Writes a table: a row of heads, then rows of cells. Rows that matter are set in bold.
pub(super) fn write_table(
    out: &mut dyn Write,
    markup: Markup,
    heads: &[&str],
    rows: &[(bool, Vec<&str>)],
) -> io::Result<()> {
    let cells = |cells: &[&str], bold: bool| -> Vec<String> {
        cells.iter().enumerate().map(|(at, cell)| markup.cell(cell, bold && at == 0)).collect()
    };
    match markup {
        Markup::Markdown => {
            writeln!(out, "| {} |", cells(heads, false).join(" | "))?;
            writeln!(out, "|{}", "---|".repeat(heads.len()))?;
            for (bold, row) in rows {
                writeln!(out, "| {} |", cells(row, *bold).join(" | "))?;
            }
        }
        Markup::Latex => {
            writeln!(out, "\\begin{{tabular}}{{{}}}\n\\hline", "l".repeat(heads.len()))?;
            writeln!(out, "{} \\\\\n\\hline", cells(heads, false).join(" & "))?;
            for (bold, row) in rows {
                writeln!(out, "{} \\\\", cells(row, *bold).join(" & "))?;
            }
            writeln!(out, "\\hline\n\\end{{tabular}}")?;
        }
    }
    Ok(())
}

impl Markup {
    fn cell(self, text: &str, bold: bool) -> String {
        let text = self.escaped(text);
        match (self, bold && !text.is_empty()) {
            (_, false) => text,
            (Markup::Markdown, true) => format!("**{text}**"),
            (Markup::Latex, true) => format!("\\textbf{{{text}}}"),
        }
    }

    /// The text as it is: nothing in it is markup.
    fn escaped(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match (self, c) {
                (_, c) if c.is_control() => out.push(' '),
                (Markup::Markdown, '\\' | '`' | '*' | '_' | '|' | '<' | '[' | ']' | '#' | '~' | '&') => {
                    out.extend(['\\', c]);
                }
                (Markup::Latex, '&' | '%' | '$' | '#' | '_' | '{' | '}') => out.extend(['\\', c]),
                (Markup::Latex, '\\') => out.push_str("\\textbackslash{}"),
                (Markup::Latex, '~') => out.push_str("\\textasciitilde{}"),
                (Markup::Latex, '^') => out.push_str("\\textasciicircum{}"),
                (_, c) => out.push(c),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(markup: Markup) -> String {
        let mut out = Vec::new();
        let rows = [(true, vec!["a_b|c", "Ok 1/4"]), (false, vec!["d&e", "100%"])];
        write_table(&mut out, markup, &["Test", "x86~tso"], &rows).expect("writes to memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn markdown() {
        insta::assert_snapshot!(table(Markup::Markdown), @r"
        | Test | x86\~tso |
        |---|---|
        | **a\_b\|c** | Ok 1/4 |
        | d\&e | 100% |
        ");
    }

    #[test]
    fn latex() {
        insta::assert_snapshot!(table(Markup::Latex), @r"
        \begin{tabular}{ll}
        \hline
        Test & x86\textasciitilde{}tso \\
        \hline
        \textbf{a\_b|c} & Ok 1/4 \\
        d\&e & 100\% \\
        \hline
        \end{tabular}
        ");
    }
}
