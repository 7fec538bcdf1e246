import { setTimeout as delay } from 'node:timers/promises';
import { apiLimits } from '../../../http/limits.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { wholeNumber } from '../../options/whole-number.ts';
import { staleConfig } from '../../stale-config.ts';
import { showSystem } from './system-table.ts';

const pollEveryMs = 300;
const followEveryMs = 500;

export const systemUp: RunCommand = async ({ place, output, options }) => {
  const client = connectDaemon(place);
  let isOver = false;
  const overlay = typeof options.overlay === 'string' ? options.overlay : undefined;
  const body = overlay === undefined ? {} : { overlay };
  const answer = client.call(
    'POST /v1/system/up',
    { body },
    { answerMsMax: cliLimits.systemAnswerMsMax },
  );
  void follow();
  try {
    const code = showSystem(await answer, output);
    const { startedAt } = await client.call('GET /v1/status', {});
    const stale = staleConfig(place.configFile, startedAt);
    for (const line of stale) output.line(output.tone('warn', line));
    return code;
  } finally {
    isOver = true;
  }

  /** Who is there already, and what is being done with the others. */
  async function follow(): Promise<void> {
    while (!isOver) {
      const { services } = await client.call('GET /v1/system', {}).catch(() => ({ services: [] }));
      if (isOver) return;
      const there = services.filter(({ state }) => state === 'running');
      const begun = services.filter(({ state }) => state === 'starting');
      const names = begun.map(({ service, reason }) => `${service}: ${reason}`).join(', ');
      output.progress(`${there.length} of ${services.length} run  ${names} …`);
      await delay(pollEveryMs);
    }
  }
};

export const systemDown: RunCommand = async ({ place, output }) => {
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  showSystem(await connectDaemon(place).call('POST /v1/system/down', {}, options), output);
  return exitCodes.ok;
};

export const systemRestart: RunCommand = async ({ place, output, arguments: [service = ''] }) => {
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  const body = { service };
  const client = connectDaemon(place);
  return showSystem(await client.call('POST /v1/system/restart', { body }, options), output);
};

export const systemStatus: RunCommand = async ({ place, output }) =>
  showSystem(await connectDaemon(place).call('GET /v1/system', {}), output);

export const systemLogs: RunCommand = async ({
  place,
  output,
  arguments: [service = ''],
  options,
}) => {
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
  return exitCodes.ok;
};
