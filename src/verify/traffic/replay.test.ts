import { describe, expect, test } from 'vitest';
import { verifyLimits } from '../limits.ts';
import type { StoredRequest } from './api-schema.ts';
import { chooseReplay, onlyRecorded, sendScenario } from './replay.ts';

const stored = (line: string, more: Partial<StoredRequest> = {}): StoredRequest => {
  const [method = '', path = ''] = line.split(' ');
  const known = { method, path, headers: [], credentials: [], withheld: [], status: 200 };
  return { ...known, body: null, answer: null, ...more };
};

describe('recorded requests', () => {
  const suites = [
    {
      name: 'flow',
      requests: [
        {
          ...request('GET /bad'),
          headers: [['authorization', 'Bearer bad'] as const],
          status: 401,
        },
        { ...request('GET /me'), headers: [['authorization', 'Bearer suite'] as const] },
        { ...request('GET /it'), headers: [['authorization', 'Bearer later'] as const] },
      ],
    },
  ];
  function request(line: string) {
    const [method = '', path = ''] = line.split(' ');
    return { method, path, headers: [], body: null, status: 200, answer: null };
  }
  const isSafe = ({ method }: { method: string }) => method === 'GET';
  const choose = (requests: readonly StoredRequest[], credentials = {}) =>
    chooseReplay({ scenarios: [{ id: 's', at: 1, requests }], credentials }, { suites, isSafe });

  test('are sent with a configured credential, else with one that suites used', () => {
    const recorded = stored('GET /orders', { credentials: ['authorization'] });
    const sent = (credentials = {}) =>
      choose([recorded], credentials).scenarios[0]?.requests[0]?.headers;
    expect(sent({ authorization: 'Bearer named' })).toEqual([['authorization', 'Bearer named']]);
    expect(sent()).toEqual([['authorization', 'Bearer suite']]);
  });

  test('that are not sent are listed with the reason', () => {
    const { scenarios, remarks } = choose([
      stored('GET /ok'),
      stored('POST /orders/7'),
      stored('GET /keys', { credentials: ['x-api-key'] }),
      stored('GET /login', { withheld: ['password'] }),
    ]);
    expect(scenarios.flatMap(({ requests }) => requests.map(({ path }) => path))).toEqual(['/ok']);
    expect(remarks).toEqual([
      'recorded traffic: 1 requests of 1 clients sent',
      'recorded traffic not sent: POST /orders/(id) (it is not declared safe to repeat), ' +
        'GET /keys (it needs x-api-key; set one in traffic.credentials), GET /login ' +
        '(the secret in password was not stored; set a stand-in in traffic.record.replace)',
    ]);
    expect(choose([]).remarks).toEqual([]);
  });

  test('are sent up to a limit', () => {
    const many = (count: number) => Array.from({ length: count }, () => stored('GET /a'));
    const { scenarios, remarks } = choose(many(verifyLimits.recordedReplayMax + 1));
    expect(scenarios[0]?.requests).toHaveLength(verifyLimits.recordedReplayMax);
    expect(remarks[1]).toContain('GET /a (the limit of requests is reached)');
    expect(choose(many(verifyLimits.recordedReplayMax)).remarks).toHaveLength(1);
  });

  test('are sent in order, with ids from the new answers', async () => {
    const requests = [
      { ...request('POST /orders'), answer: { id: 'ord-1234' } },
      request('GET /orders/ord-1234'),
    ];
    const sent: string[] = [];
    const send = async ({ path }: { path: string }) => {
      sent.push(path);
      return { status: 200, ms: 1, body: { id: 'ord-9999' } };
    };
    const last = await sendScenario({ name: 's', requests }, { send }, () => `r${sent.length}`);
    expect(sent).toEqual(['/orders', '/orders/ord-9999']);
    expect(last).toBe('r1');
  });

  test('are measured only if no suite sends the same', () => {
    const replayed = ['GET /me', 'GET /other'].map((line) => ({
      name: line,
      requests: [request(line)],
    }));
    expect(onlyRecorded(replayed, suites).map(({ name }) => name)).toEqual(['GET /other']);
    const long = { name: 'long', requests: Array.from({ length: 21 }, () => request('GET /x')) };
    expect(onlyRecorded([long], suites)).toEqual([]);
  });
});
