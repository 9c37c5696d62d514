-- The database of a host of version 0.1.0: its tables and history as `migrate` left them, and a row in each.

CREATE TABLE _auth_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);

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

-- One reset token for each address, as a hash (specification §3.3). The time is TEXT in the form of RFC 3339.
CREATE TABLE password_resets (
    email      TEXT PRIMARY KEY NOT NULL,
    token      TEXT NOT NULL,
    created_at TEXT NOT NULL
);

-- One row for each session (specification §3.7). Times are in milliseconds since 1970.
CREATE TABLE auth_sessions (
    id           TEXT PRIMARY KEY NOT NULL,
    user_id      TEXT NOT NULL,
    kind         TEXT NOT NULL,
    state        TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    client       TEXT,
    user_agent   TEXT
);
CREATE INDEX auth_sessions_by_user ON auth_sessions (user_id, kind);
CREATE INDEX auth_sessions_by_end ON auth_sessions (expires_at);

-- Data with a short lifetime (specification §21). A row is a value or a counter. The time is in milliseconds since 1970.
CREATE TABLE auth_store (
    key     TEXT PRIMARY KEY NOT NULL,
    value   BLOB,
    count   INTEGER,
    ends_at INTEGER NOT NULL
);
CREATE INDEX auth_store_by_end ON auth_store (ends_at);

-- One row for each event (specification §22.7). The time is in milliseconds since 1970. Ids are in the order of the times.
CREATE TABLE auth_audit (
    id         TEXT PRIMARY KEY NOT NULL,
    at         INTEGER NOT NULL,
    event      TEXT NOT NULL,
    user_id    TEXT,
    actor      TEXT NOT NULL,
    session_id TEXT,
    client     TEXT,
    request_id TEXT,
    details    TEXT NOT NULL
);
CREATE INDEX auth_audit_by_user ON auth_audit (user_id, id);
CREATE INDEX auth_audit_by_event ON auth_audit (event, id);

INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (1, 'users', TRUE, X'95cef317f2351be6cdf199cf3fc94acee13013a88c6106236cd785bc9ea1df529f1f6c0d0fa66a201a1f4e89e3f7881a', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (2, 'password_resets', TRUE, X'5c7908f683239172dd460b4178f01a1b17c84d916ee27df15166284f96953e6ab7edb229b40d41c208984e6e4f85c9a7', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (3, 'auth_sessions', TRUE, X'96405b42347c58d2b677c36e30376f3018d2570c01194a80a3f483ed667d2c18f14bddee9fc7d435524bad24a283c31b', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (4, 'auth_store', TRUE, X'232a7da51bf53c62b78184209d0533b5bccb27aabe1f16c6ef1796fbea6ab8b012daf49dfc039a6701aebe5ebfa9326a', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (5, 'auth_audit', TRUE, X'6a812ad5ad34ad52b8e6b1ad9b58f07d3dcb9a2677e6e1a24f9c1d1800d05241284ba60a059401a2bc51fc55dd37223a', 1000000);

INSERT INTO users (id, name, email, password, email_verified_at, two_factor_secret)
VALUES ('0123456789abcdef0123456789abcdef', 'Ada Ångström', 'ada@example.org', '$2b$12$hash', '2026-11-01T08:30:00.123456+00:00', 'v1.secret');
INSERT INTO password_resets (email, token, created_at)
VALUES ('default ada@example.org', 'hash of a token', '2026-11-02T09:00:00+00:00');
INSERT INTO auth_sessions (id, user_id, kind, state, created_at, last_used_at, expires_at, client, user_agent)
VALUES ('sessionsessionsession1', '0123456789abcdef0123456789abcdef', 'browser', 'v1 state', 1793500000000, 1793500001000,
        4102444800000, '192.0.2.1', 'Example/1.0');
INSERT INTO auth_store (key, value, count, ends_at) VALUES ('totp-step:one', X'6f6e6365', NULL, 4102444800000);
INSERT INTO auth_audit (id, at, event, user_id, actor, session_id, client, request_id, details)
VALUES ('019a3e5f0f0070008000000000000001', 1793500000000, 'auth.login', '0123456789abcdef0123456789abcdef', 'client',
        'sessionsessionsession1', '192.0.2.1', NULL, '{}');
