import { redactText } from '../../../kernel/index.ts';
import { cut, type Execution, type Told } from './check.ts';

/** What a shell ends with when the program is not there or can't be run. */
const notRun: ReadonlySet<number> = new Set([126, 127]);

const linesMax = 20;

/** All that it says is whether it held; what it wrote at last is the reason if not. */
export function readExitCode({ code, output, errors }: Execution): Told {
  if (code === null) return { checks: [], broken: 'it ended with a signal' };
  if (notRun.has(code)) return { checks: [], broken: `it ended with ${code}` };
  const written = (errors.trim() || output.trim()).split('\n').slice(-linesMax).join('\n');
  const actual = code === 0 ? 0 : cut(redactText(`${code}: ${written}`));
  const check = 'the command ends with 0';
  return {
    checks: [{ check, passed: code === 0, expected: 0, actual, requestId: null }],
    broken: null,
  };
}
