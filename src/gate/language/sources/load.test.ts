import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isFault, sharedLimits } from '../../../kernel/index.ts';
import { gateLimits } from '../../limits.ts';
import {
  contractOf,
  mistakesOf,
  parse,
  refundEnvironment,
  refundPolicy,
  refundWith,
} from '../policy.fixture.ts';
import { compilePolicy } from './define.ts';
import { type LoadOptions, loadPolicy } from './load.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'surety-policy-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Writes documents and loads the one that is called policy.yaml. */
function load(files: Readonly<Record<string, string>>, options: LoadOptions = {}) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return loadPolicy(join(directory, 'policy.yaml'), options);
}

/** What is wrong, with paths as they are below the directory. */
const told = (files: Readonly<Record<string, string>>, options: LoadOptions = {}) =>
  mistakesOf(() => load(files, options)).map((line) => line.replaceAll(`${directory}/`, ''));

const tool = (name: string) => `  ${name}: {effect: read, arguments: {type: object}}\n`;
const root = (include: string, rest = '') => `version: 1\ninclude: [${include}]\n${rest}`;

describe('includes', () => {
  test('merge nested documents, each once', () => {
    const { contracts, agents, budgets } = load({
      'policy.yaml': root('./a.yaml, parts/b.yaml', 'budgets: [{dimension: calls, limit: 9}]\n'),
      'a.yaml': `${root('./shared.yaml')}tools:\n${tool('a')}`,
      'parts/b.yaml': `${root('../shared.yaml')}tools:\n${tool('b')}budgets: [{dimension: money, limit: 1}]\n`,
      'shared.yaml': `version: 1\ntools:\n${tool('s')}agents:\n  ada: {tools: ["*"]}\n`,
    });
    expect([...contracts.keys()]).toEqual(['a', 'b', 's']);
    expect([...agents.keys()]).toEqual(['ada']);
    expect(budgets.map(({ dimension }) => dimension)).toEqual(['money', 'calls']);
  });

  test('find packs in their folder', () => {
    const packs = join(directory, 'packs');
    const files = {
      'policy.yaml': root('"pack:files"'),
      'packs/files/policy.yaml': `version: 1\ntools:\n${tool('file.read')}`,
    };
    expect([...load(files, { packs }).contracts.keys()]).toEqual(['file.read']);
    expect(told(files)).toEqual(['policy.yaml:2:11  there is nowhere to find pack:files']);
  });

  test.each(['pack:../../etc', 'pack:', 'pack:a/b'])('do not find %s', (name) => {
    expect(told({ 'policy.yaml': root(`"${name}"`) }, { packs: directory })).toEqual([
      `policy.yaml:2:11  there is nowhere to find ${name}`,
    ]);
  });

  test('in a circle are refused with the path of the circle', () => {
    expect(
      told({
        'policy.yaml': root('./a.yaml'),
        'a.yaml': root('./b.yaml'),
        'b.yaml': root('./a.yaml'),
      }),
    ).toEqual(['b.yaml:2:11  these include each other: a.yaml → b.yaml → a.yaml']);
    expect(told({ 'policy.yaml': root('./policy.yaml') })).toEqual([
      'policy.yaml:2:11  these include each other: policy.yaml → policy.yaml',
    ]);
  });

  test('in a circle through a symbolic link are refused', () => {
    symlinkSync(join(directory, 'policy.yaml'), join(directory, 'link.yaml'));
    expect(told({ 'policy.yaml': root('./link.yaml') })).toEqual([
      expect.stringContaining('these include each other'),
    ]);
  });

  test('that declare a tool twice are refused with both positions', () => {
    expect(
      told({
        'policy.yaml': `${root('./a.yaml')}tools:\n${tool('b')}${tool('t')}`,
        'a.yaml': `version: 1\ntools:\n${tool('t')}`,
      }),
    ).toEqual(['policy.yaml:5:3  t is in a.yaml:3:3 as well']);
  });

  test('that cannot be read are reported at the including line', () => {
    expect(told({ 'policy.yaml': root('./a.yaml, ./b.yaml') })).toEqual([
      expect.stringContaining('policy.yaml:2:11  ./a.yaml could not be read: ENOENT'),
      expect.stringContaining('policy.yaml:2:21  ./b.yaml could not be read: ENOENT'),
    ]);
  });

  test('report the mistakes of all files at once, each in its own file', () => {
    const lines = told(
      {
        'policy.yaml': `${root('./a.yaml')}agnts: {}\nbudgets: [{dimension: calls, limit: 1}]\n`,
        'a.yaml': `version: 1\ntools:\n${tool('t').replace('}}', '}, resources: [nothing]}')}budgets: [{dimension: calls, limit: 1}]\n`,
      },
      {},
    );
    expect(lines).toEqual([
      'policy.yaml:3:1  unknown key "agnts"; did you mean "agents"?',
      'policy.yaml:4:11  there are two budgets of calls',
      expect.stringContaining('a.yaml:3:60  tools.t.resources.0: '),
    ]);
  });

  test('leave the mode to the including document', () => {
    expect(
      told({ 'policy.yaml': root('./a.yaml'), 'a.yaml': 'version: 1\nmode: observe\n' }),
    ).toEqual(['a.yaml:2:7  the mode is said by the document that includes this one']);
  });

  test(`are limited to ${gateLimits.policyFilesMax} documents`, () => {
    const included = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `part-${index}.yaml`);
      const parts = Object.fromEntries(names.map((name) => [name, 'version: 1\n']));
      return { 'policy.yaml': root(names.join(', ')), ...parts };
    };
    expect(told(included(gateLimits.policyFilesMax - 1))).toEqual([]);
    expect(told(included(gateLimits.policyFilesMax))).toEqual([
      expect.stringContaining(`a policy has at most ${gateLimits.policyFilesMax} documents`),
    ]);
  });
});

