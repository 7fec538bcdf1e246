/** A trade of 10,000 and more is flagged and screened for fraud; a smaller one is not. */
import { type Answer, runSuite, type Suite } from './check.ts';

await runSuite('trade-flow', async (suite) => {
  await highValueTrade(suite, 'a trade of 15,000', { symbol: 'ACME', quantity: 100 });
  await highValueTrade(suite, 'a trade of exactly 10,000', { symbol: 'GLOBEX', quantity: 250 });
  await ordinaryTrade(suite, 'a trade of 9,960', { symbol: 'GLOBEX', quantity: 249 });
  await ordinaryTrade(suite, 'a trade of 150', { symbol: 'ACME', quantity: 1 });
  await blockedTrade(suite);
});

type Size = { symbol: string; quantity: number };

async function highValueTrade(suite: Suite, name: string, size: Size): Promise<void> {
  const trade = await makeTrade(suite, name, size, 'BANK-1');
  suite.check(`${name} is flagged as high-value`, trade, true, trade.body.highValue);
  suite.check(`${name} needs a fraud check`, trade, 'required', trade.body.fraudCheck);
  suite.check(`${name} is accepted`, trade, 'accepted', trade.body.status);
  const stored = await suite.get(`/trades/${trade.body.id}`);
  suite.check(`${name} is stored with its flag`, stored, true, stored.body.highValue);
}

async function ordinaryTrade(suite: Suite, name: string, size: Size): Promise<void> {
  const trade = await makeTrade(suite, name, size, 'BANK-1');
  suite.check(`${name} is not flagged`, trade, false, trade.body.highValue);
  suite.check(`${name} needs no fraud check`, trade, 'not-required', trade.body.fraudCheck);
  suite.check(`${name} is accepted`, trade, 'accepted', trade.body.status);
}

async function blockedTrade(suite: Suite): Promise<void> {
  const name = 'a trade of 15,000 with a blocked counterparty';
  const trade = await makeTrade(suite, name, { symbol: 'ACME', quantity: 100 }, 'SHELL-CO-13');
  suite.check(`${name} is refused`, trade, 'refused', trade.body.status);
}

async function makeTrade(
  suite: Suite,
  name: string,
  size: Size,
  counterparty: string,
): Promise<Answer> {
  const trade = await suite.post('/trades', { ...size, side: 'buy', counterparty });
  suite.check(`${name} is recorded`, trade, 201, trade.status);
  return trade;
}
