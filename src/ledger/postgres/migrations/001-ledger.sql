-- Keys and hashes are compared as bytes (COLLATE "C"), whatever the database's language is.
CREATE TABLE surety.entries (
  workspace text COLLATE "C" NOT NULL,
  seq       bigint NOT NULL,
  at        bigint NOT NULL,
  kind      text NOT NULL,
  actor     text NOT NULL,
  salt      text NOT NULL,
  body      text NOT NULL,
  digest    text NOT NULL,
  prev      text NOT NULL,
  hash      text NOT NULL,
  PRIMARY KEY (workspace, seq)
);

CREATE TABLE surety.contents (
  workspace   text COLLATE "C" NOT NULL,
  seq         bigint NOT NULL,
  name        text COLLATE "C" NOT NULL,
  subject     text COLLATE "C" NOT NULL,
  digest      text NOT NULL,
  salt        text,
  value       text,
  shredded_by bigint,
  PRIMARY KEY (workspace, seq, name)
);

CREATE INDEX contents_by_subject ON surety.contents (workspace, subject)
  WHERE shredded_by IS NULL;

CREATE TABLE surety.rows (
  workspace text COLLATE "C" NOT NULL,
  key       text COLLATE "C" NOT NULL,
  value     text NOT NULL,
  PRIMARY KEY (workspace, key)
);

CREATE TABLE surety.checkpoints (
  workspace text COLLATE "C" NOT NULL,
  seq       bigint NOT NULL,
  at        bigint NOT NULL,
  hash      text NOT NULL,
  key_id    text NOT NULL,
  signature text NOT NULL,
  PRIMARY KEY (workspace, seq, key_id)
);

-- The row that a writer locks for each batch; also where the chain is known to end.
CREATE TABLE surety.heads (
  workspace text COLLATE "C" PRIMARY KEY,
  seq       bigint NOT NULL,
  at        bigint NOT NULL,
  hash      text NOT NULL
);
