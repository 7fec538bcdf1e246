import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalJson,
  type Json,
  sha256,
  systemRandom,
  writePrivateFile,
} from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import type { WorkspacePlace } from '../place.ts';

/**
 * The surety.yaml that a daemon last read, as salted hashes: it contains passwords, and the
 * recorded version must not help to guess them.
 */
interface KnownConfiguration {
  readonly salt: string;
  readonly version: string;
  readonly sections: Readonly<Record<string, string>>;
  readonly services: Readonly<Record<string, string>>;
}

/**
 * Records in the ledger that surety.yaml has changed, because that can cause an incident like any
 * deployment.
 */
export async function noticeConfiguration(
  place: WorkspacePlace,
  config: Config,
  ledger: Ledger,
): Promise<void> {
  const file = join(place.state, 'configuration.json');
  const before = readKnown(file);
  const now = describe(config, before?.salt ?? Buffer.from(systemRandom(16)).toString('hex'));
  if (before && before.version !== now.version) {
    const body = {
      version: now.version,
      previous: before.version,
      sections: different(before.sections, now.sections),
      services: different(before.services, now.services),
    };
    await ledger.append({ kind: 'configuration-changed', actor: 'surety:daemon', body });
  }
  if (before?.version !== now.version) writePrivateFile(file, `${JSON.stringify(now)}\n`);
}

function describe(config: Config, salt: string): KnownConfiguration {
  const hash = (value: unknown): string => sha256(salt + canonicalJson((value ?? null) as Json));
  const hashes = (of: object): Record<string, string> =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, hash(value)]));
  const sections = hashes(config);
  return {
    salt,
    version: hash(sections).slice(0, 12),
    sections,
    services: hashes(config.services),
  };
}

function different(
  before: KnownConfiguration['sections'],
  now: KnownConfiguration['sections'],
): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => before[name] !== now[name]).toSorted();
}

/** An unreadable file counts as none: then no change is known. */
function readKnown(file: string): KnownConfiguration | undefined {
  try {
    return existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as KnownConfiguration)
      : undefined;
  } catch {
    return undefined;
  }
}
