import { posix } from 'node:path';
import { tryOr } from '../../kernel/index.ts';
import type { DiscoveredService } from './found.ts';
import { list, type Repository, record, shellLine, text } from './repository.ts';

type Program = Pick<DiscoveredService, 'command' | 'port' | 'install' | 'tagging' | 'program'>;

/** How the program of a directory is started, by what lies in it. */
export function programOf(repository: Repository, directory: string): Program {
  const fromPackage = nodeProgram(repository, directory);
  const fromDockerfile = dockerProgram(repository, directory);
  const command = fromPackage.command ?? fromDockerfile.command;
  const port =
    fromPackage.port ?? fromDockerfile.port ?? portInSource(repository, directory, command);
  const isNode = command === undefined || startsNode(command);
  const { install } = fromPackage;
  const program = fromPackage.program ?? fromDockerfile.program;
  return { command, port, install, program, ...(isNode ? {} : { tagging: 'baggage' as const }) };
}

export function startsNode(command: string): boolean {
  return /\b(?:node|npm|npx|yarn|pnpm|tsx)\b|node_modules\/\.bin\//.test(command);
}

const startScripts = ['start', 'serve', 'dev'];

function nodeProgram(repository: Repository, directory: string): Program {
  const program = posix.join(directory, 'package.json');
  const manifest = repository.json(program);
  const scripts = record(manifest.scripts);
  const name = startScripts.find((script) => typeof scripts[script] === 'string');
  if (name === undefined) return {};
  const script = String(scripts[name]);
  // Without a package manager in between, signals and ports are those of the program itself.
  const isPlain = /^(?:node|tsx)\s[^&|;]+$/.test(script);
  const command = isPlain ? script : `npm run --silent ${name}`;
  const hasLock = repository.has(posix.join(directory, 'package-lock.json'));
  return { command, port: portInText(script), install: hasLock ? 'npm ci' : undefined, program };
}

function dockerProgram(repository: Repository, directory: string): Program {
  const program = posix.join(directory, 'Dockerfile');
  if (!repository.has(program)) return {};
  const lines = repository.text(program).split('\n');
  const last = (word: string): string | undefined =>
    lines.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
  const words = (line: string | undefined): readonly unknown[] => {
    return tryOr(() => list(JSON.parse(line ?? '[]')), []);
  };
  const entry = words(last('ENTRYPOINT'));
  const command = last('CMD');
  const parts = [...entry, ...words(command)];
  const shell = command?.startsWith('[') ? undefined : command;
  const port = Number(last('EXPOSE')?.split(/[\s/]/)[0]);
  return { command: shellLine(parts) ?? shell, port: port > 0 ? port : undefined, program };
}

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
  /\bport\s*[:=]\s*(\d{2,5})\b/,
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
  const found = listens.map((pattern) => pattern.exec(source)?.[1]).find(Boolean);
  return portInText(command) ?? (found === undefined ? undefined : Number(found));
}

/** Where the program of an image or service probably is. */
export function directoryOf(repository: Repository, name: string): string | undefined {
  const places = [name, `services/${name}`, `apps/${name}`, `packages/${name}`, `src/${name}`];
  const startable = (place: string): boolean =>
    ['package.json', 'Dockerfile', 'main.py', 'go.mod'].some((file) =>
      repository.has(posix.join(place, file)),
    );
  return places.find((place) => repository.isDirectory(place) && startable(place));
}

export function imageName(image: string | undefined): string | undefined {
  return text(image)?.split('/').at(-1)?.split(/[:@]/)[0];
}
