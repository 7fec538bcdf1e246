import { expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { checkConsent, type ProbeAsker } from './probe-consent.ts';

const read = (text: string) => parseConfig(text, { path: 'surety.yaml', environment: {} });
const operator: ProbeAsker = { actor: 'person:ada', roles: ['operator'] };
const developer: ProbeAsker = { actor: 'person:bob', roles: ['developer'] };
const agent: ProbeAsker = { actor: 'agent:coder', roles: ['agent'] };
const consent = { service: 'payments', allowProduction: true };

const listed = read('probes: { production: [payments] }');

test.each([
  ['an operator without consent', listed, operator, { service: 'payments' }],
  ['a developer with consent', listed, developer, consent],
  ['an agent with consent', listed, agent, consent],
  ['a process that could be a service of it', listed, operator, {}],
  ['a process that a lane is named with', listed, operator, { pid: 7, lane: 'lane_1' }],
  ['all services', read('probes: { production: true }'), operator, { service: 'orders' }],
  [
    'the environment of the policy',
    read('environment: production'),
    operator,
    { service: 'orders' },
  ],
])('a probe in production is refused: %s', (_, config, asker, asked) => {
  expect(() => checkConsent(config, asker, asked)).toThrow(
    expect.objectContaining({ code: 'PROBE_PRODUCTION' }),
  );
});

test.each([
  ['a developer', developer, { pid: 7 }],
  ['a developer who names a lane', developer, { pid: 7, lane: 'lane_1' }],
  ['an agent', agent, { pid: 7 }],
])('a process is not probed by its number: %s', (_, asker, asked) => {
  expect(() => checkConsent(read(''), asker, asked)).toThrow(
    expect.objectContaining({ code: 'PROBE_NOT_PERMITTED' }),
  );
});

test.each([
  ['a process by its number', read(''), operator, { pid: 7 }],
  ['an operator with consent', listed, operator, consent],
  [
    'an administrator with consent',
    listed,
    { ...operator, roles: ['admin'] } as ProbeAsker,
    consent,
  ],
  ['a service that is not in production', listed, agent, { service: 'orders' }],
  ['a candidate of a lane', listed, agent, { service: 'payments', lane: 'lane_1' }],
  ['nothing is said of production', read(''), developer, { service: 'payments' }],
  [
    'production is switched off',
    read('environment: production\nprobes: { production: false }'),
    developer,
    { service: 'payments' },
  ],
])('a probe is allowed: %s', (_, config, asker, asked) => {
  expect(() => checkConsent(config, asker, asked)).not.toThrow();
});
