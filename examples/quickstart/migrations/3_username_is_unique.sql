-- Its own migration, because MySQL cannot take back the first of two statements.
CREATE UNIQUE INDEX users_username ON users (username);
