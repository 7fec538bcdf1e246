import { setTimeout as delay } from 'node:timers/promises';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { staleConfig } from '../../stale-config.ts';
import { showSystem } from './system-table.ts';

const lookEveryMs = 300;

export const run: RunCommand = async ({ place, output, options }) => {
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
      await delay(lookEveryMs);
    }
  }
};
