//! Encrypted connections.

use crate::remote::RemoteError;
use crate::remote::tls::trusted_certificates;
use rustls::crypto::ring;
use rustls::{ClientConfig, Error, RootCertStore};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Returns a connector that accepts only a server whose certificate has its name, and comes from an authority that is
/// trusted.
///
/// # Errors
/// When the trusted certificates cannot be read.
pub(super) fn connector() -> Result<MakeRustlsConnect, RemoteError> {
    let mut roots = RootCertStore::empty();
    match trusted_certificates()? {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(certificates) => {
            certificates.into_iter().try_for_each(|it| roots.add(it)).map_err(unusable)?;
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().map_err(unusable)?;
    Ok(MakeRustlsConnect::new(config.with_root_certificates(roots).with_no_client_auth()))
}

fn unusable(error: Error) -> RemoteError {
    RemoteError::new(format!("TLS cannot be used with the certificates in SSL_CERT_FILE: {error}"))
}
