/** What ordinary tests forget: tokens that are over, a card company that says "later", bad days. */
import { defineSuite, type Suite } from 'surety/suite';

const card = { method: 'card', token: 'tok_test_valid' };
const trade = { symbol: 'ACME', side: 'buy', quantity: 1, counterparty: 'BANK-1' };

await defineSuite('edge-cases', async (suite) => {
  await tokens(suite);
  await oddData(suite);
  const order = await suite.api.post('/orders', {
    items: [{ sku: 'TEST-002', quantity: 2 }],
    total: 59.98,
  });
  suite.check('an order is created', order.status, 201);
  await payments(suite, `/orders/${order.body.id}`);
  await trades(suite);
});

async function tokens({ api, check }: Suite): Promise<void> {
  for (const [token, status] of [
    ['expired-token', 401],
    ['ancient-token', 401],
    ['powerless-token', 403],
    ['viewer-token', 403],
    [null, 401],
  ] as const) {
    const refused = await api.withToken(token).post('/trades', trade);
    check(`a trade with ${token ?? 'no token'} is refused`, refused.status, status);
  }
}

/** Names that are not English, amounts that do not come out even, a card that is declined. */
async function oddData({ api, check }: Suite): Promise<void> {
  const items = ['مرحبا', 'Ärmel-7', '株式会社'].map((sku) => ({ sku, quantity: 1 }));
  const order = await api.post('/orders', { items, total: 10.01 });
  check('an order of articles from everywhere is created', order.status, 201);
  const declined = { method: 'card', token: 'tok_test_declined' };
  const refused = await api.post(`/orders/${order.body.id}/payment`, declined);
  check('a declined card is told as such', refused.status, 402);
  const uneven = await api.post('/trades', { ...trade, symbol: 'INITECH', quantity: 100 });
  check('a fee is rounded to the next cent', uneven.body.fee, 1.24, uneven);
}

/** Whatever happens on the way to payments, an order is charged once. */
async function payments({ api, check, database }: Suite, order: string): Promise<void> {
  const hop = 'orders>payments';
  const pay = (through: Suite['api']) => through.post(`${order}/payment`, card);
  const limited = await pay(api.withFault({ hop, status: 429 }));
  check('a payment that comes too fast is refused as such', limited.status, 429);
  const lost = await pay(api.withFault({ hop, reset: true }));
  check('a payment that does not get through is an error', lost.status, 502);
  const slow = await pay(api.withFault({ hop, delayMs: 300 }));
  check('a slow payment is made', slow.body.status, 'completed', slow);
  const again = await pay(api);
  check('the order is charged once', again.body.charge_id, slow.body.charge_id);
  const rows = await database().query('SELECT status, charge_id FROM orders WHERE id = $1', [
    order.replace('/orders/', ''),
  ]);
  check('the order is stored as paid', rows, [{ status: 'paid', charge_id: slow.body.charge_id }]);
}

/** Without validation, or without its limit, no trade is made. */
async function trades({ api, check, eventually, logs }: Suite): Promise<void> {
  const unlimited = await api.withFault({ hop: 'orders>risk', status: 503 }).post('/trades', trade);
  check('a trade whose limit nobody knows is not made', unlimited.status, 502);
  const sometimes = api.withFault({ hop: 'pricing>validation', reset: true, share: 0.5 });
  const answers = [];
  for (let n = 0; n < 4; n++) answers.push(await sometimes.post('/trades', trade));
  const statuses = answers.map(({ status }) => status);
  check('every other trade fails, and only those', statuses, [201, 502, 201, 502]);
  const [, failed] = answers;
  if (!failed) return;
  const about = await eventually(
    async () => (await logs(failed)).find(({ service }) => service === 'pricing'),
    { within: 15_000 },
  );
  check('pricing says whom it could not ask', about.text, /validation did not answer/, failed);
}
