import type { ParameterExpansionPart, ParsedScript, Word, WordPart } from 'unbash';
import { expandBraces } from './brace.ts';
import { type ExpandedWord, exact, joinFields, pattern, unknown } from './field.ts';
import { expandParameter, readVariable } from './parameter.ts';
import type { Scope } from './scope.ts';

export interface WordDeps {
  readonly scope: Scope;
  /** Follows the commands of a substitution and returns what they print, if that is known. */
  readonly substitute: (script: ParsedScript | undefined, text: string) => ExpandedWord;
  /** Follows the commands of `<(…)` or `>(…)`. */
  readonly processSubstitution: (
    script: ParsedScript | undefined,
    operator: '<' | '>',
  ) => ExpandedWord;
  readonly arithmetic: (part: WordPart) => void;
  readonly unresolved: (reason: string) => void;
}

/** A part of a word: unquoted expansions are split into fields, and unquoted globs matched. */
interface Piece {
  readonly field: ExpandedWord;
  readonly splits: boolean;
}

/** A word as the arguments that it becomes: none, one or several. */
export function expandWord(word: Word, deps: WordDeps): ExpandedWord[] {
  const whole = wholeArray(word, deps.scope);
  if (whole) return [...whole];
  return alternativesOf(word, deps).flatMap((pieces) => splitPieces(pieces, deps.scope));
}

/** A word that stays one: an assignment, the target of a redirection. */
export function expandSingle(word: Word, deps: WordDeps): ExpandedWord {
  const fields = piecesOf(withTilde(word, deps.scope), deps).map(({ field }) => field);
  return joinFields(fields);
}

/** `"$@"` and `"${list[@]}"` keep their elements apart. */
function wholeArray({ parts = [] }: Word, scope: Scope): readonly ExpandedWord[] | undefined {
  const [only] = parts;
  if (parts.length !== 1 || !only) return undefined;
  if (only.type === 'DoubleQuoted')
    return only.parts.length === 1 ? listOf(only.parts[0], scope) : undefined;
  return listOf(only, scope);
}

function listOf(part: WordPart | undefined, scope: Scope): readonly ExpandedWord[] | undefined {
  if (part?.type === 'SimpleExpansion' && /^\$[@*]$/.test(part.text)) return scope.positional;
  if (part?.type !== 'ParameterExpansion' || part.operation || part.prefix) return undefined;
  if (part.parameter === '@' || part.parameter === '*') return scope.positional;
  if (part.index?.value !== '@' && part.index?.value !== '*') return undefined;
  return scope.arrays.get(part.parameter) ?? [unknown(part.text)];
}

/** One list of pieces per alternative of the braces in the word. */
function alternativesOf(word: Word, deps: WordDeps): Piece[][] {
  const parts = withTilde(word, deps.scope);
  const braces = parts.filter(({ type }) => type === 'BraceExpansion');
  if (braces.length === 0) return [piecesOf(parts, deps)];
  let found: Piece[][] = [[]];
  for (const part of parts) {
    const added =
      part.type === 'BraceExpansion' ? bracePieces(part, deps) : [piecesOf([part], deps)];
    found = found.flatMap((head) => added.map((tail) => [...head, ...tail]));
  }
  return found;
}

function bracePieces(part: WordPart, deps: WordDeps): Piece[][] {
  const choices = expandBraces(part.text);
  if (choices) return choices.map((text) => [{ field: globField(text), splits: false }]);
  // Substitutions inside of it run whatever the braces become.
  if ('parts' in part && part.parts) piecesOf(part.parts as readonly WordPart[], deps);
  return [[{ field: unknown(part.text), splits: true }]];
}

