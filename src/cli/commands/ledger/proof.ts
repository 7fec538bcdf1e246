import { readFileSync } from 'node:fs';
import { fault, type Json } from '../../../kernel/index.ts';
import { checkConsistency, parseProofLine, proveConsistency } from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { readAnchor } from './verify.ts';

/** That one head of the ledger continues another, without showing what the entries say. */
export const run: RunCommand = async ({ place, output, options }) => {
  const [from] = readAnchor('--from', options.from);
  const [to] = readAnchor('--to', options.to);
  if (!from || !to) {
    const reason = 'a proof needs --from <seq:hash> and --to <seq:hash>';
    throw fault('USAGE', { reason, help: 'surety ledger proof --help' });
  }
  if (typeof options.check === 'string') {
    const lines = readFileSync(options.check, 'utf8').split('\n').filter(Boolean);
    const parsed = lines.map((line, index) => parseProofLine(parse(line, index + 1), index + 1));
    const problem = checkConsistency(parsed, from, to);
    output.value({ ok: problem === null, problem });
    if (problem === null) {
      output.line(`${output.tone('good', 'ok')}  entry ${to.seq} continues entry ${from.seq}`);
      return exitCodes.ok;
    }
    output.line(`${output.tone('bad', 'bad')}  the lines prove nothing: ${problem}`);
    return exitCodes.bad;
  }
  const reader = await openLedgerReader(place);
  try {
    for await (const line of proveConsistency(reader, from, to)) {
      await output.raw(`${JSON.stringify(line)}\n`);
    }
    return exitCodes.ok;
  } finally {
    await reader.close();
  }
};

function parse(text: string, line: number): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw fault('EXPORT_INVALID', { line, reason: 'it is not JSON' }, error);
  }
}
