import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseConfig } from '../config.ts';
import { describedRequests } from './described-requests.ts';
import { languageOf } from './service-language.ts';

const root = mkdtempSync(join(tmpdir(), 'surety-described-'));
afterAll(() => rmSync(root, { recursive: true }));

const config = parseConfig(
  `ingress: edge
services:
  edge: { command: ./edge, port: 1, directory: edge, tagging: baggage }
  rates: { command: ./rates, port: 2, directory: rates, tagging: baggage }
  pages: { command: java -jar pages.jar, port: 3, tagging: baggage }
  mails: { command: ./mails, port: 4, directory: mails, tagging: baggage }
`,
  { path: 'surety.yaml', environment: {} },
);
mkdirSync(join(root, 'edge'));
mkdirSync(join(root, 'rates'));
writeFileSync(join(root, 'edge/go.mod'), 'module edge\n');
writeFileSync(join(root, 'rates/requirements.txt'), 'flask\n');
writeFileSync(
  join(root, 'edge/openapi.yaml'),
  `servers: [{ url: https://shop.example/v1 }]
paths:
  /orders: { get: {}, post: {} }
  /orders/{id}:
    parameters: [{ $ref: '#/components/parameters/id' }]
    get: { parameters: [{ name: full, in: query, schema: { enum: [yes, no] } }] }
  /search: { get: { parameters: [{ name: q, in: query, required: true }] } }
  /files/{name}: { get: {} }
components: { parameters: { id: { name: id, in: path, required: true, example: 7 } } }
`,
);
writeFileSync(join(root, 'swagger.json'), '{"basePath":"/old","paths":{"/health":{"get":{}}}}');
writeFileSync(join(root, 'rates/openapi.json'), '{"paths":{"/inside":{"get":{}}}}');

test('lists GET requests of OpenAPI documents that describe the ingress, with example values', () => {
  expect(describedRequests(root, config)).toEqual({
    paths: ['/old/health', '/v1/orders', '/v1/orders/7?full=yes'],
    unsent: [
      'GET /v1/search (it needs q, and OpenAPI gives no example)',
      'GET /v1/files/{name} (it needs name, and OpenAPI gives no example)',
    ],
  });
});

test.each([
  ['edge', 'go'],
  ['rates', 'python'],
  ['pages', 'java'],
  ['mails', 'other'],
] as const)('knows what %s is written in: %s', (service, language) => {
  const { [service]: own } = config.services;
  expect(own && languageOf(root, own)).toBe(language);
});
