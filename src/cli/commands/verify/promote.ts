import { fault } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { readPatch } from './patch-file.ts';

export const run: RunCommand = async ({ place, output, words: [path = '-'], options }) => {
  if (typeof options.reason !== 'string') {
    const reason = 'promoting without a verdict needs --reason';
    throw fault('USAGE', { reason, help: 'surety promote --help' });
  }
  const body = { patch: readPatch(path), reason: options.reason };
  output.progress('starting the new version beside the old one …');
  const client = connectDaemon(place);
  const promoted = await client.call(
    'POST /v1/promotions',
    { body },
    { answerMsMax: cliLimits.systemAnswerMsMax },
  );
  output.value(promoted);
  const services = promoted.services.join(', ');
  output.line(
    `${output.tone('good', 'promoted')}  ${services} runs ${promoted.commit.slice(0, 10)}`,
  );
};
