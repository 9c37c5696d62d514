-- Written by generate.rs.
CREATE TABLE users (id integer PRIMARY KEY AUTOINCREMENT, username text NOT NULL UNIQUE, email text NOT NULL UNIQUE, password text NOT NULL);
INSERT INTO users (username, email, password) VALUES ('ada', 'ada@example.com', '$argon2id$v=19$m=19456,t=2,p=1$DYuc/oCMhi9RD0OG2v5oUQ$gQzEGAOq2wZEq/5TIj8U4iLyiIijjraZ85SJHw1YV78');
INSERT INTO users (username, email, password) VALUES ('grace', 'Grace@Example.com', '$argon2id$v=19$m=19456,t=2,p=1$N1NPa5UNX9Dr1S9xrR/GrA$wKeoyFtPsuYMTXItMqUTU+tAnlxJLKHq3cfwYwMxYMw');
INSERT INTO users (username, email, password) VALUES ('linus', 'linus@example.com', '$argon2id$v=19$m=19456,t=2,p=1$OZ4iVjIm6PqTrjjCWnXJdg$octc8cUTIcus10V4fhvJaKkxzLUYBJxR0nrbvWNcsqI');
