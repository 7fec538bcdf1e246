CREATE TABLE payments (
  order_id     text PRIMARY KEY,
  amount_cents bigint NOT NULL CHECK (amount_cents > 0),
  status       text NOT NULL CHECK (status IN ('pending', 'completed', 'declined')),
  charge_id    text UNIQUE,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  CHECK ((status = 'completed') = (charge_id IS NOT NULL))
);

-- The books of the card company that the example stands in for; no service of ours joins with them.
CREATE TABLE processor_charges (
  idempotency_key text PRIMARY KEY,
  charge_id       text NOT NULL UNIQUE,
  amount_cents    bigint NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now()
);
