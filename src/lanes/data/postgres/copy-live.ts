import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { laneLimits } from '../../limits.ts';
import { programEnvironment } from './address.ts';
import { findPrograms } from './programs.ts';

const toldCharsMax = 2_000;

/** All of a live database, as of one moment, into an empty one. Its users are not held up. */
export async function copyLive(from: string, to: string): Promise<void> {
  const programs = findPrograms();
  // Whoever copies owns the copy: it may not exist elsewhere under the roles of the original.
  const common = ['--no-owner', '--no-privileges', '--no-password'];
  const signal = AbortSignal.timeout(laneLimits.dataStepMsMax);
  const source = await programEnvironment(from);
  const target = await programEnvironment(to);
  const start = (name: string, words: readonly string[], own: typeof source): Program => {
    const env = { ...process.env, ...own };
    return follow(name, spawn(join(programs, name), [...common, ...words], { env, signal }));
  };
  const dump = start('pg_dump', ['--format=custom', '--compress=0'], source);
  const restore = start('pg_restore', ['--exit-on-error', `--dbname=${target.PGDATABASE}`], target);
  // When one of the two programs ends, the pipe of the other one closes, too; their exits report
  // their errors.
  void pipeline(dump.child.stdout, restore.child.stdin).catch(() => undefined);
  restore.child.stdout.resume();
  await Promise.all([dump.end, restore.end]);
}

interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly end: Promise<void>;
}

function follow(name: string, child: ChildProcessWithoutNullStreams): Program {
  let said = '';
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-toldCharsMax);
  });
  const end = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`${name} failed (${code}): ${said.trim()}`);
  });
  return { child, end };
}
