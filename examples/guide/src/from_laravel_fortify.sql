-- Fortify's encrypted columns make room for the library's.
ALTER TABLE users RENAME COLUMN two_factor_secret TO laravel_secret;
ALTER TABLE users RENAME COLUMN two_factor_recovery_codes TO laravel_codes;
ALTER TABLE users ADD COLUMN two_factor_secret text;
ALTER TABLE users ADD COLUMN two_factor_recovery_codes text;
ALTER TABLE users ADD COLUMN password_confirmed_at timestamp;

-- Before Laravel 10 its table of reset tokens has the name of the library's.
ALTER TABLE password_resets RENAME TO laravel_password_resets;

-- The library looks addresses up in lower case.
UPDATE users SET email = lower(trim(email));
