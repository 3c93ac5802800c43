//! Prints the n-grams of one and two letters of lingua's language models, for make.py: language, n-gram, ln of its
//! likelihood given all but its last letter.

use std::{env, fs};

use fst::{Map, Streamer};

fn main() {
    for model in env::args().skip(1) {
        let map = Map::new(fs::read(&model).unwrap()).unwrap();
        let mut ngrams = map.stream();
        while let Some((ngram, bits)) = ngrams.next() {
            let ngram = std::str::from_utf8(ngram).unwrap();
            if ngram.chars().count() <= 2 {
                println!("{model}\t{ngram}\t{}", f64::from_bits(bits));
            }
        }
    }
}
