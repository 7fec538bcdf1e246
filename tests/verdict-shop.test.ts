import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { freePorts } from './harness/free-ports.ts';
import { commit, git } from './harness/systems/small-system.ts';
import { Workspace } from './harness/workspace.ts';

const grpc = `import grpc from '${import.meta.resolve('@grpc/grpc-js')}';
const serialize = (value) => Buffer.from(JSON.stringify(value));
const deserialize = (bytes) => JSON.parse(bytes.toString());
`;

/** As many public samples do, it answers a refused payment with 500. */
const shop = `${grpc}import { createServer } from 'node:http';
const { PORT, PAYMENTS, ADS_URL } = process.env;
const payments = new grpc.Client(PAYMENTS, grpc.credentials.createInsecure());
const call = (method, value) => new Promise((resolve, reject) =>
  payments.makeUnaryRequest('/shop.Payments/' + method, serialize, deserialize, value,
    (error, answer) => error ? reject(error) : resolve(answer)));
const ads = async (path, options) => (await fetch(ADS_URL + path, options)).json();
const pages = {
  '/limits': () => ({ limit: 500 }),
  '/currencies': () => call('Currencies', {}),
  '/checkout': async (card) => {
    const ad = await ads('/ads').catch(() => null);
    await call('Charge', { card, amount: 12 });
    await ads('/shipments', { method: 'POST' });
    return { paid: true, ad };
  },
};
createServer(async ({ url }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://shop');
  response.setHeader('content-type', 'application/json');
  try {
    response.end(JSON.stringify(await pages[pathname]?.(searchParams.get('card')) ?? {}));
  } catch (error) {
    response.statusCode = 500;
    response.end(JSON.stringify({ error: 'the card could not be charged' }));
  }
}).listen(Number(PORT), '127.0.0.1');
`;

/** It asks the shop, which calls it, for the limit of the customer. */
const payments = `${grpc}const { PORT, SHOP_URL } = process.env;
const known = ['EUR', 'USD', 'JPY'];
const isExpired = (card) => card === 'expired';
const handlers = {
  Charge: async ({ card, amount }) => {
    const { limit } = await (await fetch(SHOP_URL + '/limits')).json();
    if (isExpired(card) || amount > limit) {
      throw { code: grpc.status.FAILED_PRECONDITION, details: 'the card is not accepted' };
    }
    return { charged: amount };
  },
  Currencies: async () => ({ currencies: known.map((code) => ({ code, digits: 2 })) }),
};
const server = new grpc.Server();
for (const [name, handle] of Object.entries(handlers)) {
  const method = { path: '/shop.Payments/' + name, requestStream: false, responseStream: false,
    requestSerialize: serialize, requestDeserialize: deserialize,
    responseSerialize: serialize, responseDeserialize: deserialize };
  server.addService({ [name]: method }, { [name]: ({ request }, answer) =>
    handle(request).then((value) => answer(null, value), (error) => answer(error)) });
}
server.bindAsync('127.0.0.1:' + PORT, grpc.ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
`;

/** What it answers is chance, as in a sample that shows advertisements. */
const ads = `import { createServer } from 'node:http';
const pick = (...values) => values[Math.floor(Math.random() * values.length)];
createServer((request, response) => {
  response.statusCode = request.method === 'GET' ? pick(200, 200, 200, 503) : 201;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ text: pick('red', 'blue'), tags: pick([], ['sale']) }));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const suite = `const { BASE_URL, HEADERS } = process.env;
const headers = JSON.parse(HEADERS);
for (const path of ['/currencies', '/checkout?card=good', '/checkout?card=expired']) {
  const { status } = await fetch(BASE_URL + path, { headers });
  console.log(JSON.stringify({ check: path + ' is answered', passed: status > 0 }));
}
`;

describe.runIf(isDeep)('a shop with payments over gRPC and random advertisements', () => {
  const workspace = new Workspace();

  beforeAll(async () => {
    const { root, place } = workspace;
    const ports = await freePorts(['shop', 'payments', 'ads']);
    for (const [name, code] of Object.entries({ shop, payments, ads, suite })) {
      writeFileSync(join(root, `${name}.mjs`), code);
    }
    writeFileSync(join(root, '.gitignore'), '.surety/\n');
    writeFileSync(place.configFile, configuration(ports));
    git(root, 'init', '--quiet', '--initial-branch=main');
    commit(root, 'first');
    await workspace.up();
    await workspace.run('system', 'up');
  });
  afterAll(() => workspace[Symbol.asyncDispose]());

  async function verify(before: string, after: string) {
    const file = join(workspace.root, 'payments.mjs');
    writeFileSync(file, readFileSync(file, 'utf8').replace(before, after));
    const patch = git(workspace.root, 'diff');
    git(workspace.root, 'checkout', '--quiet', '--', 'payments.mjs');
    return workspace.client().call('POST /v1/verdicts', { body: { patch } });
  }

  test('fails, and names payments first, if payments accepts an expired card', async () => {
    const { verdict, findings } = await verify("card === 'expired'", "card === 'stolen'");
    expect(verdict).toBe('fail');
    expect(findings[0]).toMatchObject({
      service: 'payments',
      what: 'refusal-lost',
      hop: 'shop → payments POST /shop.Payments/Charge',
    });
  });

  test('fails if a currency is gone from a list', async () => {
    const { verdict, findings } = await verify("'USD', 'JPY'", "'USD'");
    expect(verdict).toBe('fail');
    expect(findings).toMatchObject([
      { service: 'payments', what: 'member-missing', sampleBefore: 'JPY' },
    ]);
  });

  // proves: verify.noise
  test('has no finding if only the advertisements differ', async () => {
    const { findings } = await verify("'the card is", "'this card is");
    expect(findings).toEqual([]);
  });
});

function configuration({
  shop: front,
  payments: back,
  ads: random,
}: Record<string, number>): string {
  return `ingress: shop
suites:
  pages: { command: node suite.mjs }
services:
  ads: { command: node ads.mjs, port: ${random}, paths: [ads.mjs] }
  payments:
    command: node payments.mjs
    port: ${back}
    protocol: grpc
    environment: { SHOP_URL: "http://127.0.0.1:${front}" }
    paths: [payments.mjs]
  shop:
    command: node shop.mjs
    port: ${front}
    environment: { PAYMENTS: "127.0.0.1:${back}", ADS_URL: "http://127.0.0.1:${random}" }
    paths: [shop.mjs]
    dependsOn: [payments, ads]
`;
}
