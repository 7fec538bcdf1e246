import { resolve } from 'node:path';
import { type ReplayResult, replayDecisions } from '../../../gate/index.ts';
import {
  createClock,
  durationMs,
  durationPattern,
  fault,
  type Instant,
} from '../../../kernel/index.ts';
import { Projections } from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import { loadPolicyFile } from '../../../runtime/compose/policy-source.ts';
import { projections } from '../../../runtime/compose/projections.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import type { RunCommand } from '../../command.ts';
import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';

export const run: RunCommand = async ({ place, output, words: [file = ''], options }) => {
  const policy = loadPolicyFile(resolve(file), loadConfig(place));
  const since = typeof options.since === 'string' ? instantOf('--since', options.since) : 0;
  const reader = await openLedgerReader(place);
  output.progress('repeating decisions …');
  const replayed = await replayDecisions(reader, new Projections(projections), { policy, since });
  await reader.close();
  output.value({ policy: policy.hash, since, ...replayed });
  show(replayed, output);
};

function show(
  { decisions, different, forgotten, unread, ...rest }: ReplayResult,
  output: Output,
): void {
  const same = decisions - different - forgotten - unread;
  output.line(`${decisions} decisions, ${same} the same, ${different} would change`);
  if (forgotten > 0)
    output.line(`${forgotten} can't be repeated: their arguments were destroyed or redacted`);
  if (unread > 0)
    output.line(`${unread} can't be decided: the new policy needs reads that were not made then`);
  for (const [change, times] of Object.entries(rest.changes)) {
    output.line(`    ${output.tone('bold', change)}  ${times} times`);
  }
  for (const { proposal, actor, tool, change, now } of rest.differences) {
    const { rules } = JSON.parse(now) as { rules: readonly string[] };
    const by = rules.length > 0 ? ` by ${rules.join(', ')}` : '';
    output.line(visible(`${proposal}  ${actor} ${tool}: ${change}${by}`));
  }
  if (different > rest.differences.length) {
    output.line(`… and ${different - rest.differences.length} more`);
  }
}

/** A time, or a duration before now. */
function instantOf(flag: string, given: string): Instant {
  if (durationPattern.test(given)) return createClock().now() - durationMs(given);
  const at = /^\d{4}-\d\d/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isFinite(at)) return at;
  const reason = `${flag} takes a time such as 2026-03-01T09:00:00Z or a duration such as 7d`;
  throw fault('USAGE', { reason: `${reason}, not "${given}"`, help: 'surety --help' });
}
