import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { freePort } from './harness/free-ports.ts';
import { commit, git } from './harness/systems/small-system.ts';
import { Workspace } from './harness/workspace.ts';

/** Its suite asks only for the list. */
const shop = `import { createServer } from 'node:http';
import { find, items } from './items.mjs';
const worker = Math.floor(Math.random() * 1e6);
createServer(({ method, url }, response) => {
  const { pathname } = new URL(url, 'http://shop');
  const [, folder, id] = pathname.split('/');
  let body = {};
  if (method === 'GET' && pathname === '/items') body = items.map(({ id, name }) => ({ id, name }));
  else if (method === 'GET' && pathname === '/process') body = { worker };
  // route('/items/:id')
  else if (folder === 'items' && id) body = find(id);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const items = `export const items = [
  { id: 'a1', name: 'apple', price: 3 },
  { id: 'b2', name: 'bread', price: 4 },
];
export function find(id) {
  const item = items.find((one) => one.id === id);
  return { ...item, price: item?.price ?? null };
}
`;

const suite = `const { BASE_URL, HEADERS } = process.env;
const { status } = await fetch(BASE_URL + '/items', { headers: JSON.parse(HEADERS) });
console.log(JSON.stringify({ check: 'items are listed', passed: status === 200 }));
`;

describe.runIf(isDeep)('a shop of which a suite asks one route', () => {
  const workspace = new Workspace();

  beforeAll(async () => {
    const { root, place } = workspace;
    const port = await freePort();
    for (const [name, code] of Object.entries({ shop, items, suite })) {
      writeFileSync(join(root, `${name}.mjs`), code);
    }
    writeFileSync(join(root, '.gitignore'), '.surety/\n');
    writeFileSync(
      place.configFile,
      `ingress: shop
suites: { pages: { command: node suite.mjs } }
services:
  shop: { command: node shop.mjs, port: ${port}, paths: [shop.mjs, items.mjs] }
`,
    );
    git(root, 'init', '--quiet', '--initial-branch=main');
    commit(root, 'first');
    await workspace.up();
    await workspace.run('system', 'up');
  });
  afterAll(() => workspace[Symbol.asyncDispose]());

  async function verify(before: string, after: string) {
    const file = join(workspace.root, 'items.mjs');
    writeFileSync(file, readFileSync(file, 'utf8').replace(before, after));
    const patch = git(workspace.root, 'diff');
    git(workspace.root, 'checkout', '--quiet', '--', 'items.mjs');
    return workspace.client().call('POST /v1/verdicts', { body: { patch } });
  }

  // proves: verify.unasked
  test('fails with another answer of a route that only another file names', async () => {
    const { verdict, findings } = await verify('item?.price ??', 'item?.cost ??');
    expect(verdict).toBe('fail');
    expect(findings[0]).toMatchObject({
      service: 'shop',
      hop: expect.stringMatching(/GET \/items\/\(id\), asked directly for/),
    });
  });

  test('has no finding if only what each process draws for itself differs', async () => {
    const { findings, coverage } = await verify(
      'const item = items.find',
      'const item = [...items].find',
    );
    expect(findings).toEqual([]);
    expect(coverage).toMatchObject({ status: 'executed' });
  });
});
