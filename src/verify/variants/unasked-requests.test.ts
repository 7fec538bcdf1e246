import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import type { Config, ServiceRoutes } from '../../system/index.ts';
import { request } from '../compare/recorded.fixture.ts';
import { isRead, type ScenarioRequest } from '../traffic/index.ts';
import type { KnownRequest } from './known-requests.ts';
import { type UnaskedInput, unaskedRequests } from './unasked-requests.ts';

const services = { shop: { port: 4301, health: '/up' } } as unknown as Config['services'];

function offering(...routes: string[]): ReadonlyMap<string, ServiceRoutes> {
  const declared = routes.map((text) => {
    const [method = '', path = ''] = text.split(' ');
    return { method, path };
  });
  return new Map([
    ['shop', { declared: [{ routes: declared, mounts: [], queries: [] }], described: [] }],
  ]);
}

function asked(method: string, path: string, responseBody: Hop['responseBody'] = null): Hop[] {
  return request([], { to: 'shop', method, path, status: 200, responseBody });
}

function find(input: Partial<UnaskedInput>): KnownRequest[] {
  const control = input.control ?? [];
  const none = { changed: ['shop'], paths: [], scenarios: [], credential: undefined };
  const all = { ...none, offered: new Map(), control, candidate: control, isSafe: isRead };
  return unaskedRequests({ ...all, ...input }, { services });
}

const pathsOf = (found: readonly KnownRequest[]): (string | undefined)[] =>
  found.map(({ requests }) => requests.at(-1)?.path);

describe('reads that nobody asked for', () => {
  test('are those that the code registers and no request used', () => {
    const offered = offering('GET /items', 'GET /items/{id}', 'POST /items', 'GET /stock');
    const control = asked('GET', '/items/a1');
    expect(pathsOf(find({ offered, control }))).toEqual(['/items', '/stock']);
  });

  test('take the ids that list answers and other requests held', () => {
    const offered = offering('GET /items/{id}/parts', 'GET /prices/{sku}', 'GET /notes/{noteId}');
    const listed = asked('GET', '/items', [{ id: 'a1' }, { id: 'a2' }, { id: 'a3' }]);
    const control = [...listed, ...asked('GET', '/cart', { lines: [{ sku: 'S-9' }] })];
    expect(pathsOf(find({ offered, control }))).toEqual([
      '/items/a1/parts',
      '/items/a2/parts',
      '/items/a3/parts',
      '/prices/S-9',
      '/notes/1',
    ]);
  });

  test('ask for other things that both versions know, where a route was asked for some', () => {
    const offered = offering('GET /items/{id}');
    const listed = asked('GET', '/items', [{ id: 'a1' }, { id: 'a2' }]);
    const control = [...listed, ...asked('GET', '/items/a1?full=1')];
    expect(pathsOf(find({ offered, control }))).toEqual(['/items/a2']);
  });

  test('do not take what only one version knows, unless a safe request makes it again', () => {
    const offered = offering('GET /orders/{id}/history');
    const control = asked('POST', '/orders', { id: 'ord_100001' });
    const candidate = asked('POST', '/orders', { id: 'ord_200002' });
    expect(pathsOf(find({ offered, control, candidate }))).toEqual(['/orders/1/history']);
    const order: ScenarioRequest = {
      method: 'POST',
      path: '/orders',
      headers: [],
      body: Buffer.from('{}'),
      status: 201,
      answer: { id: 'ord_100001' },
    };
    const scenarios = [{ name: 'flow', requests: [order] }];
    const unsafe = find({ offered, control, candidate, scenarios });
    expect(pathsOf(unsafe)).toEqual(['/orders/1/history']);
    const [made] = find({ offered, control, candidate, scenarios, isSafe: () => true });
    expect(made?.requests).toMatchObject([order, { path: '/orders/ord_100001/history' }]);
  });

  test('use the prefix under which requests found the routes of the same file', () => {
    const routes = ['GET /{id}', 'GET /{id}/parts'].map((text) => {
      const [method = '', path = ''] = text.split(' ');
      return { method, path };
    });
    const declared = [
      { routes, mounts: [], queries: [] },
      { routes: [], mounts: ['/items', '/users'], queries: [] },
    ];
    const offered = new Map([['shop', { declared, described: [] }]]);
    const control = asked('GET', '/items/a1');
    expect(pathsOf(find({ offered, control }))).toEqual(['/items/a1/parts']);
  });

  test('of OpenAPI documents have the examples that these give', () => {
    const parameters = [
      { name: 'id', in: 'path', isRequired: true, example: '7' },
      { name: 'full', in: 'query', isRequired: false, example: 'yes' },
    ];
    const described = [{ method: 'GET', path: '/v1/items/{id}', parameters }];
    const offered = new Map([['shop', { declared: [], described }]]);
    expect(pathsOf(find({ offered }))).toEqual(['/v1/items/7?full=yes']);
  });

  test('are sent straight to the service, with a credential that was accepted', () => {
    const [one] = find({ offered: offering('GET /a'), credential: ['authorization', 'Bearer t'] });
    expect(one?.requests[0]?.headers).toEqual([
      ['x-surety-to', '127.0.0.1:4301'],
      ['authorization', 'Bearer t'],
    ]);
  });

  test.each(['/up', '/logout', '/cache/clear', '/events', '/admin/shutdown', '/metrics'])(
    'leave out %s, which does more than reading or answers for ever',
    (path) => {
      expect(find({ offered: offering(`GET ${path}`) })).toEqual([]);
    },
  );
});
