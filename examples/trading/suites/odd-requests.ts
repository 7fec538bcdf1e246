/** What nobody thinks of: the least and the most, other alphabets, what is missing or not there. */
import { defineSuite, type Suite } from 'surety/suite';

const foreign = 'Müller & Söhne 株式会社';

await defineSuite('odd-requests', async (suite) => {
  await oddTrades(suite);
  await refusedTrades(suite);
  await oddOrders(suite);
  await refusedOrders(suite);
  await whatIsNotThere(suite);
});

/** Each with what becomes of it: counterparties have limits, and some are not to be traded with. */
async function oddTrades({ api, check }: Suite): Promise<void> {
  for (const [symbol, quantity, counterparty, side, status] of [
    ['UMBRL', 1, 'BANK-1', 'buy', 'accepted'],
    ['HOOLI', 33, 'BANK-2', 'sell', 'accepted'],
    ['HOOLI', 1_000_000, 'BANK-2', 'buy', 'accepted'],
    ['ACME', 1_000_000, 'BANK-1', 'buy', 'refused'],
    ['ACME', 6, foreign, 'sell', 'accepted'],
    ['ACME', 7, foreign, 'buy', 'refused'],
    ['ACME', 66, 'SHELL-CO-13', 'buy', 'accepted'],
    ['INITECH', 810, 'NIGHTFALL-LTD', 'sell', 'refused'],
  ] as const) {
    const trade = await api.post('/trades', { symbol, quantity, counterparty, side });
    const name = `${quantity} ${symbol} with ${counterparty}`;
    check(`a trade of ${name} is ${status}`, trade.body.status, status);
    const stored = await api.withToken('viewer-token').get(`/trades/${trade.body.id}`);
    const { amount } = trade.body;
    check(`${name} is stored as such`, [stored.body.amount, stored.body.status], [amount, status]);
  }
}

async function refusedTrades({ api, check }: Suite): Promise<void> {
  const trade = { symbol: 'ACME', side: 'buy', quantity: 1, counterparty: 'BANK-1' };
  for (const wrong of [
    { quantity: 0 },
    { quantity: -1 },
    { quantity: 1.5 },
    { quantity: '5' },
    { quantity: 1_000_001 },
    { side: 'hold' },
    { symbol: 'NOPE' },
    { symbol: 'acme' },
    { counterparty: ' ' },
  ]) {
    const refused = await api.post('/trades', { ...trade, ...wrong });
    check(`a trade with ${JSON.stringify(wrong)} is refused`, refused.status, 400);
  }
}

async function oddOrders({ api, check, eventually }: Suite): Promise<void> {
  for (const [sku, total] of [
    ['x'.repeat(200), 0.01],
    [' two  spaces ', 0.1 + 0.2],
    [`O'Brien; -- "<b>" 🦊`, 1_234_567.89],
  ] as const) {
    const items = [
      { sku, quantity: 10_000 },
      { sku, quantity: 1 },
    ];
    const order = await api.post('/orders', { items, total });
    check(`an order of ${total} is created`, order.status, 201);
    const stored = await api.get(`/orders/${order.body.id}`);
    check(`an order of ${total} has its articles`, stored.body.items, items);
    check(`an order of ${total} costs that`, stored.body.total, Math.round(total * 100) / 100);
  }
  const order = await api.post('/orders', { items: [{ sku: 'A', quantity: 1 }], total: 8.05 });
  const slow = { method: 'card', token: 'tok_test_slow' };
  const paid = await api.post(`/orders/${order.body.id}/payment`, slow);
  check('a slow card is charged', paid.body.status, 'completed');
  const told = await eventually(() => toldAbout(order.body.id, api), { within: 15_000 });
  check('the client is told what was paid', told, /Your order is paid: 8\.05\./);
}

async function toldAbout(id: unknown, api: Suite['api']): Promise<string | null> {
  const { body } = await api.get(`/notifications/${id}`);
  const texts = (body.notifications as { text: string }[]).map(({ text }) => text);
  return texts.length > 1 ? texts.join(' ') : null;
}

async function refusedOrders({ api, check }: Suite): Promise<void> {
  const items = [{ sku: 'A', quantity: 1 }];
  for (const wrong of [
    { total: 0 },
    { total: -1 },
    { total: 0.001 },
    { total: '29.99' },
    { items: [] },
    { items: [{ sku: 'A', quantity: 10_001 }] },
    { items: [{ sku: 'x'.repeat(201), quantity: 1 }] },
    { items: null },
  ]) {
    const refused = await api.post('/orders', { items, total: 1, ...wrong });
    const name = JSON.stringify(wrong).slice(0, 40);
    check(`an order with ${name} is refused`, refused.status, 400);
  }
}

async function whatIsNotThere({ api, check }: Suite): Promise<void> {
  for (const path of ['/orders/ord_none', '/trades/trd_none', '/trades/%00', '/nowhere']) {
    check(`${path} is not there`, (await api.get(path)).status, 404);
  }
  const card = { method: 'card', token: 'tok_test_valid' };
  const unknown = await api.post('/orders/ord_none/payment', card);
  check('what is not there is not paid', unknown.status, 404);
  const order = await api.post('/orders', { items: [{ sku: 'A', quantity: 1 }], total: 3 });
  const cash = await api.post(`/orders/${order.body.id}/payment`, { ...card, method: 'cash' });
  check('cash is not taken', cash.status, 400);
}
