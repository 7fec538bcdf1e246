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
  for (const finding of findings) {
    if (finding.level !== 'note' || options.notes) showFinding(finding, output);
  }
  const verdict = output.tone(isWell ? 'good' : 'bad', isWell ? 'ok' : 'bad');
  output.line(`${verdict}  ${file}: ${counts.tools} tools, ${counts.agents} agents, ${mode}`);
  return isWell ? exitCodes.ok : exitCodes.bad;
};

const tones = { error: 'bad', warning: 'warn', note: 'dim' } as const;

function showFinding({ level, where, message, remedy }: PolicyRemark, output: Output): void {
  output.line(`${output.tone(tones[level], level)}  ${where}: ${message}`);
  output.line(`    try  ${remedy}`);
}
