import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationResponse } from '../src/http/index.ts';
import { killHard } from './harness/kill-hard.ts';
import { git, makeSmallSystem, type SmallSystem } from './harness/systems/small-system.ts';

type Opened = OperationResponse<'POST /v1/lanes'>;

/** Changes the version that a service tells, as a patch on what is committed. */
function patchOf(root: string, file: string, version: string): string {
  const path = join(root, file);
  writeFileSync(path, readFileSync(path, 'utf8').replace("'one'", `'${version}'`));
  const patch = git(root, 'diff', '--', file);
  git(root, 'checkout', '--quiet', '--', file);
  return patch;
}

async function openLane(
  { workspace }: SmallSystem,
  file: string,
  version: string,
): Promise<Opened> {
  const patch = patchOf(workspace.root, file, version);
  return workspace.client().call('POST /v1/lanes', { body: { patch } });
}

async function through(opened: Opened, lane = opened.lane.lane): Promise<[number, unknown]> {
  const response = await fetch(opened.address, { headers: { baggage: `surety-lane=${lane}` } });
  return [response.status, await response.json()];
}

describe('a lane', () => {
  let system: SmallSystem;
  beforeAll(async () => {
    system = await makeSmallSystem();
    await system.workspace.up();
    await system.workspace.run('system', 'up');
  });
  afterAll(() => system.workspace[Symbol.asyncDispose]());

  // proves: lanes.only-changed
  test("runs only the changed service, which gets its own lane's requests and no others", async () => {
    const { workspace } = system;
    const before = workspace.programs().length;
    const opened = await openLane(system, 'back.mjs', 'two');
    expect(opened.lane.candidates.map(({ service }) => service)).toEqual(['back']);
    expect(workspace.programs().length).toBe(before + 1);
    expect(await through(opened)).toEqual([
      200,
      expect.objectContaining({
        version: 'one',
        next: expect.objectContaining({ version: 'two' }),
      }),
    ]);
    expect(await system.ask('front')).toMatchObject({ version: 'one', next: { version: 'one' } });

    const reached = await workspace.surety('lane', 'reach', opened.lane.lane);
    expect(reached).toMatchObject({
      code: 0,
      value: { reach: { proven: true, candidates: [{ service: 'back', sent: 1, served: 1 }] } },
    });

    await workspace.run('lane', 'close', opened.lane.lane);
    const [status, body] = await through(opened);
    expect([status, (body as { fault: { code: string } }).fault.code]).toEqual([
      503,
      'LANE_UNKNOWN',
    ]);
    expect(workspace.programs().length).toBe(before);
    expect(readdirSync(workspace.place.trees)).not.toContain(opened.lane.lane);
    expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
    expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  });

  test('never sees the requests of another lane, and survives a killed daemon', async () => {
    const { workspace } = system;
    const { pid } = await workspace.up();
    const two = await openLane(system, 'back.mjs', 'two');
    const three = await openLane(system, 'front.mjs', 'three');
    await killHard(pid);
    const seen = async (opened: Opened) => {
      const [, body] = await through(opened);
      const { version, next } = body as { version: string; next: { version: string } };
      return `${version} ${next.version}`;
    };
    expect([await seen(two), await seen(three)]).toEqual(['one two', 'three one']);
    await workspace.up();
    expect([await seen(two), await seen(three)]).toEqual(['one two', 'three one']);
    for (const { lane } of [two.lane, three.lane]) await workspace.run('lane', 'close', lane);
    expect((await workspace.run('lane', 'list')).lanes).toEqual([]);
  });

  test('answers with an error when its candidate is dead, and never with the baseline', async () => {
    const { workspace } = system;
    const opened = await openLane(system, 'front.mjs', 'two');
    const candidates = new Set(opened.lane.candidates.map(({ port }) => port));
    expect(candidates.size).toBe(1);
    const pid = workspace.processes().find((one) => isCandidate(one, opened.lane.lane));
    await killHard(pid as number);
    expect((await through(opened))[0]).toBe(502);
    expect(await system.ask('front')).toMatchObject({ version: 'one' });
    await workspace.run('lane', 'close', opened.lane.lane);
  });
});

function isCandidate(pid: number, lane: string): boolean {
  return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`/${lane}.`);
}
