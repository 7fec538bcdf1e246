import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LaneSystem } from './harness/systems/lane-system.ts';
import { git } from './harness/systems/small-system.ts';

const more = `overlays:
  prod-like: { services: { back: { environment: { EXTRA: "-prod" } } } }
`;

let system: LaneSystem;
beforeAll(async () => {
  system = await LaneSystem.start(more);
});
afterAll(() => system[Symbol.asyncDispose]());

/** surety.yaml of a version, changed, as a patch on what is checked out. */
function described(change: (text: string) => string): string {
  return system.patch({
    'surety.yaml': change(git(system.workspace.root, 'show', 'HEAD:surety.yaml')),
  });
}

const withVariable = (service: string, variable: string) => (text: string) =>
  text.replace(new RegExp(`(${service}:\\n[\\s\\S]*?environment: \\{ )`), `$1${variable}, `);

const promote = (patch: string) =>
  system.workspace.client().call('POST /v1/promotions', { body: { patch, reason: 'test' } });

// One system for all: each test goes on with what the one before left running.
describe('surety.yaml', () => {
  test('of a lane sets the ingress of that lane only', async () => {
    const moved = await system.open({
      patch: described((text) => text.replace('ingress: front', 'ingress: middle')),
    });
    expect(moved.lane).toMatchObject({ ingress: 'middle' });
    const above = await system.open({
      patch: system.versions({ back: '2' }),
      on: moved.lane.lane,
    });
    const other = await system.open({ patch: system.versions({ back: '3' }) });
    expect(await system.through(moved, moved.lane.lane)).toBe('1 1');
    expect(await system.through(above, above.lane.lane)).toBe('1 2');
    expect(await system.through(other, other.lane.lane)).toBe('1 1 3');
    expect(await system.baseline()).toBe('1 1 1');
    await system.close(moved.lane.lane);
    await system.close(other.lane.lane);
  });

  test('is inherited from the lane below when a change leaves it alone', async () => {
    const below = await system.open({ patch: described(withVariable('back', 'EXTRA: "-low"')) });
    const above = await system.open({ patch: system.versions({ back: '2' }), on: below.lane.lane });
    expect(await system.through(above, above.lane.lane)).toBe('1 1 2-low');
    await system.close(below.lane.lane);
  });

  test('gives candidates the overlay that the baseline runs with', async () => {
    await system.workspace.run('system', 'up', '--overlay', 'prod-like');
    expect(await system.baseline()).toBe('1 1 1-prod');
    const opened = await system.open({ patch: system.versions({ back: '2' }), control: true });
    expect(await system.through(opened, opened.lane.lane)).toBe('1 1 2-prod');
    expect(await system.through(opened, opened.control?.lane ?? '')).toBe('1 1 1-prod');
    await system.close(opened.lane.lane);
    const patch = described((text) => text.replace('"-prod"', '"-tried"'));
    const tried = await system.open({ patch });
    expect(await system.through(tried, tried.lane.lane)).toBe('1 1 1-tried');
    await system.close(tried.lane.lane);
  });

  test('of a promoted version stays in force, also for a new daemon', async () => {
    const ask = async (): Promise<string> => {
      const opened = await system.open({ services: ['middle'] });
      const answers = [
        await system.through(opened, opened.lane.lane),
        await system.baseline(),
        opened.lane.ingress,
      ];
      await system.close(opened.lane.lane);
      return answers.join(', ');
    };
    const change = withVariable('middle', 'EXTRA: "-new"');
    await promote(described((text) => change(text).replace('ingress: front', 'ingress: middle')));
    // From outside by the new ingress; front is asked here past the router.
    const promoted = '1-new 1-prod, 1 1-new 1-prod, ';
    expect(await ask()).toBe(promoted);
    await system.workspace.run('system', 'restart', 'middle');
    expect(await ask()).toBe(promoted);
    await system.workspace.run('down');
    await system.workspace.up();
    // What `down` stopped did not crash: the promotion would be taken back for that.
    const { value } = await system.workspace.surety('system', 'status');
    expect(value.services).toMatchObject(Array(3).fill({ state: 'stopped' }));
    await system.workspace.run('system', 'up', '--overlay', 'prod-like');
    expect(await ask()).toBe(promoted);
  });

  test('takes effect after an edit once services restart, unless it is invalid', async () => {
    const { workspace } = system;
    git(workspace.root, 'merge', '--quiet', '--ff-only', 'surety/baseline');
    const text = git(workspace.root, 'show', 'HEAD:surety.yaml');
    system.write('surety.yaml', 'servces: {}\n');
    const { value } = await workspace.surety('system', 'restart', 'middle');
    expect(value.fault?.code).toBe('CONFIG_INVALID');
    system.write('surety.yaml', text.replace('"-new"', '"-edited"'));
    expect(await system.baseline()).toBe('1 1-new 1-prod');
    await workspace.run('system', 'restart', 'middle');
    expect(await system.baseline()).toBe('1 1-edited 1-prod');
    git(workspace.root, 'checkout', '--quiet', '--', '.');
  });
});
