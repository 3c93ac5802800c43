//! The signatures of binary formats.

/// Offsets, signatures and kinds, from the specifications of the formats and the file signatures of the UK National
/// Archives (PRONOM).
const SIGNATURES: [(usize, &[u8], &str); 38] = [
    (0, b"\x1F\x8B\x08", "gzip"), // RFC 1952
    (0, b"PK\x03\x04", "zip"),    // APPNOTE.TXT; also .docx, .jar, .whl, ...
    (0, b"PK\x05\x06", "zip"),
    (0, b"PK\x07\x08", "zip"),
    (0, b"BZh", "bzip2"),
    (0, b"\xFD7zXZ\0", "xz"),
    (0, b"\x28\xB5\x2F\xFD", "zstd"), // RFC 8878
    (0, b"\x04\x22\x4D\x18", "lz4"),
    (0, b"7z\xBC\xAF\x27\x1C", "7z"),
    (0, b"Rar!\x1A\x07", "rar"),
    (0, b"\x1F\x9D", "compress"),
    (0, b"MSCF\0\0\0\0", "cab"),
    (257, b"ustar", "tar"), // POSIX.1-1988
    (0, b"!<arch>\n", "ar"),
    (0, b"\xED\xAB\xEE\xDB", "rpm"),
    (0, b"%PDF-", "pdf"),             // ISO 32000
    (0, b"\x89PNG\r\n\x1A\n", "png"), // RFC 2083
    (0, b"\xFF\xD8\xFF", "jpeg"),     // ITU-T T.81
    (0, b"GIF87a", "gif"),
    (0, b"GIF89a", "gif"),
    (0, b"II*\0", "tiff"),
    (0, b"MM\0*", "tiff"),
    (8, b"WEBPVP8", "webp"), // RFC 9649
    (8, b"WAVEfmt ", "wav"),
    (8, b"AVI LIST", "avi"),
    (4, b"ftyp", "mp4"),                  // ISO/IEC 14496-12; also .heic, .mov, ...
    (0, b"\x1A\x45\xDF\xA3", "matroska"), // RFC 9559; also .webm
    (0, b"OggS\0", "ogg"),                // RFC 3533
    (0, b"fLaC\0", "flac"),               // RFC 9639
    (0, b"ID3", "mp3"),
    (0, b"\x7FELF", "elf"),
    (0, b"MZ", "exe"),
    (0, b"\xCA\xFE\xBA\xBE", "class"), // also binaries of macOS for several processors
    (0, b"\xCF\xFA\xED\xFE", "macho"),
    (0, b"\0asm\x01\0\0\0", "wasm"),
    (0, b"SQLite format 3\0", "sqlite"),
    (0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "ole"), // MS-CFB: .doc, .xls, .msi
    (0, b"wOF2", "woff2"),
];

/// Returns all kinds that have a signature.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    SIGNATURES.iter().map(|&(_, _, kind)| kind)
}

/// The number of bytes in which controls distinguish a format from text.
const HEAD_BYTES: usize = 512;

/// Returns whether a byte is a control that text does not have. Text has those that move the cursor or change colours.
pub(super) fn is_control(byte: u8) -> bool {
    (byte < 0x20 && !matches!(byte, 0x08..=b'\r' | 0x1A | 0x1B)) || byte == 0x7F
}

/// Returns the kind of data that is not text.
///
/// A signature of printable characters counts only if there is also a control.
pub(super) fn kind_of(data: &[u8]) -> Option<&'static str> {
    let has = |&(at, signature, _): &(usize, &[u8], _)| {
        data.get(at..).is_some_and(|rest| rest.starts_with(signature))
    };
    let (_, signature, kind) = *SIGNATURES.iter().find(|&signature| has(signature))?;
    let is_word = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    let words = signature.iter().all(is_word) && kind != "pdf";
    let head = &data[..data.len().min(HEAD_BYTES)];
    (!words || head.iter().any(|&byte| is_control(byte))).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_not_signatures() {
        assert_eq!(kind_of(b"GIF89a\x01\0\x01\0"), Some("gif"));
        assert_eq!(kind_of(b"GIF89a is a format"), None);
        assert_eq!(kind_of("MZ heißt es".as_bytes()), None);
        assert_eq!(kind_of(b"MZ\x90\0\x03\0\0\0"), Some("exe"));
        assert_eq!(kind_of(b"%PDF-1.7\n"), Some("pdf"));
        assert_eq!(kind_of(b""), None);
    }
}
