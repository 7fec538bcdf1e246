import { exitCodes, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';
import { readPatch } from './patch-file.ts';
import { systemMsMax } from './system-table.ts';
import { wholeNumber } from './whole-number.ts';

const minuteMs = 60_000;

export const run: Run = async ({ place, output, arguments: [path], options }) => {
  const minutes = wholeNumber('--minutes', options.minutes, 30);
  const body = {
    ...(path === undefined ? {} : { patch: readPatch(path) }),
    ...(options.base ? { base: String(options.base) } : {}),
    ttlMs: minutes * minuteMs,
  };
  output.progress('starting the changed services …');
  const client = connectDaemon(place);
  const opened = await client.call('POST /v1/lanes', { body }, { answerMsMax: systemMsMax });
  const { lane, address } = opened;
  output.value(opened);
  output.line(`${output.tone('good', 'open')}  ${lane.lane}`);
  for (const { service, port, name } of lane.candidates) {
    output.line(`    ${service.padEnd(12)} :${port}, log ${name}`);
  }
  output.line(`    until        ${new Date(lane.expiresAt).toISOString()}`);
  output.line(`    reach it     surety lane curl ${lane.lane} <path>`);
  output.line(`                 or ${address} with the header  baggage: surety-lane=${lane.lane}`);
  return exitCodes.ok;
};
