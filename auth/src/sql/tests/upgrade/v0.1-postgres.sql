-- The database of a host of version 0.1.0: its tables and history as `migrate` left them, and a row in each.

CREATE TABLE _auth_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMPTZ NOT NULL DEFAULT now(),
    success BOOLEAN NOT NULL,
    checksum BYTEA NOT NULL,
    execution_time BIGINT NOT NULL
);

-- The nine fields of a user record (specification §2.1).
CREATE TABLE users (
    id                        text PRIMARY KEY DEFAULT replace(gen_random_uuid()::text, '-', ''),
    name                      text NOT NULL,
    email                     text NOT NULL UNIQUE,
    password                  text NOT NULL,
    email_verified_at         timestamptz,
    two_factor_secret         text,
    two_factor_recovery_codes text,
    two_factor_confirmed_at   timestamptz,
    password_confirmed_at     timestamptz
);

-- One reset token for each address, as a hash (specification §3.3).
CREATE TABLE password_resets (
    email      text PRIMARY KEY,
    token      text NOT NULL,
    created_at timestamptz NOT NULL
);

-- One row for each session (specification §3.7). Times are in milliseconds since 1970.
CREATE TABLE auth_sessions (
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
CREATE INDEX auth_sessions_by_user ON auth_sessions (user_id, kind);
CREATE INDEX auth_sessions_by_end ON auth_sessions (expires_at);

-- Data with a short lifetime (specification §21). A row is a value or a counter. The time is in milliseconds since 1970.
CREATE TABLE auth_store (
    key     text PRIMARY KEY,
    value   bytea,
    count   bigint,
    ends_at bigint NOT NULL
);
CREATE INDEX auth_store_by_end ON auth_store (ends_at);

-- One row for each event (specification §22.7). The time is in milliseconds since 1970. Ids are in the order of the times.
CREATE TABLE auth_audit (
    id         text COLLATE "C" PRIMARY KEY,
    at         bigint NOT NULL,
    event      text NOT NULL,
    user_id    text,
    actor      text NOT NULL,
    session_id text,
    client     text,
    request_id text,
    details    text NOT NULL
);
CREATE INDEX auth_audit_by_user ON auth_audit (user_id, id);
CREATE INDEX auth_audit_by_event ON auth_audit (event, id);

INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (1, 'users', TRUE, '\xf71cc11dbab361f2b3c5c331317edeaaf97b310f35270015e1e7ee4954de5c22f18ce5a5bc0afe0d72add1419cd81452', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (2, 'password_resets', TRUE, '\xb570e10de498040de80e2fad0ff8797dda55f69370681fa8cf6e8ca8464217a3fc0e8d902074357ac865593c2642cef7', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (3, 'auth_sessions', TRUE, '\xa4b26b836b083fd16e29bf03c403d939d7c4e4740d6cdcb20983d1d0868c1bcc53200a17274d95a0e09c8dcc8b9cb62f', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (4, 'auth_store', TRUE, '\x2b0867b02ca39e1465169bab18de7290ae01ad9cc2ae6df1422aaee2b0f6b2efa280ba7fdb24f9043bfc75c60592ff1b', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (5, 'auth_audit', TRUE, '\xc431cf0965e7d8f8287eafedee32fd03dca5ec54f82d30cc8482b61758887d3727cd29206eab62b1b0cd56cd0f190aac', 1000000);

INSERT INTO users (id, name, email, password, email_verified_at, two_factor_secret)
VALUES ('0123456789abcdef0123456789abcdef', 'Ada Ångström', 'ada@example.org', '$2b$12$hash', '2026-11-01 08:30:00.123456+00', 'v1.secret');
INSERT INTO password_resets (email, token, created_at)
VALUES ('default ada@example.org', 'hash of a token', '2026-11-02 09:00:00+00');
INSERT INTO auth_sessions (id, user_id, kind, state, created_at, last_used_at, expires_at, client, user_agent)
VALUES ('sessionsessionsession1', '0123456789abcdef0123456789abcdef', 'browser', 'v1 state', 1793500000000, 1793500001000,
        4102444800000, '192.0.2.1', 'Example/1.0');
INSERT INTO auth_store (key, value, count, ends_at) VALUES ('totp-step:one', '\x6f6e6365', NULL, 4102444800000);
INSERT INTO auth_audit (id, at, event, user_id, actor, session_id, client, request_id, details)
VALUES ('019a3e5f0f0070008000000000000001', 1793500000000, 'auth.login', '0123456789abcdef0123456789abcdef', 'client',
        'sessionsessionsession1', '192.0.2.1', NULL, '{}');
