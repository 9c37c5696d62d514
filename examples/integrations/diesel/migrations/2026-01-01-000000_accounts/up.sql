-- The users. The library writes the first nine columns; the others are the host's own.
CREATE TABLE accounts (
    id                        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name                      text NOT NULL,
    -- The unique index decides between two registrations at the same time. The adapter knows it by its name.
    email                     text NOT NULL CONSTRAINT accounts_email_key UNIQUE,
    password                  text NOT NULL,
    email_verified_at         timestamptz,
    two_factor_secret         text,
    two_factor_recovery_codes text,
    two_factor_confirmed_at   timestamptz,
    password_confirmed_at     timestamptz,
    plan                      text NOT NULL DEFAULT 'free'
);

-- One reset token for each address, as a hash. Times are in milliseconds since 1970, here and in the tables below.
CREATE TABLE reset_tokens (
    email      text PRIMARY KEY,
    hash       text NOT NULL,
    created_at bigint NOT NULL
);

CREATE TABLE sessions (
    id           text PRIMARY KEY,
    user_id      text NOT NULL,
    kind         text NOT NULL,
    state        text NOT NULL,
    created_at   bigint NOT NULL,
    last_used_at bigint NOT NULL,
    expires_at   bigint NOT NULL,
    client       text,
    user_agent   text
);
CREATE INDEX sessions_by_user ON sessions (user_id, kind);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- Data with a short lifetime. A row is a value or a counter.
CREATE TABLE entries (
    key     text PRIMARY KEY,
    value   bytea,
    count   bigint NOT NULL DEFAULT 0,
    ends_at bigint NOT NULL
);
CREATE INDEX entries_by_end ON entries (ends_at);
