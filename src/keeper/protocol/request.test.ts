import { describe, expect, test } from 'vitest';
import { isFault, sharedLimits } from '../../kernel/index.ts';
import { keeperLimits } from '../limits.ts';
import type { Method } from './protocol.ts';
import { type KeeperHandlers, perform, readRequest } from './request.ts';

const start = {
  name: 'orders',
  command: ['node', 'server.js'],
  directory: '/srv',
  environment: { PATH: '/bin' },
  leaseMs: 1_000,
  logFile: '/srv/orders.log',
};

/** What arrives at the handler of `method`. */
async function order(method: Method, params: unknown): Promise<unknown> {
  const echo = new Proxy({}, { get: () => async (received: unknown) => received });
  const line = Buffer.from(JSON.stringify({ id: 1, method, params }));
  return perform(readRequest(line), echo as KeeperHandlers);
}

async function refusal(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (isFault(error, 'KEEPER_REQUEST_INVALID')) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('a line of the protocol', () => {
  test.each([
    ['nothing', ''],
    ['text that is not JSON', 'hello'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no id', '{"method":"ping"}'],
    ['an id that is a fraction', '{"id":1.5,"method":"ping"}'],
    ['an id that is too long', `{"id":"${'x'.repeat(65)}","method":"ping"}`],
    ['no method', '{"id":1}'],
    ['a field that is not known', '{"id":1,"method":"ping","extra":1}'],
    ['a key twice', '{"id":1,"id":2,"method":"ping"}'],
    ['a key that reaches the prototype', '{"id":1,"method":"ping","__proto__":{}}'],
    [
      'JSON that is too deep',
      `{"id":1,"method":"ping","params":${'['.repeat(100)}${']'.repeat(100)}}`,
    ],
  ])('is refused with %s', async (_, line) => {
    await refusal(() => readRequest(Buffer.from(line)));
  });

  test('is refused when it is not UTF-8', async () => {
    await refusal(() => readRequest(Buffer.from([0x7b, 0xff, 0x7d])));
  });

  test('is not quoted in its refusal, because refusals are logged', async () => {
    const line = Buffer.from('{"id":1,"method":"start","params":{"environment":{"KEY":hunter2}}}');
    expect(await refusal(() => readRequest(line))).not.toContain('hunter2');
  });

  test('may have an id of 64 characters and no parameters', () => {
    const id = 'x'.repeat(64);
    const line = Buffer.from(JSON.stringify({ id, method: 'ping' }));
    expect(readRequest(line)).toEqual({ id, method: 'ping', params: {} });
  });
});

describe('a request', () => {
  test.each<[string, Method, unknown, string]>([
    ['an unknown method', 'exec' as Method, {}, 'method'],
    ['a method of Object', 'toString' as Method, {}, 'method'],
    ['parameters that are a list', 'ping', [], 'params must be an object'],
    ['unknown parameters', 'list', { all: true }, 'not known'],
    ['start without a name', 'start', { ...start, name: undefined }, 'params.name'],
    ['a name with a slash', 'start', { ...start, name: 'a/b' }, 'params.name'],
    ['a name that begins with a dot', 'stop', { name: '..' }, 'params.name'],
    ['a name that is too long', 'stop', { name: 'x'.repeat(129) }, 'params.name'],
    ['a name that is a number', 'forget', { name: 7 }, 'params.name'],
    ['a command that is a string', 'start', { ...start, command: 'node' }, 'params.command'],
    ['an empty command', 'start', { ...start, command: [] }, 'params.command'],
    ['an empty program', 'start', { ...start, command: [''] }, 'params.command'],
    ['NUL in an argument', 'start', { ...start, command: ['a', 'b\0c'] }, 'params.command[1]'],
    ['a relative directory', 'start', { ...start, directory: 'srv' }, 'params.directory'],
    ['no environment', 'start', { ...start, environment: undefined }, 'params.environment'],
    ['a variable with =', 'start', { ...start, environment: { 'A=B': '' } }, 'params.environment'],
    [
      'a variable without a name',
      'start',
      { ...start, environment: { '': '' } },
      'params.environment',
    ],
    ['a number as a value', 'start', { ...start, environment: { A: 1 } }, 'params.environment.A'],
    ['no lease', 'start', { ...start, leaseMs: undefined }, 'params.leaseMs'],
    ['a misspelt lease', 'start', { ...start, leaseMS: 5 }, 'not known'],
    ['a lease of 0 ms', 'renew', { name: 'a', leaseMs: 0 }, 'params.leaseMs'],
    [
      'a lease that is too long',
      'renew',
      { name: 'a', leaseMs: sharedLimits.leaseMsMax + 1 },
      'leaseMs',
    ],
    ['a lease of half a millisecond', 'renew', { name: 'a', leaseMs: 1.5 }, 'params.leaseMs'],
    ['a lease as a string', 'renew', { name: 'a', leaseMs: '5' }, 'params.leaseMs'],
    ['a relative log file', 'start', { ...start, logFile: 'a.log' }, 'params.logFile'],
    ['NUL in the log file', 'start', { ...start, logFile: '/a\0b' }, 'params.logFile'],
    ['a negative grace', 'start', { ...start, stopGraceMs: -1 }, 'params.stopGraceMs'],
    [
      'a grace period that is too long',
      'start',
      { ...start, stopGraceMs: sharedLimits.stopGraceMsMax + 1 },
      'stopGraceMs',
    ],
    ['a hold with a dot', 'hold', { name: 'a.b', leaseMs: 1 }, 'params.name'],
    ['a hold without an end', 'hold', { name: 'a', leaseMs: null }, 'params.leaseMs'],
    [
      'a hold that removes the root directory',
      'hold',
      { name: 'a', leaseMs: 1, remove: ['/'] },
      'params.remove',
    ],
    [
      'a hold that removes a directory of others',
      'hold',
      { name: 'a', leaseMs: 1, remove: ['/x/b'] },
      'params.remove',
    ],
    [
      'a hold whose flag is not boolean',
      'hold',
      { name: 'a', leaseMs: 1, again: 1 },
      'params.again',
    ],
    [
      'a hold that removes a relative path',
      'hold',
      { name: 'a', leaseMs: 1, remove: ['a'] },
      'params.remove[0]',
    ],
    ['a memory limit of 0', 'start', { ...start, bounds: { memoryMb: 0 } }, 'bounds.memoryMb'],
    ['a negative CPU limit', 'start', { ...start, bounds: { cpu: -1 } }, 'bounds.cpu'],
    ['an unknown limit', 'start', { ...start, bounds: { disk: 1 } }, 'params.bounds'],
    [
      'a restart without a number',
      'start',
      { ...start, restart: { backoffMs: 1 } },
      'restart.most',
    ],
    ['an exception that is not a list', 'shutdown', { except: 'daemon' }, 'params.except'],
    ['an exception that is not a name', 'shutdown', { except: ['a', 1] }, 'params.except[1]'],
  ])('is refused with %s', async (_, method, params, named) => {
    expect(await refusal(() => order(method, params))).toContain(named);
  });

  test.each<[string, Method, object]>([
    ['the longest lease', 'renew', { name: 'a', leaseMs: sharedLimits.leaseMsMax }],
    ['the shortest lease', 'renew', { name: 'a', leaseMs: 1 }],
    ['a lease without an end', 'renew', { name: 'a', leaseMs: null }],
    ['the longest name', 'stop', { name: 'x'.repeat(128) }],
    ['every character of a name', 'stop', { name: '9aZ._:@-' }],
    [
      'the longest grace',
      'start',
      { ...start, stopGraceMs: sharedLimits.stopGraceMsMax, hold: null },
    ],
    ['no grace period', 'start', { ...start, stopGraceMs: 0, hold: 'lane_1' }],
    ['an empty argument', 'start', { ...start, command: ['a', ''], stopGraceMs: 0, hold: null }],
    [
      'a hold that removes a directory of its name',
      'hold',
      {
        name: 'lane_1',
        leaseMs: sharedLimits.leaseMsMax,
        remove: ['/a/lane_1'],
        command: ['drop'],
        again: true,
        notAfter: 5,
      },
    ],
    [
      'the maximum of restarts and the longest backoff',
      'start',
      {
        ...start,
        restart: { backoffMs: keeperLimits.restartBackoffMsMax, most: keeperLimits.restartsMax },
      },
    ],
    ['exceptions', 'shutdown', { except: ['daemon'] }],
  ])('is accepted with %s', async (_, method, params) => {
    expect(await order(method, params)).toMatchObject(params);
  });

  test('gets defaults for omitted fields', async () => {
    expect(await order('hold', { name: 'lane_1', leaseMs: 1 })).toEqual({
      name: 'lane_1',
      leaseMs: 1,
      remove: [],
      command: [],
      again: false,
      notAfter: null,
    });
    const given = {
      stopGraceMs: sharedLimits.stopGraceMsMax,
      hold: null,
      bounds: null,
      restart: null,
    };
    expect(await order('start', start)).toEqual({ ...start, ...given });
    expect(await order('list', {})).toEqual({ use: false });
    expect(await order('shutdown', {})).toEqual({ except: [] });
  });
});
