import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fault } from '../kernel/index.ts';
import { exitCodes, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';
import { lastLines } from './log-lines.ts';
import { wholeNumber } from './whole-number.ts';

export const run: Run = async ({ place, output, arguments: [lane = '', only], options }) => {
  const count = wholeNumber('--lines', options.lines, 100);
  const shown = await connectDaemon(place).call('GET /v1/lanes/{lane}', { path: { lane } });
  const chosen = shown.lane.candidates.filter(({ service }) => service === (only ?? service));
  if (only !== undefined && chosen.length === 0) {
    const there = shown.lane.candidates.map(({ service }) => service).join(', ') || 'none';
    throw fault('NOT_FOUND', { what: `candidate of ${only} in ${lane}; there are: ${there}` });
  }
  for (const { service, name } of chosen) {
    const file = join(place.logs, `${name}.log`);
    for (const line of existsSync(file) ? lastLines(file, count) : []) {
      output.value({ service, line });
      output.line(chosen.length > 1 ? `${output.tone('dim', service)}  ${line}` : line);
    }
  }
  if (output.json) output.value({ lane, services: chosen.map(({ service }) => service) });
  return exitCodes.ok;
};
