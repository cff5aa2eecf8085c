//! Density and modes.

use crate::fixture::{cases, number, numbers};
use perftest_core::stats::{density, modes};

#[test]
fn the_density_is_the_published_one() {
    for case in cases(include_str!("density_qrde_hd.json"), 6) {
        let bins = density(&case.sample("values"), number(case.param("bin_count")) as usize);
        let expected = case.expected("bins").as_array().unwrap();
        assert_eq!(bins.len(), expected.len(), "{}", case.name());
        for (bin, expected) in bins.iter().zip(expected) {
            let expected = numbers(expected);
            case.assert_near("lower", bin.lower, expected[0], 1e-9);
            case.assert_near("upper", bin.upper, expected[1], 1e-9);
            case.assert_near("height", bin.height, expected[2], 1e-5);
        }
    }
}

#[test]
fn the_modes_are_the_published_ones() {
    for case in cases(include_str!("multimodality_lowland.json"), 26) {
        let sample = case.sample("values");
        let (sorted, size) = (sample.sorted(), sample.size() as f64);
        let near = 1e-4 * (sorted[sorted.len() - 1] - sorted[0]);
        let modes = modes(&sample);
        let expected = case.expected("modes").as_array().unwrap();
        assert_eq!(modes.len(), expected.len(), "{}", case.name());
        assert_eq!(modes.len() as f64, number(case.expected("modality")), "{}", case.name());
        for (mode, expected) in modes.iter().zip(expected) {
            let found = [mode.location, mode.lower, mode.upper];
            for (found, key) in found.into_iter().zip(["location", "left", "right"]) {
                let expected = number(&expected[key]);
                let difference = (found - expected).abs();
                assert!(difference <= near, "{}: {key} {found}, not {expected}", case.name());
            }
            case.assert_near("count", mode.share * size, number(&expected["count"]), 1e-9);
        }
    }
}
