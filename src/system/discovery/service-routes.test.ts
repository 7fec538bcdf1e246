import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseConfig } from '../config.ts';
import { serviceRoutes } from './service-routes.ts';

const root = mkdtempSync(join(tmpdir(), 'surety-routes-'));
afterAll(() => rmSync(root, { recursive: true }));

const config = parseConfig(
  `ingress: edge
services:
  edge: { command: ./edge, port: 1, paths: [edge], tagging: baggage }
  rates: { command: ./rates, port: 2, directory: rates, tagging: baggage }
`,
  { path: 'surety.yaml', environment: {} },
);

const files = {
  'edge/routes.ts': `app.get('/orders');`,
  'edge/routes.test.ts': `app.get('/only-in-a-test');`,
  'edge/README.md': `app.get('/only-in-words');`,
  'edge/sort.ts': `const one = 1;`,
  'rates/main.py': `@app.get("/rates/{name}")`,
  'rates/openapi.json': `{"paths":{"/rates":{"get":{},"post":{}}}}`,
  'openapi.yaml': `paths: { /orders: { get: {} } }`,
};
for (const [file, text] of Object.entries(files)) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

test.each([
  ['edge', ['GET /orders'], ['GET /orders']],
  ['rates', ['GET /rates/{name}'], ['GET /rates', 'POST /rates']],
] as const)('finds the routes of %s in its own files', (service, inCode, inDocuments) => {
  const { declared, described } = serviceRoutes(root, config, service);
  const named = (routes: readonly { method: string; path: string }[]): string[] =>
    routes.map(({ method, path }) => `${method} ${path}`);
  expect(named(declared.flatMap(({ routes }) => routes))).toEqual(inCode);
  expect(named(described)).toEqual(inDocuments);
});
