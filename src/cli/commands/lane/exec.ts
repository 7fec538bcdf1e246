import { spawn } from 'node:child_process';
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
