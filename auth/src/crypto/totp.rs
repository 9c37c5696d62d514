//! Time-based one-time codes (RFC 6238): SHA-1, six digits, steps of 30 seconds. Every authenticator app supports them.

use super::random;
use crate::error::AuthError;
use crate::uri::encoded;
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};
use totp_rs::{Builder, Secret, Totp};
use zeroize::Zeroizing;

/// The length of a time step in seconds.
pub(crate) const STEP: u64 = 30;

/// The secret from which codes are computed. It has no `Debug`.
#[derive(Clone)]
pub(crate) struct TotpSecret(Zeroizing<Vec<u8>>);

impl TotpSecret {
    /// A new secret of `length` bytes.
    pub(crate) fn generate(length: usize) -> Result<Self, AuthError> {
        let mut bytes = Zeroizing::new(vec![0; length]);
        random::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Reads the output of [`to_base32`](Self::to_base32).
    pub(crate) fn from_base32(text: &str) -> Result<Self, AuthError> {
        let secret = Secret::try_from_base32(text);
        let secret = secret.map_err(|_| AuthError::internal("a two-factor secret is not base32"))?;
        Ok(Self(Zeroizing::new(secret.as_ref().to_vec())))
    }

    /// The secret in the form that authenticator apps accept: base32 (RFC 4648 §6) without padding.
    pub(crate) fn to_base32(&self) -> String {
        self.secret().to_base32()
    }

    /// The time step of a code, or `None` if the code is wrong or its step is more than `window` steps away from `now`,
    /// which is in Unix seconds.
    pub(crate) fn step_of(&self, code: &str, now: u64, window: u16) -> Option<u64> {
        // Exactly six ASCII digits: no spaces, no sign, no digits of other scripts.
        if code.len() != 6 || !code.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.totp(window).check(code, now)
    }

    /// The code of this time, in Unix seconds.
    #[cfg(feature = "testing")]
    pub(crate) fn code_at(&self, now: u64) -> String {
        self.totp(0).generate(now).to_string()
    }

    /// The `otpauth` URL in the QR code (specification §13.4). All parts are percent-encoded: an account name can
    /// contain a colon, and an application's name any character.
    pub(crate) fn url(&self, app: &str, account: &str) -> String {
        let (app, account, secret) = (encoded(app), encoded(account), self.to_base32());
        format!(
            "otpauth://totp/{app}:{account}?secret={secret}&issuer={app}&algorithm=SHA1&digits=6&period={STEP}"
        )
    }

    /// The length of the secret in bytes.
    pub(crate) fn length(&self) -> usize {
        self.0.len()
    }

    fn totp(&self, window: u16) -> Totp {
        let totp = Builder::new()
            .with_secret(self.secret())
            .with_skew(window)
            .with_digits(6)
            .with_step_duration(STEP);
        // `build` refuses secrets of less than 16 bytes. Those that we make are longer, but other programs make shorter ones.
        totp.build_noncompliant()
    }

    fn secret(&self) -> Secret {
        Secret::from(self.0.as_slice())
    }
}

/// A QR code as an SVG element, which can be inserted into an HTML page. A text that is too long for a code that can be read with
/// dirt on it is in one that holds more.
pub(crate) fn qr_code(text: &str) -> Result<String, AuthError> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M)
        .or_else(|_too_long| QrCode::with_error_correction_level(text, EcLevel::L))
        .map_err(AuthError::internal)?;
    let document = code.render::<svg::Color<'_>>().min_dimensions(192, 192).build();
    // An HTML page cannot contain an XML prolog.
    Ok(document.find("<svg").and_then(|at| document.get(at..)).unwrap_or(&document).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret and three of the test vectors of RFC 6238, appendix B. The last six digits of each code are used.
    #[test]
    fn codes_match_the_test_vectors_of_rfc_6238() {
        let secret = TotpSecret(Zeroizing::new(b"12345678901234567890".to_vec()));
        for (now, code) in [(59, "287082"), (1_111_111_109, "081804"), (2_000_000_000, "279037")] {
            assert_eq!(secret.step_of(code, now, 0), Some(now / STEP));
            assert_eq!(secret.step_of(code, now + STEP, 0), None);
            assert_eq!(secret.step_of(code, now + STEP, 1), Some(now / STEP));
            assert_eq!(secret.step_of(code, now + 2 * STEP, 1), None);
        }
    }

    /// The code is the one of oathtool: `oathtool --totp --base32 GEZDGNBVGY3TQOJQ --now '1970-01-01 00:00:59 UTC'`.
    #[test]
    fn a_short_secret_of_another_program_has_codes() {
        let secret = TotpSecret::from_base32("GEZDGNBVGY3TQOJQ").unwrap();
        assert_eq!(secret.step_of("263420", 59, 0), Some(1));
    }

    #[test]
    fn a_code_is_six_ascii_digits() {
        let secret = TotpSecret(Zeroizing::new(b"12345678901234567890".to_vec()));
        for bad in
            ["", "28708", "2870820", " 287082", "287082 ", "+87082", "28 7082", "２８７０８２", "28708a"]
        {
            assert_eq!(secret.step_of(bad, 59, 10), None, "{bad}");
        }
    }

    #[test]
    fn the_parts_of_the_otpauth_url_are_percent_encoded() {
        let secret = TotpSecret(Zeroizing::new(b"12345678901234567890".to_vec()));
        assert_eq!(
            secret.url("A & B: C", "a:b@example.com"),
            "otpauth://totp/A%20%26%20B%3A%20C:a%3Ab%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\
             &issuer=A%20%26%20B%3A%20C&algorithm=SHA1&digits=6&period=30"
        );
    }

    #[test]
    fn a_qr_code_is_one_svg_element() {
        let svg = qr_code("otpauth://totp/a:b?secret=c").unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn the_longest_name_address_and_secret_fit_into_a_qr_code() {
        let (app, address) = ("😀".repeat(64), "+".repeat(254));
        let secret = TotpSecret(Zeroizing::new(vec![0; 64]));
        qr_code(&secret.url(&app, &address)).unwrap();
    }
}
