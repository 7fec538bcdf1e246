import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedLimits } from '../../kernel/index.ts';
import type { Lane, Routes } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { readAsOthers, scanFromOutside, scanRoutes, servedAnswers } from './outside-scan.ts';

const asked: string[] = [];
let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.baggage}`);
    if (request.headers.origin) response.setHeader('access-control-allow-origin', '*');
    if (request.url === '/broken') return void request.socket.destroy();
    if (request.url === '/long')
      return void response.end('x'.repeat(sharedLimits.hopBodyBytesMax + 1));
    const isThere = request.url?.startsWith('/trades');
    const { authorization } = request.headers;
    const refusal = authorization ? 403 : 401;
    response.writeHead(isThere ? refusal : 404, { 'set-cookie': ['a=1', 'b=2'] }).end('no');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

const lane = { lane: 'lane_1' } as Lane;
const routes = {
  address: async () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
} as Routes;

const outside = (path: string, method = 'GET') => hop({ from: null, to: 'edge', method, path });

describe('a scan from outside', () => {
  test('reads what the suite read, with the lane key, and routes that should not exist', async () => {
    const seen = [outside('/trades/1'), outside('/trades/2'), outside('/orders', 'POST'), hop()];
    const answers = await scanFromOutside(lane, seen, routes);
    expect(asked).toContain('GET /trades/2 surety-lane=lane_1');
    expect(asked.join()).not.toMatch(/POST|trades\/1|validations/);
    expect(answers[0]).toMatchObject({
      service: 'edge',
      path: '/trades/2',
      hasCredentials: false,
      status: 401,
      body: 'no',
      headers: { 'set-cookie': ['a=1', 'b=2'], 'access-control-allow-origin': ['*'] },
    });
    // Also with a token that is none.
    expect(answers.at(-1)).toMatchObject({ path: '/trades/2', isWrong: true, status: 403 });
    expect(answers.find(({ path }) => path === '/internal')).toMatchObject({ status: 404 });
  });

  test('reads by the same ids as everybody else who is known, and nothing else', async () => {
    const hops = [outside('/trades/7'), outside('/trades'), outside('/trades/8', 'POST')];
    const credentials = [['authorization', 'Bearer bob']] as const;
    const answers = await readAsOthers(lane, { hops, credentials }, routes);
    expect(asked.filter((one) => /\/trades(?:\/[78])? /.test(one))).toEqual([
      'GET /trades/7 surety-lane=lane_1',
    ]);
    expect(answers).toMatchObject([
      { path: '/trades/7', as: 'as known client 1', hasCredentials: true, status: 403 },
    ]);
    expect(await readAsOthers(lane, { hops, credentials: [] }, routes)).toEqual([]);
  });

  test('cuts long answers, and records a missing answer as status 0', async () => {
    const answers = await scanFromOutside(lane, [outside('/long'), outside('/broken')], routes);
    expect(answers[0]?.body).toHaveLength(sharedLimits.hopBodyBytesMax);
    expect(answers[1]).toMatchObject({ status: 0 });
  });

  test('takes security headers from the answers to the suite', () => {
    const guards = { 'x-frame-options': ['DENY'] };
    const login = hop({ from: null, to: 'edge', path: '/login', guards });
    expect(servedAnswers([login, hop(), hop({ guards })])).toMatchObject([
      { service: 'edge', method: 'POST', path: '/login', headers: guards },
    ]);
  });

  test('sends nothing if no request came from outside', async () => {
    expect(await scanFromOutside(lane, [hop()], routes)).toEqual([]);
  });
});

describe('a scan of routes', () => {
  test('reads routes that services call and routes that the patch names', async () => {
    asked.length = 0;
    const hops = [
      hop({ from: null, to: 'edge', path: '/orders', responseBody: { id: 'ord_7' } }),
      hop({ from: 'fees', to: 'flags', method: 'GET', path: '/flags/free?x=1' }),
      hop({ from: 'orders', to: 'mail', instance: 'external', path: '/send' }),
      hop({ from: 'orders', to: 'notifications', protocol: 'message', path: 'orders.paid' }),
    ];
    const literals = ['/notifications/:about'];
    const answers = await scanRoutes(lane, { hops, literals }, routes);
    expect(asked.map((line) => line.split(' ').slice(0, 2).join(' ')).sort()).toEqual([
      'GET /flags',
      'GET /flags/free',
      'GET /notifications/ord_7',
    ]);
    expect(answers.every(({ service }) => service === 'edge')).toBe(true);
  });

  test('sends nothing if no request came from outside', async () => {
    expect(await scanRoutes(lane, { hops: [hop()], literals: ['/x'] }, routes)).toEqual([]);
  });
});
