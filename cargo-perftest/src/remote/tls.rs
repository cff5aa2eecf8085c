//! Whom a connection over TLS trusts.

use super::RemoteError;
use perftest_store::read_regular_text;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use std::env;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// A larger file is none of certificates.
const MOST_BYTES: u64 = 16 << 20;

/// Returns the certificates in the file that `SSL_CERT_FILE` names, as OpenSSL does; without it `None`: then the public
/// authorities are trusted.
///
/// # Errors
/// When that file has no certificates.
pub(super) fn trusted_certificates() -> Result<Option<Vec<CertificateDer<'static>>>, RemoteError> {
    let path = env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    path.map(|path| certificates(&path)).transpose()
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, RemoteError> {
    let text = read_regular_text(path, MOST_BYTES).map_err(|error| of_file(path, error))?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
    let all = all.map_err(|error| of_file(path, error))?;
    if all.is_empty() { Err(of_file(path, "it has none")) } else { Ok(all) }
}

fn of_file(path: &Path, why: impl Display) -> RemoteError {
    RemoteError::new(format!("the certificates in SSL_CERT_FILE={}: {why}", path.display()))
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
