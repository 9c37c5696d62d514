DROP TABLE entries;
DROP TABLE sessions;
DROP TABLE reset_tokens;
DROP TABLE accounts;
