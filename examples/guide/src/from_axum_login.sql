ALTER TABLE users ADD COLUMN email_verified_at timestamp;
ALTER TABLE users ADD COLUMN two_factor_secret text;
ALTER TABLE users ADD COLUMN two_factor_recovery_codes text;
ALTER TABLE users ADD COLUMN two_factor_confirmed_at timestamp;
ALTER TABLE users ADD COLUMN password_confirmed_at timestamp;

-- The library looks addresses up in lower case.
UPDATE users SET email = lower(trim(email));
