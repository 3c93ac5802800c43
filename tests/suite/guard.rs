//! Data right before and right after memory that cannot be read or written: whatever reads or writes one byte
//! too many ends the whole test.

#![cfg(unix)]

use super::reference;

use std::os::fd::AsRawFd;
use std::{io, iter};

use reference::guards::between_guards;
use reference::{all_or_fewer, check_in_place, on_every_implementation};

/// Asks the system to read a byte and say whether it can.
fn can_be_read(byte: *const u8) -> bool {
    let (_reader, writer) = io::pipe().expect("a pipe can be had");
    // SAFETY: if the byte cannot be read, this fails and does nothing.
    let written = unsafe { libc::write(writer.as_raw_fd(), byte.cast(), 1) };
    assert!(written == 1 || io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT));
    written == 1
}

#[test]
fn guards_cannot_be_read() {
    let buffer = between_guards(1);
    let range = buffer.as_ptr_range();
    assert!(can_be_read(range.start) && can_be_read(range.end.wrapping_sub(1)));
    assert!(!can_be_read(range.start.wrapping_sub(1)) && !can_be_read(range.end));
}

/// Every length around the ends of vectors and blocks, and many around pages and stretches.
fn lengths() -> impl Iterator<Item = usize> {
    let step = all_or_fewer(1, 5, "guards: every fifth length about 4,096 and 8,192");
    let long = [4096, 8192].into_iter().flat_map(move |size| (size - 70..=size + 70).step_by(step));
    (0..=700).chain(long)
}

/// `length` bytes of `fill` over and over, which may be truncated inside a character, and the same text
/// filled up with ASCII instead.
fn texts(fill: &str, length: usize) -> [Vec<u8>; 2] {
    let cut = fill.bytes().cycle().take(length).collect::<Vec<_>>();
    let mut whole = cut.clone();
    if let Err(error) = str::from_utf8(&cut) {
        whole[error.valid_up_to()..].fill(b'a');
    }
    [cut, whole]
}

/// `text`, and `text` with an error at its start, in its middle and at its end.
fn broken(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let places = if text.is_empty() { vec![] } else { vec![0, text.len() / 2, text.len() - 1] };
    let broken = places.into_iter().map(|place| {
        let mut text = text.to_vec();
        text[place] = 0xFF;
        text
    });
    iter::once(text.to_vec()).chain(broken)
}

#[test]
fn nothing_is_read_before_or_after_the_data() {
    let buffer = between_guards(8192 + 70);
    let mixed = "a\nб€😀".repeat(7) + &"plain ASCII\n".repeat(30);
    for length in lengths() {
        for fill in ["a", "é", "€", "😀", &mixed] {
            for data in texts(fill, length).iter().flat_map(|text| broken(text)) {
                for start in [0, buffer.len() - length] {
                    let place = &mut buffer[start..start + length];
                    place.copy_from_slice(&data);
                    check_in_place(place);
                }
            }
        }
    }
}

/// The units that `buffer` has place for, the first and the last that many.
fn ends<U>(buffer: &mut [u8], units: usize) -> [&mut [U]; 2] {
    // SAFETY: pages are aligned for any integer, and any bytes are one.
    let (_, all, _) = unsafe { buffer.align_to_mut::<U>() };
    let (first, last) = all.split_at_mut(all.len() / 2);
    let after = last.len() - units;
    [&mut first[..units], &mut last[after..]]
}

#[test]
fn nothing_is_decoded_beyond_the_data_or_the_space() {
    let data = between_guards(4096);
    let buffer = between_guards(2 * 4 * 1024);
    let step = all_or_fewer(1, 7, "guards: every seventh length is decoded");
    let mixed = "a\nб€😀é plain ASCII".repeat(7);
    for length in (0..=700).step_by(step) {
        for fill in ["a", "é", "€", "😀", &mixed] {
            for text in texts(fill, length).iter().flat_map(|text| broken(text)) {
                let (chars, units) =
                    (reference::leads(&text), reference::leads(&text) + reference::widths(&text)[3]);
                for start in [0, data.len() - length] {
                    data[start..start + length].copy_from_slice(&text);
                    let data = &data[start..start + length];
                    on_every_implementation(|implementation| {
                        for buffer in ends::<u8>(buffer, chars) {
                            implementation.fill_latin1(data, buffer);
                        }
                        for buffer in ends::<u16>(buffer, units) {
                            implementation.fill_utf16(data, buffer);
                        }
                        for buffer in ends::<u32>(buffer, chars) {
                            implementation.fill_utf32(data, buffer);
                        }
                    });
                }
            }
        }
    }
}

#[test]
fn variants_read_nothing_before_or_after_the_data() {
    let buffer = between_guards(8192 + 70);
    let step = all_or_fewer(1, 5, "guards: every fifth length of the variants");
    let pairs: Vec<u8> = b"\xED\xA0\xBD\xED\xB8\x80a\xC0\x80\xC3\xA9".repeat(800);
    for length in lengths().step_by(step) {
        for data in [&pairs[..length], &"a€".repeat(2800).as_bytes()[..length]] {
            for data in broken(data) {
                for start in [0, buffer.len() - length] {
                    let place = &mut buffer[start..start + length];
                    place.copy_from_slice(&data);
                    on_every_implementation(|on| {
                        assert_eq!(on.is_valid_cesu8(place), on.decode_cesu8(place).is_ok());
                        assert_eq!(on.is_valid_mutf8(place), on.decode_mutf8(place).is_ok());
                        assert_eq!(on.is_valid_wtf8(place), on.decode_wtf8(place).is_ok());
                        let (narrow, wide) = (on.decode_rfc2279(place), on.decode_extended(place));
                        assert!(wide.is_ok() || narrow.is_err());
                    });
                }
            }
        }
    }
}

#[cfg(feature = "unicode")]
#[test]
fn forms_and_clusters_read_nothing_before_or_after_the_units() {
    use leadbyte::unicode::Form;

    let buffer = between_guards(2 * 4 * 400);
    let texts = ["a".repeat(400), "жé".repeat(200), "e\u{301}\u{323}к".repeat(100), "ऋषि".repeat(100)];
    for length in (0..=300).step_by(all_or_fewer(1, 7, "guards: every seventh length of forms and clusters"))
    {
        for text in &texts {
            let units: Vec<u16> = text.encode_utf16().take(length).collect();
            for place in ends::<u16>(buffer, length) {
                place.copy_from_slice(&units);
                on_every_implementation(|on| {
                    for form in Form::ALL {
                        assert_eq!(on.normalize_ucs2(form, place), on.normalize_ucs2(form, &units));
                    }
                    assert_eq!(on.cluster_ends_of_ucs2(place).last().copied().unwrap_or_default(), length);
                });
            }
            for place in ends::<u32>(buffer, length) {
                place.iter_mut().zip(&units).for_each(|(place, &unit)| *place = unit.into());
                on_every_implementation(|on| {
                    for form in Form::ALL {
                        assert_eq!(on.normalize_utf32(form, place), on.normalize_ucs2(form, &units));
                    }
                    assert_eq!(on.cluster_ends_of_utf32(place).last().copied().unwrap_or_default(), length);
                });
            }
        }
    }
}
