import { expect, test } from 'vitest';
import { isFault } from '../kernel/index.ts';
import { parseConfig } from '../system/index.ts';
import { checkRead, checkReadOfAny, readableTelemetry } from './read-rights.ts';

const text = `
agents:
  coder: { tools: [], reads: { kinds: [logs, sql], services: [orders] } }
  reader: { tools: [], reads: { kinds: [traces] } }
  helper: { tools: [] }
`;
const config = parseConfig(text, { path: 'surety.yaml', environment: {} });

function refused(work: () => void): boolean {
  try {
    work();
    return false;
  } catch (error) {
    return isFault(error, 'READ_DENIED');
  }
}

// proves: roles.reads
test.each([
  ['agent:coder', 'logs', 'orders', false],
  ['agent:coder', 'logs', 'pricing', true],
  ['agent:coder', 'logs', undefined, true],
  ['agent:coder', 'captures', 'orders', true],
  ['agent:reader', 'traces', undefined, false],
  ['agent:reader', 'metrics', undefined, true],
  ['agent:helper', 'captures', 'pricing', false],
  ['agent:constructor', 'logs', undefined, false],
  ['person:coder', 'captures', 'pricing', false],
] as const)('%s that reads %s of %s is refused: %s', (actor, kind, service, isRefused) => {
  expect(refused(() => checkRead(config, actor, kind, service))).toBe(isRefused);
});

test('a kind is readable if it is for any service', () => {
  expect(refused(() => checkReadOfAny(config, 'agent:coder', 'sql'))).toBe(false);
  expect(refused(() => checkReadOfAny(config, 'agent:coder', 'captures'))).toBe(true);
  expect(refused(() => checkReadOfAny(config, 'agent:helper', 'captures'))).toBe(false);
});

test('a query of telemetry sees the views and services that its caller may read', () => {
  expect(readableTelemetry(config, 'agent:coder')).toEqual({
    views: ['deployments', 'alerts', 'logs'],
    services: ['orders'],
    capturesOf: '',
  });
  expect(readableTelemetry(config, 'agent:helper')).toEqual({ capturesOf: 'agent:helper' });
  expect(readableTelemetry(config, 'person:coder')).toEqual({});
});
