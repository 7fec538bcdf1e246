import { spawn } from 'node:child_process';
import type { Confinement } from '../../../confinement/index.ts';
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
  const code = await execute(confined(command, place, confinement), {
    environment: { ...confinement.inherited(), ...variables },
    isJson: output.json,
  });
  output.value({ code });
  return code === 0 ? exitCodes.ok : exitCodes.bad;
};

/** It works in the checkout, of which `.surety` is hidden, as in the current directory. */
function confined(
  script: string,
  { root }: WorkspacePlace,
  confinement: Confinement,
): readonly string[] {
  const directory = process.cwd();
  const writable = [...new Set([root, directory])];
  return confinement.command({ script, directory, writable, readable: [], endsWithParent: true });
}

/** The output of the command goes to standard output; under --json, to standard error. */
function execute(
  [program = '', ...words]: readonly string[],
  { environment, isJson }: { environment: Readonly<Record<string, string>>; isJson: boolean },
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
