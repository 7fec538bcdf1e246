import { posix } from 'node:path';
import { plainCommand, portFlag, portVariables, standardPort } from './container-command.ts';
import { type ImageDescription, readDockerfile } from './dockerfile.ts';
import type { ServiceLanguage } from './found.ts';
import { dotnetProgram } from './programs/dotnet-program.ts';
import { goProgram } from './programs/go-program.ts';
import { javaProgram } from './programs/java-program.ts';
import { nodeProgram } from './programs/node-program.ts';
import {
  filesIn,
  localPath,
  type Program,
  type ProgramPlace,
  textIn,
} from './programs/program-place.ts';
import { pythonProgram } from './programs/python-program.ts';
import { rustProgram } from './programs/rust-program.ts';
import type { Repository } from './repository.ts';
import { text } from './repository.ts';
import { listeningPort, portInSource, readsPort } from './source-port.ts';
import { hasTool } from './tools.ts';

/** Which program, and what other files say about it. */
export interface ProgramRequest {
  readonly directory: string;
  readonly name?: string;
  /** Its Dockerfile, if it has another name or place. */
  readonly dockerfile?: string | undefined;
  /** A command line in place of that of the image. */
  readonly line?: string | undefined;
  /** Variables that it gets, in addition to those of the image. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The port that others reach it by. */
  readonly port?: number | undefined;
}

type ProgramLanguage = ServiceLanguage | 'rust';

export type FoundProgram = Program & { readonly directory: string };

const programs: Readonly<Partial<Record<ProgramLanguage, (place: ProgramPlace) => Program>>> = {
  go: goProgram,
  python: pythonProgram,
  java: javaProgram,
  rust: rustProgram,
  dotnet: dotnetProgram,
  node: nodeProgram,
};

/** How the program of a directory is installed, built and started, by what is in it. */
export function programOf(repository: Repository, request: ProgramRequest): FoundProgram {
  const file = request.dockerfile ?? posix.join(request.directory, 'Dockerfile');
  const image = readDockerfile(repository, file);
  const place = placeOf(repository, request, image);
  const found = programs[languageIn(place)]?.(place) ?? plainProgram(place);
  const program = found.program ?? (found.command ? image?.file : undefined);
  const environment = { ...imageVariables(image), ...request.environment };
  const seen = { ...found, program, environment, health: image?.health };
  return { ...withPort(seen, place, request), directory: place.directory };
}

function placeOf(
  repository: Repository,
  request: ProgramRequest,
  image: ImageDescription | undefined,
): ProgramPlace {
  const line = request.line ?? image?.command;
  const directory = sourceDirectory(repository, request, image);
  const name = request.name ?? (posix.basename(directory) || 'program');
  const plain = line === undefined ? undefined : plainCommand(line);
  return { repository, directory, name, line: plain || undefined, image, hasTool };
}

const manifests =
  /^(?:package\.json|go\.mod|requirements\.txt|pyproject\.toml|Pipfile|pom\.xml|build\.gradle(?:\.kts)?|Cargo\.toml|[^/]*\.[cf]sproj)$/;

/** An image of a whole repository may run the program of the folder with its Dockerfile. */
function sourceDirectory(
  repository: Repository,
  { directory, dockerfile, line }: ProgramRequest,
  image: ImageDescription | undefined,
): string {
  if (!image) return directory;
  const root = { repository, directory: '.', name: '', image, hasTool };
  const runsIn = posix.join(directory, localPath(image.workdir, root));
  const beside = posix.dirname(dockerfile ?? '');
  const named = namedPackage(repository, line ?? image.command);
  const isBelow = (place: string): boolean =>
    place !== directory && (directory === '.' || place.startsWith(`${directory}/`));
  const holds = (place: string): boolean =>
    repository.isDirectory(place) &&
    filesIn({ ...root, directory: place }).some((file) => manifests.test(file));
  return (
    [named, runsIn, beside].find((place) => place && isBelow(place) && holds(place)) ?? directory
  );
}

