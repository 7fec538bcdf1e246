import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { tagEnvironment } from './index.ts';

const program = fileURLToPath(new URL('fixtures/observables.cjs', import.meta.url));

function look(variables: Readonly<Record<string, string>>): Map<string, unknown> {
  const env = { PATH: process.env.PATH, ...variables };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect([status, stderr]).toEqual([3, '']);
  return new Map(Object.entries(JSON.parse(stdout)));
}

/** Own properties of prototypes that would inherit them, or had none: nobody calls them by name. */
const known = [
  'net.Server#emit',
  'worker_threads.MessagePort#Symbol(nodejs.internal.kHybridDispatch)',
];

// proves: lanes.unmodified
test('a program sees the same names, errors, messages, order and exit codes as without the preload', () => {
  const plain = look({});
  const tag = {
    service: 'a',
    instance: 'a/baseline/1',
    router: '127.0.0.1:1',
    traceSecret: 'ab'.repeat(32),
    telemetry: '127.0.0.1:1',
    hosts: { 'pricing:80': '127.0.0.1:1' },
  };
  const tagged = look(tagEnvironment(tag));
  expect(plain.size).toBeGreaterThan(1_000);
  const different = [...new Set([...plain.keys(), ...tagged.keys()])].filter(
    (name) => plain.get(name) !== tagged.get(name) && !known.includes(name),
  );
  expect(different.map((name) => [name, plain.get(name), tagged.get(name)])).toEqual([]);
}, 120_000);
