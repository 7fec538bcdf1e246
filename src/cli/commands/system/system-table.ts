import type { OperationResponse } from '../../../http/index.ts';
import { type ExitCode, exitCodes } from '../../command.ts';
import type { Output, Tone } from '../../format/output.ts';

type System = OperationResponse<'GET /v1/system'>;
type Service = System['services'][number];

const tones: Readonly<Record<Service['state'], Tone>> = {
  running: 'good',
  starting: 'warn',
  restarting: 'warn',
  unhealthy: 'bad',
  crashed: 'bad',
  stopped: 'bad',
};

/** A line per service; bad when one of them does not run. */
export function showSystem(system: System, output: Output): ExitCode {
  output.value(system);
  for (const service of system.services) {
    for (const line of serviceLines(service, output)) output.line(line);
  }
  const all = system.services.every(({ state }) => state === 'running');
  return all ? exitCodes.ok : exitCodes.bad;
}

function serviceLines(service: Service, output: Output): string[] {
  const { state, reason, pid, commit, overlay, restarts } = service;
  const words = [
    output.tone(tones[state], state.padEnd(10)),
    service.service.padEnd(16),
    (service.address ?? `:${service.port}`).padEnd(7),
    (pid === null ? '' : `pid ${pid}`).padEnd(12),
    useOf(service).padEnd(20),
    commit ? `version ${commit.slice(0, 10)}` : '',
    overlay ? `overlay ${overlay}` : '',
    restarts > 0 ? output.tone('warn', `restarted ${restarts} ×`) : '',
  ];
  const line = words.join('  ').trimEnd();
  return reason === null ? [line] : [line, `            ${output.tone('dim', reason)}`];
}

function useOf({ memoryBytes, cpuMs }: Service): string {
  if (memoryBytes === null || cpuMs === null) return '';
  return `${Math.round(memoryBytes / 1024 / 1024)} MB  CPU ${(cpuMs / 1_000).toFixed(1)} s`;
}
