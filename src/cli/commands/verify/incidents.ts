import type { OperationResponse } from '../../../http/index.ts';
import { showInstant } from '../../../kernel/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';
import { neededOption } from '../../options/required-option.ts';

type Incident = OperationResponse<'GET /v1/incidents/{incident}'>;

export const listIncidents: RunCommand = async ({ place, output }) => {
  const answer = await connectDaemon(place).call('GET /v1/incidents', {});
  const { incidents, all } = answer;
  output.value(answer);
  for (const incident of incidents) output.line(headOf(incident, output));
  if (all > incidents.length) output.line(`${all - incidents.length} older ones are not shown.`);
  if (all === 0) output.line('There was no incident.');
  return incidents.some(({ state }) => state === 'open') ? exitCodes.bad : exitCodes.ok;
};

export const showIncident: RunCommand = async ({ place, output, words: [incident = ''] }) => {
  const path = { incident };
  const found = await connectDaemon(place).call('GET /v1/incidents/{incident}', { path });
  output.value(found);
  output.line(headOf(found, output));
  for (const { alert, source, service, state, onset } of found.alerts) {
    const about = `${alert} of ${service || 'no service'}, by ${source}`;
    output.line(`    ${state.padEnd(10)} ${visible(about)}, since ${showInstant(onset)}`);
  }
  if (found.further > 0) output.line(`    and ${found.further} more alerts`);
  for (const report of found.investigations) output.line(`    report     ${report}`);
  if (found.reason !== '') output.line(`    closed     ${visible(found.reason)}`);
  else output.line(`    next       surety investigate ${incident}`);
  return exitCodes.ok;
};

export const closeIncident: RunCommand = async ({ place, output, words, options }) => {
  const [incident = ''] = words;
  const reason = neededOption('incident close', '--reason', options.reason);
  const found = await connectDaemon(place).call('POST /v1/incidents/{incident}/close', {
    path: { incident },
    body: { reason },
  });
  output.value(found);
  output.line(headOf(found, output));
  return exitCodes.ok;
};

function headOf({ incident, state, service, owner, onset, alerts }: Incident, output: Output) {
  const tone = output.tone(state === 'open' ? 'bad' : 'good', state);
  const firing = alerts.filter((one) => one.state === 'firing').length;
  const facts = [
    visible(service || 'unknown service'),
    `${firing} of ${alerts.length} alerts firing`,
    `since ${showInstant(onset)}`,
    ...(owner === null ? [] : [`owner ${visible(owner)}`]),
  ];
  return `${tone}  ${incident}  ${facts.join(', ')}`;
}
