import { type Entry, readEntry } from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { visible } from '../../format/visible.ts';

export const run: RunCommand = async (invocation) => {
  const { place, output, options } = invocation;
  if (options.observed) return showObserved(invocation);
  const { proposals } = await connectDaemon(place).call('GET /v1/proposals', {});
  output.value({ proposals });
  for (const { proposal, actor, tool, status, recovery, found } of proposals) {
    const state = output.tone('warn', status);
    const known = found === null ? 'not known yet' : `found: ${found}`;
    output.line(`${proposal}  ${state}  ${actor} ${tool}, step ${recovery} of recovery, ${known}`);
  }
  if (proposals.length === 0) output.line('No proposal is unresolved.');
  return proposals.length === 0 ? exitCodes.ok : exitCodes.bad;
};

interface ObservedProposal {
  readonly seq: number;
  readonly proposal: string;
  readonly actor: string;
  readonly tool: string;
  readonly wouldBe: string;
  readonly rules: readonly string[];
}

const shownMax = 20;

/** From the ledger itself: calls that were allowed in observe mode although a rule denied them. */
async function showObserved({ place, output }: Invocation): Promise<undefined> {
  const reader = await openLedgerReader(place);
  const observed: ObservedProposal[] = [];
  for await (const page of reader.scanEntries(0)) {
    for (const stored of page) {
      if (stored.kind !== 'proposal-granted') continue;
      const entry = readEntry(stored);
      if (entry.body.wouldBe) observed.push(observedIn(entry));
    }
  }
  await reader.close();
  output.value({ observed });
  const groups = Map.groupBy(observed, ({ tool, wouldBe, rules }) => {
    return visible(`${wouldBe}  ${tool}  ${rules.join(', ')}`);
  });
  for (const [group, members] of groups) output.line(`${members.length} times  ${group}`);
  const last = observed.slice(-shownMax);
  if (last.length > 0) output.line(`the last ${last.length}:`);
  for (const { proposal, actor, tool } of last)
    output.line(`    ${proposal}  ${actor} ${visible(tool)}`);
  if (observed.length === 0) output.line('Enforce mode would have denied nothing.');
}

function observedIn({ seq, actor, body }: Entry): ObservedProposal {
  const { proposal, tool, wouldBe, rules } = body;
  return {
    seq,
    proposal: String(proposal),
    actor,
    tool: String(tool),
    wouldBe: String(wouldBe),
    rules: (rules ?? []) as readonly string[],
  };
}
