import { setTimeout as delay } from 'node:timers/promises';
import type { OperationResponse } from '../../../http/index.ts';
import { apiLimits } from '../../../http/limits.ts';
import { type ExitCode, exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output, Tone } from '../../format/output.ts';
import { cliLimits } from '../../limits.ts';
import { wholeNumber } from '../../options/whole-number.ts';
import { staleConfig } from '../../stale-config.ts';
import { withSystemProgress } from './system-progress.ts';

const followEveryMs = 500;

export const systemUp: RunCommand = async ({ place, output, options }) => {
  const client = connectDaemon(place);
  const overlay = typeof options.overlay === 'string' ? options.overlay : undefined;
  const body = {
    ...(overlay === undefined ? {} : { overlay }),
    ...(options.preload === false ? { isWithoutPreload: true } : {}),
  };
  const system = await withSystemProgress(client, output, () =>
    client.call('POST /v1/system/up', { body }, { answerMsMax: cliLimits.systemAnswerMsMax }),
  );
  const code = showSystem(system, output);
  const { startedAt } = await client.call('GET /v1/status', {});
  for (const line of staleConfig(place.configFile, startedAt)) {
    output.line(output.tone('warn', line));
  }
  return code;
};

export const systemDown: RunCommand = async ({ place, output }) => {
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  showSystem(await connectDaemon(place).call('POST /v1/system/down', {}, options), output);
};

export const systemRestart: RunCommand = async ({ place, output, words: [service = ''] }) => {
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  const body = { service };
  const client = connectDaemon(place);
  return showSystem(await client.call('POST /v1/system/restart', { body }, options), output);
};

export const systemStatus: RunCommand = async ({ place, output }) =>
  showSystem(await connectDaemon(place).call('GET /v1/system', {}), output);

export const systemLogs: RunCommand = async ({ place, output, words: [service = ''], options }) => {
  const client = connectDaemon(place);
  const asked = wholeNumber('--lines', options.lines, 100);
  let wanted = { lines: Math.min(asked, apiLimits.apiPageEntriesMax) } as {
    lines: number;
    after?: number;
  };
  for (;;) {
    const query = wanted;
    const part = await client.call('GET /v1/system/{service}/log', { path: { service }, query });
    for (const line of part.lines) {
      output.value({ service, line });
      output.line(line);
    }
    if (!options.follow) return exitCodes.ok;
    wanted = { lines: apiLimits.apiPageEntriesMax, after: part.next };
    await delay(followEveryMs);
  }
};

export const systemData: RunCommand = async ({ place, output }) => {
  const { datastores } = await connectDaemon(place).call('GET /v1/datastores', {});
  output.value({ datastores });
  for (const { store, kind, template, lanes } of datastores) {
    const age = template && `${Math.round(template.ageMs / 60_000)} min old`;
    const size = template && `${(template.bytes / 1_048_576).toFixed(1)} MB`;
    output.line(`${store}  ${kind}  ${template ? `template ${age}, ${size}` : 'no template'}`);
    for (const lane of lanes) output.line(`    own in ${lane}`);
  }
  if (datastores.length === 0) output.line('surety.yaml names no datastore.');
};

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

/** One line per service; bad if one of them does not run. */
function showSystem(system: System, output: Output): ExitCode {
  output.value(system);
  for (const service of system.services) {
    for (const line of serviceLines(service, output)) output.line(line);
  }
  const all = system.services.every(({ state }) => state === 'running');
  return all ? exitCodes.ok : exitCodes.bad;
}

export function serviceLines(service: Service, output: Pick<Output, 'tone'>): string[] {
  const { state, reason, pid, commit, overlay, restarts } = service;
  const words = [
    output.tone(tones[state], state.padEnd(10)),
    service.service.padEnd(14),
    (service.address ?? `:${service.port}`).padEnd(6),
    (pid === null ? '' : `pid ${pid}`).padEnd(11),
    useOf(service).padEnd(18),
    commit ? commit.slice(0, 8) : '',
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
