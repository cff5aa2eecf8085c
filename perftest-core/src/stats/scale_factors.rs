//! What makes an estimate of scale the standard deviation of a normal sample, for each size.
//!
//! Definition: the reciprocal of the estimator's mean in samples of n standard normal values: a
//! simulated table for small n, a fitted curve beyond it.
//!
//! Source: Park, Kim and Wang, "Investigation of finite-sample properties of robust location and
//! scale estimators", Communications in Statistics 51 (2022), for the median absolute deviation
//! and for Shamos' spread; Akinshin, "Finite-sample bias-correction factors for the median
//! absolute deviation based on the Harrell-Davis quantile estimator and its trimmed
//! modification", arXiv 2207.12005.

/// The median absolute deviation of a standard normal distribution: its third quartile.
const NORMAL_MAD: f64 = 0.674_489_750_196_082;
/// Entries of the tables of the median absolute deviation that are used: of 100 values the curve is.
const TABLED_MAD: usize = 98;
/// The median distance of two standard normal values.
const NORMAL_SHAMOS: f64 = 0.953_872_6;

/// A published table of factors or biases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScaleTable {
    /// Relative bias of the median absolute deviation with interpolated medians.
    MadBias,
    /// Mean of the median absolute deviation with Harrell-Davis medians, for a deviation of 1.
    HarrellDavisMad,
    /// Relative bias of Shamos' spread.
    ShamosBias,
}

impl ScaleTable {
    /// The entries of samples of 2 to 100 values.
    ///
    /// ```
    /// use perftest_core::stats::ScaleTable;
    /// assert_eq!(ScaleTable::ShamosBias.entries()[..2], [0.18315, 0.29894]);
    /// ```
    pub const fn entries(self) -> &'static [f64; 99] {
        match self {
            Self::MadBias => &MAD_BIAS,
            Self::HarrellDavisMad => &HARRELL_DAVIS_MAD,
            Self::ShamosBias => &SHAMOS_BIAS,
        }
    }

    /// What an estimate from a sample of `size` values, two at least, is multiplied by.
    ///
    /// ```
    /// use perftest_core::stats::ScaleTable;
    /// assert!((ScaleTable::ShamosBias.factor(2) - 0.886_073).abs() < 1e-6);
    /// assert!((ScaleTable::MadBias.factor(1_000_000) - 1.482_604).abs() < 1e-6);
    /// ```
    pub fn factor(self, size: usize) -> f64 {
        match self {
            Self::MadBias => {
                let curve = |n: f64| -0.762_13 / n - 0.864_13 / (n * n);
                1.0 / (NORMAL_MAD * (1.0 + tabled(&MAD_BIAS[..TABLED_MAD], size, curve)))
            }
            Self::HarrellDavisMad => {
                let curve = |n: f64| NORMAL_MAD * (1.0 - 0.5 / n + 6.5 / (n * n));
                1.0 / tabled(&HARRELL_DAVIS_MAD[..TABLED_MAD], size, curve)
            }
            Self::ShamosBias => {
                let curve = |n: f64| 0.414_253_297 / n - 0.442_396_799 / (n * n);
                1.0 / (NORMAL_SHAMOS * (1.0 + tabled(&SHAMOS_BIAS, size, curve)))
            }
        }
    }
}

/// The entry of a table that begins with samples of two values, or the curve beyond its end.
///
/// ```
/// use perftest_core::stats::tabled;
/// let curve = |n: f64| 1.0 + 1.0 / n;
/// assert_eq!([2, 3, 4].map(|size| tabled(&[1.7, 1.4], size, curve)), [1.7, 1.4, 1.25]);
/// ```
pub fn tabled(table: &[f64], size: usize, curve: fn(f64) -> f64) -> f64 {
    let entry = size.checked_sub(2).and_then(|row| table.get(row));
    entry.copied().unwrap_or_else(|| curve(size as f64))
}

/// Relative bias of the median absolute deviation, from two values to 100.
#[rustfmt::skip]
const MAD_BIAS: [f64; 99] = [
    -0.163388, -0.3275897, -0.2648275, -0.178125, -0.1594213, -0.1210631, -0.1131928, -0.0920658,
    -0.0874503, -0.0741303, -0.0711412, -0.0620918, -0.060021, -0.0534603, -0.0519047, -0.0467319,
    -0.0455579, -0.0417554, -0.0408248, -0.0376967, -0.036835, -0.0342394, -0.033539, -0.0313065,
    -0.0309765, -0.029022, -0.0287074, -0.0269133, -0.0265451, -0.0250734, -0.0248177, -0.023646,
    -0.0232808, -0.0222099, -0.0220756, -0.0210129, -0.0207309, -0.0199272, -0.019714, -0.0188446,
    -0.0188203, -0.0180521, -0.0178185, -0.0171866, -0.0170796, -0.0165391, -0.0163509, -0.0157862,
    -0.0157372, -0.015282, -0.0149951, -0.0146042, -0.0145007, -0.0140391, -0.0139674, -0.0136336,
    -0.0134819, -0.0130812, -0.0129708, -0.0126589, -0.0125598, -0.0122696, -0.0121523, -0.0118163,
    -0.0118244, -0.0115177, -0.0114479, -0.0111309, -0.0110816, -0.0108875, -0.0108319, -0.0106032,
    -0.0105424, -0.0102237, -0.0102132, -0.0099408, -0.0099776, -0.0097815, -0.0097399, -0.0094837,
    -0.0094713, -0.009239, -0.0092875, -0.0091508, -0.0090145, -0.0088191, -0.0088205, -0.0086622,
    -0.0085714, -0.0084718, -0.0083861, -0.0082559, -0.008265, -0.0080977, -0.0080708, -0.007881,
    -0.0078492, -0.0077043, -0.0077614,
];

