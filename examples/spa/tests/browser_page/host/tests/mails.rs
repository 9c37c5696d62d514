use axum_auth_module::config::ConfigError;
use axum_auth_module::delivery::{EmailVerificationMessage, PasswordResetMessage};
use axum_auth_module::mail::{MailDelivery, Mailer};

type Deliveries = (MailDelivery<PasswordResetMessage>, MailDelivery<EmailVerificationMessage>);

fn deliveries(mailer: &Mailer) -> Result<Deliveries, ConfigError> {
    let reset = mailer.password_reset("https://example.com/#/reset-password?token={token}&email={email}")?;
    let verification = mailer.email_verification(
        "https://example.com/#/verify-email?id={id}&hash={hash}&signature={signature}&expires={expires}",
    )?;
    Ok((reset, verification))
}

#[cfg(test)]
mod tests {
    use axum_auth_module::mail::Mailer;

    #[test]
    fn the_links_are_valid() {
        let mailer = Mailer::smtp("smtp://localhost", "no-reply@example.com").build().unwrap();
        super::deliveries(&mailer).unwrap();
    }
}
