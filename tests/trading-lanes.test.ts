import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readOnly } from '../src/lanes/data/read-only.ts';
import { isDeep } from './harness/deep.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';
import { ask } from './harness/systems/data-scene.ts';
import { exampleChange, makeWholeTradingSystem } from './harness/systems/trading-system.ts';
import { until } from './harness/until.ts';
import type { Workspace } from './harness/workspace.ts';

/** The whole trading example as its README shows it: one system, and a lane for each change. */
let databaseUrl: string;
let workspace: Workspace;
let ports: Readonly<Record<string, number>>;
/** Nobody vouches for the certificate that the edge made for itself. */
const client = new Agent({ connect: { rejectUnauthorized: false } });

beforeAll(async () => {
  databaseUrl = await freshDatabase();
  workspace = await makeWholeTradingSystem(databaseUrl);
  const config = readFileSync(workspace.place.configFile, 'utf8');
  const found = config.matchAll(/^ {2}(\w+):\n(?: {4}.*\n)*? {4}port: (\d+)$/gm);
  ports = Object.fromEntries([...found].map(([, name, port]) => [name, Number(port)]));
  await workspace.up();
  await workspace.run('system', 'up');
});

afterAll(async () => {
  await client.close();
  await workspace?.[Symbol.asyncDispose]();
});

type Body = Record<string, unknown>;

const headers = { authorization: 'Bearer trader-token' };
const trade = { symbol: 'ACME', side: 'buy', quantity: 100, counterparty: 'BANK-1' };
const order = { items: [{ sku: 'TEST-001', quantity: 1 }], total: 29.99, note: 'At the door' };

