import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** All that the suite knows, the newest first. */
export const conformanceRevisions = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
] as const;
export type ConformanceRevision = (typeof conformanceRevisions)[number];

/** The checks of each scenario, and whether all of their occurrences passed. */
export type Checks = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

const require = createRequire(import.meta.url);
const packageFile = require.resolve('@modelcontextprotocol/conformance/package.json');
const program = join(dirname(packageFile), 'dist/index.js');

/** Runs the official suite: all that a revision asks for, or one of its scenarios. */
export async function runSuite(
  url: string,
  revision: ConformanceRevision,
  scenario?: string,
): Promise<Checks> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-conformance-'));
  const wanted =
    scenario === undefined
      ? scenariosOf(revision)
      : ['--scenario', scenario, '--spec-version', revision, '--force'];
  try {
    await run([program, 'server', '--url', url, ...wanted, '--output-dir', directory]);
    return readChecks(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The suite has frozen what the newer revisions require; of the older ones it has scenarios. */
function scenariosOf(revision: ConformanceRevision): readonly string[] {
  const isFrozen = revision === '2026-07-28' || revision === '2025-11-25';
  return isFrozen ? ['--requirements', revision] : ['--suite', 'all', '--spec-version', revision];
}

const suiteMsMax = 600_000;

/** Its exit code tells whether everything passed, which is not what is asked here. */
function run(args: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  execFile(process.execPath, args, { timeout: suiteMsMax, maxBuffer: 64 * 1024 * 1024 }, () =>
    resolve(),
  );
  return promise;
}

/** A folder is named `server-<scenario>-<time>`. */
const folderName = /^server-(.+)-\d{4}-\d\d-\d\dT[\dZ-]+$/;
const verdicts = new Set(['SUCCESS', 'FAILURE', 'WARNING']);

function readChecks(directory: string): Checks {
  const scenarios = new Map<string, Map<string, boolean>>();
  for (const folder of readdirSync(directory)) {
    const scenario = folderName.exec(folder)?.[1];
    if (scenario === undefined) continue;
    const file = join(directory, folder, 'checks.json');
    const checks = new Map<string, boolean>();
    // A scenario that throws leaves none, such as where the server speaks another revision.
    if (!existsSync(file)) checks.set('the scenario ran to its end', false);
    const all = checks.size > 0 ? [] : JSON.parse(readFileSync(file, 'utf8'));
    for (const { id, name, status } of all) {
      if (!verdicts.has(status)) continue;
      const check = `${id} (${name})`;
      checks.set(check, status === 'SUCCESS' && checks.get(check) !== false);
    }
    scenarios.set(scenario, checks);
  }
  return scenarios;
}
