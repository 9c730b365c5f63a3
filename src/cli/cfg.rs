//! herd7's configuration files: one `key argument` a line.

/// One setting and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The key.
    pub key: String,
    /// The argument: the rest of the line.
    pub value: String,
    /// The line, from 1.
    pub line: usize,
}

/// The settings of a configuration file, in order.
///
/// As herd7 reads them, with two kindnesses: blanks around a key or at the end of a line do not matter, and
/// the last line needs no end.
pub fn parse(text: &str) -> Result<Vec<Setting>, (usize, String)> {
    let mut settings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let end = line.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(line.len());
        let key = &line[..end];
        if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
            return Err((index + 1, format!("`{line}` is not a setting: `key argument` is needed")));
        }
        let rest = line[end..].trim_start();
        let value = rest.strip_prefix('=').unwrap_or(rest).trim_start();
        settings.push(Setting { key: key.to_string(), value: value.to_string(), line: index + 1 });
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match parse(text) {
            Ok(list) => list.iter().map(|s| format!("{}: {} -> {}\n", s.line, s.key, s.value)).collect(),
            Err((line, message)) => format!("{line}: {message}"),
        }
    }

    #[test]
    fn keys_and_arguments() {
        let text = "# comment\nmodel linux-kernel.cat\n\nvariant=lkmmv2\nedgeattr = hb,color,indigo  \n  splines spline";
        insta::assert_snapshot!(shown(text), @r"
        2: model -> linux-kernel.cat
        4: variant -> lkmmv2
        5: edgeattr -> hb,color,indigo
        6: splines -> spline
        ");
    }

    #[test]
    fn what_is_not_a_setting_is_refused_with_its_line() {
        insta::assert_snapshot!(shown("model x.cat\n= 3\n"), @"2: `= 3` is not a setting: `key argument` is needed");
    }
}
