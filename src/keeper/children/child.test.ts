import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { type ChildRecord, childRecord, isSameProcess, type ProcessSighting } from './child.ts';

const record: ChildRecord = {
  name: 'orders',
  instance: '0123456789abcdef',
  pid: 4321,
  startTicks: 1000,
  startedAt: 1,
  leaseEndsAt: null,
  state: 'running',
  exit: null,
  logFile: '/tmp/orders.log',
  stopGraceMs: 500,
  hold: null,
  restarts: 0,
  restartAt: null,
  lastExit: null,
  restart: null,
  command: [],
  directory: '/',
  bounds: null,
  heldByMachine: [],
  cgroups: [],
};

const exit = { code: 0, signal: null, at: 2, reason: 'exited' };
const mark = { keeper: 'fedcba9876543210', name: 'orders', instance: record.instance };
const stat = { parent: 1, hasTerminal: false, group: 4321, startTicks: 1000, isZombie: false };
const seen: ProcessSighting = { stat, mark, isSameBoot: true };

describe('isSameProcess', () => {
  test.each<[string, Partial<ProcessSighting>, boolean]>([
    ['pid, start and mark are the same', {}, true],
    ['no process has the pid', { stat: undefined, mark: undefined }, false],
    ['the pid was given to a later process', { stat: { ...stat, startTicks: 1001 } }, false],
    ['the process is a zombie', { stat: { ...stat, isZombie: true } }, false],
    [
      'the process is another run of the same name',
      { mark: { ...mark, instance: '0'.repeat(16) } },
      false,
    ],
    ['the process overwrote its environment', { mark: undefined }, true],
    [
      'the process has no mark and the machine was rebooted',
      { mark: undefined, isSameBoot: false },
      false,
    ],
    ['the process has the mark after a reboot', { isSameBoot: false }, true],
  ])('is decided correctly when %s', (_, change, expected) => {
    expect(isSameProcess(record, { ...seen, ...change })).toBe(expected);
  });
});

describe('childRecord', () => {
  test.each([
    ['a running child', {}],
    ['an exited child', { state: 'exited', exit }],
  ])('reads %s', (_, change) => {
    expect(childRecord({ ...record, ...change } as unknown as Json, 'child')).toEqual({
      ...record,
      ...change,
    });
  });

  test.each([
    ['the pid of init', { pid: 1 }],
    ['a pid that means every process', { pid: -1 }],
    ['a pid that means our own group', { pid: 0 }],
    ['a pid that is not a number', { pid: '4321' }],
    ['an exited child without its exit', { state: 'exited' }],
    ['a running child with an exit', { exit }],
    ['an unknown field', { color: 'red' }],
  ])('refuses %s', (_, change) => {
    expect(() => childRecord({ ...record, ...change } as unknown as Json, 'child')).toThrow(
      'Invalid request to the keeper',
    );
  });
});
