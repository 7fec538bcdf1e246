/**
 * The code of a JavaScript or TypeScript text alone: comments, regular expressions and the inside
 * of strings and templates become spaces, so that no rule is fooled by what a text merely says.
 * Quotes, line ends and length stay: a place in the mask is the same place in the text.
 */
export function maskCode(text: string): string {
  return scan(text).mask;
}

/** The lines of all comments, with their place in the text. */
export function commentLines(text: string): readonly CommentLine[] {
  return scan(text).comments;
}

interface CommentLine {
  readonly offset: number;
  readonly line: string;
}

interface Scan {
  readonly mask: string;
  readonly comments: readonly CommentLine[];
}

/** A dozen rules look at the same files. */
const scanned = new Map<string, Scan>();

function scan(text: string): Scan {
  const known = scanned.get(text);
  if (known) return known;
  let mask = '';
  const lines: CommentLine[] = [];
  for (const { kind, value } of tokens(text)) {
    if (kind === 'comment') {
      for (const { index, 0: line } of value.matchAll(/.+/g)) {
        lines.push({ offset: mask.length + index, line });
      }
    }
    mask += masks[kind](value);
  }
  const result = { mask, comments: lines };
  scanned.set(text, result);
  return result;
}

type Kind = 'comment' | 'string' | 'template' | 'regex' | 'code';

interface Token {
  readonly kind: Kind;
  readonly value: string;
}

const blank = (value: string): string => value.replace(/[^\n]/g, ' ');

const masks: Record<Kind, (value: string) => string> = {
  comment: blank,
  regex: blank,
  string: (value) => value[0] + blank(value.slice(1, -1)) + value.at(-1),
  // A piece begins at a backtick or the } of a substitution and ends at a backtick or at ${.
  template: (value) => {
    const end = value.length > 1 ? (/(?:`|\$\{)$/.exec(value)?.[0] ?? '') : '';
    return value[0] + blank(value.slice(1, value.length - end.length)) + end;
  },
  code: (value) => value,
};

const comment = /^#!.*|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/y;
const string = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y;
const template = /[`}](?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y;
const regex = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const code = /[\w$]+|\s+|\+\+|--|[\s\S]/y;

function* tokens(text: string): Generator<Token> {
  /** For each template that we are inside of: how many braces its substitution has open. */
  const substitutions: number[] = [];
  let operandEnded = false;
  for (let at = 0; at < text.length; ) {
    const endsSubstitution = text[at] === '}' && substitutions.at(-1) === 0;
    const token = read(text, at, { endsSubstitution, operandEnded });
    at += token.value.length;
    operandEnded = endsOperand(token, operandEnded);
    if (endsSubstitution) substitutions.pop();
    countBraces(token, substitutions);
    yield token;
  }
}

interface ScanState {
  readonly endsSubstitution: boolean;
  readonly operandEnded: boolean;
}

function read(text: string, at: number, state: ScanState): Token {
  for (const [kind, pattern] of possible(text[at] as string, state)) {
    const value = matchAt(pattern, text, at);
    if (value) return { kind, value };
  }
  return { kind: 'code', value: matchAt(code, text, at) as string };
}

/** What besides code may begin with this character. */
function possible(first: string, state: ScanState): readonly [Kind, RegExp][] {
  if (first === '`' || state.endsSubstitution) return templates;
  if (first === "'" || first === '"') return strings;
  if (first === '#') return comments;
  if (first !== '/') return [];
  // A slash after a value divides; Biome leaves no regular expression after `)` or `}`.
  return state.operandEnded ? comments : commentsAndRegexes;
}

const templates: readonly [Kind, RegExp][] = [['template', template]];
const strings: readonly [Kind, RegExp][] = [['string', string]];
const comments: readonly [Kind, RegExp][] = [['comment', comment]];
const commentsAndRegexes: readonly [Kind, RegExp][] = [...comments, ['regex', regex]];

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

const beforeOperand =
  /^(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield|instanceof)$/;

/** Whether a value has just ended, so that a slash would divide it. */
function endsOperand({ kind, value }: Token, before: boolean): boolean {
  if (kind === 'comment') return before;
  if (kind === 'template') return !value.endsWith('${');
  if (kind !== 'code') return true;
  // `a! / b` and `a++ / b` divide as well: what stands after a value leaves it a value.
  if (/^(?:\s+|!|\+\+|--)$/.test(value)) return before;
  return /^[\w$)\]}]/.test(value) && !beforeOperand.test(value);
}

function countBraces({ kind, value }: Token, substitutions: number[]): void {
  if (kind === 'template' && value.endsWith('${')) substitutions.push(0);
  if (kind !== 'code' || substitutions.length === 0) return;
  const open = substitutions.pop() as number;
  substitutions.push(open + Number(value === '{') - Number(value === '}'));
}
