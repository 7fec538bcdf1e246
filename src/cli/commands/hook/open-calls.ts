import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type HarnessCall, hookLimits } from '../../../hook/index.ts';
import {
  canonicalJson,
  createClock,
  sha256,
  systemRandom,
  tryOr,
  writePrivateFile,
} from '../../../kernel/index.ts';
import type { WorkspacePlace } from '../../../runtime/place.ts';

/**
 * The idempotency key of a call: a harness that asks twice about the same call gets one proposal.
 * A harness without ids of calls asks once per call, so each is another one.
 */
export function callKey(harness: string, { session, call }: HarnessCall): string {
  const own = call ?? Buffer.from(systemRandom(16)).toString('hex');
  return `hook-${sha256(JSON.stringify([harness, session, own])).slice(0, 32)}`;
}

/** The grant of a call that runs now, for the hook that reports its outcome. */
export function keepGrant(
  place: WorkspacePlace,
  harness: string,
  call: HarnessCall,
  token: string,
): void {
  const folder = callsFolder(place);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  forgetOld(folder);
  const suffix = Buffer.from(systemRandom(8)).toString('hex');
  writePrivateFile(join(folder, `${fileStart(harness, call)}.${suffix}`), token);
}

/** Each grant is reported once. */
export function takeGrant(
  place: WorkspacePlace,
  harness: string,
  call: HarnessCall,
): string | undefined {
  const folder = callsFolder(place);
  const start = fileStart(harness, call);
  const [name] = listed(folder).filter((file) => file.startsWith(start));
  if (name === undefined) return undefined;
  const token = tryOr(() => readFileSync(join(folder, name), 'utf8'), undefined);
  rmSync(join(folder, name), { force: true });
  return token;
}

function callsFolder({ state }: WorkspacePlace): string {
  return join(state, 'hooks', 'calls');
}

function fileStart(harness: string, { session, call, tool, input }: HarnessCall): string {
  const what = call ?? sha256(canonicalJson({ tool, input }));
  return sha256(JSON.stringify([harness, session, what])).slice(0, 32);
}

function listed(folder: string): string[] {
  return tryOr(() => readdirSync(folder).sort(), []);
}

/** Calls whose end nobody reported, such as those of a harness that was killed. */
function forgetOld(folder: string): void {
  const oldest = createClock().now() - hookLimits.openCallMsMax;
  for (const name of listed(folder)) {
    const path = join(folder, name);
    if (tryOr(() => statSync(path).mtimeMs, 0) < oldest) rmSync(path, { force: true });
  }
}
