CREATE TABLE IF NOT EXISTS orders (
  id       text PRIMARY KEY,
  status   text NOT NULL CHECK (status IN ('placed', 'shipped', 'delivered')),
  total    bigint NOT NULL CHECK (total > 0),
  currency text NOT NULL
);

-- One row each time that money left. A key may be here twice: nothing in this service forbids it.
CREATE TABLE IF NOT EXISTS payouts (
  seq      bigint GENERATED ALWAYS AS IDENTITY,
  id       text PRIMARY KEY,
  order_id text NOT NULL REFERENCES orders,
  amount   bigint NOT NULL CHECK (amount > 0),
  reason   text NOT NULL,
  key      text,
  booked   boolean NOT NULL
);
CREATE INDEX IF NOT EXISTS payouts_by_key ON payouts (key);
CREATE INDEX IF NOT EXISTS payouts_by_order ON payouts (order_id);

-- One row each time that money came back.
CREATE TABLE IF NOT EXISTS cancellations (
  seq       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payout_id text NOT NULL REFERENCES payouts
);
CREATE INDEX IF NOT EXISTS cancellations_by_payout ON cancellations (payout_id);

CREATE TABLE IF NOT EXISTS fences (
  resource text PRIMARY KEY,
  fence    bigint NOT NULL
);

-- Written before a request is looked at; without a status, nobody got an answer.
CREATE TABLE IF NOT EXISTS requests (
  seq    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at     timestamptz NOT NULL DEFAULT now(),
  method text NOT NULL,
  path   text NOT NULL,
  key    text,
  fence  text,
  status integer
);
