import { exitCodes, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';
import { wholeNumber } from './whole-number.ts';

/** Asked from the daemon, which knows the secrets that must not be shown. */
export const run: Run = async ({ place, output, arguments: [lane = '', service], options }) => {
  const count = wholeNumber('--lines', options.lines, 100);
  const client = connectDaemon(place);
  const path = { lane };
  const { lane: shown } = await client.call('GET /v1/lanes/{lane}', { path });
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
  return exitCodes.ok;
};
