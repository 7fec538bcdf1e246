CREATE TABLE orders (
  id          text PRIMARY KEY,
  items       jsonb NOT NULL,
  total_cents bigint NOT NULL CHECK (total_cents > 0),
  status      text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'cancelled')),
  charge_id   text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  CHECK ((status = 'paid') = (charge_id IS NOT NULL))
);

CREATE TABLE trades (
  id           text PRIMARY KEY,
  symbol       text NOT NULL,
  side         text NOT NULL CHECK (side IN ('buy', 'sell')),
  quantity     integer NOT NULL CHECK (quantity > 0),
  counterparty text NOT NULL,
  price        numeric(14, 4) NOT NULL,
  amount       numeric(16, 2) NOT NULL,
  currency     text NOT NULL,
  high_value   boolean NOT NULL,
  fraud_check  text NOT NULL CHECK (fraud_check IN ('required', 'not-required')),
  status       text NOT NULL CHECK (status IN ('accepted', 'refused', 'validation-failed')),
  reasons      text[] NOT NULL DEFAULT '{}',
  created_at   timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX trades_by_counterparty ON trades (counterparty, created_at);
