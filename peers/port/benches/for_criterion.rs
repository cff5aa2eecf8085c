//! What base64 measures of itself, under criterion.

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use base64::prelude::Engine;
use base64::read::DecoderReader;
use base64::write::{EncoderStringWriter, EncoderWriter};
use criterion::{Bencher, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use peer_port::{SIZES, bytes};
use std::io::{Read, Write};

fn encode(b: &mut Bencher, size: usize) {
    let input = bytes(size);
    b.iter(|| STANDARD.encode(&input));
}

fn encode_display(b: &mut Bencher, size: usize) {
    let input = bytes(size);
    b.iter(|| Base64Display::new(&input, &STANDARD).to_string());
}

fn encode_into_string(b: &mut Bencher, size: usize) {
    let input = bytes(size);
    let mut output = String::new();
    b.iter(|| {
        output.clear();
        STANDARD.encode_string(&input, &mut output);
    });
}

fn encode_into_slice(b: &mut Bencher, size: usize) {
    let input = bytes(size);
    let mut output = vec![0; 2 * size];
    b.iter(|| STANDARD.encode_slice(&input, &mut output).unwrap());
}

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

fn encode_through_string_writer(b: &mut Bencher, size: usize) {
    let input = bytes(size);
    b.iter(|| {
        let mut writer = EncoderStringWriter::new(&STANDARD);
        writer.write_all(&input).unwrap();
        writer.into_inner()
    });
}

fn decode(b: &mut Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    b.iter(|| STANDARD.decode(&input).unwrap());
}

fn decode_into_vec(b: &mut Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    let mut output = Vec::new();
    b.iter(|| {
        output.clear();
        STANDARD.decode_vec(&input, &mut output).unwrap();
    });
}

fn decode_into_slice(b: &mut Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    let mut output = vec![0; size + 3];
    b.iter(|| STANDARD.decode_slice(&input, &mut output).unwrap());
}

fn decode_through_reader(b: &mut Bencher, size: usize) {
    let input = STANDARD.encode(bytes(size));
    let mut output = Vec::with_capacity(size);
    b.iter(|| {
        output.clear();
        let mut reader = DecoderReader::new(input.as_bytes(), &STANDARD);
        reader.read_to_end(&mut output).unwrap()
    });
}

fn all(c: &mut Criterion) {
    let mut group = c.benchmark_group("base64");
    for size in SIZES {
        group.throughput(Throughput::Bytes(size as u64));
        let mut add = |name, routine: fn(&mut Bencher, usize)| {
            group.bench_function(BenchmarkId::new(name, size), |b| routine(b, size));
        };
        add("encode", encode);
        add("encode_display", encode_display);
        add("encode_into_string", encode_into_string);
        add("encode_into_slice", encode_into_slice);
        add("encode_through_writer", encode_through_writer);
        add("encode_through_string_writer", encode_through_string_writer);
        add("decode", decode);
        add("decode_into_vec", decode_into_vec);
        add("decode_into_slice", decode_into_slice);
        add("decode_through_reader", decode_through_reader);
    }
    group.finish();
}

criterion_group!(benches, all);
criterion_main!(benches);
