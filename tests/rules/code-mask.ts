/**
 * The code of a JavaScript or TypeScript text alone: comments, regular expressions and the inside
 * of strings and templates become spaces, so that no rule is fooled by what a text merely says.
 * Quotes, line ends and length stay: a place in the mask is the same place in the text.
 */
export function maskCode(text: string): string {
  const known = masked.get(text);
  if (known !== undefined) return known;
  let mask = '';
  for (const { kind, value } of tokens(text)) mask += masks[kind](value);
  masked.set(text, mask);
  return mask;
}

/** A dozen rules look at the same files. */
const masked = new Map<string, string>();

/** The lines of all comments, with their place in the text. */
export function commentLines(text: string): { readonly offset: number; readonly line: string }[] {
  let at = 0;
  return [...tokens(text)].flatMap(({ kind, value }) => {
    const offset = at;
    at += value.length;
    if (kind !== 'comment') return [];
    return [...value.matchAll(/.+/g)].map(({ index, 0: line }) => ({
      offset: offset + index,
      line,
    }));
  });
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

function read(
  text: string,
  at: number,
  state: { readonly endsSubstitution: boolean; readonly operandEnded: boolean },
): Token {
  const kinds: [Kind, RegExp, boolean][] = [
    ['template', template, state.endsSubstitution || text[at] === '`'],
    ['comment', comment, true],
    ['string', string, true],
    // A slash after a value divides; Biome leaves no regular expression after `)` or `}`.
    ['regex', regex, !state.operandEnded],
  ];
  for (const [kind, pattern, possible] of kinds) {
    const value = possible ? matchAt(pattern, text, at) : undefined;
    if (value) return { kind, value };
  }
  return { kind: 'code', value: matchAt(code, text, at) as string };
}

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