describe('the size limits of a policy', () => {
  const sized = (bytes: number) => 'version: 1\n'.padEnd(bytes, '#');

  test(`accept a document of ${gateLimits.policyBytesMax} bytes and no more`, () => {
    expect(load({ 'policy.yaml': sized(gateLimits.policyBytesMax) }).mode).toBe('enforce');
    expect(() => load({ 'policy.yaml': sized(gateLimits.policyBytesMax + 1) })).toThrow('at most');
    expect(() => parse(sized(gateLimits.policyBytesMax + 1))).toThrow('at most');
    expect(
      told({ 'policy.yaml': root('./a.yaml'), 'a.yaml': sized(gateLimits.policyBytesMax + 1) }),
    ).toEqual([expect.stringContaining('./a.yaml could not be read: it has')]);
  });

  test('refuse 10 MB before parsing', () => {
    writeFileSync(join(directory, 'policy.yaml'), sized(10 * 1024 * 1024));
    const attempt = () => loadPolicy(join(directory, 'policy.yaml'));
    expect(attempt).toThrow(expect.objectContaining({ code: 'POLICY_UNREADABLE' }));
  });

  test(`accept ${sharedLimits.contentBytesMax} bytes of merged policy and no more`, () => {
    const parts = Array.from({ length: 5 }, (_, index) => `part-${index}.yaml`);
    const note = (name: string) =>
      `version: 1\ntools:\n  ${name}: {effect: read, arguments: {type: object}, description: ${'x'.repeat(1_000_000)}}\n`;
    const files = Object.fromEntries(parts.map((name) => [name, note(name)]));
    expect(told({ 'policy.yaml': root(parts.slice(1).join(', ')), ...files })).toEqual([]);
    expect(told({ 'policy.yaml': root(parts.join(', ')), ...files })).toEqual([
      expect.stringMatching(/^policy.yaml:1:1 {2}the whole policy has \d+ bytes; at most 4194304/),
    ]);
  });

  test('report a missing policy file as unreadable', () => {
    expect(() => loadPolicy(join(directory, 'none.yaml'))).toThrow('ENOENT');
  });

  test.each<[string, string]>([
    ['lists', `version: 1\nvariables: {a: ${'['.repeat(20_000)}`],
    ['schemas', `version: 1\nvariables: {a: ${'['.repeat(200)}${']'.repeat(200)}}\n`],
    ['keys', `version: 1\nvariables:\n  a: ${'{a: '.repeat(500)}1${'}'.repeat(500)}\n`],
  ])('refuse %s that are nested too deeply', (_, text) => {
    expect(told({ 'policy.yaml': text })).not.toEqual([]);
  });

  test('allow 1,000 tools, whose schemas are not compiled at load', () => {
    const one = (index: number) =>
      `  tool.${index}: {effect: read, arguments: {type: object, properties: {a: {type: string, maxLength: 9}}}, resources: ['"a/" + arguments.a']}\n`;
    const text = `version: 1\ntools:\n${Array.from({ length: 1_000 }, (_, index) => one(index)).join('')}`;
    const policy = load({ 'policy.yaml': text });
    expect(policy.contracts.size).toBe(1_000);
    expect(contractOf(policy, 'tool.999').checkArguments({ b: 1 })).toHaveLength(1);
  });
});

