ALTER TABLE users RENAME COLUMN "emailVerifiedAt" TO email_verified_at;
ALTER TABLE users RENAME COLUMN "twoFactorConfirmedAt" TO two_factor_confirmed_at;
ALTER TABLE users RENAME COLUMN "passwordConfirmedAt" TO password_confirmed_at;

-- nestbolt's encrypted columns make room for the library's.
ALTER TABLE users RENAME COLUMN "twoFactorSecret" TO nestbolt_secret;
ALTER TABLE users RENAME COLUMN "twoFactorRecoveryCodes" TO nestbolt_codes;
ALTER TABLE users ADD COLUMN two_factor_secret text;
ALTER TABLE users ADD COLUMN two_factor_recovery_codes text;

-- The library looks addresses up in lower case.
UPDATE users SET email = lower(trim(email));
