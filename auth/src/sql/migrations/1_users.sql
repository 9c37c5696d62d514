-- The nine fields of a user record (specification §2.1). Times are TEXT in the form of RFC 3339.
CREATE TABLE users (
    id                        TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    name                      TEXT NOT NULL,
    email                     TEXT NOT NULL UNIQUE,
    password                  TEXT NOT NULL,
    email_verified_at         TEXT,
    two_factor_secret         TEXT,
    two_factor_recovery_codes TEXT,
    two_factor_confirmed_at   TEXT,
    password_confirmed_at     TEXT
);
