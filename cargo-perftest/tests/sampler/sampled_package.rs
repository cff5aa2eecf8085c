//! A package whose tests are sampled, and the tool in it.

use perftest_tests::{ALIGNED, Invocation, Outcome, PROFILE};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

pub(crate) struct SampledPackage {
    root: PathBuf,
    /// One test builds and samples at a time, in whatever process it is.
    _turn: File,
}

/// A recorded profile.
pub(crate) struct Recorded {
    pub(crate) file: String,
    pub(crate) text: String,
}

impl SampledPackage {
    /// The package as it was at first.
    pub(crate) fn get() -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sampler");
        fs::create_dir_all(&root).unwrap();
        let turn = File::create(root.join("turn.lock")).unwrap();
        turn.lock().unwrap();
        let package = Self { root, _turn: turn };
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let perftest = here.join("../perftest");
        package.write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"sampled\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                 [dev-dependencies]\nperftest = {{ path = {perftest:?} }}\n\
                 [[test]]\nname = \"perf\"\nharness = false\n\
                 {PROFILE}\n[workspace]\n"
            ),
        );
        package.configure("debug = \"limited\"\n");
        package.write("src/lib.rs", "//! Nothing.\n");
        // Unchanged files keep their times, so that nothing is built again.
        let tests = fs::read_to_string(here.join("tests/sampler/package/tests/perf.rs")).unwrap();
        package.write("tests/perf.rs", &tests);
        package.write("Cargo.lock", &fs::read_to_string(here.join("../Cargo.lock")).unwrap());
        fs::create_dir_all(package.scratch()).unwrap();
        package
    }

    /// Writes a file of the package, if it has other contents.
    fn write(&self, file: &str, contents: &str) {
        let path = self.root.join("package").join(file);
        if fs::read_to_string(&path).is_ok_and(|present| present == contents) {
            return;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    /// Builds the package itself with these settings, and its dependencies as ever.
    pub(crate) fn configure(&self, settings: &str) {
        let settings = format!("{ALIGNED}[profile.release.package.sampled]\n{settings}");
        self.write(".cargo/config.toml", &settings);
    }

    /// A file beside the package.
    pub(crate) fn path(&self, name: &str) -> String {
        self.root.join(name).to_str().unwrap().to_owned()
    }

    /// Where the tool keeps samples until their stacks are followed.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.root.join("scratch")
    }

    fn invocation(&self, arguments: &[&str]) -> Invocation {
        Invocation::new(env!("CARGO_BIN_EXE_cargo-perftest"), &self.root.join("package"))
            .args(&["perftest"])
            .args(arguments)
            // Where the end-to-end tests build their tiny projects, so that the dependencies are compiled once.
            .env("CARGO_TARGET_DIR", self.root.join("../tiny-projects/target"))
            .env("XDG_RUNTIME_DIR", &self.root)
            .env("TMPDIR", self.scratch())
            .env("CARGO_NET_OFFLINE", "true")
    }

    pub(crate) fn tool(&self, arguments: &[&str]) -> Outcome {
        self.invocation(arguments).run()
    }

    /// The rows of an answer.
    pub(crate) fn json(&self, arguments: &[&str]) -> Vec<Value> {
        self.tool(&[arguments, &["--json"]].concat()).ended_with(0).json()
    }

    /// A profile of one second. Its rate gives it as many samples as two seconds have at the default rate.
    pub(crate) fn record(&self, test: &str, options: &[&str]) -> Recorded {
        self.record_with(test, &[&["--time", "1s", "--rate", "499"], options].concat(), &[])
    }

    pub(crate) fn record_with(
        &self,
        test: &str,
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> Recorded {
        let mut file = self.path(&format!("{test}{}", variables.len()));
        file.push_str(".folded");
        let arguments = [&["profile", "record", test, "--out", &file], options].concat();
        let invocation = self.invocation(&arguments);
        let invocation = variables.iter().fold(invocation, |it, (name, value)| it.env(name, value));
        invocation.run().ended_with(0);
        let text = fs::read_to_string(&file).unwrap();
        Recorded { file, text }
    }
}

impl Recorded {
    /// The notes in the file.
    pub(crate) fn notes(&self) -> String {
        let lines = self.text.lines().filter(|line| line.starts_with("# note: "));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The number of samples, as the file has it.
    pub(crate) fn samples(&self) -> f64 {
        let count = self.text.lines().find_map(|line| line.strip_prefix("# samples: "));
        count.unwrap().trim_end_matches('.').parse().unwrap()
    }

    /// The weight of all stacks of a thread with a frame that ends like this.
    pub(crate) fn weight_of(&self, thread: &str, ending: &str) -> f64 {
        self.weight_of_stacks(|stack| {
            stack[0] == thread && stack.iter().any(|frame| frame.ends_with(ending))
        })
    }

    /// The share of the time of the test's thread that is in no measurement.
    pub(crate) fn share_outside(&self) -> f64 {
        self.weight_of("main", "[outside the measured loop]") / self.weight_of("main", "")
    }

    pub(crate) fn weight_of_stacks(&self, is_asked: impl Fn(&[&str]) -> bool) -> f64 {
        let lines = self.text.lines().filter(|line| !line.starts_with('#'));
        let stacks = lines.map(|line| line.rsplit_once(' ').unwrap());
        let asked = stacks.filter(|(stack, _)| is_asked(&stack.split(';').collect::<Vec<_>>()));
        asked.map(|(_, weight)| weight.parse::<f64>().unwrap()).sum()
    }
}
