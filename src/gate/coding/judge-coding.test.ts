import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../language/index.ts';
import { gateLimits } from '../limits.ts';
import { type CodingCall, readCodingCall } from './coding-call.ts';
import { judgeCoding } from './judge-coding.ts';

function settings(text = '') {
  const path = '/nowhere/policy.yaml';
  return parsePolicy(`version: 1\n${text}`, { path, natives: [] }).coding;
}

function judge(effect: Partial<CodingCall['effects'][number]>, text = ''): string[] {
  const { kind = '', on = [], flags = [] } = effect;
  const call = { project: '/home/dev/shop', effects: [{ kind, on, flags }] };
  const whole = { ...call, unknown: [], unresolved: [] };
  return judgeCoding(whole, settings(text)).map(({ rule, verdict }) => `${verdict} ${rule}`);
}

// proves: hooks.effects
describe('the default rules for coding agents', () => {
  test.each([
    ['writing in the project', { kind: 'file.write', on: ['/home/dev/shop/a.ts'] }, []],
    [
      'writing beside it',
      { kind: 'file.write', on: ['/home/dev/shop2/a'] },
      ['deny write-outside'],
    ],
    ['a way up', { kind: 'file.write', on: ['/home/dev/shop/../x'] }, ['deny write-outside']],
    ['deleting a file', { kind: 'file.delete', on: ['/home/dev/shop/a.ts'] }, []],
    ['deleting the project', { kind: 'file.delete', on: ['/home/dev/shop'] }, ['deny delete-all']],
    ['all in it', { kind: 'file.delete', on: ['/home/dev/shop/*'] }, ['deny delete-all']],
    [
      'deleting above it',
      { kind: 'file.delete', on: ['/home/dev'] },
      ['deny delete-outside', 'deny delete-all'],
    ],
    ['a secret', { kind: 'secret.read', on: ['/home/dev/shop/.env'] }, ['deny secret']],
    ['a known host', { kind: 'network.connect', on: ['localhost'] }, []],
    ['another host', { kind: 'network.connect', on: ['evil.test'] }, ['hold host']],
    ['a push', { kind: 'git.push', on: ['main'] }, []],
    ['a push by force', { kind: 'git.push', on: [], flags: ['force'] }, ['deny force-push']],
    ['deleting a branch there', { kind: 'git.push', flags: ['deletes'] }, ['deny remote-delete']],
    ['a package with scripts', install(['x'], 'runsScripts'), ['hold new-package']],
    ['a package without scripts', install(['x']), []],
    ['what the lock file names', install([], 'runsScripts'), []],
    ['a package for all', install(['x'], 'isGlobal'), ['hold global-package']],
    ['a cluster', { kind: 'cluster.change', on: ['kubectl delete'] }, ['hold cluster']],
    ['a drop', { kind: 'database.change', flags: ['unbounded'] }, ['deny database-unbounded']],
    [
      'a lone change',
      { kind: 'database.change', flags: ['withoutTransaction'] },
      ['hold database-change'],
    ],
    ['a transaction', { kind: 'database.change', on: ['update'] }, []],
    ['code elsewhere', { kind: 'code.run', on: ['/tmp/x.sh'] }, ['hold code-outside']],
    ['a plan', { kind: 'infrastructure.plan', on: ['terraform plan'] }, []],
    ['another tool', { kind: 'tool.use', on: ['mcp__x__y'] }, ['hold unknown-tool']],
    ['an effect that nobody knows', { kind: 'moon.land' }, ['hold unresolved']],
  ])('%s', (_, effect, rulings) => {
    expect(judge(effect)).toEqual(rulings);
  });
});

function install(on: readonly string[], ...flags: readonly string[]) {
  return { kind: 'package.install', on, flags };
}

