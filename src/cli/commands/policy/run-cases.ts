import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type CaseResult, readCases, runCases } from '../../../gate/index.ts';
import { loadPolicyFile, policyPath } from '../../../runtime/compose/policy-source.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import { isNative } from '../../../runtime/tools/natives.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import type { Output } from '../../format/output.ts';
import { showSaid } from '../gate/rule-lines.ts';

export const run: RunCommand = async ({ place, output, words: [named], options }) => {
  const config = loadConfig(place);
  const file = policyPath(place, config, named);
  const policy = loadPolicyFile(file, config);
  const casesFile = typeof options.cases === 'string' ? resolve(options.cases) : casesBeside(file);
  const cases = runCases(readCases(casesFile), policy, isNative);
  const failed = cases.filter(({ ok }) => !ok);
  output.value({ ok: failed.length === 0, file, casesFile, cases });
  for (const one of cases) showCase(one, casesFile, output);
  const verdict =
    failed.length === 0 ? output.tone('good', 'ok') : output.tone('bad', `${failed.length} bad`);
  output.line(`${verdict}  ${cases.length} cases of ${basename(casesFile)}`);
  return failed.length === 0 ? exitCodes.ok : exitCodes.bad;
};

/** `policy.cases.yaml` beside `policy.yaml`, or `cases.yaml`. */
function casesBeside(file: string): string {
  const own = file.replace(/\.ya?ml$/, '.cases.yaml');
  return existsSync(own) ? own : join(dirname(file), 'cases.yaml');
}

function showCase(one: CaseResult, file: string, output: Output): void {
  const { name, ok, line, expected, got, said } = one;
  if (ok) {
    output.line(`${output.tone('good', 'ok')}   ${name}`);
    return;
  }
  output.line(`${output.tone('bad', 'bad')}  ${name}  ${output.tone('dim', `${file}:${line}`)}`);
  output.line(`    expected  ${shown(expected.verdict, expected.rules)}`);
  output.line(`    got       ${shown(got.verdict, got.rules)}`);
  showSaid(said, output);
}

function shown(verdict: string, rules: readonly string[] | undefined): string {
  return rules === undefined || rules.length === 0 ? verdict : `${verdict} by ${rules.join(', ')}`;
}
