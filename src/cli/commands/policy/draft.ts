import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { draftPolicy, parsePolicy } from '../../../gate/index.ts';
import { fault } from '../../../kernel/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import { natives } from '../../../runtime/tools/natives.ts';
import type { RunCommand } from '../../command.ts';

export const run: RunCommand = async ({ place, output, options }) => {
  const file = typeof options.output === 'string' ? resolve(options.output) : null;
  if (file && existsSync(file) && !options.force) throw fault('FILE_EXISTS', { path: file });
  const reader = await openLedgerReader(place);
  const draft = await draftPolicy(reader).finally(() => reader.close());
  const { hash } = parsePolicy(draft.text, { path: file ?? 'the draft', natives });
  if (file) writeFileSync(file, draft.text);
  output.value({ file, hash, ...draft });
  if (!file) {
    if (!output.json) await output.raw(draft.text);
    return;
  }
  const { tools, agents, leftOut, forgotten } = draft;
  output.line(`${output.tone('good', 'drafted')}  ${file}`);
  for (const { tool, times } of tools) output.line(`    ${tool}  seen ${times} times`);
  output.line(`    agents: ${agents.join(', ') || 'none'}`);
  if (leftOut.length > 0) output.line(`    left out, for their names: ${leftOut.join(', ')}`);
  if (forgotten > 0)
    output.line(`    ${forgotten} calls were skipped: their contents were destroyed`);
};
