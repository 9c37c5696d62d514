-- What users can log in with, in place of the address.
ALTER TABLE users ADD COLUMN username VARCHAR(32);