describe('the section coding of a policy', () => {
  test.each([
    ['writes', 'coding: {writes: [/srv]}', { kind: 'file.write', on: ['/srv/x'] }, []],
    [
      'writes below the project',
      'coding: {writes: [src]}',
      { kind: 'file.write', on: ['/home/dev/shop/docs/x'] },
      ['deny write-outside'],
    ],
    ['hosts', "coding: {hosts: ['*.a.test']}", { kind: 'network.connect', on: ['b.a.test'] }, []],
    ['tools', "coding: {tools: ['mcp__x__*']}", { kind: 'tool.use', on: ['mcp__x__y'] }, []],
    [
      'protected branches',
      'coding: {protectedBranches: [main]}',
      { kind: 'git.push', on: ['HEAD:main'] },
      ['hold protected-branch'],
    ],
    [
      'confinement',
      'coding: {rules: {unconfined: deny}}',
      { kind: 'shell.unconfined', on: ['this command'] },
      ['deny unconfined'],
    ],
    [
      'a failing test before an edit',
      'coding: {rules: {edit-untested: deny}}',
      { kind: 'file.write', on: ['/home/dev/shop/a.ts', '/home/dev/shop/a.test.ts', '/tmp/x'] },
      ['deny edit-untested'],
    ],
    [
      'edits of tests at any time',
      'coding: {rules: {edit-untested: deny}}',
      { kind: 'file.write', on: ['/home/dev/shop/tests/a.ts', '/home/dev/shop/src/a_test.go'] },
      [],
    ],
    [
      'edits in phase change',
      'coding: {rules: {edit-untested: deny}}',
      { kind: 'file.write', on: ['/home/dev/shop/a.ts'], flags: ['changeIsDue'] },
      [],
    ],
    [
      'a verdict before a push',
      'coding: {rules: {unverified-push: hold}}',
      { kind: 'git.push' },
      ['hold unverified-push'],
    ],
    [
      'a push of what is verified',
      'coding: {rules: {unverified-push: hold}}',
      { kind: 'git.push', flags: ['verified'] },
      [],
    ],
    [
      'a verdict before a commit',
      'coding: {rules: {unverified-commit: hold}}',
      { kind: 'git.commit' },
      ['hold unverified-commit'],
    ],
    ['a rule', 'coding: {rules: {git-push: deny}}', { kind: 'git.push' }, ['deny git-push']],
  ])('sets %s', (_, text, effect, rulings) => {
    expect(judge(effect, text)).toEqual(rulings);
  });

  test('opens the hooks and the policy to nobody', () => {
    const control = { kind: 'surety.control', on: ['write .claude/settings.json'] };
    expect(judge(control)).toEqual(['deny control']);
    const path = '/nowhere/policy.yaml';
    const text = 'version: 1\ncoding: {rules: {control: allow}}\n';
    expect(() => parsePolicy(text, { path, natives: [] })).toThrow(/control/);
  });

  test('takes lists up to the limit', () => {
    const hosts = (count: number) => `coding: {hosts: [${Array(count).fill('a.test').join(',')}]}`;
    const codingValuesMax = gateLimits.codingValuesMax;
    expect(settings(hosts(codingValuesMax)).hosts).toHaveLength(codingValuesMax);
    expect(() => settings(hosts(codingValuesMax + 1))).toThrow();
  });
});

test('a ruling names what it is about, and what to do instead', () => {
  const given = { project: '/p', effects: [{ kind: 'file.write', on: ['/x'], flags: [] }] };
  expect(judgeCoding(readCodingCall(given), settings())).toEqual([
    {
      rule: 'write-outside',
      verdict: 'deny',
      reason: 'it writes outside of the project: /x',
      remedy: 'Write only below: ., /tmp.',
    },
  ]);
});

test('unknown programs and unresolved parts are held, unless the policy names the program', () => {
  const call = { project: '/p', effects: [], unknown: ['frob'], unresolved: ['why'] };
  const rules = (text: string) => judgeCoding(call, settings(text)).map(({ rule }) => rule);
  expect(rules('')).toEqual(['unknown-program', 'unresolved']);
  expect(rules('coding: {programs: [frob]}')).toEqual(['unresolved']);
});

test.each([
  ['no effects', {}],
  ['effects of another shape', { project: '/p', effects: [null, 3, { kind: 7 }] }],
])('arguments with %s are held', (_, given) => {
  const verdicts = judgeCoding(readCodingCall(given as never), settings());
  expect(verdicts.map(({ rule }) => rule)).toContain('unresolved');
});
