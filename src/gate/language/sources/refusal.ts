import { type Mistake, showMistake } from '../../../document/index.ts';
import { type Fault, fault } from '../../../kernel/index.ts';
import { gateLimits } from '../../limits.ts';

/** A mistake with its file. */
export interface FiledMistake extends Mistake {
  readonly file: string;
}

/** One fault with all mistakes of a policy, by file and position. */
export function refusal(path: string, mistakes: readonly FiledMistake[]): Fault {
  const order = [...new Set(mistakes.map(({ file }) => file))];
  const sorted = [...mistakes].sort(
    (one, other) =>
      order.indexOf(one.file) - order.indexOf(other.file) ||
      one.line - other.line ||
      one.column - other.column,
  );
  return refuse(path, [...new Set(sorted.map((mistake) => showMistake(mistake.file, mistake)))]);
}

export function refuse(path: string, lines: readonly string[]): Fault {
  const more = lines.length - gateLimits.policyMistakesMax;
  const shown = lines.slice(0, gateLimits.policyMistakesMax);
  const rest = more > 0 ? [`  … and ${more} more`] : [];
  return fault('POLICY_INVALID', {
    path,
    count: lines.length,
    mistakes: [...shown, ...rest].join('\n'),
  });
}
