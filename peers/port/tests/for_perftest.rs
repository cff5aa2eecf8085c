//! What base64 measures of itself, under perftest.

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use base64::prelude::Engine;
use base64::read::DecoderReader;
use base64::write::{EncoderStringWriter, EncoderWriter};
use peer_port::{SIZES, bytes};
use perftest::{Bencher, perf_test};
use std::io::{Read, Write};

#[perf_test(args = SIZES, throughput = bytes(|size| *size))]
fn encode(b: &mut Bencher, size: usize) {
    let input = bytes(size);
    b.iter(|| STANDARD.encode(&input));
}

#[perf_test(args = SIZES, throughput = bytes(|size| *size))]
fn encode_display(b: &mut Bencher, size: usize) {
    let input = bytes(size);
    b.iter(|| Base64Display::new(&input, &STANDARD).to_string());
}

#[perf_test(args = SIZES, throughput = bytes(|size| *size))]
fn encode_into_string(b: &mut Bencher, size: usize) {
    let input = bytes(size);
    let mut output = String::new();
    b.iter(|| {
        output.clear();
        STANDARD.encode_string(&input, &mut output);
    });
}

#[perf_test(args = SIZES, throughput = bytes(|size| *size))]
fn encode_into_slice(b: &mut Bencher, size: usize) {
    let input = bytes(size);
    let mut output = vec![0; 2 * size];
    b.iter(|| STANDARD.encode_slice(&input, &mut output).unwrap());
}

#[perf_test(args = SIZES, throughput = bytes(|size| *size))]
fn encode_through_writer(b: &mut Bencher, size: usize) {
    let input = bytes(size);
    let mut output = Vec::with_capacity(2 * size);
    b.iter(|| {
        output.clear();
        let mut writer = EncoderWriter::new(&mut output, &STANDARD);
        writer.write_all(&input).unwrap();
        writer.finish().unwrap();
    });
}

#[perf_test(args = SIZES, throughput = bytes(|size| *size))]
fn encode_through_string_writer(b: &mut Bencher, size: usize) {
    let input = bytes(size);
    b.iter(|| {
        let mut writer = EncoderStringWriter::new(&STANDARD);
        writer.write_all(&input).unwrap();
        writer.into_inner()
    });
}

#[perf_test(args = SIZES, throughput = bytes(|size| *size))]
fn decode(b: &mut Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    b.iter(|| STANDARD.decode(&input).unwrap());
}

#[perf_test(args = SIZES, throughput = bytes(|size| *size))]
fn decode_into_vec(b: &mut Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    let mut output = Vec::new();
    b.iter(|| {
        output.clear();
        STANDARD.decode_vec(&input, &mut output).unwrap();
    });
}

#[perf_test(args = SIZES, throughput = bytes(|size| *size))]
fn decode_into_slice(b: &mut Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    let mut output = vec![0; size + 3];
    b.iter(|| STANDARD.decode_slice(&input, &mut output).unwrap());
}

#[perf_test(args = SIZES, throughput = bytes(|size| *size))]
fn decode_through_reader(b: &mut Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    let mut output = Vec::with_capacity(size);
    b.iter(|| {
        output.clear();
        let mut reader = DecoderReader::new(input.as_bytes(), &STANDARD);
        reader.read_to_end(&mut output).unwrap()
    });
}

perftest::main!();
