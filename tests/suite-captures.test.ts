import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { LaneSystem } from './harness/systems/lane-system.ts';

/** Reads the version inside the back, whatever the front answers. */
const suite = `import { defineSuite } from 'surety/suite';
await defineSuite('inside', async ({ api, check, capture }) => {
  const point = { service: 'back', file: 'back/main.mjs', line: 6, expressions: ['version', 'next'] };
  const { result, captures } = await capture(point, () => api.get('/'));
  check('it answers', result.status, 200);
  check('the versions', captures?.map(({ values }) => values.version) ?? null, ['1']);
});
`;

let system: LaneSystem;
beforeAll(async () => {
  if (!isDeep) return;
  const config = 'suites:\n  inside: { command: node suite.mjs }\n';
  system = await LaneSystem.start(config, undefined, { 'suite.mjs': suite });
});
afterAll(() => system?.[Symbol.asyncDispose]());

async function run(lane?: string): Promise<unknown[]> {
  const body = lane === undefined ? {} : { lane };
  const { runs } = await system.workspace.client().call('POST /v1/suites/run', { body });
  return runs.flatMap(({ reason, checks }) => [reason, ...checks.map(({ actual }) => actual)]);
}

// proves: probes.suites
test.runIf(isDeep)(
  'suites read values inside the copies of their lane, and only there',
  async () => {
    const moved = {
      'back/version.mjs': "export const version = '2';\n",
      'back/main.mjs': moveDown(),
    };
    const changed = await system.open({ patch: system.patch(moved) });
    expect(await run(changed.lane.lane)).toEqual([null, 200, ['2']]);
    const other = await system.open({ patch: system.versions({ middle: '2' }) });
    expect(await run(other.lane.lane)).toEqual([null, 200, null]);
    // On the baseline: copies of what it wants to look into.
    expect(await run()).toEqual([null, 200, ['1']]);
    const { probes } = await system.workspace.client().call('GET /v1/probes', {});
    expect(probes).toEqual([]);
    expect(await system.workspace.run('ledger', 'verify')).toMatchObject({ ok: true });
  },
);

/** Lines above what the suite names. */
function moveDown(): string {
  return `// one\n// two\n${system.read('back/main.mjs')}`;
}
