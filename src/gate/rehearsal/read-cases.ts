import { DocumentText, type Mistake, readText, showMistake } from '../../document/index.ts';
import { type Fault, fault, type JsonObject } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import { casesSchema, type PolicyCase } from './case-document.ts';

export interface PlacedCase extends PolicyCase {
  readonly line: number;
}

export interface Cases {
  readonly agents: JsonObject;
  readonly cases: readonly PlacedCase[];
}

/** Reads the cases of a file. Reports every mistake at once, with its position. */
export function readCases(path: string): Cases {
  const file = new DocumentText(readFile(path));
  const mistakes = file.syntaxMistakes();
  if (mistakes.length > 0) throw invalid(path, mistakes);
  const { data, error } = casesSchema.safeParse(file.value());
  if (error) throw invalid(path, file.schemaMistakes(error, casesSchema));
  const twice = data.cases.flatMap(({ name }, index) => {
    if (data.cases.findIndex((other) => other.name === name) === index) return [];
    const message = `there are two cases "${name}"`;
    return [file.mistakeAt({ path: ['cases', index, 'name'], message })];
  });
  if (twice.length > 0) throw invalid(path, twice);
  const cases = data.cases.map((one, index) => {
    const { line } = file.mistakeAt({ path: ['cases', index], message: '' });
    return { ...one, line };
  });
  return { agents: data.agents as JsonObject, cases };
}

function readFile(path: string): string {
  try {
    return readText(path, gateLimits.policyBytesMax);
  } catch (error) {
    throw fault('CASES_UNREADABLE', { path, reason: (error as Error).message }, error);
  }
}

function invalid(path: string, mistakes: readonly Mistake[]): Fault {
  return fault('CASES_INVALID', {
    path,
    count: mistakes.length,
    mistakes: mistakes.map((mistake) => showMistake(path, mistake)).join('\n'),
  });
}
