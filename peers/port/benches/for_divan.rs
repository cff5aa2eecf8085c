//! What base64 measures of itself, under divan.

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use base64::prelude::Engine;
use base64::read::DecoderReader;
use base64::write::{EncoderStringWriter, EncoderWriter};
use divan::{Bencher, counter::BytesCount};
use peer_port::{SIZES, bytes};
use std::io::{Read, Write};

#[divan::bench(args = SIZES)]
fn encode(b: Bencher, size: usize) {
    let input = bytes(size);
    b.counter(BytesCount::new(size)).bench_local(|| STANDARD.encode(&input));
}

#[divan::bench(args = SIZES)]
fn encode_display(b: Bencher, size: usize) {
    let input = bytes(size);
    b.counter(BytesCount::new(size))
        .bench_local(|| Base64Display::new(&input, &STANDARD).to_string());
}

#[divan::bench(args = SIZES)]
fn encode_into_string(b: Bencher, size: usize) {
    let input = bytes(size);
    let mut output = String::new();
    b.counter(BytesCount::new(size)).bench_local(|| {
        output.clear();
        STANDARD.encode_string(&input, &mut output);
    });
}

#[divan::bench(args = SIZES)]
fn encode_into_slice(b: Bencher, size: usize) {
    let input = bytes(size);
    let mut output = vec![0; 2 * size];
    b.counter(BytesCount::new(size))
        .bench_local(|| STANDARD.encode_slice(&input, &mut output).unwrap());
}

#[divan::bench(args = SIZES)]
fn encode_through_writer(b: Bencher, size: usize) {
    let input = bytes(size);
    let mut output = Vec::with_capacity(2 * size);
    b.counter(BytesCount::new(size)).bench_local(|| {
        output.clear();
        let mut writer = EncoderWriter::new(&mut output, &STANDARD);
        writer.write_all(&input).unwrap();
        writer.finish().unwrap();
    });
}

#[divan::bench(args = SIZES)]
fn encode_through_string_writer(b: Bencher, size: usize) {
    let input = bytes(size);
    b.counter(BytesCount::new(size)).bench_local(|| {
        let mut writer = EncoderStringWriter::new(&STANDARD);
        writer.write_all(&input).unwrap();
        writer.into_inner()
    });
}

#[divan::bench(args = SIZES)]
fn decode(b: Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    b.counter(BytesCount::new(size)).bench_local(|| STANDARD.decode(&input).unwrap());
}

#[divan::bench(args = SIZES)]
fn decode_into_vec(b: Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    let mut output = Vec::new();
    b.counter(BytesCount::new(size)).bench_local(|| {
        output.clear();
        STANDARD.decode_vec(&input, &mut output).unwrap();
    });
}

#[divan::bench(args = SIZES)]
fn decode_into_slice(b: Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    let mut output = vec![0; size + 3];
    b.counter(BytesCount::new(size))
        .bench_local(|| STANDARD.decode_slice(&input, &mut output).unwrap());
}

#[divan::bench(args = SIZES)]
fn decode_through_reader(b: Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    let mut output = Vec::with_capacity(size);
    b.counter(BytesCount::new(size)).bench_local(|| {
        output.clear();
        let mut reader = DecoderReader::new(input.as_bytes(), &STANDARD);
        reader.read_to_end(&mut output).unwrap()
    });
}

fn main() {
    divan::main();
}
