//! The fuzz targets over the inputs that are kept for them.

use super::reference;

use std::fs;
use std::path::Path;

use reference::in_parallel;
use reference::targets::TARGETS;

/// Miri takes about a thousand times as long.
const MIRI_INPUTS: usize = 1;

#[test]
fn corpora() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    if !corpora.exists() {
        println!("skipped: the published crate has no corpora");
        return;
    }
    for &(name, check) in TARGETS {
        let folder = corpora.join(name);
        let files = fs::read_dir(&folder).expect("each target has a corpus");
        let mut inputs: Vec<_> =
            files.map(|file| fs::read(file?.path())).collect::<Result<_, _>>().expect("files can be read");
        assert!(!inputs.is_empty(), "a run that tests nothing must not pass: {}", folder.display());
        if cfg!(miri) {
            inputs.sort_by_key(|input| (input.len(), input.clone()));
            inputs.truncate(MIRI_INPUTS);
        }
        in_parallel(inputs.len(), |index| check(&inputs[index]));
    }
}
