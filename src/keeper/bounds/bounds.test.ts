import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Child } from '../protocol/protocol.ts';
import { childNamed, Scene, until, untilExited } from '../scene.fixture.ts';
import { hasProc } from '../strays/processes.ts';
import { closeCgroup, joining, membersOf, memoryKills, openCgroup } from './cgroup.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Takes 100 MB, one after the other, and keeps it. */
const hungry = `exec ${JSON.stringify(process.execPath)} -e '
  const kept = [];
  for (let megabyte = 0; megabyte < 100; megabyte++) kept.push(Buffer.alloc(1024 * 1024, 1));
  setTimeout(() => console.log(kept.length), 60000);
'`;

const busy = `exec ${JSON.stringify(process.execPath)} -e 'for (const end = performance.now() + 60000; performance.now() < end;);'`;

const breeding = 'for child in 1 2 3 4 5 6 7 8; do sleep 100 & done; wait';

// Each way in a keeper of its own: the machine's groups where they can be written, and measured.
describe.runIf(hasProc).each(['on', 'off'])('with control groups %s, a child', (groups) => {
  const withGroups = async (use: (scene: Scene) => Promise<void>): Promise<void> => {
    vi.stubEnv('SURETY_CGROUPS', groups);
    await using scene = new Scene();
    await use(scene);
  };

  // proves: keeper.bounds
  test('that exceeds its memory limit is killed, and the reason is reported', () =>
    withGroups(async (scene) => {
      const keeper = await scene.keeper();
      const restart = { backoffMs: 1, most: 1 };
      const bounds = { memoryMb: 64 };
      const child = await keeper.start(scene.shell('hungry', hungry, { bounds, restart }));
      if (groups === 'off') expect(child.heldByMachine).toEqual([]);
      await until('it is given up', () => scene.logged('child-given-up').length > 0);
      const { exit, lastExit, restarts } = await untilExited(keeper, 'hungry');
      expect([exit?.reason, lastExit?.reason, restarts]).toEqual(['over-memory', 'over-memory', 1]);
    }));

  test('that stays within its limits keeps running', () =>
    withGroups(async (scene) => {
      const keeper = await scene.keeper();
      const bounds = { memoryMb: 64, processes: 16, cpu: 1 };
      await keeper.start(scene.shell('modest', 'echo ready; exec sleep 100', { bounds }));
      await until('it is ready', () => scene.read('logs/modest.log') === 'ready\n');
      const [child] = await keeper.list({ use: true });
      expect(child).toMatchObject({ state: 'running', bounds, use: { processes: 1 } });
      expect(child?.use?.memoryBytes).toBeGreaterThan(0);
    }));

  test('that exceeds its CPU limit is throttled to it', () =>
    withGroups(async (scene) => {
      const keeper = await scene.keeper();
      const start = (name: string, more: object) => keeper.start(scene.shell(name, busy, more));
      const began = performance.now();
      const [slow, free] = await Promise.all([
        start('slow', { bounds: { cpu: 0.1 } }),
        start('free', {}),
      ]);
      const used = async (name: string): Promise<number> => {
        const children = await keeper.list({ use: true });
        return children.find((child) => child.name === name)?.use?.cpuMs ?? 0;
      };
      await until('the other one worked', async () => (await used('free')) > 300);
      await until('it rests for most of the time', async () => {
        const share = (await used('slow')) / (performance.now() - began);
        return share > 0 && share < 0.3;
      });
      // On a busy machine it might do so anyway: only a bound does this to a process.
      await until('it is made to rest', () => isHeld(slow));
      expect(isHeld(free)).toBe(false);
    }));
});

/** By its own control group, or where the keeper measures, by being stopped. */
function isHeld({ pid, instance, heldByMachine }: Child): boolean {
  if (!heldByMachine.includes('cpu'))
    return /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const stats = globSync(`/sys/fs/cgroup/**/surety-*-${instance}/cpu.stat`);
  return stats.some((file) => /^nr_throttled [1-9]/m.test(readFileSync(file, 'utf8')));
}

describe.runIf(hasProc)('a child that starts more processes than its limit', () => {
  test('is killed when the keeper counts its processes', async () => {
    vi.stubEnv('SURETY_CGROUPS', 'off');
    await using scene = new Scene();
    const keeper = await scene.keeper();
    await keeper.start(scene.shell('breeder', breeding, { bounds: { processes: 4 } }));
    expect((await untilExited(keeper, 'breeder')).exit?.reason).toBe('over-processes');
  });

  test('cannot start them when the kernel counts its processes', async () => {
    vi.stubEnv('SURETY_CGROUPS', 'on');
    await using scene = new Scene();
    const keeper = await scene.keeper();
    const more = { bounds: { processes: 4 } };
    const child = await keeper.start(scene.shell('breeder', `${breeding}; echo over`, more));
    if (!child.heldByMachine.includes('processes')) return expect(child.heldByMachine).toEqual([]);
    await until('it was refused one', () => /fork|resource/i.test(scene.read('logs/breeder.log')));
    const use = (await keeper.list({ use: true }))[0]?.use;
    expect(use?.processes ?? 0).toBeLessThanOrEqual(4);
    expect(await childNamed(keeper, 'breeder')).toBeDefined();
  });
});

