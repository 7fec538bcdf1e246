import { posix } from 'node:path';
import type { Repository } from './repository.ts';

const exampleFiles = ['.env.example', '.env.sample', '.env.dist', 'example.env'];

/** What the committed example of an `.env` file sets: the file itself is on no other machine. */
export function exampleVariables(
  repository: Repository,
  directory: string,
): Readonly<Record<string, string>> {
  const file = exampleFiles
    .map((name) => posix.join(directory, name))
    .find((path) => repository.has(path));
  if (file === undefined) return {};
  const lines = repository.text(file).split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value = ''] = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line.trim()) ?? [];
      const plain = value.replace(/\s+#.*$/, '').replace(/^(["'])(.*)\1$/, '$2');
      return name && plain !== '' ? [[name, plain] as const] : [];
    }),
  );
}
