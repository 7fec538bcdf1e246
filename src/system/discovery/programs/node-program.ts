import { posix } from 'node:path';
import { plainCommand } from '../container-command.ts';
import { record } from '../repository.ts';
import { portInText } from '../source-port.ts';
import { nodeInstall, sharedBuilds } from './node-install.ts';
import { localLine, type Program, type ProgramPlace } from './program-place.ts';

const startScripts = ['start', 'serve', 'dev'];

/** Without a command of its own, a package is started by its script. */
export function nodeProgram(place: ProgramPlace): Program {
  const program = posix.join(place.directory, 'package.json');
  const scripts = record(place.repository.json(program).scripts);
  const started = startOf(place, scripts);
  if (started === undefined) return {};
  const { command, script } = started;
  return {
    command,
    port: portInText(script),
    install: nodeInstall(place),
    build: buildOf(place, scripts, script),
    program,
  };
}

interface Start {
  readonly command: string;
  /** What runs in the end, if the command only names a script. */
  readonly script: string;
}

function startOf(
  place: ProgramPlace,
  scripts: Readonly<Record<string, unknown>>,
): Start | undefined {
  const line = place.line === undefined ? undefined : localLine(place.line, place);
  const named = line === undefined ? undefined : scriptName(line);
  if (line !== undefined && named === undefined) {
    const isProgram = /^(?:node|tsx|npm|npx|yarn|pnpm|bun|[A-Z_]+=)\b/.test(line);
    return { command: isProgram ? line : `npx --no-install ${line}`, script: line };
  }
  const wanted =
    named !== undefined && isWatcher(scripts[named]) && scripts.start ? 'start' : named;
  const name = [wanted, ...startScripts].find((one) => one && typeof scripts[one] === 'string');
  if (name === undefined) return undefined;
  const script = plainCommand(String(scripts[name]));
  // Without a package manager in between, signals and ports are those of the program itself.
  const isPlain = /^node\s[^&|;]+$/.test(script) && scripts[`pre${name}`] === undefined;
  return { command: isPlain ? script : `npm run --silent ${name}`, script };
}

const isWatcher = (script: unknown): boolean =>
  /\b(?:nodemon|watch|ts-node-dev)\b/.test(String(script));

/** `npm start`, `yarn start:prod`, `pnpm --filter api run serve`: the script that is run. */
function scriptName(line: string): string | undefined {
  const [, rest] = /^(?:npm|yarn|pnpm|bun)\s+(.*)$/.exec(line) ?? [];
  if (rest === undefined) return undefined;
  const words = rest
    .replaceAll(/(?:--filter|-F|--workspace|-w|--prefix|-C|--dir)[= ]\S+/g, '')
    .replaceAll(/\bworkspace\s+\S+/g, '')
    .split(/\s+/)
    .filter((word) => word !== '' && word !== 'run' && !word.startsWith('-'));
  return words[0];
}

const builtOutput = /\b(?:dist|build|out|lib|\.next|\.output)\//;
const buildingServers = /\b(?:next|nuxt|remix-serve|astro)\s+(?:start|preview)\b/;

/** By what the image runs, or because what is started is made by a build. */
function buildOf(
  place: ProgramPlace,
  scripts: Readonly<Record<string, unknown>>,
  script: string,
): string | undefined {
  const shared = sharedBuilds(place);
  const isBuilt =
    builtOutput.test(script) ||
    buildingServers.test(script) ||
    (place.image?.runs ?? []).some((run) => /\b(?:npm|yarn|pnpm|bun)\b[^&;|]*\bbuild\b/.test(run));
  const own = isBuilt && scripts.build !== undefined ? ['npm run build'] : [];
  const steps = [...shared, ...own];
  return steps.length === 0 ? undefined : steps.join(' && ');
}
