//! The setting `core.excludesFile` of Git.

use std::env;
use std::path::PathBuf;

use super::patterns::{Links, read};

/// Returns the path of the patterns for all repositories: of Git's configuration, or the default.
pub(super) fn excludes_file() -> Option<PathBuf> {
    let home = env::home_dir();
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = variable("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let own = own.map(|directory| directory.join("git"));
    let global = match env::var_os("GIT_CONFIG_GLOBAL") {
        Some(path) => vec![PathBuf::from(path)],
        None => {
            let usual = home.as_ref().map(|home| home.join(".gitconfig"));
            usual.into_iter().chain(own.as_ref().map(|own| own.join("config"))).collect()
        }
    };
    let system = variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"));
    let value =
        global.into_iter().chain([system]).find_map(|file| value_in(&read(&file, Links::Followed).ok()?));
    let Some(value) = value else { return Some(own?.join("ignore")) };
    let path = String::from_utf8(value).ok()?;
    match path.strip_prefix("~/") {
        Some(path) => Some(home?.join(path)),
        None => Some(PathBuf::from(path)),
    }
}

/// Returns the last value of the setting in a configuration file, by git-config(1).
fn value_in(contents: &[u8]) -> Option<Vec<u8>> {
    let mut found = None;
    let mut in_core = false;
    let mut rest = contents.strip_prefix("\u{feff}".as_bytes()).unwrap_or(contents);
    while !rest.is_empty() {
        rest = rest.trim_ascii_start();
        if let Some(section) = rest.strip_prefix(b"[") {
            let end = section.iter().position(|&byte| matches!(byte, b']' | b'\n')).unwrap_or(section.len());
            in_core = section[..end].eq_ignore_ascii_case(b"core");
            rest = section.get(end + 1..).unwrap_or_default();
            continue;
        }
        let end =
            rest.iter().position(|&byte| matches!(byte, b'=' | b'\n' | b'#' | b';')).unwrap_or(rest.len());
        let name = rest[..end].trim_ascii_end();
        rest = rest[end..].strip_prefix(b"=").unwrap_or(&rest[end..]);
        let value = value(&mut rest);
        if in_core && name.eq_ignore_ascii_case(b"excludesfile") {
            found = Some(value);
        }
    }
    found
}

/// Removes a value, up to the end of its line, from the start of `rest`, and returns it without quotes and escapes.
fn value(rest: &mut &[u8]) -> Vec<u8> {
    let mut value = vec![];
    // The length with the last byte that is not white space, or is quoted.
    let mut length = 0;
    let mut is_quoted = false;
    let mut is_comment = false;
    let mut bytes = rest.iter();
    while let Some(&byte) = bytes.next() {
        let byte = match byte {
            b'\n' => break,
            _ if is_comment => continue,
            b'#' | b';' if !is_quoted => {
                is_comment = true;
                continue;
            }
            b'"' => {
                is_quoted = !is_quoted;
                continue;
            }
            b'\\' => match bytes.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'\n') | None => continue,
                Some(&byte) => byte,
            },
            byte => byte,
        };
        let is_space = byte.is_ascii_whitespace() && !is_quoted;
        if is_space && value.is_empty() {
            continue;
        }
        value.push(byte);
        if !is_space {
            length = value.len();
        }
    }
    *rest = bytes.as_slice();
    value.truncate(length);
    value
}
