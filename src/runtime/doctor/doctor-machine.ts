import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isSupportedNode } from '../../kernel/index.ts';
import type { WorkspacePlace } from '../place.ts';
import type { DoctorCheck } from './doctor-check.ts';

type Finding = Omit<DoctorCheck, 'name'>;

const mebibyte = 1024 * 1024;
const diskBadBytes = 100 * mebibyte;
const diskLowBytes = 1024 * mebibyte;

export function checkNode(): Finding {
  const detail = `${process.version}`;
  if (isSupportedNode(process.version)) return { level: 'ok', detail };
  return { level: 'bad', detail, remedy: 'npm install --save-dev node@24' };
}

export function checkPlatform(): Finding {
  const { platform, arch } = process;
  const detail = `${platform} ${arch}`;
  if (platform === 'linux') return { level: 'ok', detail };
  const remedy = 'lanes and probes need Linux; gate, ledger and MCP work here';
  return { level: platform === 'darwin' ? 'warn' : 'bad', detail, remedy };
}

/** What lanes and probes will ask of the kernel. */
export function checkKernel(): Finding {
  if (process.platform !== 'linux') return { level: 'note', detail: 'not looked at' };
  const scope = read('/proc/sys/kernel/yama/ptrace_scope');
  const parts = [
    existsSync('/proc/self/environ') ? '/proc readable' : '/proc hidden',
    isCgroupWritable() ? 'cgroups writable' : 'cgroups read-only (limits are measured instead)',
    scope === undefined ? 'no ptrace restriction' : `ptrace scope ${scope}`,
  ];
  const level = existsSync('/proc/self/environ') ? 'ok' : 'bad';
  return { level, detail: parts.join(', ') };
}

export function checkDisk(place: WorkspacePlace): Finding {
  const { bavail, bsize } = statfsSync(existingParent(place.state));
  const free = bavail * bsize;
  const detail = `${Math.floor(free / mebibyte)} MiB free`;
  const remedy = 'free some space: an append that does not fit on the disk is refused';
  if (free < diskBadBytes) return { level: 'bad', detail, remedy };
  return free < diskLowBytes ? { level: 'warn', detail, remedy } : { level: 'ok', detail };
}

export function checkPrograms(
  _: WorkspacePlace,
  what: string,
  names: readonly string[],
  remedy: string,
): Finding {
  const found = programDirectories()
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find(isExecutable);
  if (found) return { level: 'ok', detail: found };
  return { level: 'note', detail: `no ${what} found`, remedy };
}

/** Debian keeps the server's programs off the PATH. */
function programDirectories(): string[] {
  const path = (process.env.PATH ?? '').split(delimiter);
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  return [...path, ...versions.map((version) => join(debian, version, 'bin'))];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isCgroupWritable(): boolean {
  try {
    accessSync('/sys/fs/cgroup', constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function existingParent(path: string): string {
  return existsSync(path) ? path : existingParent(dirname(path));
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}
