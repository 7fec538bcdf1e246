import type { OperationResponse } from '../../../http/index.ts';
import { pluralize } from '../../../kernel/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';

type LaneCheck = OperationResponse<'POST /v1/lanes/check'>;

export const run: RunCommand = async ({ place, output, options: { suite } }) => {
  const body = suite === undefined ? {} : { suites: [String(suite)] };
  output.progress('sending the known requests through a lane …');
  const check = await connectDaemon(place).call(
    'POST /v1/lanes/check',
    { body },
    { answerMsMax: cliLimits.systemAnswerMsMax },
  );
  output.value(check);
  const { routes, losses, calls, unsent, unchecked } = check;
  const lost = losses.filter(({ key }) => key === 'lost').length;
  const head = lost === 0 ? output.tone('good', 'kept') : output.tone('bad', 'lost');
  output.line(`${head}  ${formatSummary(check)}`);
  for (const { from, to, key, count } of calls) {
    const [word, tone] = words[key];
    const times = count === 0 ? '' : `  ${pluralize(count, 'call')}`;
    output.line(`    ${output.tone(tone, word.padEnd(9))} ${from ?? 'client'} → ${to}${times}`);
  }
  for (const { cause, fix } of losses) output.line(`\n${cause}\n    fix  ${fix}`);
  for (const { service, why } of unchecked)
    output.line(`\nnot checked: ${service}, because ${why}`);
  if (routes.length > 0) output.line(output.tone('dim', `\nsent: ${routes.join(', ')}`));
  for (const one of unsent) output.line(output.tone('dim', `not sent: ${one}`));
  return lost === 0 ? exitCodes.ok : exitCodes.bad;
};

const words = {
  kept: ['kept', 'good'],
  recovered: ['recovered', 'warn'],
  lost: ['lost', 'bad'],
  unseen: ['no call', 'dim'],
} as const;

function formatSummary({ losses, routes }: LaneCheck): string {
  const sent = `requests of ${pluralize(routes.length, 'route')}`;
  const lost = losses.filter(({ key }) => key === 'lost');
  if (lost.length === 0) return `no call of ${sent} lost the key of its lane`;
  const services = new Set(lost.map(({ service }) => service ?? 'an unknown service'));
  return `${[...services].join(', ')} lost the key of a lane, in ${sent}`;
}
