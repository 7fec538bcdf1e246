import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { git, type SmallSystem } from './harness/systems/small-system.ts';
import { makeJudgedSystem, versionPatch } from './harness/systems/task-walk.ts';

const detector = fileURLToPath(new URL('fixtures/detector.mjs', import.meta.url));

/** Reports its surroundings when it starts, and each request that it gets. */
const reporting = `import { detect } from './detector.mjs';
console.log(JSON.stringify({ start: detect() }));
`;

let system: SmallSystem;
beforeAll(async () => {
  system = await makeJudgedSystem('telemetry: {}\n');
  const { root } = system.workspace;
  copyFileSync(detector, join(root, 'detector.mjs'));
  const service = join(root, 'back.mjs');
  const told = 'console.log(JSON.stringify({ request: request.rawHeaders }));\n  const next =';
  const code = readFileSync(service, 'utf8').replace('const next =', told);
  writeFileSync(service, reporting + code);
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--amend', '--no-edit');
  await system.workspace.up();
  await system.workspace.run('system', 'up');
});
afterAll(() => system.workspace[Symbol.asyncDispose]());

/** What is drawn anew for each lane, instance, process or mount. */
const random: readonly RegExp[] = [
  /(?:lane|run)_[0-9A-Z]{26}/g,
  // Ids of requests.
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/g,
  // Keys of senders.
  /[0-9a-f]{64}$/g,
  /(?<=\b[0-9a-f]{16}\/.*\/)[0-9a-f]{16}$/g,
  /(?<=^pipe:\[)\d+/g,
  /^\d+ \d+ (?:0:\d+)?/gm,
  /(?<=^00-)[0-9a-f]{32}-[0-9a-f]{16}/g,
];

/** What the service reported, without that. */
function readReports(path: string): unknown[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  const reports = lines.filter((line) => line.startsWith('{'));
  const port = /\["PORT","(\d+)"\]/.exec(reports[0] ?? '')?.[1] ?? '';
  const drawn = [...random, new RegExp(`(?<=^|PORT=)${port}$`)];
  const hide = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? drawn.reduce((left, one) => left.replace(one, '?'), value) : value;
  return reports.map((line) => JSON.parse(line, hide));
}

// proves: verify.same-surroundings
test('shows a candidate and its control the same surroundings and requests', async () => {
  const { workspace } = system;
  const patch = join(workspace.root, 'two.patch');
  writeFileSync(patch, versionPatch(workspace.root, 'back.mjs', 'two'));
  await workspace.surety('verify', patch);
  const { logs } = workspace.place;
  const names = readdirSync(logs).filter((name) => /^lane_.*\.back\.log$/.test(name));
  const [one = [], two, ...more] = names.map((name) => readReports(join(logs, name)));
  expect(more).toEqual([]);
  expect(one.length).toBeGreaterThan(1);
  expect(one[0]).toMatchObject({ start: { limits: expect.stringContaining('Max open files') } });
  expect(two).toEqual(one);
});

test('shows a lane no other variables of Surety than docs/lanes.md lists', () => {
  const { logs } = system.workspace.place;
  const lane = readdirSync(logs).find((name) => /^lane_.*\.back\.log$/.test(name)) ?? '';
  const [candidate, baseline] = [lane, 'back.log'].map((name) => variablesOf(join(logs, name)));
  const names = Object.keys({ ...candidate, ...baseline }).filter(
    (name) => /^(?:SURETY_|OTEL_|PORT$)/.test(name) && candidate?.[name] !== baseline?.[name],
  );
  const page = readFileSync(new URL('../docs/lanes.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| visible in a lane |');
  const listed: readonly string[] = table.split('\n\n')[0]?.match(/(?<=`)[A-Z_]{4,}(?=`)/g) ?? [];
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !listed.includes(name))).toEqual([]);
});

function variablesOf(log: string): Record<string, string> {
  const [line = '{}'] = readFileSync(log, 'utf8')
    .split('\n')
    .filter((one) => one.startsWith('{'));
  return Object.fromEntries(JSON.parse(line).start.environment);
}
