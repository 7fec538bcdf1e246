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

export const codeownersFiles: readonly string[] = [
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
