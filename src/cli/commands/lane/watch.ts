import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../../http/index.ts';
import { isFault, toFault } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { laneLines } from './manage-lanes.ts';

const lookEveryMs = 500;

/** Keeps a lane open for what is in the checkout: after each edit, a new one takes its place. */
export const run: RunCommand = async ({ place, output, options }) => {
  const client = connectDaemon(place);
  let seen: string | undefined;
  let lane: string | undefined;
  const stop = endedByUser();
  while (!stop.isOver()) {
    const now = snapshot(place.root);
    if (now !== seen) {
      seen = now;
      lane = await follow(lane);
      if (options.once) break;
    }
    await delay(lookEveryMs);
  }
  if (lane !== undefined && !options.once) await close(client, lane);

  async function follow(before: string | undefined): Promise<string | undefined> {
    try {
      output.progress('opening a lane for your checkout …');
      const wait = { answerMsMax: cliLimits.systemAnswerMsMax };
      const opened = await client.call('POST /v1/lanes', { body: { worktree: true } }, wait);
      if (before !== undefined) await close(client, before);
      output.value(opened);
      output.line(output.tone('good', 'open'));
      for (const line of laneLines(opened.lane, opened.address, () => '')) output.line(line);
      return opened.lane.lane;
    } catch (error) {
      // The next edit may mend it; the lane before stays until then.
      output.fault(toFault(error));
      return before;
    }
  }
};

async function close(client: Client, lane: string): Promise<void> {
  await client.call('POST /v1/lanes/{lane}/close', { path: { lane } }).catch((error) => {
    if (!isFault(error, 'LANE_UNKNOWN')) throw error;
  });
}

function endedByUser(): { isOver(): boolean } {
  let isOver = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isOver = true;
    });
  }
  return { isOver: () => isOver };
}

/** Changes whenever a file that git knows, or would add, is edited. */
function snapshot(root: string): string {
  const git = (...words: readonly string[]): string =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' });
  const files = git('ls-files', '--modified', '--others', '--exclude-standard').split('\n');
  const times = files.map((file) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs);
  return JSON.stringify([git('rev-parse', 'HEAD'), files, times]);
}