/** As any client of the platform. */
async function plain(path: string, body?: Body): Promise<{ status: number; body: Body }> {
  const { statusCode, body: answer } = await request(`https://127.0.0.1:${ports.edge}${path}`, {
    method: body ? 'POST' : 'GET',
    headers,
    dispatcher: client,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: statusCode, body: (await answer.json()) as Body };
}

class Lane implements AsyncDisposable {
  readonly id: string;

  private constructor(id: string) {
    this.id = id;
  }

  static async open(change: string, ...words: string[]): Promise<Lane> {
    const { lane } = (await openLane(change, ...words)).value as { lane?: { lane: string } };
    if (!lane) throw new Error(`no lane for ${change}`);
    return new Lane(lane.lane);
  }

  async curl(path: string, body?: Body): Promise<Body> {
    const data = body ? ['--data', JSON.stringify(body)] : [];
    const header = ['--header', `authorization: ${headers.authorization}`];
    const answer = await workspace.run('lane', 'curl', this.id, path, ...data, ...header);
    return JSON.parse(String(answer.body)) as Body;
  }

  async reach(): Promise<{ proven: boolean; reason: string | null; lines: string[] }> {
    const { value } = await workspace.surety('lane', 'reach', this.id);
    const { reach, trees } = value as unknown as Reached;
    const lines = trees.flatMap(({ calls }) => calls.map(({ line }) => line));
    return { proven: reach.proven, reason: reach.reason, lines };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await workspace.run('lane', 'close', this.id);
  }
}

interface Reached {
  reach: { proven: boolean; reason: string | null };
  trees: { calls: { line: string }[] }[];
}

function openLane(change: string, ...words: string[]) {
  return workspace.surety('lane', 'open', patchFile(change), ...words);
}

function patchFile(change: string): string {
  const patch = `${workspace.root}/.surety/${change}.patch`;
  writeFileSync(patch, exampleChange(change));
  return patch;
}

const noteColumn = `SELECT 1 FROM information_schema.columns WHERE column_name = 'note'`;

describe.runIf(isDeep)('the trading platform', () => {
  test('prices, checks, charges and announces a trade over gRPC, Python, Redis and NATS', async () => {
    const { status, body } = await plain('/trades', trade);
    expect([status, body]).toEqual([201, expect.objectContaining({ status: 'accepted', fee: 15 })]);
    await until('the client is told', async () => (await notificationsAbout(body.id)).length > 0);
    expect(await notificationsAbout(body.id)).toEqual(['Your trade of 100 ACME is accepted.']);
    const strict = { ...trade, counterparty: 'Müller & Söhne 株式会社' };
    expect((await plain('/trades', strict)).body).toMatchObject({ reasons: ['over-limit'] });
  });

  test('does not expose its flags to the outside', async () => {
    const flags = await fetch(`http://127.0.0.1:${ports.flags}/flags/free-trading`);
    expect(await flags.json()).toEqual({ name: 'free-trading', on: false });
    expect(await plain('/flags/free-trading')).toMatchObject({ status: 404 });
  });
});

describe.runIf(isDeep)('a lane of the trading platform', () => {
  test('gives the answer of its Python candidate, while others get the old one', async () => {
    await using lane = await Lane.open('half-fees');
    expect(await lane.curl('/trades', trade)).toMatchObject({ fee: 7.5 });
    expect((await plain('/trades', trade)).body).toMatchObject({ fee: 15 });
    const { proven, lines } = await lane.reach();
    expect(lines.map((line) => line.replace(/^[^a-z]*/, ''))).toEqual([
      'edge  POST /trades  201  baseline',
      'orders  POST /trades  201  baseline',
      'pricing  POST /quotes  200  baseline',
      'validation  POST /validations  200  baseline',
      'risk  POST /trading.Risk/CheckLimit  200  baseline  grpc',
      'fees  POST /fees  200  ● candidate',
      'flags  GET /flags/free-trading  200  baseline',
      'notifications  MESSAGE trades.made  200  baseline  message',
    ]);
    expect(proven).toBe(true);
  });

  test('has all calls of a candidate that drops its key, and names it', async () => {
    await using lane = await Lane.open('drops-baggage');
    expect(await lane.curl('/trades', trade)).toMatchObject({ status: 'accepted' });
    const { proven, lines } = await lane.reach();
    expect([proven, lines.join('\n')]).toEqual([
      true,
      expect.stringMatching(/flags .*! fees dropped the key/),
    ]);
  });

  test('has its own data, with the migration of its change', async () => {
    const refused = await openLane('order-notes', '--data', 'trading-db=branch');
    expect(refused.value.fault).toMatchObject({ code: 'DATA_BRANCH_UNSAFE' });
    const words = ['--services', 'payments', '--data', 'trading-db=branch'];
    await using lane = await Lane.open('order-notes', ...words);
    const made = await lane.curl('/orders', order);
    expect(made).toMatchObject({ note: order.note });
    expect(await lane.reach()).toMatchObject({ proven: true });
    const paid = await lane.curl(`/orders/${made.id}/payment`, card);
    expect(paid).toMatchObject({ status: 'completed' });
    expect((await plain('/orders', order)).body).not.toHaveProperty('note');
    expect(await plain(`/orders/${made.id}`)).toMatchObject({ status: 404 });
    expect(await ask(databaseUrl, noteColumn)).toEqual([]);
    // The orders that they make and look for are nowhere but on the branch.
    const suites = ['edge-cases', 'payment-flow-in-python'];
    expect(await lookWith(suites, lane.id)).toEqual(suites.map((suite) => `${suite} passed`));
    const { lines } = await lane.reach();
    expect(
      lines
        .filter((line) => line.includes('injected'))
        .map(injectedInto)
        .sort(),
    ).toEqual([
      'payments 200 ● candidate delay=300',
      'payments 429 ✗ never arrived status=429',
      'payments no answer ✗ never arrived reset',
      'risk 200 ✗ never arrived status=503',
      'validation no answer ✗ never arrived reset',
    ]);
  });

  test('consumes only its own messages with a changed consumer', async () => {
    await using lane = await Lane.open('notify-with-total');
    const about = async (id: unknown): Promise<unknown> =>
      (await lane.curl(`/notifications/${id}`)).notifications;
    const inLane = await lane.curl('/orders', order);
    const text = 'We received your order over 29.99. Thank you!';
    await until('it is told', async () => ((await about(inLane.id)) as []).length > 0);
    expect(await about(inLane.id)).toEqual([{ about: inLane.id, text }]);
    const outside = (await plain('/orders', order)).body;
    await until('it is told', async () => (await notificationsAbout(outside.id)).length > 0);
    expect(await notificationsAbout(outside.id)).toEqual(['We received your order.']);
    // What came later was consumed, so neither side had the other's order still before it.
    expect([await about(outside.id), await notificationsAbout(inLane.id)]).toEqual([[], []]);
    const { proven, lines } = await lane.reach();
    expect(proven).toBe(true);
    expect(lines.join('\n')).toContain('MESSAGE orders.received  200  ● candidate  message');
  });
});

/** Skipped only where there is no browser, and never in CI. */
const hasBrowser = existsSync('/usr/bin/chromium') || Boolean(process.env.CI);
if (!hasBrowser) process.stderr.write('there is no Chromium: no browser looks at the desk\n');

// proves: verify.suites
describe.runIf(isDeep)('the suites of the trading platform', () => {
  test('pass on the baseline, with data, logs and a browser', async () => {
    const suites = ['edge-cases', 'odd-requests', ...(hasBrowser ? ['browser'] : [])];
    expect(await lookWith(suites)).toEqual(suites.map((suite) => `${suite} passed`));
  });

  test('cannot write live data by mistake', async () => {
    const writing = ask(readOnly(databaseUrl), 'CREATE TABLE mistake (id int)');
    await expect(writing).rejects.toThrow('read-only transaction');
  });
});

/** What became of each suite, with what did not hold. */
async function lookWith(suites: string[], lane?: string): Promise<string[]> {
  const body = { suites, ...(lane ? { lane } : {}) };
  const { runs } = await workspace.client().call('POST /v1/suites/run', { body });
  return runs.map(({ suite, result, reason, checks }) => {
    const failed = checks.filter(({ passed }) => !passed).map((check) => JSON.stringify(check));
    return [suite, result, ...(reason ? [reason] : []), ...failed].join(' ');
  });
}

function injectedInto(line: string): string {
  const [, service, status, place, what] =
    /(\w+) {2}POST \S+ {2}([\w ]+?) {2}(.+?) {2}.*! injected: (\S+)/.exec(line) ?? [];
  return `${service} ${status} ${place} ${what}`;
}

// Last: what is promoted is the baseline from then on.
describe.runIf(isDeep)('a promoted change of the trading platform', () => {
  test('replaces a service that speaks gRPC', async () => {
    const large = { ...trade, symbol: 'HOOLI', quantity: 1_000_000 };
    expect((await plain('/trades', large)).body).toMatchObject({ reasons: ['over-limit'] });
    const patch = patchFile('higher-limit');
    // It turns round what a test expects, which takes the word of a person.
    expect(
      (await workspace.surety('promote', patch, '--reason', 'test')).value.fault,
    ).toMatchObject({
      code: 'CHANGE_PROTECTED',
    });
    await workspace.run('change', 'override', patch, '--reason', 'a higher limit is meant');
    await workspace.run('promote', patch, '--reason', 'test');
    // Its callers keep a connection to the old one, and notice its end a moment later.
    await until(
      'the new version answers',
      async () => (await plain('/trades', large)).status < 500,
    );
    expect((await plain('/trades', large)).body).toMatchObject({ status: 'accepted' });
  });

  test('with a migration is verified on a branch, then migrates the live data', async () => {
    const patch = patchFile('order-notes');
    const verified = await workspace.surety('verify', patch, '--suite', 'payment-flow');
    expect(verified.value).toMatchObject({ verdict: 'pass', services: ['orders'] });
    expect(await ask(databaseUrl, noteColumn)).toEqual([]);
    await workspace.run('promote', patch, '--reason', 'test');
    expect((await plain('/orders', order)).body).toMatchObject({ note: order.note });
  });
});

const card = { method: 'card', token: 'tok_test_valid' };

async function notificationsAbout(id: unknown): Promise<string[]> {
  const { body } = await plain(`/notifications/${id}`);
  return (body.notifications as { text: string }[]).map(({ text }) => text);
}
