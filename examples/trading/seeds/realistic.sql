-- A morning's worth of ordinary business, then the cases that ordinary tests forget.
-- May be applied any number of times.

INSERT INTO orders (id, items, total_cents, status, charge_id, created_at)
SELECT 'ord_seed-' || n,
       jsonb_build_array(jsonb_build_object('sku', 'SKU-' || (n % 37), 'quantity', 1 + n % 4)),
       499 + (n * 7919) % 25000,
       CASE WHEN n % 3 = 0 THEN 'open' ELSE 'paid' END,
       CASE WHEN n % 3 = 0 THEN NULL ELSE 'ch_seed-' || n END,
       now() - make_interval(mins => 600 - n)
FROM generate_series(1, 500) AS n
ON CONFLICT DO NOTHING;

INSERT INTO payments (order_id, amount_cents, status, charge_id, created_at, updated_at)
SELECT id, total_cents, 'completed', charge_id, created_at, created_at
FROM orders WHERE id LIKE 'ord_seed-%' AND status = 'paid'
ON CONFLICT DO NOTHING;

INSERT INTO processor_charges (idempotency_key, charge_id, amount_cents, created_at)
SELECT order_id, charge_id, amount_cents, created_at
FROM payments WHERE order_id LIKE 'ord_seed-%' AND status = 'completed'
ON CONFLICT DO NOTHING;

INSERT INTO trades (id, symbol, side, quantity, counterparty, price, amount, currency,
                    high_value, fraud_check, status, created_at)
SELECT 'trd_seed-' || n, 'ACME', CASE WHEN n % 2 = 0 THEN 'buy' ELSE 'sell' END, n, 'BANK-' || (n % 23),
       150, n * 150, 'USD', n * 150 >= 10000,
       CASE WHEN n * 150 >= 10000 THEN 'required' ELSE 'not-required' END, 'accepted',
       now() - make_interval(mins => 400 - n)
FROM generate_series(1, 300) AS n
ON CONFLICT DO NOTHING;

-- Orders at the edges.
INSERT INTO orders (id, items, total_cents, status, charge_id, created_at) VALUES
  ('ord_edge-cancelled', '[{"sku": "TEST-001", "quantity": 1}]', 2999, 'cancelled', NULL, now() - interval '9 days'),
  ('ord_edge-declined-once', '[{"sku": "TEST-001", "quantity": 1}]', 2999, 'open', NULL, now() - interval '1 hour'),
  -- Orders died after the charge and before it noted it: a retry must find the old charge.
  ('ord_edge-charged-but-open', '[{"sku": "TEST-002", "quantity": 2}]', 5998, 'open', NULL, now() - interval '2 hours'),
  -- Payments died after the card company charged and before its own commit.
  ('ord_edge-charged-not-recorded', '[{"sku": "TEST-003", "quantity": 1}]', 1299, 'open', NULL, now() - interval '2 hours'),
  ('ord_edge-one-cent', '[{"sku": "SAMPLE", "quantity": 1}]', 1, 'open', NULL, now() - interval '3 days'),
  ('ord_edge-largest', '[{"sku": "YACHT", "quantity": 10000}]', 10000000000000, 'open', NULL, now() - interval '3 days'),
  ('ord_edge-before-2000', '[{"sku": "LEGACY", "quantity": 1}]', 1999, 'open', NULL, '1999-12-31T23:59:59Z'),
  ('ord_edge-unicode', '[{"sku": "Größe-XL 日本 🛒", "quantity": 1}]', 4200, 'open', NULL, now()),
  ('ord_edge-quotes', '[{"sku": "O''Brien; DROP TABLE orders;--", "quantity": 1}]', 4200, 'open', NULL, now()),
  -- From before quantities were checked, and before there were items at all.
  ('ord_edge-zero-quantity', '[{"sku": "TEST-001", "quantity": 0}]', 2999, 'open', NULL, '2009-02-13T23:31:30Z'),
  ('ord_edge-no-items', '[]', 2999, 'open', NULL, '1970-01-01T00:00:00Z'),
  ('ord_edge-same-twice', '[{"sku": "TEST-001", "quantity": 1}, {"sku": "TEST-001", "quantity": 1}]', 5998, 'open', NULL, now()),
  ('ord_edge-right-to-left', '[{"sku": "مرحبا", "quantity": 1}]', 4200, 'open', NULL, now()),
  ('ord_edge-combining', '[{"sku": "Cafe\u0301 👩‍👩‍👧", "quantity": 1}]', 4200, 'open', NULL, now()),
  ('ord_edge-from-tomorrow', '[{"sku": "TEST-001", "quantity": 1}]', 2999, 'open', NULL, now() + interval '1 day'),
  ('ord_edge-odd-cents', '[{"sku": "TEST-001", "quantity": 3}]', 1000000000001, 'open', NULL, now())
ON CONFLICT DO NOTHING;

INSERT INTO payments (order_id, amount_cents, status, charge_id) VALUES
  ('ord_edge-declined-once', 2999, 'declined', NULL),
  ('ord_edge-charged-but-open', 5998, 'completed', 'ch_edge-charged-but-open')
ON CONFLICT DO NOTHING;

INSERT INTO processor_charges (idempotency_key, charge_id, amount_cents) VALUES
  ('ord_edge-charged-but-open', 'ch_edge-charged-but-open', 5998),
  ('ord_edge-charged-not-recorded', 'ch_edge-charged-not-recorded', 1299)
ON CONFLICT DO NOTHING;

-- Trades at the edges: on both sides of the threshold, refused, and very large.
INSERT INTO trades (id, symbol, side, quantity, counterparty, price, amount, currency,
                    high_value, fraud_check, status, reasons) VALUES
  ('trd_edge-below-threshold', 'GLOBEX', 'buy', 249, 'BANK-1', 40, 9960, 'USD', false, 'not-required', 'accepted', '{}'),
  ('trd_edge-at-threshold', 'GLOBEX', 'buy', 250, 'BANK-1', 40, 10000, 'USD', true, 'required', 'accepted', '{}'),
  ('trd_edge-blocked', 'ACME', 'sell', 100, 'SHELL-CO-13', 150, 15000, 'USD', true, 'required', 'refused', '{blocked-counterparty}'),
  ('trd_edge-smallest', 'UMBRL', 'buy', 1, 'BANK-1', 0.87, 0.87, 'USD', false, 'not-required', 'accepted', '{}'),
  ('trd_edge-half-cents', 'UMBRL', 'sell', 3, 'BANK-1', 0.8750, 2.63, 'USD', false, 'not-required', 'accepted', '{}'),
  ('trd_edge-unicode', 'ACME', 'buy', 6, 'Müller & Söhne 株式会社', 150, 900, 'USD', false, 'not-required', 'accepted', '{}'),
  ('trd_edge-over-limit', 'ACME', 'buy', 7, 'Müller & Söhne 株式会社', 150, 1050, 'USD', false, 'not-required', 'refused', '{over-limit}'),
  ('trd_edge-largest', 'HOOLI', 'buy', 1000000, 'BANK-2', 311.07, 311070000, 'USD', true, 'required', 'accepted', '{}')
ON CONFLICT DO NOTHING;
