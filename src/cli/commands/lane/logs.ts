import { existsSync, readdirSync } from 'node:fs';
import { fault, isFault } from '../../../kernel/index.ts';
import { laneLimits } from '../../../lanes/limits.ts';
import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { wholeNumber } from '../../options/whole-number.ts';

/** Read through the daemon, which knows the secrets that must not be shown. */
export const run: RunCommand = async ({ place, output, words: [lane = '', service], options }) => {
  const count = wholeNumber('--lines', options.lines, 100);
  const client = connectDaemon(place);
  const path = { lane };
  const { lane: shown } = await client.call('GET /v1/lanes/{lane}', { path }).catch((error) => {
    throw isFault(error, 'LANE_CLOSED') ? closed(lane, place.logs) : error;
  });
  const query = service === undefined ? {} : { service };
  const found = await client.call('GET /v1/lanes/{lane}/logs', { path, query });
  const serviceOf = new Map(shown.candidates.map((one) => [one.name, one.service]));
  const services = found.searched.map(({ log }) => serviceOf.get(log) ?? log);
  const lines = found.searched.flatMap(({ log }, index) => {
    const own = found.lines.filter((one) => one.log === log);
    const last = count === 0 ? [] : own.slice(-count);
    return last.map(({ line }) => ({ service: services[index] ?? log, line }));
  });
  output.value({ lane, services, lines });
  for (const one of lines) {
    const name = services.length > 1 ? `${output.tone('dim', one.service)}  ` : '';
    output.line(`${name}${one.line}`);
  }
};

/** Nobody knows the secrets of a closed lane, so only the owner of the file may read it. */
function closed(lane: string, logs: Invocation['place']['logs']): Error {
  const names = existsSync(logs) ? readdirSync(logs) : [];
  const files = names.filter((file) => file.startsWith(`${lane}.`) && file.endsWith('.log'));
  const kept = files.map((file) => `surety logs ${file.slice(0, -'.log'.length)}`);
  const left = kept.length > 0 ? `What it wrote: ${kept.join('; ')}.` : 'No logs of it are left.';
  const days = laneLimits.closedLaneLogMsMax / (24 * 60 * 60 * 1_000);
  return fault('LANE_LOGS_CLOSED', { lane, left, lanes: laneLimits.closedLaneLogsMax, days });
}
