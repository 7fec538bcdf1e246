import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { visible } from '../../format/visible.ts';
import { neededOption } from '../../options/required-option.ts';
import { wholeNumber } from '../../options/whole-number.ts';
import { showVerdict, verdictTones } from './format-verdict.ts';

export const showStoredVerdict: RunCommand = async (invocation) => {
  const [verdict = ''] = invocation.words;
  const client = connectDaemon(invocation.place);
  return showVerdict(
    await client.call('GET /v1/verdicts/{verdict}', { path: { verdict } }),
    invocation,
  );
};

const usualLimit = 20;

export const listVerdicts: RunCommand = async ({ place, output, options }) => {
  const limit = String(wholeNumber('--limit', options.limit, usualLimit));
  const query = { limit };
  const { verdicts } = await connectDaemon(place).call('GET /v1/verdicts', { query });
  output.value({ verdicts });
  for (const { id, at, verdict, reason, change, services, actor } of verdicts) {
    const when = new Date(at).toISOString().slice(0, 19);
    const tone = output.tone(verdictTones[verdict], verdict.padEnd(12));
    output.line(`${when}  ${tone}  ${id}  ${change}  ${services.join(', ')}  ${actor}`);
    output.line(`    ${visible(reason)}`);
  }
  if (verdicts.length === 0) output.line('No change has been verified yet. See: surety verify');
};

const usualDays = 14;

export const disputeFinding: RunCommand = async ({
  place,
  output,
  words: [finding = ''],
  options,
}) => {
  const reason = neededOption('verdict dispute', '--reason', options.reason);
  const days = wholeNumber('--days', options.days, usualDays);
  const body = { finding, reason, days };
  const disputed = await connectDaemon(place).call('POST /v1/disputes', { body });
  output.value(disputed);
  const until = new Date(disputed.until).toISOString().slice(0, 10);
  const effect = days === 0 ? 'is a finding again' : `fails nothing until ${until}: ${reason}`;
  output.line(`${output.tone('warn', 'disputed')}  ${finding} ${visible(effect)}`);
};

export const listDisputes: RunCommand = async ({ place, output }) => {
  const { disputes } = await connectDaemon(place).call('GET /v1/disputes', {});
  output.value({ disputes });
  for (const { finding, owner, reason, until } of disputes) {
    const day = new Date(until).toISOString().slice(0, 10);
    output.line(visible(`${finding}  until ${day}  ${owner}  ${reason}`));
  }
  if (disputes.length === 0) output.line('No finding is disputed.');
};
