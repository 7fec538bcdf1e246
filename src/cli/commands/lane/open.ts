import type { Client } from '../../../http/index.ts';
import { fault } from '../../../kernel/index.ts';
import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { cliLimits } from '../../limits.ts';
import { readCallerMode } from '../../options/caller-mode.ts';
import { wholeNumber } from '../../options/whole-number.ts';
import { changeSource } from '../verify/change-source.ts';
import { laneLines } from './manage-lanes.ts';

export const run: RunCommand = async (invocation) => {
  const { place, output } = invocation;
  const client = connectDaemon(place);
  const body = { ...changeSource('lane open', invocation), ...wishes(invocation.options) };
  const progress = tellProgress(client, output);
  try {
    const opened = await client.call(
      'POST /v1/lanes',
      { body },
      { answerMsMax: cliLimits.systemAnswerMsMax },
    );
    progress.stop();
    output.value(opened);
    output.line(output.tone('good', 'open'));
    const lanes = [opened.lane, ...(opened.control ? [opened.control] : [])];
    for (const lane of lanes) {
      for (const line of laneLines(lane, opened.address, () => '')) output.line(line);
    }
    return;
  } finally {
    progress.stop();
  }
};

type Mode = 'shared' | 'branch' | 'empty';

function wishes(options: Invocation['options']): {
  ttlMs?: number;
  services?: string[];
  on?: string;
  isolated?: true;
  callers?: ReturnType<typeof readCallerMode>;
  control?: true;
  data?: Record<string, Mode>;
} {
  const { minutes, services, on, isolated, callers, control, data } = options;
  return {
    ...(minutes === undefined ? {} : { ttlMs: wholeNumber('--minutes', minutes, 0, 1) * 60_000 }),
    ...(services === undefined ? {} : { services: String(services).split(',') }),
    ...(on === undefined ? {} : { on: String(on) }),
    ...(isolated ? { isolated: true } : {}),
    ...(callers ? { callers: readCallerMode(callers, 'lane open') } : {}),
    ...(control ? { control: true } : {}),
    ...(data === undefined ? {} : { data: modesOf(String(data)) }),
  };
}

function modesOf(text: string): Record<string, Mode> {
  const pairs = text.split(',').map((one) => {
    const [, store, mode] = /^([^=]+)=(shared|branch|empty)$/.exec(one) ?? [];
    if (store !== undefined && mode !== undefined) return [store, mode];
    const reason = `--data takes store=shared, store=branch or store=empty, not "${one}"`;
    throw fault('USAGE', { reason, help: 'surety lane open --help' });
  });
  return Object.fromEntries(pairs);
}

const lookEveryMs = 150;

/** Shows the current step, as the daemon reports it. */
function tellProgress(client: Client, output: Output): { stop(): void } {
  output.progress('checking the change …');
  if (output.json) return { stop() {} };
  let isStopped = false;
  const poll = async (): Promise<void> => {
    const { opening } = await client.call('GET /v1/lanes', {});
    const newest = opening.at(-1);
    if (newest && !isStopped) output.progress(`${newest.stage} …`);
  };
  const timer = setInterval(() => void poll().catch(() => undefined), lookEveryMs);
  return {
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
