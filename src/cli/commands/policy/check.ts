import { checkPolicy, type PolicyRemark } from '../../../gate/index.ts';
import { roles } from '../../../kernel/index.ts';
import {
  loadPolicyFile,
  ownPolicyFiles,
  policyPath,
} from '../../../runtime/compose/policy-source.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import { natives } from '../../../runtime/tools/natives.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import type { Output } from '../../format/output.ts';

export const run: RunCommand = async ({ place, output, words: [named], options }) => {
  const config = loadConfig(place);
  const file = policyPath(place, config, named);
  const policy = loadPolicyFile(file, config);
  const own = ownPolicyFiles(file);
  const findings = checkPolicy(policy, { natives, roles, own });
  const { hash, mode, contracts, agents } = policy;
  const isWell = findings.every(({ level }) => level !== 'error');
  const counts = { tools: contracts.size, agents: agents.size };
  output.value({ ok: isWell, file, hash, mode, ...counts, findings });
  const shown = findings.filter(({ level }) => level !== 'note' || options.notes);
  for (const alike of groupAlike(shown)) showFindings(alike, output);
  const verdict = output.tone(isWell ? 'good' : 'bad', isWell ? 'ok' : 'bad');
  output.line(`${verdict}  ${file}: ${counts.tools} tools, ${counts.agents} agents, ${mode}`);
  return isWell ? exitCodes.ok : exitCodes.bad;
};

const tones = { error: 'bad', warning: 'warn', note: 'dim' } as const;

/** A draft has many tools that nobody uses: what differs only by its place is shown once. */
function groupAlike(findings: readonly PolicyRemark[]): PolicyRemark[][] {
  const alike = Map.groupBy(findings, ({ level, message, remedy }) =>
    JSON.stringify([level, message, remedy]),
  );
  return [...alike.values()];
}

const placesMax = 5;

function showFindings(alike: readonly PolicyRemark[], output: Output): void {
  const [{ level, message, remedy }] = alike as [PolicyRemark];
  const places = alike.slice(0, placesMax).map(({ where }) => where);
  const more = alike.length > placesMax ? ` and ${alike.length - placesMax} more` : '';
  output.line(`${output.tone(tones[level], level)}  ${places.join(', ')}${more}: ${message}`);
  output.line(`    try  ${remedy}`);
}
