CREATE TABLE checkpoints (
  seq       INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  hash      TEXT NOT NULL,
  key_id    TEXT NOT NULL,
  signature TEXT NOT NULL,
  PRIMARY KEY (seq, key_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE contents (
  seq         INTEGER NOT NULL,
  name        TEXT NOT NULL,
  subject     TEXT NOT NULL,
  digest      TEXT NOT NULL,
  salt        TEXT,
  value       TEXT,
  shredded_by INTEGER,
  PRIMARY KEY (seq, name)
) STRICT;

CREATE INDEX contents_by_subject ON contents (subject) WHERE shredded_by IS NULL;

CREATE TABLE entries (
  seq    INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  actor  TEXT NOT NULL,
  salt   TEXT NOT NULL,
  body   TEXT NOT NULL,
  digest TEXT NOT NULL,
  prev   TEXT NOT NULL,
  hash   TEXT NOT NULL
) STRICT;

CREATE TABLE head (
  workspace TEXT PRIMARY KEY,
  seq       INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  hash      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE rows (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
