import { fault } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { visible } from '../../format/visible.ts';
import { cliLimits } from '../../limits.ts';
import { neededOption } from '../../options/required-option.ts';
import { changeOf } from './verify.ts';

const patience = { answerMsMax: cliLimits.systemAnswerMsMax };

export const promote: RunCommand = async (invocation) => {
  const { place, output, options } = invocation;
  const { base, ...source } = changeOf('promote', invocation);
  if (base !== undefined) {
    const reason = 'a change is promoted on the baseline that runs, so --base has no effect';
    throw fault('USAGE', { reason, help: 'surety promote --help' });
  }
  const reason = typeof options.reason === 'string' ? { reason: options.reason } : {};
  output.progress('starting the new version beside the old one …');
  const client = connectDaemon(place);
  const body = { ...source, ...reason };
  const promoted = await client.call('POST /v1/promotions', { body }, patience);
  output.value(promoted);
  const { services, commit, change, verdict } = promoted;
  const what = `${services.join(', ')} runs ${commit.slice(0, 10)}`;
  output.line(`${output.tone('good', 'promoted')}  ${what}`);
  output.line(`    change   ${change}`);
  output.line(`    proof    ${verdict ?? visible(`none: ${options.reason}`)}`);
};

export const rollBack: RunCommand = async ({ place, output, options }) => {
  const reason = neededOption('rollback', '--reason', options.reason);
  output.progress('starting the version before beside the promoted one …');
  const body = { reason };
  const returned = await connectDaemon(place).call('POST /v1/rollbacks', { body }, patience);
  output.value(returned);
  const { services, base, commit } = returned;
  const what = `${services.join(', ')} runs ${base.slice(0, 10)} again instead of ${commit.slice(0, 10)}`;
  output.line(`${output.tone('good', 'rolled back')}  ${what}`);
  output.line('    Data migrations of the promotion are not reverted.');
};
