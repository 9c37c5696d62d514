ALTER TABLE users ADD COLUMN name varchar(255) NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN two_factor_secret text;
ALTER TABLE users ADD COLUMN two_factor_recovery_codes text;
ALTER TABLE users ADD COLUMN two_factor_confirmed_at timestamp;
ALTER TABLE users ADD COLUMN password_confirmed_at timestamp;
UPDATE users SET two_factor_confirmed_at = updated_at WHERE otp_required_for_login;
UPDATE users SET email = lower(trim(email));
