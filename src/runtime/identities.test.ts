import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Clock,
  createClock,
  createIdentifiers,
  isFault,
  type Log,
  sha256,
  systemRandom,
} from '../kernel/index.ts';
import { parseConfig } from '../system/index.ts';
import { Identities } from './identities.ts';
import { runtimeLimits } from './limits.ts';
import { findPlace, type WorkspacePlace } from './place.ts';

const day = 86_400_000;
let place: WorkspacePlace;
let now: number;
let clock: Clock;
const logged: object[] = [];
beforeEach(() => {
  place = findPlace('/', mkdtempSync(join(tmpdir(), 'surety-identities-')));
  now = Date.now();
  clock = createClock({ wallMs: () => now, monotonicMs: () => now });
});
afterEach(() => rmSync(place.root, { recursive: true }));

function open(text = 'agents: { coder: { tools: [] } }\n'): Identities {
  const config = parseConfig(text, { path: 'surety.yaml', environment: {} });
  const makeIdentifier = createIdentifiers(clock, systemRandom);
  const log: Log = (_, event, facts) => logged.push({ event, ...facts });
  return new Identities({ place, config, clock, makeIdentifier, log });
}

const coderFile = (): string => join(place.state, 'agents', 'coder.token');
const read = (file: string): string => readFileSync(file, 'utf8').trim();
const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return isFault(error) ? error.code : String(error);
  }
};

describe('an issued token', () => {
  const terms = { holder: 'agent:coder', surface: 'mcp', lifetime: '1h' } as const;

  // proves: tokens.surface
  test('is valid for its surface and its holder, also after a restart', () => {
    const { token, actor } = open().issue(terms);
    const identities = open();
    expect(actor).toBe('agent:coder');
    expect(identities.find(token, 'mcp')).toMatchObject({ actor, roles: ['agent'] });
    expect(codeOf(() => identities.find(token, 'api'))).toBe('TOKEN_FOR_ANOTHER_SURFACE');
    expect(() => identities.find(token, 'api')).toThrow(
      expect.objectContaining({
        remedy: expect.stringContaining('issue agent:coder --surface api'),
      }),
    );
    expect(identities.tokenOf(sha256(token))).toBe(token);
    expect(open('{}\n').find(token, 'mcp')).toBeUndefined();
    expect(statSync(join(place.state, 'tokens.json')).mode & 0o777).toBe(0o600);
  });

  // proves: tokens.expire
  test('expires, and is forgotten with the next one', () => {
    const identities = open();
    const { token } = identities.issue(terms);
    now += 3_600_000 - 1;
    expect(identities.find(token, 'mcp')).toBeDefined();
    now += 1;
    expect(codeOf(() => identities.find(token, 'mcp'))).toBe('TOKEN_EXPIRED');
    identities.issue(terms);
    expect(identities.issued()).toHaveLength(1);
  });

  test('can be revoked', () => {
    const identities = open();
    const { token, id } = identities.issue(terms);
    identities.revoke(id);
    expect(identities.find(token, 'mcp')).toBeUndefined();
    expect(codeOf(() => identities.revoke(id))).toBe('NOT_FOUND');
  });

  test('is valid for as long as the limit says, at most', () => {
    const { expiresAt } = open().issue({ ...terms, lifetime: '9999d' });
    expect(expiresAt).toBe(clock.now() + runtimeLimits.tokenLifetimeMsMax);
  });

  test('is issued only to somebody who is known', () => {
    expect(codeOf(() => open().issue({ ...terms, holder: 'agent:nobody' }))).toBe('NOT_FOUND');
  });
});

// proves: tokens.rotate
test('a rotated token replaces the former one at once, for its holder only', () => {
  const identities = open();
  const [owner, coder] = [read(place.tokenFile), read(coderFile())];
  expect(identities.rotate('agent:coder')).toMatchObject({ tokenFile: coderFile() });
  expect(identities.find(coder, 'api')).toBeUndefined();
  expect(identities.find(read(coderFile()), 'api')).toMatchObject({ actor: 'agent:coder' });
  expect(identities.find(owner, 'api')).toMatchObject({ roles: ['admin'] });
  identities.rotate('owner');
  expect(identities.find(owner, 'api')).toBeUndefined();
  expect(statSync(place.tokenFile).mode & 0o777).toBe(0o600);
});

// proves: tokens.expire
test('a token in a file is replaced after its days, unless it may stay for ever', () => {
  const identities = open('api: { tokenDays: 30 }\nagents: { coder: { tools: [] } }\n');
  const [owner, coder] = [read(place.tokenFile), read(coderFile())];
  const old = new Date(now - 30 * day - 1_000);
  utimesSync(coderFile(), old, old);
  open('api: { tokenDays: 0 }\nagents: { coder: { tools: [] } }\n');
  expect(read(coderFile())).toBe(coder);
  now += 61_000;
  logged.length = 0;
  identities.look(now);
  const replaced = { actor: 'agent:coder', tokenFile: coderFile(), olderThanDays: 30 };
  expect(logged).toEqual([{ event: 'token-replaced', ...replaced }]);
  expect(identities.find(coder, 'api')).toBeUndefined();
  expect(identities.find(read(coderFile()), 'api')).toMatchObject({ actor: 'agent:coder' });
  expect(read(place.tokenFile)).toBe(owner);
});
