import { existsSync, readFileSync, rmSync } from 'node:fs';
import {
  checkPrivate,
  createClock,
  createIdentifiers,
  systemRandom,
  writePrivateFile,
} from '../kernel/index.ts';
import type { Place } from './place.ts';

/** What a running daemon tells about itself to commands on the same machine. */
export interface DaemonFile {
  readonly pid: number;
  readonly port: number;
  readonly startedAt: number;
}

export function writeDaemonFile(place: Place, daemon: DaemonFile): void {
  writePrivateFile(place.daemonFile, `${JSON.stringify(daemon)}\n`);
}

/** A file that is absent or half-written means the same: nobody to talk to. */
export function readDaemonFile(place: Place): DaemonFile | undefined {
  try {
    return JSON.parse(readFileSync(place.daemonFile, 'utf8')) as DaemonFile;
  } catch {
    return undefined;
  }
}

export function removeDaemonFile(place: Place): void {
  rmSync(place.daemonFile, { force: true });
}

/** The token that opens the API to this user, and to nobody else on the machine. */
export function openToken(place: Place): string {
  return openSecret(place.tokenFile);
}

/** Names this directory as the executor of proposals, through all restarts of its daemon. */
export function openExecutor(place: Place): string {
  const make = createIdentifiers(createClock(), systemRandom);
  return openSecret(place.executorFile, () => make('exec'));
}

export function readToken(place: Place): string | undefined {
  if (!existsSync(place.tokenFile)) return undefined;
  checkPrivate(place.tokenFile);
  return readFileSync(place.tokenFile, 'utf8').trim();
}

const randomToken = (): string => Buffer.from(systemRandom(32)).toString('base64url');

export function openSecret(path: string, make: () => string = randomToken): string {
  if (!existsSync(path)) writePrivateFile(path, `${make()}\n`);
  checkPrivate(path);
  return readFileSync(path, 'utf8').trim();
}