function globField(text: string): ExpandedWord {
  return /[*?[]/.test(text) ? globPattern(text) : exact(text);
}

/** Parts of a word, where a leading unquoted `~` is the home directory. */
function withTilde(word: Word, scope: Scope): readonly WordPart[] {
  const { text, value, pos, end } = word;
  const parts = word.parts ?? [{ type: 'Literal' as const, value, text, pos, end }];
  const [first, ...rest] = parts;
  if (!text.startsWith('~') || first?.type !== 'Literal') return parts;
  const found = /^~([^/]*)(\/.*)?$/s.exec(first.value);
  const home = found?.[1] === '' ? scope.read('HOME') : undefined;
  const path = home?.kind === 'exact' ? home.text : `/home/${found?.[1] ?? ''}`;
  return [{ ...first, value: `${path}${found?.[2] ?? ''}` }, ...rest];
}

function piecesOf(parts: readonly WordPart[], deps: WordDeps): Piece[] {
  return parts.flatMap((part) => pieceOf(part, deps));
}

const fixed = (field: ExpandedWord): Piece[] => [{ field, splits: false }];

function pieceOf(part: WordPart, deps: WordDeps): Piece[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return fixed(exact(part.value));
    case 'DoubleQuoted':
    case 'LocaleString':
      return fixed(joinFields(piecesOf(part.parts, deps).map(({ field }) => field)));
    case 'Glob':
      return fixed(globPattern(part.text));
    case 'ExtendedGlob':
      return fixed(/[/$`]/.test(part.pattern) ? unknown(part.text) : pattern('*'));
    case 'SimpleExpansion':
      return [{ field: readVariable(part.text.slice(1), deps.scope), splits: true }];
    case 'ParameterExpansion':
      return [{ field: parameterField(part, deps), splits: true }];
    case 'CommandExpansion':
      return [{ field: deps.substitute(part.script, part.text), splits: true }];
    case 'ArithmeticExpansion':
      deps.arithmetic(part);
      return fixed(pattern('*'));
    case 'ProcessSubstitution':
      return fixed(deps.processSubstitution(part.script, part.operator));
    default:
      return [{ field: unknown(part.text), splits: true }];
  }
}

function parameterField(part: ParameterExpansionPart, deps: WordDeps): ExpandedWord {
  const all = listOf(part, deps.scope);
  if (all) return joinFields(all, ' ');
  // Prompts, and numbers in slices, are evaluated once more.
  if (/@P\}$|:[^}]*(?:\$\(|`)/.test(part.text) && part.operation?.type !== 'Default')
    deps.unresolved(`${part.text.slice(0, 80)} could run the text inside of it`);
  return expandParameter(part, deps.scope, (word) => expandSingle(word, deps));
}

/** `*` and `?` match no slash; a bracket can match a dot, so `.[.]` could be `..`. */
function globPattern(text: string): ExpandedWord {
  return pattern(text.replace(/\[[^\]]*\]|\?/g, '*'));
}

function splitPieces(pieces: readonly Piece[], { variables }: Scope): ExpandedWord[] {
  const isEmpty = pieces.every(
    ({ splits, field }) => splits && field.kind === 'exact' && field.text === '',
  );
  if (pieces.length > 0 && isEmpty) return [];
  const separators = variables.get('IFS');
  if (separators && separators.kind !== 'exact' && pieces.some(({ splits }) => splits)) {
    return [unknown(joinFields(pieces.map(({ field }) => field)).text)];
  }
  return split(pieces, separators?.text ?? ' \t\n');
}

function split(pieces: readonly Piece[], separators: string): ExpandedWord[] {
  const isSeparator = (character: string): boolean => separators.includes(character);
  const fields: ExpandedWord[][] = [[]];
  for (const { field, splits } of pieces) {
    if (!splits || ![...field.text].some(isSeparator) || field.kind === 'unknown') {
      fields.at(-1)?.push(splits && field.kind === 'exact' ? globField(field.text) : field);
      continue;
    }
    const words = wordsIn(field.text, isSeparator);
    words.forEach((text, index) => {
      if (index > 0) fields.push([]);
      fields.at(-1)?.push(field.kind === 'pattern' ? pattern(text) : globField(text));
    });
  }
  return fields
    .map((parts) => guardDots(joinFields(parts)))
    .filter((field, index, all) => {
      const isLeftOver =
        field.kind === 'exact' && field.text === '' && (fields[index]?.length ?? 0) === 0;
      return !isLeftOver || all.length === 1;
    });
}

function wordsIn(text: string, isSeparator: (character: string) => boolean): string[] {
  const words: string[] = [''];
  for (const character of text) {
    if (!isSeparator(character)) words[words.length - 1] += character;
    else words.push('');
  }
  return words.filter((word, index) => word !== '' || index === 0 || index === words.length - 1);
}

/** A name of dots and wildcards could be `..`. */
function guardDots(field: ExpandedWord): ExpandedWord {
  if (field.kind !== 'pattern') return field;
  const climbs = field.text
    .split('/')
    .some((name) => name !== '**' && /^\.+\*|^\*+\.+$|^\.\*+$/.test(name) && couldClimb(name));
  return climbs ? unknown(field.text) : field;
}

/** `.*` and `.?` match `..`; `*.` does not, because a leading dot has to be written. */
function couldClimb(name: string): boolean {
  return name.startsWith('.') && /^[.*]+$/.test(name);
}
