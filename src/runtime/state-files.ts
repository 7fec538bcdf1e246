import { existsSync, readFileSync, rmSync } from 'node:fs';
import {
  checkPrivate,
  createClock,
  createIdentifiers,
  fault,
  systemRandom,
  tryOr,
  writePrivateFile,
} from '../kernel/index.ts';
import type { WorkspacePlace } from './place.ts';

/** What a running daemon publishes to commands on the same machine. */
export interface DaemonFile {
  readonly pid: number;
  readonly port: number;
  /** The socket in the state directory, which only its owner can open. */
  readonly socket: string;
  readonly startedAt: number;
}

export function writeDaemonFile(place: WorkspacePlace, daemon: DaemonFile): void {
  writePrivateFile(place.daemonFile, `${JSON.stringify(daemon)}\n`);
}

/** An absent and a half-written file mean the same: there is nobody to talk to. */
export function readDaemonFile(place: WorkspacePlace): DaemonFile | undefined {
  return tryOr(() => JSON.parse(readFileSync(place.daemonFile, 'utf8')) as DaemonFile, undefined);
}

export function removeDaemonFile(place: WorkspacePlace): void {
  rmSync(place.daemonFile, { force: true });
}

/** Identifies this directory as the executor of proposals, across restarts of its daemon. */
export function openExecutor(place: WorkspacePlace): string {
  const make = createIdentifiers(createClock(), systemRandom);
  return openSecret(place.executorFile, () => make('exec'));
}

/** The token of the directory's owner, once a daemon has made it. */
export function readToken(place: WorkspacePlace): string | undefined {
  return existsSync(place.tokenFile) ? readSecret(place.tokenFile) : undefined;
}

export const randomToken = (): string => Buffer.from(systemRandom(32)).toString('base64url');

export function openSecret(path: string, make: () => string = randomToken): string {
  if (!existsSync(path)) writePrivateFile(path, `${make()}\n`);
  return readSecret(path);
}

export function replaceSecret(path: string): void {
  writePrivateFile(path, `${randomToken()}\n`);
}

export function readSecret(path: string): string {
  if (!existsSync(path)) {
    throw fault('TOKEN_UNUSABLE', { path, reason: 'no daemon has made it yet' });
  }
  checkPrivate(path);
  const secret = readFileSync(path, 'utf8').trim();
  // A caller without any token would match an empty one.
  if (secret === '') throw fault('TOKEN_UNUSABLE', { path, reason: 'it is empty' });
  return secret;
}
