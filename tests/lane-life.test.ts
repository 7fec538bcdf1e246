import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedLimits } from '../src/kernel/index.ts';
import { laneLimits } from '../src/lanes/limits.ts';
import { asAgent } from './harness/mcp/agent-token.ts';
import { isListening, LaneSystem, versionText } from './harness/systems/lane-system.ts';
import { git } from './harness/systems/small-system.ts';
import { until } from './harness/until.ts';

const more = `protected: [guard]
lanes: { perAgent: 2, perMachine: 8, ttlMinutes: 5, ttlMinutesMax: 10, processesMax: 6 }
agents:
  coder: { tools: [lane.open, lane.close, lane.extend] }
  other: { tools: [lane.open, lane.close, lane.extend] }
`;

let system: LaneSystem;
beforeAll(async () => {
  system = await LaneSystem.start(more);
});
afterAll(() => system[Symbol.asyncDispose]());

/** Whatever a test opened is gone after it. */
async function withoutLanes(): Promise<void> {
  const { lanes } = await system.workspace.client().call('GET /v1/lanes', {});
  for (const { lane } of lanes.toReversed()) await system.close(lane).catch(() => undefined);
}

describe('a lane', () => {
  test('runs all services that a change touches, beside a control of their old version', async () => {
    const before = system.workspace.programs().length;
    const patch = system.versions({ front: '2', back: '2' });
    const opened = await system.open({ patch, control: true });
    const { lane, control } = opened;
    expect(lane.candidates.map(({ service, version }) => `${service} ${version}`)).toEqual([
      'front changed',
      'back changed',
    ]);
    expect(system.workspace.programs().length).toBe(before + 4);
    expect(await system.through(opened, lane.lane)).toBe('2 1 2');
    expect(await system.through(opened, control?.lane ?? '')).toBe('1 1 1');
    expect(await system.baseline()).toBe('1 1 1');
    const { lanes } = await system.workspace.client().call('GET /v1/lanes', {});
    expect(lanes.map(({ controlOf }) => controlOf).filter(Boolean)).toEqual([lane.lane]);
    // The control goes with what it is compared with.
    await system.close(lane.lane);
    expect(system.workspace.programs().length).toBe(before);
  });

  test('on top of another has both changes, and closes with it', async () => {
    const below = await system.open({ patch: system.versions({ back: '2' }) });
    const above = await system.open({
      patch: system.versions({ front: '3' }),
      on: below.lane.lane,
    });
    expect(above.lane.candidates.map(({ service }) => service)).toEqual(['front']);
    expect(above.lane.expiresAt).toBeLessThanOrEqual(below.lane.expiresAt);
    expect(await system.through(below, below.lane.lane)).toBe('1 1 2');
    expect(await system.through(above, above.lane.lane)).toBe('3 1 2');
    // Its own change of the same file is made on the one below.
    const again = system
      .versions({ back: '2' })
      .replace("'2'", "'4'")
      .replace("-export const version = '1'", "-export const version = '2'");
    const second = await system.open({ patch: again, on: below.lane.lane });
    expect(await system.through(second, second.lane.lane)).toBe('1 1 4');
    await system.close(below.lane.lane);
    expect(await system.through(above, above.lane.lane)).toBe('refused with 503');
    expect(await system.through(second, second.lane.lane)).toBe('refused with 503');
  });

  test('that is isolated has copies of the callers and callees of the changed service', async () => {
    const opened = await system.open({ patch: system.versions({ middle: '2' }), isolated: true });
    const versions = opened.lane.candidates.map(({ service, version }) => `${service} ${version}`);
    expect(versions.sort()).toEqual(['back copy', 'front copy', 'middle changed']);
    expect(await system.through(opened, opened.lane.lane)).toBe('1 2 1');
    const { reach } = await system.workspace
      .client()
      .call('GET /v1/lanes/{lane}/reach', { path: { lane: opened.lane.lane }, query: {} });
    expect(reach).toMatchObject({ proven: true, hops: 3 });
    await withoutLanes();
  });

  test("never sees another lane's change to the same service", async () => {
    const patches = ['2', '3'].map((version) => system.versions({ back: version }));
    const opened = await Promise.all(patches.map((patch) => system.open({ patch })));
    const seen = await Promise.all(opened.map((one) => system.through(one, one.lane.lane)));
    expect([...seen, await system.baseline()]).toEqual(['1 1 2', '1 1 3', '1 1 1']);
    await withoutLanes();
  });

  test('applies a changed variable of surety.yaml', async () => {
    const text = git(system.workspace.root, 'show', 'HEAD:surety.yaml');
    const changed = text.replace(/(back:\n[\s\S]*?environment: \{ )/, '$1EXTRA: "-extra" ');
    const opened = await system.open({ patch: system.patch({ 'surety.yaml': changed }) });
    expect(await system.through(opened, opened.lane.lane)).toBe('1 1 1-extra');
    await withoutLanes();
  });

  test('opens from a branch, and from a checkout with new files', async () => {
    const { root } = system.workspace;
    git(root, 'checkout', '--quiet', '-b', 'feature');
    system.write('back/version.mjs', versionText('branch'));
    git(root, 'commit', '--quiet', '--all', '--message', 'on the branch');
    git(root, 'checkout', '--quiet', 'main');
    system.write('back/version.mjs', "export { version } from './new.mjs';\n");
    system.write('back/new.mjs', versionText('new'));
    try {
      const branch = await system.workspace.run('lane', 'open', '--ref', 'feature');
      const checkout = await system.workspace.run('lane', 'open', '--worktree');
      const seen = [branch, checkout].map((value) => {
        const { lane, address } = value as unknown as { lane: { lane: string }; address: string };
        return system.through({ address }, lane.lane);
      });
      expect(await Promise.all(seen)).toEqual(['1 1 branch', '1 1 new']);
    } finally {
      git(root, 'checkout', '--quiet', '--', '.');
      git(root, 'clean', '--quiet', '--force', 'back');
    }
    await withoutLanes();
  });

  test('lives longer when extended, but never beyond its latest end', async () => {
    const minuteMs = 60_000;
    const { lane } = await system.open({ ttlMs: 2 * minuteMs });
    const extend = (ttlMs: number) =>
      system.workspace
        .client()
        .call('POST /v1/lanes/{lane}/extend', { path: { lane: lane.lane }, body: { ttlMs } });
    const longer = await extend(4 * minuteMs);
    expect(longer.lane.expiresAt).toBeGreaterThan(lane.expiresAt);
    const longest = await extend(10 * minuteMs);
    expect(longest.lane.expiresAt).toBeLessThanOrEqual(lane.endsAtMost);
    // The clock of the machine may be set back by a little meanwhile: then there is a rest to take.
    const refusal = (): Promise<unknown> => extend(10 * minuteMs).catch(({ code }) => code);
    await until('it is at its end', async () => (await refusal()) === 'LANE_AT_ITS_END');
    await expect(extend(11 * minuteMs)).rejects.toMatchObject({ code: 'LANE_TTL_INVALID' });
    const ttlMs = 11 * minuteMs;
    await expect(system.open({ ttlMs })).rejects.toMatchObject({ code: 'LANE_TTL_INVALID' });
    await withoutLanes();
  });

  test('that expires during a request refuses it and never falls back to the baseline', async () => {
    const before = new Set(system.workspace.processes());
    const opened = await system.open({ patch: system.versions({ front: '2' }) });
    const { lane } = opened.lane;
    const slow = system.through(opened, lane, '/slow').catch((error: Error) => error.name);
    const [{ port } = { port: 0 }] = opened.lane.candidates;
    expect(isListening(port)).toBe(true);
    const sooner = { path: { lane }, body: { ttlMs: 500 } };
    await system.workspace.client().call('POST /v1/lanes/{lane}/extend', sooner);
    // The keeper takes no longer grace than its own, and would refuse to start the candidate.
    expect(laneLimits.laneStopGraceMs).toBeLessThanOrEqual(sharedLimits.stopGraceMsMax);
    expect(await slow).toMatch(/^refused with 50[234]$|TypeError/);
    await until('its process is gone', () =>
      system.workspace.processes().every((pid) => before.has(pid)),
    );
    // A process that ends loses its environment, by which we know it, before its sockets.
    await until('its port is free', () => !isListening(port));
    const tree = join(system.workspace.place.trees, lane);
    await until('its files are gone', () => !existsSync(tree));
    expect(await system.through(opened, lane)).toBe('refused with 503');
    expect(await system.baseline()).toBe('1 1 1');
    await until('the ledger has its end', async () => {
      const { lanes } = await system.workspace.client().call('GET /v1/lanes', {});
      return lanes.length === 0;
    });
  });
});

describe('lane commands', () => {
  test('show a lane, its logs and its paths, and run a command with its key', async () => {
    const opened = await system.open({ patch: system.versions({ back: '2' }) });
    const { lane } = opened.lane;
    const { workspace } = system;
    expect(await workspace.run('lane', 'show', lane)).toMatchObject({
      headers: { baggage: `surety-lane=${lane}` },
      processes: [{ service: 'back', pid: expect.any(Number) }],
    });
    expect(await workspace.run('lane', 'logs', lane)).toMatchObject({ services: ['back'] });
    const script = `test "$SURETY_LANE" = ${lane} && node -e 'fetch(process.env.BASE_URL, { headers: JSON.parse(process.env.HEADERS) }).then((r) => r.text()).then((t) => process.exit(t === "1 1 2" ? 0 : 1))'`;
    expect(await workspace.run('lane', 'exec', lane, script)).toEqual({ code: 0 });
    expect((await workspace.surety('lane', 'exec', lane, 'exit 4')).value).toEqual({ code: 4 });
    const { trees } = (await workspace.run('lane', 'reach', lane)) as unknown as {
      trees: { calls: { line: string }[] }[];
    };
    expect(trees[0]?.calls.map(({ line }) => line.replace(/(\w) {2}.* {2}/, '$1 … '))).toEqual([
      'front … baseline',
      '└─ middle … baseline',
      '   └─ back … ● candidate',
    ]);
    expect(await workspace.run('lane', 'extend', lane, '--minutes', '6')).toMatchObject({
      lane: { lane },
    });
    const longest = await workspace.surety('lane', 'extend', lane, '--minutes', '11');
    expect(longest.value.fault?.code).toBe('LANE_TTL_INVALID');
    await withoutLanes();
    // What it wrote is there for a while after its end.
    const over = await workspace.surety('lane', 'logs', lane);
    expect(over.value.fault?.remedy).toContain(`surety logs ${lane}.back`);
    const gone = await workspace.surety('lane', 'logs', 'lane_nope');
    expect(gone.value.fault?.remedy).toContain('No logs of it are left');
  });

  test('allow exactly one change to touch protected files, and record it in the ledger', async () => {
    const patch = system.patch({ 'guard/money.ts': 'x\n', 'back/version.mjs': versionText('2') });
    await expect(system.open({ patch })).rejects.toMatchObject({ code: 'CHANGE_PROTECTED' });
    const body = { patch, reason: 'the guard itself was wrong' };
    const allowed = await system.workspace.client().call('POST /v1/overrides', { body });
    expect(allowed.files).toEqual(['guard/money.ts']);
    const opened = await system.open({ patch });
    expect(opened.lane.change).toBe(allowed.change);
    const other = patch.replace("'2'", "'3'");
    await expect(system.open({ patch: other })).rejects.toMatchObject({ code: 'CHANGE_PROTECTED' });
    await withoutLanes();
  });
});

describe('lane quotas', () => {
  test('stop an agent at its limit, with the numbers and the lanes to close', async () => {
    const coder = asAgent(system.workspace, 'coder');
    const first = await coder.call('POST /v1/lanes', { body: {} });
    await coder.call('POST /v1/lanes', { body: {} });
    await expect(coder.call('POST /v1/lanes', { body: {} })).rejects.toMatchObject({
      code: 'LANES_FULL',
      message: expect.stringContaining('2 of 2 lanes of one agent'),
      remedy: expect.stringContaining(`surety lane close ${first.lane.lane}`),
    });
    // Another one has room of its own, and neither sees nor ends what is not its own.
    const other = asAgent(system.workspace, 'other');
    expect((await other.call('GET /v1/lanes', {})).lanes).toEqual([]);
    const path = { lane: first.lane.lane };
    await expect(other.call('POST /v1/lanes/{lane}/close', { path })).rejects.toMatchObject({
      code: 'LANE_CLOSED',
    });
    await expect(
      other.call('POST /v1/lanes', { body: { on: first.lane.lane } }),
    ).rejects.toMatchObject({ code: 'LANE_CLOSED' });
    await coder.call('POST /v1/lanes/{lane}/close', { path });
    await coder.call('POST /v1/lanes', { body: {} });
    await withoutLanes();
  });

  test('hold for lanes that are opened concurrently, and for their processes', async () => {
    const openings = Array.from({ length: 10 }, () => system.open({}));
    const settled = await Promise.allSettled(openings);
    const refused = settled.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(2);
    // The id of a lane is the key of its requests: an agent learns none of others.
    const other = asAgent(system.workspace, 'other');
    await expect(other.call('POST /v1/lanes', { body: {} })).rejects.toMatchObject({
      code: 'LANES_FULL',
      remedy: expect.not.stringContaining('lane_'),
    });
    await withoutLanes();
    const services = ['front', 'middle', 'back'];
    await Promise.all([system.open({ services }), system.open({ services })]);
    await expect(system.open({ services: ['back'] })).rejects.toMatchObject({
      message: expect.stringContaining('6 of 6 processes of lanes are in use, and it needs 1'),
    });
    await withoutLanes();
  });
});

describe('a candidate', () => {
  test.each<[string, Record<string, string>, string]>([
    ['ends before it is healthy', { 'back/main.mjs': 'process.exit(3);\n' }, 'SERVICE_UNHEALTHY'],
  ])('that %s leaves nothing of its lane behind', async (_, files, code) => {
    const before = system.workspace.programs().length;
    await expect(system.open({ patch: system.patch(files) })).rejects.toMatchObject({ code });
    await expectNothingLeft(before);
  });

  test('whose build fails leaves nothing of its lane behind', async () => {
    const before = system.workspace.programs().length;
    const text = git(system.workspace.root, 'show', 'HEAD:surety.yaml');
    const changed = text.replace(
      '    command: node back',
      '    build: echo no; exit 7\n    command: node back',
    );
    const patch = system.patch({ 'surety.yaml': changed });
    const body = { patch, reason: 'its build is tested' };
    await system.workspace.client().call('POST /v1/overrides', { body });
    await expect(system.open({ patch })).rejects.toMatchObject({
      message: expect.stringMatching(/\b7\b/),
    });
    await expectNothingLeft(before);
  });

  test('that never answers leaves nothing of its lane behind, and the error gives the time limit', async () => {
    const before = system.workspace.programs().length;
    const text = git(system.workspace.root, 'show', 'HEAD:surety.yaml');
    const impatient = text.replace('    command: node back', '    startSeconds: 1\n$&');
    const patch = system.patch({
      'surety.yaml': impatient,
      'back/main.mjs': "console.log('never listens');\nsetInterval(() => {}, 1_000);\n",
    });
    const opening = system.open({ patch });
    const stages = new Set<string>();
    const look = async (): Promise<string[]> => {
      const { opening: coming } = await system.workspace.client().call('GET /v1/lanes', {});
      return coming.map(({ stage }) => stage);
    };
    const refused = expect(opening).rejects.toMatchObject({
      code: 'SERVICE_UNHEALTHY',
      message: expect.stringMatching(/port \d+ did not answer in 1 s/),
    });
    // Who waits for it is told what is being done meanwhile.
    await until('it is being started', async () => {
      for (const stage of await look()) stages.add(stage);
      return stages.has('starting back');
    });
    await refused;
    expect(await look()).toEqual([]);
    await expectNothingLeft(before);
  });

  async function expectNothingLeft(before: number): Promise<void> {
    const { workspace } = system;
    expect(workspace.programs().length).toBe(before);
    expect(readdirSync(workspace.place.trees).filter((name) => name.startsWith('lane_'))).toEqual(
      [],
    );
    expect((await workspace.client().call('GET /v1/lanes', {})).lanes).toEqual([]);
    expect(git(workspace.root, 'worktree', 'list').match(/lane_/)).toBeNull();
  }
});
