include!("functions/all.rs");
