import { posix } from 'node:path';
import { tryOr } from '../../kernel/index.ts';
import { list, type Repository, shellLine } from './repository.ts';

/** What a Dockerfile says about the program in the image. */
export interface ImageDescription {
  readonly file: string;
  /** ENTRYPOINT and CMD of the last stage, as one line for a shell. */
  readonly command?: string | undefined;
  readonly port?: number | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Where the program runs in the image. */
  readonly workdir: string;
  /** Where the image has the files of its build context. */
  readonly contextRoot: string;
  /** Commands of all RUN lines of all stages. */
  readonly runs: readonly string[];
  /** The images that its stages start from. */
  readonly bases: readonly string[];
  /** The path that HEALTHCHECK asks for. */
  readonly health?: string | undefined;
}

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

interface Stage {
  name: string | undefined;
  entrypoint: string | undefined;
  command: string | undefined;
  port: number | undefined;
  workdir: string;
  contextRoot: string | undefined;
  environment: Record<string, string>;
  health: string | undefined;
}

const emptyStage: Stage = {
  name: undefined,
  entrypoint: undefined,
  command: undefined,
  port: undefined,
  workdir: '/',
  contextRoot: undefined,
  environment: {},
  health: undefined,
};

/** Undefined when there is no such file. */
export function readDockerfile(repository: Repository, file: string): ImageDescription | undefined {
  if (!repository.has(file)) return undefined;
  const instructions = instructionsOf(repository.text(file));
  // A file without FROM is none that Docker takes, but what it says is clear.
  const stages: Stage[] = [{ ...emptyStage, environment: {} }];
  const bases: string[] = [];
  for (const instruction of instructions) {
    if (instruction.word === 'FROM') stages.push(stageFrom(instruction.rest, stages, bases));
    else apply(stages.at(-1) as Stage, instruction);
  }
  const last = stages.at(-1) as Stage;
  const root = stages.map(({ contextRoot }) => contextRoot).findLast(Boolean);
  return {
    file,
    command: commandOf(last),
    port: last.port,
    environment: last.environment,
    workdir: last.workdir,
    contextRoot: last.contextRoot ?? root ?? last.workdir,
    runs: instructions.filter(({ word }) => word === 'RUN').map(({ rest }) => runLine(rest)),
    bases,
    health: last.health,
  };
}

/** Lines that end with a backslash continue; comments in between do not end them. */
function instructionsOf(text: string): Instruction[] {
  const joined = text
    .split(/\r?\n/)
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\[ \t]*\n/g, ' ');
  return joined.split('\n').flatMap((line) => {
    const [, word, rest] = /^\s*([A-Za-z]+)\s+(\S.*)$/.exec(line) ?? [];
    return word && rest ? [{ word: word.toUpperCase(), rest: rest.trim() }] : [];
  });
}

/** A stage has what the stage that it starts from has. */
function stageFrom(rest: string, stages: readonly Stage[], bases: string[]): Stage {
  const words = rest.split(/\s+/).filter((word) => !word.startsWith('--'));
  const [base = '', , name] = words;
  bases.push(base);
  const before = stages.find((stage) => stage.name === base.toLowerCase()) ?? emptyStage;
  return { ...before, environment: { ...before.environment }, name: name?.toLowerCase() };
}

const effects: Readonly<Record<string, (stage: Stage, rest: string) => void>> = {
  ENTRYPOINT(stage, rest) {
    stage.entrypoint = rest;
    // The image's own arguments are those of another program.
    stage.command = undefined;
  },
  CMD(stage, rest) {
    stage.command = rest;
  },
  EXPOSE(stage, rest) {
    const [first = ''] = withVariables(rest, stage.environment).split(/[\s/]/);
    stage.port = Number(first) > 0 ? Number(first) : stage.port;
  },
  WORKDIR(stage, rest) {
    stage.workdir = posix.resolve(stage.workdir, withVariables(rest, stage.environment));
  },
  ENV(stage, rest) {
    for (const [name, value] of variablesOf(rest)) {
      stage.environment[name] = withVariables(value, stage.environment);
    }
  },
  ARG(stage, rest) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(rest) ?? [];
    if (name && value !== undefined) stage.environment[`ARG ${name}`] = unquoted(value);
  },
  COPY(stage, rest) {
    if (rest.includes('--from=')) return;
    const words = rest.split(/\s+/).filter((word) => !word.startsWith('--'));
    const isContext = words.length === 2 && /^\.\/?$/.test(words[0] ?? '');
    if (isContext) stage.contextRoot = posix.resolve(stage.workdir, words[1] ?? '.');
  },
  HEALTHCHECK(stage, rest) {
    stage.health = healthPath(rest) ?? stage.health;
  },
};

function apply(stage: Stage, { word, rest }: Instruction): void {
  effects[word]?.(stage, rest);
}

/** The path in a line such as `curl -f http://localhost:3000/healthz`. */
export function healthPath(line: string): string | undefined {
  return /https?:\/\/[^/\s"']+(\/[^\s"'|;&)\]]*)/.exec(line)?.[1];
}

/** `NAME=value OTHER="a b"`, or the old form `NAME value`. */
function variablesOf(rest: string): (readonly [string, string])[] {
  if (!/^\w+=/.test(rest)) {
    const [, name = '', value = ''] = /^(\w+)\s+(.*)$/.exec(rest) ?? [];
    return name === '' ? [] : [[name, value]];
  }
  const pairs = [...rest.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|'[^']*'|\S*)/g)];
  return pairs.map(([, name = '', value = '']) => [name, unquoted(value)]);
}

function unquoted(value: string): string {
  return value.replace(/^(["'])(.*)\1$/, '$2');
}

/** `${NAME}`, `${NAME:-standard}` and `$NAME`, from ENV and ARG before it. */
function withVariables(value: string, known: Readonly<Record<string, string>>): string {
  const lookUp = (name: string): string | undefined => known[name] ?? known[`ARG ${name}`];
  return value
    .replaceAll(
      /\$\{(\w+)(?::?-([^}]*))?\}/g,
      (whole, name, standard) => lookUp(name) ?? standard ?? whole,
    )
    .replaceAll(/\$(\w+)/g, (whole, name) => lookUp(name) ?? whole);
}

function commandOf({ entrypoint, command }: Stage): string | undefined {
  const parts = [entrypoint, command].flatMap((part) => (part === undefined ? [] : [lineOf(part)]));
  // With an entrypoint in shell form, Docker ignores CMD.
  if (entrypoint !== undefined && wordsOf(entrypoint) === undefined) return parts[0];
  return parts.length === 0 ? undefined : parts.join(' ');
}

function lineOf(rest: string): string {
  const words = wordsOf(rest);
  return words === undefined ? rest : (shellLine(words) ?? '');
}

function wordsOf(rest: string): readonly unknown[] | undefined {
  if (!rest.startsWith('[')) return undefined;
  return tryOr(() => list(JSON.parse(rest)), undefined);
}

function runLine(rest: string): string {
  const line = wordsOf(rest) === undefined ? rest : lineOf(rest);
  return line.replace(/^(?:--\w+(?:=\S+)?\s+)+/, '');
}
