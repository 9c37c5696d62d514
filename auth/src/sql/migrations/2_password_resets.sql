-- One reset token for each address, as a hash (specification §3.3). The time is TEXT in the form of RFC 3339.
CREATE TABLE password_resets (
    email      TEXT PRIMARY KEY NOT NULL,
    token      TEXT NOT NULL,
    created_at TEXT NOT NULL
);
