import { type FaultCode, faults } from '../../src/kernel/index.ts';
import { readSourceFiles } from '../../tests/rules/source-files.ts';

const citation = /^\s*\/\/ follows: (.+)$/gm;

/** The tests that produce a fault and do what its remedy says: those with `// follows: <code>`. */
export function followedRemedies(): ReadonlyMap<FaultCode, string> {
  const tests = readSourceFiles().filter(({ path }) => path.endsWith('.test.ts'));
  const cited = tests.flatMap(({ path, text }) =>
    [...text.matchAll(citation)].flatMap(([, codes = '']) =>
      codes.split(',').map((code) => [knownCode(code.trim(), path), path] as const),
    ),
  );
  return new Map(cited.toReversed());
}

function knownCode(code: string, path: string): FaultCode {
  if (Object.hasOwn(faults, code)) return code as FaultCode;
  throw new Error(`${path} follows the remedy of ${code}, which is no fault`);
}
