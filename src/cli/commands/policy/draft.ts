import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { draftPolicy, parsePolicy } from '../../../gate/index.ts';
import { fault } from '../../../kernel/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import { packs } from '../../../runtime/compose/policy-source.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import { readOffers } from '../../../runtime/tools/mcp-offers.ts';
import { natives } from '../../../runtime/tools/natives.ts';
import type { RunCommand } from '../../command.ts';

export const run: RunCommand = async ({ place, output, options }) => {
  const file = typeof options.output === 'string' ? resolve(options.output) : null;
  if (file && existsSync(file) && !options.force) throw fault('FILE_EXISTS', { path: file });
  const reader = await openLedgerReader(place);
  const servers = Object.keys(loadConfig(place).mcp.servers);
  const draft = await readOffers(reader, servers)
    .then((offers) => draftPolicy(reader, offers))
    .finally(() => reader.close());
  const { hash } = parsePolicy(draft.text, { path: file ?? 'the draft', natives, packs });
  if (file) writeFileSync(file, draft.text);
  output.value({ file, hash, ...draft });
  if (!file) {
    if (!output.json) await output.raw(draft.text);
    return;
  }
  const { tools, agents, leftOut, forgotten } = draft;
  output.line(`${output.tone('good', 'drafted')}  ${file}`);
  for (const { tool, times } of tools) {
    output.line(
      `    ${tool}  ${times > 0 ? `seen ${times} times` : 'never used, granted to nobody'}`,
    );
  }
  output.line(`    agents: ${agents.join(', ') || 'none'}`);
  if (leftOut.length > 0) output.line(`    left out, for their names: ${leftOut.join(', ')}`);
  if (forgotten > 0)
    output.line(`    ${forgotten} calls were skipped: their contents were destroyed`);
};
