import type { OperationResponse } from '../http/index.ts';
import { type ExitCode, exitCodes } from './command.ts';
import type { Output } from './output.ts';

type System = OperationResponse<'GET /v1/system'>;

/** Starting forty services one after the other takes its time. */
export const systemMsMax: number = 10 * 60 * 1_000;

/** A line per service; bad when one of them does not run. */
export function showSystem(system: System, output: Output): ExitCode {
  output.value(system);
  for (const { service, port, state, pid, commit } of system.services) {
    const tone = state === 'running' ? 'good' : 'bad';
    const version = commit ? `version ${commit.slice(0, 10)}` : '';
    const process = pid === null ? '' : `pid ${pid}`;
    const words = [output.tone(tone, state.padEnd(8)), service.padEnd(16), `:${port}`.padEnd(7)];
    output.line([...words, process.padEnd(12), version].join('  ').trimEnd());
  }
  const all = system.services.every(({ state }) => state === 'running');
  return all ? exitCodes.ok : exitCodes.bad;
}
