import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryOr } from '../../kernel/index.ts';
import { type BoundedResource, boundedBy, type ProcessBounds } from './bounds.ts';

/** Directories of one child below those of the keeper itself: what bounds us, bounds it, too. */
export interface Cgroup {
  readonly directories: readonly string[];
  /** What the machine itself sees to from now on. */
  readonly holds: readonly BoundedResource[];
}

const controllers: Readonly<Record<BoundedResource, string>> = {
  memoryMb: 'memory',
  cpu: 'cpu',
  processes: 'pids',
};

const periodUs = 100_000;

/** A file of a controller and what is written into it, by version. */
type Setting = readonly [file: string, value: string];

const settings: Readonly<
  Record<BoundedResource, (amount: number, version: 1 | 2) => readonly Setting[]>
> = {
  memoryMb: (amount, version) => {
    const bytes = String(amount * 1024 * 1024);
    // Without the second one it would go on in swap, where there is one.
    return version === 1
      ? [['memory.limit_in_bytes', bytes]]
      : [
          ['memory.max', bytes],
          ['memory.swap.max', '0'],
          ['memory.oom.group', '1'],
        ];
  },
  cpu: (amount, version) => {
    const quota = Math.max(1_000, Math.round(amount * periodUs));
    return version === 1
      ? [
          ['cpu.cfs_period_us', String(periodUs)],
          ['cpu.cfs_quota_us', String(quota)],
        ]
      : [['cpu.max', `${quota} ${periodUs}`]];
  },
  processes: (amount) => [['pids.max', String(amount)]],
};

interface Base {
  readonly base: string;
  readonly version: 1 | 2;
}

/** Where the kernel shows the groups, and which of them we are in. */
export interface CgroupPlace {
  readonly mount: string;
  readonly own: string;
}

const machine: CgroupPlace = { mount: '/sys/fs/cgroup', own: '/proc/self/cgroup' };

/** As many of the bounds as this machine lets us hand to it; the keeper sees to the others. */
export function openCgroup(
  name: string,
  bounds: ProcessBounds,
  place: CgroupPlace = machine,
): Cgroup {
  const directories = new Set<string>();
  const holds = boundedBy(bounds).filter((bounded) => {
    const directory = confine(name, bounded, bounds[bounded] as number, place);
    if (directory) directories.add(directory);
    return directory !== undefined;
  });
  return { directories: [...directories], holds };
}

/** What is in them, also if it hides behind another name, group, session and environment. */
export function membersOf(directories: readonly string[]): number[] {
  const texts = directories.map((directory) => readIfThere(join(directory, 'cgroup.procs')));
  return texts.flatMap((text) => text.split('\n').filter(Boolean).map(Number));
}

export function closeCgroup(directories: readonly string[]): void {
  for (const directory of directories) {
    try {
      rmdirSync(directory);
    } catch {
      // Not empty yet, or gone. What is left of the child is swept; an empty group costs nothing.
    }
  }
}

/** How often the kernel ended something in them for want of memory. */
export function memoryKills(directories: readonly string[]): number {
  const texts = directories.flatMap((directory) =>
    ['memory.oom_control', 'memory.events'].map((file) => readIfThere(join(directory, file))),
  );
  return Math.max(0, ...texts.map((text) => Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0)));
}

/** A process that joins before it becomes the program: nothing of it ever runs outside. */
export function joining(
  command: readonly string[],
  directories: readonly string[],
): readonly string[] {
  if (directories.length === 0) return command;
  const joins = directories.map(
    (directory) => `echo $$ > ${quoted(join(directory, 'cgroup.procs'))}`,
  );
  return ['/bin/sh', '-c', `{ ${joins.join(' && ')}; } || exit 125; exec "$@"`, 'sh', ...command];
}

function confine(
  name: string,
  bounded: BoundedResource,
  amount: number,
  place: CgroupPlace,
): string | undefined {
  for (const { base, version } of basesOf(controllers[bounded], place)) {
    const directory = join(base, name);
    const isNew = !existsSync(directory);
    try {
      if (version === 2) delegate(base, controllers[bounded]);
      mkdirSync(directory, { recursive: true });
      for (const [file, value] of settings[bounded](amount, version)) set(directory, file, value);
      return directory;
    } catch {
      if (isNew) closeCgroup([directory]);
    }
  }
  return undefined;
}

/** Only what the kernel made is written to: a file of our own making would bound nothing. */
function set(directory: string, file: string, value: string): void {
  const path = join(directory, file);
  const isOptional = file === 'memory.swap.max' || file === 'memory.oom.group';
  if (!existsSync(path) && isOptional) return;
  writeFileSync(path, value, { flag: 'r+' });
}

function delegate(base: string, controller: string): void {
  const control = join(base, 'cgroup.subtree_control');
  if (readIfThere(control).split(/\s+/).includes(controller)) return;
  writeFileSync(control, `+${controller}`, { flag: 'r+' });
}

function basesOf(controller: string, { mount, own }: CgroupPlace): Base[] {
  if (process.env.SURETY_CGROUPS === 'off') return [];
  return readIfThere(own)
    .split('\n')
    .flatMap((line): Base[] => {
      const [, list = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      if (list === '' && line.startsWith('0::')) return unified(mount, path);
      if (!list.split(',').includes(controller)) return [];
      const base = join(mount, existsSync(join(mount, list)) ? list : controller, path);
      return [{ base, version: 1 }];
    })
    .filter(({ base }) => existsSync(base));
}

function unified(mount: string, path: string): Base[] {
  return [join(mount, path), join(mount, 'unified', path)]
    .filter((base) => existsSync(join(base, 'cgroup.controllers')))
    .map((base) => ({ base, version: 2 }));
}

function readIfThere(path: string): string {
  return tryOr(() => readFileSync(path, 'utf8'), '');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
