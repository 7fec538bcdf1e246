import { posix } from 'node:path';
import type { Repository } from './repository.ts';

/** `--port 3000`, `-p 3000`, `PORT=3000`, `--listen 127.0.0.1:3000`. */
export function portInText(line: string): number | undefined {
  const given = /(?:--port[= ]|\s-p[= ]?|\bPORT=|--(?:listen|bind)[= ](?:\S*:)?)(\d{2,5})\b/;
  const found = given.exec(line)?.[1];
  return found === undefined ? undefined : Number(found);
}

const listens = [
  /\bPORT\b[^\n]{0,20}(?:\|\||\?\?)\s*['"]?(\d{2,5})\b/,
  /\bPORT['"]\s*,\s*['"]?(\d{2,5})\b/,
  /\.listen\(\s*(?:\{\s*port:\s*)?(\d{2,5})\b/,
  /\.bindAsync\(\s*['"`][^'"`\s]*:(\d{2,5})['"`]/,
  /Server\(\(\s*['"][^'"\s]*['"]\s*,\s*(\d{2,5})\s*\)/,
  /(?:ListenAndServe|net\.Listen)\([^)\n]*?["':](\d{2,5})["']/,
  /\bport\s*[:=]\s*['"]?(\d{2,5})\b/i,
];

/** What a program has built in, as far as one look at its first file tells. */
export function portInSource(
  repository: Repository,
  directory: string,
  command = '',
): number | undefined {
  const file = /(?:^|\s)([\w./-]+\.(?:[cm]?[jt]s|py|rb|go))\b/.exec(command)?.[1];
  if (file === undefined) return portInText(command);
  const source = repository.text(posix.join(directory, file));
  return portInText(command) ?? listeningPort(source);
}

/** Whether a program reads the port that it is given. */
export function readsPort(sources: readonly string[]): boolean {
  return sources.some((source) =>
    /\benv(?:iron)?\b[^\n]{0,40}\bPORT\b|\bgetenv\([^\n]{0,10}\bPORT\b|\bPORT\s*:/i.test(source),
  );
}

export function listeningPort(source: string): number | undefined {
  const found = listens.map((pattern) => pattern.exec(source)?.[1]).find(Boolean);
  return found === undefined ? undefined : Number(found);
}
