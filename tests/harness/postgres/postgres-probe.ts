import { join } from 'node:path';
import { type Environment, runCommand } from './postgres-command.ts';
import type { Identity } from './postgres-identity.ts';

export type PostgresSource = 'system' | 'embedded';

/** A PostgreSQL that was seen to run as the server's user. */
export interface Binaries {
  readonly source: PostgresSource;
  readonly directory: string;
  readonly version: string;
  /** What its programs need to find their libraries. */
  readonly env: Environment;
}

export interface Candidate {
  readonly source: PostgresSource;
  readonly directory: string;
  readonly env: Environment;
}

/**
 * Runs both programs: a closed parent directory, a missing library link, a lost executable bit and
 * a foreign libc all show here, and nowhere else as surely.
 */
export async function probe(
  candidate: Candidate,
  identity: Identity | undefined,
): Promise<Binaries> {
  const ask = (program: string) =>
    runCommand(join(candidate.directory, program), ['--version'], identity, candidate.env);
  const [text] = await Promise.all([ask('postgres'), ask('initdb')]);
  const version = /\d+[\w.]*/.exec(text)?.[0];
  if (!version) throw new Error(`${candidate.directory}/postgres names no version: ${text}`);
  return { ...candidate, version };
}
