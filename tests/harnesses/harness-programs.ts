import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Scratch } from '../harness/scratch.ts';

/** A harness that was installed from npm, with a home directory of its own. */
export interface HarnessProgram {
  /** Writes the settings that it needs besides the hook. */
  prepare(root: string): void;
  /** Runs one session that asks the model at the address; ends when the model has ended. */
  run(root: string, address: string): Promise<void>;
}

interface Start {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const sessionMsMax = 120_000;
const prompt = 'Do the work.';

/** Where `npm run test:harnesses` installs them. */
export const harnessFolder: string =
  process.env.SURETY_HARNESSES ?? resolve(import.meta.dirname, '../../.cache/harnesses');

function installed(...names: readonly string[]): string {
  const path = join(harnessFolder, 'node_modules', ...names);
  if (!existsSync(path)) throw new Error(`${path} is missing: run npm run test:harnesses`);
  return path;
}

const starts: Readonly<Record<string, (home: string, root: string, address: string) => Start>> = {
  codex: (home, root, address) => {
    const provider = `model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${address}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[projects."${root}"]
trust_level = "trusted"
`;
    writeFileSync(join(home, 'config.toml'), provider);
    const program = installed('@openai', 'codex', 'bin', 'codex.js');
    const flags = ['--dangerously-bypass-hook-trust', '--sandbox', 'danger-full-access'];
    return {
      command: [process.execPath, program, 'exec', ...flags, prompt],
      environment: { CODEX_HOME: home, SCRIPTED_KEY: 'none' },
    };
  },
  gemini: (_home, _root, address) => {
    const program = installed('@google', 'gemini-cli', 'bundle', 'gemini.js');
    const flags = ['--yolo', '--skip-trust', '--model', 'gemini-2.5-flash'];
    return {
      command: [process.execPath, program, '--prompt', prompt, ...flags],
      environment: {
        GEMINI_API_KEY: 'none',
        GOOGLE_GEMINI_BASE_URL: address,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
    };
  },
};

const settings: Readonly<Record<string, (root: string) => void>> = {
  gemini: (root) => {
    mkdirSync(join(root, '.gemini'));
    const auth = { security: { auth: { selectedType: 'gemini-api-key' } } };
    writeFileSync(join(root, '.gemini', 'settings.json'), `${JSON.stringify(auth, null, 2)}\n`);
  },
};

export const harnessNames: readonly string[] = Object.keys(starts);

export function findHarness(name: string): HarnessProgram {
  const home = new Scratch().path;
  return {
    prepare: (root) => settings[name]?.(root),
    run: async (root, address) => {
      const start = starts[name];
      if (!start) throw new Error(`no harness ${name}`);
      await runSession(start(home, root, address), home, root);
    },
  };
}

async function runSession({ command, environment }: Start, home: string, root: string) {
  const [program = '', ...words] = command;
  const child = spawn(program, words, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      GIT_CONFIG_NOSYSTEM: '1',
      ...author,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: sessionMsMax,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await ended;
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${stdout}\n${stderr}`);
}

const author = {
  GIT_AUTHOR_NAME: 'Coder',
  GIT_AUTHOR_EMAIL: 'coder@example.com',
  GIT_COMMITTER_NAME: 'Coder',
  GIT_COMMITTER_EMAIL: 'coder@example.com',
};
