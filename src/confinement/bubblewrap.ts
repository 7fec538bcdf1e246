import { spawnSync } from 'node:child_process';

/** Whether this machine lets us confine programs, and by what. */
export type Bubblewrap =
  | { readonly program: string; readonly version: string; readonly reason?: undefined }
  | { readonly program?: undefined; readonly reason: string };

/** Every namespace but that of the network: services are called on loopback ports of the host. */
export const namespaces: readonly string[] = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-cgroup-try',
  '--cap-drop',
  'ALL',
];

let known: Bubblewrap | undefined;

/** Tried once in the life of a process: containers and some distributions refuse namespaces. */
export function findBubblewrap(): Bubblewrap {
  known ??= tryBubblewrap('bwrap');
  return known;
}

export function tryBubblewrap(program: string): Bubblewrap {
  if (process.platform !== 'linux') return { reason: `this is ${process.platform}` };
  const version = run(program, ['--version']);
  if (version.error) return { reason: 'bubblewrap (bwrap) is not installed' };
  const view = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  const trial = run(program, [...namespaces, ...view, '--', '/bin/sh', '-c', 'exit 0']);
  if (trial.status !== 0) return { reason: `bubblewrap is refused: ${trial.stderr.trim()}` };
  return { program, version: version.stdout.trim().replace(/^bubblewrap /, '') };
}

function run(program: string, words: readonly string[]) {
  return spawnSync(program, words, { encoding: 'utf8', timeout: 10_000 });
}
