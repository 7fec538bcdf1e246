import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceConfig } from '../complete.ts';
import type { DiscoveredService, ServiceLanguage } from './found.ts';
import { startsNode } from './program.ts';

const commands: readonly (readonly [ServiceLanguage, RegExp])[] = [
  ['go', /\bgo run\b|\bdlv\b/],
  ['python', /\bpython[\d.]*\b|\b(?:uvicorn|gunicorn|flask|uv run|poetry run)\b|\.py\b/],
  ['java', /\bjava\b|\b(?:mvnw?|gradlew?)\b|\.jar\b/],
  ['dotnet', /\bdotnet\b|\.dll\b/],
];

const manifests: readonly (readonly [ServiceLanguage, RegExp])[] = [
  ['go', /^go\.mod$|\.go$/],
  ['python', /^(?:requirements\.txt|pyproject\.toml|Pipfile|setup\.py)$|\.py$/],
  ['java', /^(?:pom\.xml|build\.gradle(?:\.kts)?)$/],
  ['dotnet', /\.(?:cs|fs|vb)proj$|\.sln$/],
  ['node', /^package\.json$/],
];

/** A service of surety.yaml, or one that `surety init` found. */
type DescribedService = Pick<DiscoveredService, 'command' | 'directory'> & {
  readonly tagging?: ServiceConfig['tagging'] | undefined;
  readonly lane?: ServiceConfig['lane'];
};

/** By its command, otherwise by the files beside it: a built program has only these. */
export function languageOf(
  root: string,
  { command, lane, directory = '.', tagging }: DescribedService,
): ServiceLanguage {
  const line = [command, lane?.command].join(' ');
  if (tagging === 'preload' || startsNode(line)) return 'node';
  const folder = join(root, directory);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const byCommand = commands.find(([, pattern]) => pattern.test(line));
  const byFile = manifests.find(([, pattern]) => files.some((file) => pattern.test(file)));
  return (byCommand ?? byFile)?.[0] ?? 'other';
}
