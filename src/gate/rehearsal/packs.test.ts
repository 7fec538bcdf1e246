import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkPolicy, compilePolicy, loadPolicy, parsePolicy } from '../language/index.ts';
import { readCases } from './read-cases.ts';
import { runCases } from './run-cases.ts';

const packs = fileURLToPath(new URL('../../../packs/', import.meta.url));
const names = readdirSync(packs);

test('every pack that the documentation names exists', () => {
  expect(names).toEqual([
    'coding-agent',
    'databases',
    'fetch',
    'filesystem',
    'git',
    'git-github',
    'github',
    'http',
    'kubernetes',
    'memory',
    'payments',
    'playwright',
    'postgres',
    'slack',
    'sqlite',
    'untrusted-content',
  ]);
});

// proves: gate.packs
describe.each(names)('pack:%s', (name) => {
  const policy = loadPolicy(`${packs}${name}/policy.yaml`, { natives: [] });
  const cases = readCases(`${packs}${name}/cases.yaml`);

  test('contains nothing that cannot work', () => {
    expect(checkPolicy(policy).filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('decides every case as expected', () => {
    const wrong = runCases(cases, policy, () => false).filter(({ ok }) => !ok);
    expect(wrong).toEqual([]);
  });

  test('has a case for every rule; tools that share a rule share its case', () => {
    const spoken = runCases(cases, policy, () => false).flatMap(({ got }) => got.rules);
    const rules = [...policy.contracts.values()].flatMap(({ preconditions, invariants }) =>
      [...preconditions, ...invariants].map(({ rule }) => rule),
    );
    const shown = spoken.map((rule) => rule.split('/').at(-1));
    expect(rules.filter((rule) => !shown.includes(rule))).toEqual([]);
  });

  test('can be included by its name in another document', () => {
    const text = `version: 1\ninclude: [pack:${name}]\n`;
    const including = parsePolicy(text, { path: '/nowhere/policy.yaml', packs, natives: [] });
    expect([...including.contracts.keys()]).toEqual([...policy.contracts.keys()]);
  });
});

test('removing a rule from a pack fails exactly the case of that rule', () => {
  const { document } = loadPolicy(`${packs}payments/policy.yaml`, { natives: [] });
  const weaker = JSON.parse(JSON.stringify(document));
  weaker.tools['refund.issue'].preconditions = [];
  const cases = readCases(`${packs}payments/cases.yaml`);
  const wrong = runCases(cases, compilePolicy(weaker), () => false).filter(({ ok }) => !ok);
  expect(wrong.map(({ name }) => name)).toEqual(['an order on its way']);
});

test('pack:git@repo has the names that tools have with several servers', () => {
  const text = 'version: 1\ninclude: [pack:git@repo]\nagents: {coder: {roles: [git-writer]}}\n';
  const policy = parsePolicy(text, { path: '/nowhere/policy.yaml', packs, natives: [] });
  expect([...policy.contracts.keys()].every((tool) => tool.startsWith('repo.git_'))).toBe(true);
  expect(policy.agents.get('coder')?.allows('repo.git_commit')).toBe(true);
  const that = policy.contracts.get('repo.git_commit')?.invariants.at(-1)?.that;
  expect(that?.text).toBe('"repo.git_diff_staged" in seen');
});

test('a pack is included under one server only, because its roles have one name', () => {
  const text = 'version: 1\ninclude: [pack:git@one, pack:git@two]\n';
  const options = { path: '/nowhere/policy.yaml', packs, natives: [] };
  expect(() => parsePolicy(text, options)).toThrow('git-reader is in');
});

test('pack:filesystem locks a file, however its path is spelled', () => {
  const policy = loadPolicy(`${packs}filesystem/policy.yaml`, { natives: [] });
  const locks = ['/a/../b', '/b', '//b/.'].map((path) => {
    const scope = { arguments: { path, content: '' }, agent: {}, vars: {}, reads: {} };
    return policy.contracts.get('write_file')?.concurrency?.lock?.evaluate(scope);
  });
  expect(locks).toEqual(['file:/b', 'file:/b', 'file:/b']);
});
