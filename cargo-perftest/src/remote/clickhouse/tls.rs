//! Whom a connection over HTTPS trusts.

use crate::remote::RemoteError;
use perftest_store::read_regular_text;
use std::env;
use std::path::{Path, PathBuf};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

/// A larger file is none of certificates.
const MOST_BYTES: u64 = 16 << 20;

/// Trusts the certificates in the file that `SSL_CERT_FILE` names, as OpenSSL does, or else the public authorities.
///
/// # Errors
/// When that file has no certificates.
pub(super) fn config() -> Result<TlsConfig, RemoteError> {
    let config = TlsConfig::builder();
    let Some(path) = env::var_os("SSL_CERT_FILE").map(PathBuf::from) else {
        return Ok(config.build());
    };
    Ok(config.root_certs(certificates(&path)?).build())
}

fn certificates(path: &Path) -> Result<RootCerts, RemoteError> {
    let of_file = |why: String| {
        RemoteError::new(format!("the certificates in SSL_CERT_FILE={}: {why}", path.display()))
    };
    let text = read_regular_text(path, MOST_BYTES).map_err(|error| of_file(error.to_string()))?;
    let mut certificates = Vec::new();
    for item in parse_pem(text.as_bytes()) {
        if let PemItem::Certificate(certificate) =
            item.map_err(|error| of_file(error.to_string()))?
        {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        return Err(of_file("it has none".to_owned()));
    }
    Ok(certificates.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_trusts_nobody() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("certificates.pem");
        for text in ["", "no certificate", "-----BEGIN CERTIFICATE-----\n"] {
            std::fs::write(&path, text).unwrap();
            assert!(
                certificates(&path).unwrap_err().to_string().contains("SSL_CERT_FILE="),
                "{text}"
            );
        }
    }
}
