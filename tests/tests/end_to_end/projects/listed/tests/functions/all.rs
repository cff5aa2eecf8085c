use perftest::perf_test;

#[perf_test]
fn alpha() -> u32 {
    println!("alpha was here");
    1
}

#[perf_test]
fn r#alphabet() -> u32 {
    26
}

#[perf_test]
#[ignore = "takes a week"]
fn eternal() -> u32 {
    7
}

#[perf_test]
#[ignore]
fn silent() {}

mod inner {
    use perftest::perf_test;

    #[perf_test]
    fn beta() -> u32 {
        2
    }

    mod deeper {
        use perftest::perf_test;

        #[perf_test]
        fn r#loop() -> u32 {
            3
        }
    }
}

#[perf_test]
fn fails_when_asked() -> Result<(), String> {
    if std::env::var_os("FAIL").is_some() { Err("asked to".to_owned()) } else { Ok(()) }
}