/// Mean of the Harrell-Davis variant, from two values to 100.
#[rustfmt::skip]
const HARRELL_DAVIS_MAD: [f64; 99] = [
    0.5641745553088423, 0.637689464277234, 0.6266114358022791, 0.6385252621371729,
    0.6383396054837751, 0.6391483024649844, 0.6414054128515725, 0.6423654653358132,
    0.6439650633303657, 0.6453466713309995, 0.6466167720829089, 0.647896194684998,
    0.6490803621640332, 0.6501815281116196, 0.6512459087349248, 0.6522589758796201,
    0.653165439546788, 0.6540376403452666, 0.6548870130335538, 0.6556512800977367,
    0.656379724662582, 0.657075137823794, 0.6577094288730985, 0.6583179057553981,
    0.6588811618092122, 0.6594277977978977, 0.659908870089771, 0.6603588047247171,
    0.6608151995722138, 0.6612328229852198, 0.6616140717545177, 0.6620030572297076,
    0.6623539917300408, 0.6626959754627264, 0.6630223332045908, 0.6633360054645671,
    0.6636243283748828, 0.6639105168758841, 0.6641720839075258, 0.664434153066093,
    0.6646879048074016, 0.6649254820008966, 0.6651534642632377, 0.6653857164019107,
    0.6655749803090755, 0.6657801861663875, 0.6659788048283622, 0.6661560720144832,
    0.6663297834046026, 0.666492997774477, 0.66667768027542, 0.6668167805264079,
    0.6669936882784248, 0.6671333902749049, 0.6672768469804923, 0.6674118209231669,
    0.6675329032333017, 0.6676705801665649, 0.6677988084612649, 0.6679113433053215,
    0.6680284336199781, 0.6681499690725486, 0.6682525518350259, 0.6683567067565843,
    0.668460965004546, 0.6685662390024206, 0.6686511224106276, 0.6687586776357963,
    0.6688316676951251, 0.6689284932354674, 0.6690095175560199, 0.6690950890783779,
    0.6691790078669322, 0.6692461369136855, 0.6693343233247978, 0.6694005551533061,
    0.6694801807393673, 0.6695488689419441, 0.6696179041146787, 0.669682207645742,
    0.6697388884954646, 0.6698006816087986, 0.6698773600892196, 0.6699283460577496,
    0.6699865494232141, 0.6700459021371715, 0.6700932244841693, 0.6701564319389123,
    0.6702090710385918, 0.6702581431297143, 0.6703089257542638, 0.6703600426491966,
    0.6704145194361312, 0.6704554666719077, 0.6704917442933176, 0.6705506553462088,
    0.6705950233298209, 0.6706268391507145, 0.670683579816257,
];

/// Relative bias of Shamos' spread, from two values to 100.
#[rustfmt::skip]
const SHAMOS_BIAS: [f64; 99] = [
    0.18315, 0.29894, 0.1582782, 0.1011748, 0.1005038, 0.0676993, 0.0609574, 0.054376, 0.0476839,
    0.0426722, 0.0385003, 0.0353028, 0.0323526, 0.0299677, 0.0280421, 0.0262195, 0.0247674,
    0.0232297, 0.0220155, 0.0208687, 0.0199446, 0.0189794, 0.0182343, 0.0174421, 0.0166364,
    0.0160158, 0.0153715, 0.014894, 0.0144027, 0.0138855, 0.013451, 0.0130228, 0.0127183,
    0.0122444, 0.0118214, 0.0115469, 0.0113206, 0.0109636, 0.0106308, 0.0104384, 0.0100693,
    0.0098523, 0.0096735, 0.0094973, 0.009221, 0.0089781, 0.0088083, 0.0086574, 0.0084772,
    0.008212, 0.0081874, 0.0079775, 0.0078126, 0.0076743, 0.0075212, 0.0074051, 0.0072528,
    0.0071807, 0.0070617, 0.0069123, 0.0067833, 0.0066439, 0.0065821, 0.0064889, 0.0063844,
    0.006293, 0.006191, 0.0061255, 0.0060681, 0.0058994, 0.0058235, 0.0057172, 0.0056805,
    0.0056343, 0.0055605, 0.0055011, 0.0053872, 0.0053062, 0.0052348, 0.0052075, 0.0051173,
    0.0050697, 0.0049805, 0.0048705, 0.0048695, 0.0048287, 0.0047315, 0.0046961, 0.0046698,
    0.004601, 0.0045544, 0.0045191, 0.0044245, 0.0044074, 0.0043579, 0.0043536, 0.0042874,
    0.004252, 0.0041864,
];

#[cfg(test)]
mod tests {
    use super::*;
    use ScaleTable::{HarrellDavisMad, MadBias, ShamosBias};

    #[test]
    fn every_table_runs_into_its_curve() {
        for table in [MadBias, HarrellDavisMad, ShamosBias] {
            for size in 95..105 {
                let step = table.factor(size + 1) / table.factor(size) - 1.0;
                assert!(step.abs() < 2e-3, "{size}: {step}");
            }
        }
    }

    #[test]
    fn large_samples_have_the_factors_of_the_distribution() {
        let near = |table: ScaleTable, expected: f64| {
            assert!((table.factor(1_000_000) - expected).abs() < 1e-5, "{expected}");
        };
        near(MadBias, 1.0 / NORMAL_MAD);
        near(HarrellDavisMad, 1.0 / NORMAL_MAD);
        near(ShamosBias, 1.0 / NORMAL_SHAMOS);
    }
}