/** `pnpm --filter @shop/api start` runs the program of that package. */
export function namedPackage(repository: Repository, line = ''): string | undefined {
  const name = /(?:--filter|-F|--workspace|-w|\bworkspace)[= ]["']?([@\w./-]+)/.exec(line)?.[1];
  if (name === undefined) return undefined;
  const files = repository.files().filter((file) => file.endsWith('/package.json'));
  const found = files.find(
    (file) => repository.json(file).name === name || posix.dirname(file) === name,
  );
  return found === undefined ? undefined : posix.dirname(found);
}

const byCommand: readonly (readonly [ProgramLanguage, RegExp])[] = [
  ['node', /^(?:[A-Z_]+=\S+\s+)*(?:node|npm|npx|yarn|pnpm|tsx|bun|next)\b/],
  [
    'python',
    /^(?:\S*\/)?(?:python[\d.]*|uvicorn|gunicorn|flask|fastapi|hypercorn|daphne|uv run|poetry run)\b|\.py\b/,
  ],
  ['java', /^(?:\S*\/)?java\b|\.jar\b/],
  ['dotnet', /^(?:\S*\/)?dotnet\b/],
  ['go', /^go run\b/],
];

const byBase: readonly (readonly [ProgramLanguage, RegExp])[] = [
  ['go', /(?:^|\/)golang\b/],
  ['rust', /(?:^|\/)rust\b/],
  ['java', /(?:^|\/)(?:maven|gradle|eclipse-temurin|openjdk|amazoncorretto)\b/],
  ['dotnet', /\/dotnet\//],
  ['python', /(?:^|\/)python\b/],
  ['node', /(?:^|\/)node\b/],
];

const byFile: readonly (readonly [ProgramLanguage, RegExp])[] = [
  ['node', /^package\.json$/],
  ['go', /^go\.mod$|^main\.go$/],
  ['python', /^(?:requirements\.txt|pyproject\.toml|Pipfile|manage\.py|main\.py|app\.py)$/],
  ['java', /^(?:pom\.xml|build\.gradle(?:\.kts)?)$/],
  ['rust', /^Cargo\.toml$/],
  ['dotnet', /\.[cf]sproj$/],
];

function languageIn(place: ProgramPlace): ProgramLanguage {
  const { line = '', image } = place;
  const files = filesIn(place);
  const has = (language: ProgramLanguage): boolean =>
    byFile.some(([one, pattern]) => one === language && files.some((file) => pattern.test(file)));
  const commanded = byCommand.find(([, pattern]) => pattern.test(line))?.[0];
  const based = byBase.find(
    ([language, pattern]) => has(language) && image?.bases.some((base) => pattern.test(base)),
  )?.[0];
  const filed = byFile.find(([, pattern]) => files.some((file) => pattern.test(file)))?.[0];
  return commanded ?? based ?? filed ?? 'other';
}

function plainProgram({ line }: ProgramPlace): Program {
  return { command: line, tagging: 'baggage' };
}

/** Variables of an image that say something about the program, and nothing about the image. */
function imageVariables(image: ImageDescription | undefined): Record<string, string> {
  const own = Object.entries(image?.environment ?? {}).filter(
    ([name, value]) =>
      !/^(?:ARG |PATH$|HOME$|NODE_VERSION$|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE)$|PIP_|UV_|GO(?:PATH|PROXY|FLAGS)$|CGO_|JAVA_HOME$|DEBIAN_|TERM$|LANG$)/.test(
        name,
      ) &&
      !/^\/(?:usr|root|home|var|app)\//.test(value) &&
      !value.includes('$'),
  );
  return Object.fromEntries(own);
}

/** A program that is not Node must be told its port by PORT: lanes run a second one of it. */
function withPort(program: Program, place: ProgramPlace, request: ProgramRequest): Program {
  const flagged = portFlag(program.command ?? '');
  const environment = { ...program.environment };
  const port =
    flagged.port ??
    standardPort(program.command ?? '') ??
    request.port ??
    numberOf(environment.PORT) ??
    program.port ??
    place.image?.port ??
    portInSource(place.repository, place.directory, program.command) ??
    portInFiles(place);
  const { assignments, names } = portVariables(environment, port);
  for (const name of [...names, 'PORT']) delete environment[name];
  const command = program.command && [...assignments, flagged.command].join(' ');
  const isTold = command?.includes('$PORT') || standardPort(command ?? '') !== undefined;
  const fixed = isTold || port === undefined ? undefined : fixedPort(place, command, port);
  return {
    ...program,
    command,
    port,
    environment,
    ...(fixed === undefined ? {} : portRemedy(fixed, place, program)),
  };
}

/** The port in the sources of a program that does not read PORT, as far as they show it. */
function fixedPort(
  place: ProgramPlace,
  command: string | undefined,
  port: number,
): number | undefined {
  const files = filesIn(place).filter((file) =>
    /\.(?:[cm]?[jt]s|py|go|rs|java|rb|ya?ml|properties)$/.test(file),
  );
  const sources = files.slice(0, sourcesMax).map((file) => textIn(place, file));
  if (readsPort(sources)) return undefined;
  return portInSource(place.repository, place.directory, command) ?? portInFiles(place) ?? port;
}

const sourcesMax = 200;

/** Surety moves the port of Node and Python programs; others have to read PORT themselves. */
function portRemedy(builtInPort: number, place: ProgramPlace, program: Program): Program {
  const language = languageIn(place);
  if (language === 'node' || language === 'python') return { builtInPort };
  const told = `${place.name}: its sources do not read PORT, and a lane runs a second one of it on another port; let it listen on PORT (default ${builtInPort})`;
  return { unknown: [...(program.unknown ?? []), told] };
}

function numberOf(value: string | undefined): number | undefined {
  return Number(value) > 0 ? Number(value) : undefined;
}

/** Of programs that are built: one of their sources says where they listen. */
function portInFiles(place: ProgramPlace): number | undefined {
  const sources = filesIn(place).filter((file) =>
    /(?:^|\/)(?:main|server|app|index)\.(?:go|py|rs|[cm]?[jt]s)$/.test(file),
  );
  return sources.map((file) => listeningPort(textIn(place, file))).find(Boolean);
}

export function startsNode(command: string): boolean {
  return /\b(?:node|npm|npx|yarn|pnpm|tsx)\b|node_modules\/\.bin\//.test(command);
}

/** Where the program of an image or service probably is. */
export function directoryOf(repository: Repository, name: string): string | undefined {
  if (name === '') return undefined;
  const short = name.replace(/[-_]?(?:service|svc|server|app|api)$/, '');
  const startable =
    /(?:^|\/)(?:package\.json|Dockerfile|main\.py|go\.mod|pom\.xml|Cargo\.toml|requirements\.txt|pyproject\.toml)$/;
  const folders = repository
    .files()
    .filter((file) => startable.test(file))
    .map((file) => posix.dirname(file));
  const parts = (folder: string): string[] => folder.split('/').map((part) => part.toLowerCase());
  const last = (wanted: string): string | undefined =>
    folders.find((folder) => parts(folder).at(-1) === wanted);
  const within = (wanted: string): string | undefined =>
    folders.find((folder) => parts(folder).includes(wanted));
  return last(name) ?? last(short) ?? within(name);
}

export function imageName(image: string | undefined): string | undefined {
  return text(image)?.split('/').at(-1)?.split(/[:@]/)[0];
}