/** What is written to a directory in memory does not count as written to a disk. */
const isInMemory = statfsSync(tmpdir()).type === 0x01021994;

describe.runIf(hasProc && !isInMemory)(
  'a child that writes more to the disk than its limit',
  () => {
    /** By short processes one after the other, none of which writes much. */
    const writing = (megabytes: number): string =>
      `i=0; while [ $i -lt ${megabytes} ]; do head -c 1048576 /dev/zero > $i; i=$((i+1)); done; sleep 100`;

    test('is killed, and the reason is reported', async () => {
      await using scene = new Scene();
      const keeper = await scene.keeper();
      const bounds = { diskMb: 16 };
      await keeper.start(scene.shell('modest', `${writing(8)}`, { bounds }));
      await keeper.start(scene.shell('writer', writing(64), { bounds }));
      expect((await untilExited(keeper, 'writer')).exit?.reason).toBe('over-disk');
      expect(await childNamed(keeper, 'modest')).toMatchObject({ state: 'running' });
    });
  },
);

/** What version 2 of the groups looks like, as files; this machine may have version 1 only. */
function unifiedTree(controllers: string): { mount: string; own: string } {
  const mount = mkdtempSync(join(tmpdir(), 'cgroup-'));
  onTestFinished(() => rmSync(mount, { recursive: true }));
  mkdirSync(join(mount, 'user', 'surety-1'), { recursive: true });
  writeFileSync(join(mount, 'own'), '0::/user\n');
  writeFileSync(join(mount, 'user', 'cgroup.controllers'), controllers);
  writeFileSync(join(mount, 'user', 'cgroup.subtree_control'), controllers);
  const files = { memory: ['memory.max', 'memory.swap.max'], cpu: ['cpu.max'], pids: ['pids.max'] };
  for (const [controller, names] of Object.entries(files)) {
    if (!controllers.includes(controller)) continue;
    for (const name of names) writeFileSync(join(mount, 'user', 'surety-1', name), '');
  }
  return { mount, own: join(mount, 'own') };
}

describe('a cgroup of version 2', () => {
  const bounds = { memoryMb: 64, cpu: 0.5, processes: 8, diskMb: null };

  test('holds all limits of a child in one directory', () => {
    vi.stubEnv('SURETY_CGROUPS', 'on');
    const place = unifiedTree('cpu memory pids');
    const { directories, holds } = openCgroup('surety-1', bounds, place);
    const read = (file: string) => readFileSync(join(directories[0] as string, file), 'utf8');
    expect(holds).toEqual(['memoryMb', 'cpu', 'processes']);
    expect(directories).toEqual([join(place.mount, 'user', 'surety-1')]);
    expect(['memory.max', 'memory.swap.max', 'cpu.max', 'pids.max'].map(read)).toEqual([
      String(64 * 1024 * 1024),
      '0',
      '50000 100000',
      '8',
    ]);
  });

  test('gets only the controllers that were delegated to us', () => {
    vi.stubEnv('SURETY_CGROUPS', 'on');
    const place = unifiedTree('pids');
    expect(openCgroup('surety-1', bounds, place).holds).toEqual(['processes']);
  });

  test('reports when the kernel killed a process', () => {
    const { mount } = unifiedTree('memory');
    const directory = join(mount, 'user', 'surety-1');
    expect(memoryKills([directory])).toBe(0);
    writeFileSync(join(directory, 'memory.events'), 'low 0\noom 2\noom_kill 2\n');
    expect(memoryKills([directory])).toBe(2);
  });

  test('lists its processes', () => {
    const { mount } = unifiedTree('memory');
    const directory = join(mount, 'user', 'surety-1');
    expect(membersOf([directory, '/nonesuch'])).toEqual([]);
    writeFileSync(join(directory, 'cgroup.procs'), '12\n34\n');
    expect(membersOf([directory])).toEqual([12, 34]);
  });

  test('is joined before the program starts', () => {
    expect(joining(['a'], [])).toEqual(['a']);
    expect(joining(['a', 'b c'], ["/x'y"]).slice(-3)).toEqual(['sh', 'a', 'b c']);
  });

  test('may already be gone without causing an error', () => {
    closeCgroup(['/nonesuch']);
    expect(existsSync('/nonesuch')).toBe(false);
  });
});