describe('variables', () => {
  const threshold = (options: LoadOptions, files: Record<string, string> = {}) =>
    load({ 'policy.yaml': refundPolicy, ...files }, { ...options }).document.variables;

  test('have the values of the chosen environment', () => {
    expect(threshold({})).toEqual({ threshold: 10_000 });
    expect(threshold({ name: 'production' })).toEqual({ threshold: 5_000 });
  });

  test('of an unknown environment are refused', () => {
    expect(told({ 'policy.yaml': refundPolicy }, { name: 'prodution' })).toEqual([
      'policy.yaml:5:3  there is no environment prodution; did you mean "production"?',
    ]);
    expect(told({ 'policy.yaml': 'version: 1\n' }, { name: 'production' })).toHaveLength(1);
  });

  test('of an included document are defaults', () => {
    const files = {
      'policy.yaml': `${root('./a.yaml')}variables: {x: 1}\n`,
      'a.yaml': `version: 1\nvariables: {x: 2, y: 3}\nenvironments: {live: {variables: {x: 4, y: 5}}}\n`,
    };
    expect(load(files).document.variables).toEqual({ x: 1, y: 3 });
    expect(load(files, { name: 'live' }).document.variables).toEqual({ x: 1, y: 5 });
  });

  test('of two documents on the same level must agree', () => {
    const part = (value: number) => `version: 1\nvariables: {x: ${value}}\n`;
    const include = root('./a.yaml, ./b.yaml');
    expect(told({ 'policy.yaml': include, 'a.yaml': part(1), 'b.yaml': part(1) })).toEqual([]);
    expect(told({ 'policy.yaml': include, 'a.yaml': part(1), 'b.yaml': part(2) })).toEqual([
      'b.yaml:2:13  x is in a.yaml:2:13 as well',
    ]);
    const decided = `${include}variables: {x: 3}\n`;
    expect(told({ 'policy.yaml': decided, 'a.yaml': part(1), 'b.yaml': part(2) })).toEqual([]);
  });

  test('change the hash, because they change decisions', () => {
    const hashes = [undefined, 'production'].map(
      (name) => load({ 'policy.yaml': refundPolicy }, name ? { name } : {}).hash,
    );
    expect(new Set(hashes).size).toBe(2);
  });
});

describe('the environment of the process', () => {
  test('fills in values', () => {
    const text = refundWith('role: approver', 'role: "${ROLE}"');
    const policy = load(
      { 'policy.yaml': text },
      { environment: { ...refundEnvironment, ROLE: 'boss' } },
    );
    expect(contractOf(policy, 'refund.issue').approval?.role).toBe('boss');
  });

  test('never appears in a stored runner and must have every named variable', () => {
    const policy = load({ 'policy.yaml': refundPolicy }, { environment: refundEnvironment });
    expect(JSON.stringify(policy.document)).not.toContain('secret');
    expect(policy.hash).toBe(load({ 'policy.yaml': refundPolicy }).hash);
    expect(told({ 'policy.yaml': refundPolicy }, { environment: {} })).toEqual([
      expect.stringContaining('the environment has no variable PAYMENTS_URL'),
      expect.stringContaining('the environment has no variable PAYMENTS_TOKEN'),
    ]);
  });
});

describe('the hash of a policy', () => {
  test('is the hash of the document stored in the ledger', () => {
    const policy = load({ 'policy.yaml': refundPolicy }, { name: 'production' });
    const again = compilePolicy(policy.document);
    expect(again.hash).toBe(policy.hash);
    expect(again.document).toEqual(policy.document);
    expect(policy.document).not.toHaveProperty('environments');
  });

  test('does not depend on files, order or formatting', () => {
    const [head = '', rest = ''] = refundPolicy.split(/(?=^roles:)/m);
    const whole = load({ 'policy.yaml': `# a comment\n${refundPolicy}` }).hash;
    const cut = load({
      'policy.yaml': `${root('./tools.yaml')}mode: enforce\n${rest}`,
      'tools.yaml': head.replace('mode: enforce\n', ''),
    });
    expect(cut.hash).toBe(whole);
    expect(
      load({ 'policy.yaml': refundWith('arguments.amount <= 5000', 'arguments.amount <= 5001') })
        .hash,
    ).not.toBe(whole);
  });
});

test('every fault of a policy has a remedy', () => {
  const attempt = () => parse('version: 2\n');
  try {
    attempt();
  } catch (error) {
    expect(isFault(error, 'POLICY_INVALID') && error.report()).toMatchObject({
      code: 'POLICY_INVALID',
      remedy: 'Correct the lines above. docs/policy-reference.md lists every key.',
    });
  }
  expect(attempt).toThrow('policy.yaml has 1 error(s)');
});
