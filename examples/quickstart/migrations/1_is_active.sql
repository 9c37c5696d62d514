-- Whether an account may log in. The library's own migrations run before and have created the table.
ALTER TABLE users ADD COLUMN is_active BOOLEAN NOT NULL DEFAULT TRUE;
