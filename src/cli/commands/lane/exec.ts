import { spawn } from 'node:child_process';
import { fault } from '../../../kernel/index.ts';
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
  const code = await execute(command, variables, output.json);
  output.value({ code });
  return code === 0 ? exitCodes.ok : exitCodes.bad;
};

/** The output of the command goes to standard output; under --json, to standard error. */
function execute(
  command: string,
  variables: Readonly<Record<string, string>>,
  isJson: boolean,
): Promise<ExitCode | number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn('/bin/sh', ['-c', command], {
    env: { ...process.env, ...variables },
    stdio: ['inherit', isJson ? 2 : 'inherit', 'inherit'],
  });
  child.once('error', reject);
  child.once('exit', (code) => resolve(code ?? exitCodes.failed));
  return promise;
}
