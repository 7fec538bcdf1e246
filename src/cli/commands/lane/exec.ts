import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fault } from '../../../kernel/index.ts';
import { createConfinement } from '../../../runtime/compose/confinement.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import type { WorkspacePlace } from '../../../runtime/place.ts';
import { foundBy } from '../../../verify/suites/suite-module-path.ts';
import { type ExitCode, exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output, words: [lane = '', ...words] }) => {
  const command = words.join(' ');
  if (command === '') {
    throw fault('USAGE', { reason: 'say what to run', help: 'surety lane exec --help' });
  }
  const shown = await connectDaemon(place).call('GET /v1/lanes/{lane}', { path: { lane } });
  const variables = {
    BASE_URL: shown.address,
    HEADERS: JSON.stringify(shown.headers),
    SURETY_LANE: lane,
    ...foundBy(process.env),
  };
  const confinement = createConfinement(place, loadConfig(place));
  const environment = { ...confinement.inherited(), ...variables };
  const program = { script: command, environment, endsWithParent: true };
  const started = confinement.command({ ...program, ...viewOfCheckout(place) });
  const code = await execute(started, environment, output.json);
  output.value({ code });
  return code === 0 ? exitCodes.ok : exitCodes.bad;
};

/** Runs a command as the programs of lanes run, but in no lane: it works without a daemon. */
export const runConfined: RunCommand = async ({ place, output, words }) => {
  const script = formatScript(words);
  if (script === '')
    throw fault('USAGE', { reason: 'say what to run', help: 'surety exec --help' });
  const confinement = createConfinement(place, loadConfig(place));
  const { by, reason } = confinement.facts();
  // Whoever asks for confinement must not get a plain shell instead.
  if (by === null)
    throw fault('CONFINEMENT_UNAVAILABLE', { reason: reason ?? 'confine.level is off' });
  const environment = confinement.inherited();
  const program = { script, environment, endsWithParent: true, fixed: guardedFiles(place) };
  const started = confinement.command({ ...program, ...viewOfCheckout(place) });
  const code = await execute(started, environment, output.json);
  output.value({ code });
  return code === 0 ? exitCodes.ok : exitCodes.bad;
};

/** One word is text for a shell; several are a program with its arguments. */
function formatScript(words: readonly string[]): string {
  const [only = ''] = words;
  return words.length === 1 ? only : words.map(quote).join(' ');
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The hooks of harnesses and the policy, where they exist. */
function guardedFiles({ root }: WorkspacePlace): string[] {
  const names = ['.claude', '.codex', '.cursor', '.gemini', '.opencode', '.git/hooks'];
  const files = ['.git/config', 'opencode.json', 'policy.yaml', 'surety.yaml', '.mcp.json'];
  return [...names, ...files].map((name) => join(root, name)).filter((path) => existsSync(path));
}

/** It works in the checkout, of which `.surety` is hidden, and in the current directory. */
function viewOfCheckout({ root }: WorkspacePlace) {
  const directory = process.cwd();
  return { directory, writable: [...new Set([root, directory])], readable: [] };
}

/** The output of the command goes to standard output; under --json, to standard error. */
function execute(
  [program = '', ...words]: readonly string[],
  environment: Readonly<Record<string, string>>,
  isJson: boolean,
): Promise<ExitCode | number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn(program, words, {
    env: environment,
    stdio: ['inherit', isJson ? 2 : 'inherit', 'inherit'],
  });
  child.once('error', reject);
  child.once('exit', (code) => resolve(code ?? exitCodes.failed));
  return promise;
}
