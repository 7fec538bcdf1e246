import type { Baseline, Trees } from '../lanes/index.ts';
import type { Config } from '../system/index.ts';

export interface OwnerDeps {
  readonly trees: Pick<Trees, 'read'>;
  readonly baseline: Pick<Baseline, 'version'>;
}

/** The text of CODEOWNERS in the baseline; empty without one, or without a baseline. */
export async function readCodeowners({ trees, baseline }: OwnerDeps): Promise<string> {
  const version = await baseline.version().catch(() => null);
  if (version === null) return '';
  for (const name of codeownersFiles) {
    const text = await trees.read(version, name);
    if (text !== null) return text;
  }
  return '';
}

/** Who is responsible for a service: what surety.yaml says, or the first owner of its files. */
export function serviceOwner(
  service: string,
  { services }: Pick<Config, 'services'>,
  codeowners: string,
): string | null {
  const described = Object.hasOwn(services, service) ? services[service] : undefined;
  if (!described) return null;
  const { owner, paths, directory } = described;
  if (owner !== undefined) return owner;
  const places = paths.length > 0 ? paths : [directory];
  const files = places.flatMap((place) => [place, `${place}/any`]);
  return files.flatMap((file) => ownersOf(file, codeowners))[0] ?? null;
}

/** The owners of a file by the text of a CODEOWNERS file: the last pattern that matches counts. */
export function ownersOf(file: string, codeowners: string): string[] {
  const rules = codeowners
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/));
  const rule = rules.findLast(([pattern = '']) => matches(pattern, file));
  return rule?.slice(1) ?? [];
}

const codeownersFiles: readonly string[] = [
  '.github/CODEOWNERS',
  'CODEOWNERS',
  'docs/CODEOWNERS',
  '.gitlab/CODEOWNERS',
];

/** As git ignores files: a pattern with a slash counts from the top, `**` is any folders. */
function matches(pattern: string, file: string): boolean {
  const isAnchored = pattern.slice(0, -1).includes('/');
  const body = pattern
    .replace(/^\//, '')
    .replace(/\/$/, '/**')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/?|\*|\?/g, (found) =>
      found === '?' ? '[^/]' : found === '*' ? '[^/]*' : found === '**' ? '.*' : '(?:.*/)?',
    );
  return new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${body}(?:/.*)?$`).test(file);
}
