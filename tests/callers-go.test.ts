import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from './harness/free-ports.ts';
import { commit, git } from './harness/systems/small-system.ts';
import { Workspace } from './harness/workspace.ts';

/** `npm run test:languages` says where Go is; elsewhere there is no need for it. */
const { SURETY_TEST_GO: go = '', SURETY_TEST_GO_VERDICTS: verdicts = '20' } = process.env;
const program = fileURLToPath(new URL('fixtures/go-shop/main.go', import.meta.url));

const currency = `import { createServer } from 'node:http';
createServer(({ url }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://currency');
  const amount = Number(searchParams.get('amount'));
  const answer = pathname === '/convert' ? { amount: amount * 2 } : ['EUR', 'USD'];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answer));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

describe.skipIf(!existsSync(go))(
  'an unchanged service in Go that drops the context of a call',
  () => {
    const workspace = new Workspace();

    beforeAll(async () => {
      const { root, place } = workspace;
      const ports = { shop: await freePort(), currency: await freePort() };
      mkdirSync(join(root, 'shop'));
      cpSync(program, join(root, 'shop/main.go'));
      writeFileSync(join(root, 'shop/go.mod'), 'module shop\n\ngo 1.22\n');
      writeFileSync(join(root, 'currency.mjs'), currency);
      writeFileSync(join(root, '.gitignore'), '.surety/\nshop/shop\n');
      writeFileSync(place.configFile, configuration(ports));
      git(root, 'init', '--quiet', '--initial-branch=main');
      commit(root, 'first');
      await workspace.up();
      await workspace.run('system', 'up');
    });
    afterAll(async () => {
      await workspace[Symbol.asyncDispose]();
    });

    const verify = (patch: string, suite: string) =>
      workspace.client().call('POST /v1/verdicts', { body: { patch, suites: [suite] } });

    test('is shared for requests for which the check showed that it passes every key on', async () => {
      const patch = patchOf("'USD'", "'USD', 7");
      const { verdict, callers } = await verify(patch, 'currencies');
      expect([verdict, callers]).toEqual(['fail', undefined]);
    });

    // proves: lanes.callers
    test('does not hide a change that adds 1,000 to every conversion', async () => {
      const patch = patchOf('amount * 2', 'amount * 2 + 1000');
      const seen = [];
      for (let count = 0; count < Number(verdicts); count++) {
        const { verdict, callers: [caller] = [] } = await verify(patch, 'cart');
        seen.push([verdict, caller?.service]);
      }
      expect(seen).toEqual(seen.map(() => ['fail', 'shop']));
    }, 1_800_000);

    function patchOf(before: string, after: string): string {
      const file = join(workspace.root, 'currency.mjs');
      writeFileSync(file, readFileSync(file, 'utf8').replace(before, after));
      const patch = git(workspace.root, 'diff');
      git(workspace.root, 'checkout', '--quiet', '--', 'currency.mjs');
      return patch;
    }
  },
);

function configuration({ shop, currency: port }: Readonly<Record<string, number>>): string {
  const suite = (name: string): string => `  ${name}:
    command: >-
      node -e 'fetch(process.env.BASE_URL + "/${name}", { headers: JSON.parse(process.env.HEADERS) })
      .then((answer) => console.log(JSON.stringify({ check: "answers", passed: answer.ok })))'
`;
  return `ingress: shop
suites:
${suite('cart')}${suite('currencies')}services:
  currency: { command: node currency.mjs, port: ${port}, paths: [currency.mjs] }
  shop:
    command: ./shop
    build: ${go} build -o shop .
    directory: shop
    port: ${shop}
    tagging: baggage
    health: /healthz
    environment: { CURRENCY_URL: "http://127.0.0.1:${port}" }
    paths: [shop]
    dependsOn: [currency]
`;
}
