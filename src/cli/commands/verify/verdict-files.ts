import { writeFileSync } from 'node:fs';
import type { OperationResponse } from '../../../http/index.ts';
import { fault, readVersion } from '../../../kernel/index.ts';
import type { Invocation } from '../../command.ts';

type Verdict = OperationResponse<'POST /v1/verdicts'>;

/** The file formats of a verdict; `-` is standard output. */
export const verdictFiles = [
  ['--markdown <file>', 'write it as Markdown, for a pull request; - for standard output'],
  ['--html <file>', 'write it as one page with plots, which loads nothing'],
  ['--sarif <file>', 'write it as SARIF 2.1.0, for code scanning'],
  ['--junit <file>', 'write it as JUnit XML, for test dashboards'],
] as const;

type Reports = typeof import('../../../verify/report/index.ts');

const forms: Readonly<Record<string, (verdict: Verdict, reports: Reports) => string>> = {
  markdown: (verdict, { markdownReport }) => markdownReport(verdict),
  html: (verdict, { htmlReport }) => htmlReport(verdict),
  sarif: (verdict, { sarifReport }) => sarifReport(verdict, readVersion()),
  junit: (verdict, { junitReport }) => junitReport(verdict),
};

/**
 * Writes the requested files; true if one of them went to standard output, in place of the verdict.
 */
export async function writeVerdictFiles(
  verdict: Verdict,
  { options, output }: Pick<Invocation, 'options' | 'output'>,
): Promise<boolean> {
  let isTold = false;
  for (const [form, make] of Object.entries(forms)) {
    const file = options[form];
    if (typeof file !== 'string') continue;
    const text = make(verdict, await import('../../../verify/report/index.ts'));
    if (file === '-') {
      await output.raw(text);
      isTold = true;
    } else write(file, text);
  }
  return isTold;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const reason = `${file} cannot be written: ${(error as Error).message}`;
    throw fault('USAGE', { reason, help: 'surety verdict show --help' }, error);
  }
}
