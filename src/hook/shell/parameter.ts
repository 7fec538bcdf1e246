import type { ParameterExpansionPart, Word } from 'unbash';
import { type ExpandedWord, exact, pattern, token, unknown } from './field.ts';
import type { Scope } from './scope.ts';

/** Expands a word that is an operand of the expansion, such as the default in `${x:-y}`. */
export type ExpandOperand = (word: Word) => ExpandedWord;

/** Variables that the shell sets itself: numbers and names that are no paths. */
const tokens = new Set([
  ...['RANDOM', 'SECONDS', 'LINENO', 'UID', 'EUID', 'PPID', 'BASHPID', 'HOSTNAME', 'HOSTTYPE'],
  ...['OSTYPE', 'EPOCHSECONDS', 'USER', 'LOGNAME', 'SRANDOM', 'BASH_VERSION', '?', '$', '!', '#'],
]);

export function readVariable(name: string, scope: Scope): ExpandedWord {
  if (/^[0-9]+$/.test(name)) return readPositional(Number(name), scope);
  if (name === '@' || name === '*') return joinPositional(scope);
  const known = scope.read(name);
  if (known) return known;
  return tokens.has(name) ? token : unknown(`$${name}`);
}

function readPositional(index: number, { positional, hasPositional, zero }: Scope): ExpandedWord {
  if (index === 0) return zero;
  return positional[index - 1] ?? (hasPositional ? exact('') : unknown(`$${index}`));
}

function joinPositional({ positional }: Scope): ExpandedWord {
  const [only] = positional;
  if (positional.length === 0) return exact('');
  return positional.length === 1 && only ? only : unknown('$@');
}

/** `${…}` with one value. Arrays and `$@` are expanded before. */
export function expandParameter(
  part: ParameterExpansionPart,
  scope: Scope,
  operand: ExpandOperand,
): ExpandedWord {
  const { parameter, prefix, index, operation } = part;
  if (prefix === '#') return token;
  if (prefix === '!') return indirect(part, scope);
  const value = index ? elementOf(parameter, index, scope) : readVariable(parameter, scope);
  if (!operation) return value;
  switch (operation.type) {
    case 'Default':
      return withDefault(part, value, scope, operand(operation.operand));
    case 'Remove':
      return removed(value, operation.operator, operand(operation.operand));
    case 'Replace':
      return replaced(value, operation.operator, [
        operand(operation.pattern),
        operation.replacement ? operand(operation.replacement) : exact(''),
      ]);
    case 'Slice':
      return sliced(value, operation.offset, operation.length);
    case 'CaseModification':
      return changedCase(value, operation.operator, operation.operand !== undefined);
    default:
      return unknown(part.text);
  }
}

function indirect(
  { parameter, operation, text }: ParameterExpansionPart,
  scope: Scope,
): ExpandedWord {
  const name = scope.read(parameter);
  if (operation || name?.kind !== 'exact') return unknown(text);
  return scope.read(name.text) ?? unknown(text);
}

function elementOf(name: string, { value: index }: Word, scope: Scope): ExpandedWord {
  const elements = scope.arrays.get(name);
  if (elements && /^\d+$/.test(index)) return elements[Number(index)] ?? exact('');
  return unknown(`\${${name}[${index}]}`);
}

function withDefault(
  { parameter, operation, text }: ParameterExpansionPart,
  value: ExpandedWord,
  scope: Scope,
  otherwise: ExpandedWord,
): ExpandedWord {
  const operator = operation?.type === 'Default' ? operation.operator : '';
  const isSet = scope.variables.has(parameter) || scope.arrays.has(parameter);
  const isUsable =
    isSet && value.kind === 'exact' && (value.text !== '' || !operator.includes(':'));
  if (operator.endsWith('=') && !isSet) scope.assign(parameter, unknown(text));
  if (operator.endsWith('+')) return isUsable ? otherwise : unknown(text);
  return isUsable || (isSet && value.kind === 'pattern') ? value : unknown(text);
}

function removed(value: ExpandedWord, operator: string, part: ExpandedWord): ExpandedWord {
  if (part.kind === 'unknown') return unknown(value.text);
  if (value.kind === 'pattern') return removedFromPattern(value, operator, part.text);
  if (value.kind !== 'exact') return value;
  const length = value.text.length;
  const isFront = operator.startsWith('#');
  const cuts = Array.from({ length: length + 1 }, (_, size) => size);
  if (operator.length === 2) cuts.reverse();
  const shape = globExpression(part.text);
  if (!shape) return unknown(value.text);
  for (const size of cuts) {
    const cut = isFront ? value.text.slice(0, size) : value.text.slice(length - size);
    if (!shape.test(cut)) continue;
    return exact(isFront ? value.text.slice(size) : value.text.slice(0, length - size));
  }
  return value;
}

/** A name below a directory stays below it if only its own end or its directories are cut. */
function removedFromPattern({ text }: ExpandedWord, operator: string, part: string): ExpandedWord {
  if (operator === '##' && part === '*/') return token;
  if (operator.startsWith('%') && part === '/*') return pattern(text.replace(/\/[^/]*$/, ''));
  if (operator.startsWith('%') && /^\.[\w.*]+$/.test(part))
    return pattern(text.replace(/\.[^/]*$/, '*'));
  return unknown(text);
}

function replaced(
  value: ExpandedWord,
  operator: string,
  [from, to]: readonly [ExpandedWord, ExpandedWord],
): ExpandedWord {
  const isPlain = from.kind === 'exact' && to.kind === 'exact' && /^[^*?[\\]+$/.test(from.text);
  if (!isPlain || value.kind !== 'exact') return unknown(value.text);
  if (operator === '//') return exact(value.text.replaceAll(from.text, () => to.text));
  if (operator === '/') return exact(value.text.replace(from.text, () => to.text));
  return unknown(value.text);
}

function sliced(value: ExpandedWord, offset: Word, length: Word | undefined): ExpandedWord {
  const numbers = [offset.value.trim(), length?.value.trim() ?? '0'];
  if (value.kind !== 'exact' || !numbers.every((text) => /^-?\d+$/.test(text))) {
    return unknown(value.text);
  }
  const [first = 0, size = 0] = numbers.map(Number);
  const from = first < 0 ? value.text.length + first : first;
  if (from < 0) return exact('');
  const to = length ? (size < 0 ? value.text.length + size : from + size) : undefined;
  return exact(value.text.slice(from, to));
}

function changedCase(value: ExpandedWord, operator: string, hasOperand: boolean): ExpandedWord {
  if (value.kind !== 'exact' || hasOperand) return unknown(value.text);
  const change = (text: string): string =>
    operator.startsWith('^') ? text.toUpperCase() : text.toLowerCase();
  if (operator.length === 2) return exact(change(value.text));
  return exact(change(value.text.slice(0, 1)) + value.text.slice(1));
}

/** Whether a glob matches the whole text; undefined for patterns that are not simple. */
export function globExpression(glob: string): RegExp | undefined {
  if (/[[\]\\()]/.test(glob)) return undefined;
  const escaped = glob.replace(/[.+^${}|]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '[^]*').replaceAll('?', '[^]')}$`);
}
