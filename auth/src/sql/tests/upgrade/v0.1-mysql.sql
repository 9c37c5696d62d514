-- The database of a host of version 0.1.0: its tables and history as `migrate` left them, and a row in each.

CREATE TABLE _auth_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);

-- The nine fields of a user record (specification §2.1). Times are in UTC.
CREATE TABLE users (
    id                        varchar(64) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY
                              DEFAULT (replace(uuid(), '-', '')),
    name                      text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    email                     varchar(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL UNIQUE,
    password                  varchar(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    email_verified_at         datetime(6),
    two_factor_secret         text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    two_factor_recovery_codes text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    two_factor_confirmed_at   datetime(6),
    password_confirmed_at     datetime(6)
) ENGINE = InnoDB;

-- One reset token for each address, as a hash (specification §3.3). Times are in UTC.
CREATE TABLE password_resets (
    email      varbinary(512) PRIMARY KEY,
    token      varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    created_at datetime(6) NOT NULL
) ENGINE = InnoDB;

-- One row for each session (specification §3.7). Times are in milliseconds since 1970.
CREATE TABLE auth_sessions (
    id           varbinary(64) PRIMARY KEY,
    user_id      varbinary(512) NOT NULL,
    kind         varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    state        blob NOT NULL,
    created_at   bigint NOT NULL,
    last_used_at bigint NOT NULL,
    expires_at   bigint NOT NULL,
    client       varchar(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    user_agent   varchar(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    INDEX auth_sessions_by_user (user_id, kind),
    INDEX auth_sessions_by_end (expires_at)
) ENGINE = InnoDB;

-- Data with a short lifetime (specification §21). A row is a value or a counter. The time is in milliseconds since 1970.
CREATE TABLE auth_store (
    `key`   varbinary(255) PRIMARY KEY,
    value   blob,
    count   bigint,
    ends_at bigint NOT NULL,
    INDEX auth_store_by_end (ends_at)
) ENGINE = InnoDB;

-- One row for each event (specification §22.7). The time is in milliseconds since 1970. Ids are in the order of the times.
CREATE TABLE auth_audit (
    id         char(32) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
    at         bigint NOT NULL,
    event      varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    user_id    varbinary(512),
    actor      varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    session_id varchar(64) CHARACTER SET ascii COLLATE ascii_bin,
    client     varchar(64) CHARACTER SET ascii COLLATE ascii_bin,
    request_id varchar(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    details    text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    INDEX auth_audit_by_user (user_id, id),
    INDEX auth_audit_by_event (event, id)
) ENGINE = InnoDB;

INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (1, 'users', TRUE, X'5d8e95217a9fc93b491d1573bf4575f2526471a56d139e9886de5b37f8934e456b74c9e07e4d87879f09e470a2859612', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (2, 'password_resets', TRUE, X'038ac38b6bac30f67b8733a1955117a5d182e06d8870d205d720e84078436d3e9892678c8069e341e7caf9387b1e512c', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (3, 'auth_sessions', TRUE, X'b78ec9f17c2bd427bf418e3eddddfaa606c30527216b8a04d08fbadcc4bd85d6ce3fb376bbd13cbdbfeea05a94c468e3', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (4, 'auth_store', TRUE, X'eec6971a273b0571137c555680a06f07a88a4a1828a16d89e721cb5abb31bb0b38ad2c64fa96c96963ec8fe5349581f9', 1000000);
INSERT INTO _auth_migrations (version, description, success, checksum, execution_time)
VALUES (5, 'auth_audit', TRUE, X'560e8bb907311cb6f6b3a674602df16de2e3f25b1215d1dbb80f6602a96b114fbef47b190fda7f4acb1344f5bdabc27e', 1000000);

INSERT INTO users (id, name, email, password, email_verified_at, two_factor_secret)
VALUES ('0123456789abcdef0123456789abcdef', 'Ada Ångström', 'ada@example.org', '$2b$12$hash', '2026-11-01 08:30:00.123456', 'v1.secret');
INSERT INTO password_resets (email, token, created_at)
VALUES ('default ada@example.org', 'hash of a token', '2026-11-02 09:00:00');
INSERT INTO auth_sessions (id, user_id, kind, state, created_at, last_used_at, expires_at, client, user_agent)
VALUES ('sessionsessionsession1', '0123456789abcdef0123456789abcdef', 'browser', 'v1 state', 1793500000000, 1793500001000,
        4102444800000, '192.0.2.1', 'Example/1.0');
INSERT INTO auth_store (`key`, value, count, ends_at) VALUES ('totp-step:one', X'6f6e6365', NULL, 4102444800000);
INSERT INTO auth_audit (id, at, event, user_id, actor, session_id, client, request_id, details)
VALUES ('019a3e5f0f0070008000000000000001', 1793500000000, 'auth.login', '0123456789abcdef0123456789abcdef', 'client',
        'sessionsessionsession1', '192.0.2.1', NULL, '{}');
