import { fault } from '../../kernel/index.ts';

export type DapLanguage = 'Python' | 'Go';

export type ExpressionToken =
  | { readonly kind: 'name' | 'operator' | 'other'; readonly text: string }
  | {
      readonly kind: 'literal';
      readonly text: string;
      readonly value: string | number | boolean | null;
    };

interface Words {
  /** Words and signs of the language for the operators of the allow-list. */
  readonly operators: Readonly<Record<string, string>>;
  readonly literals: Readonly<Record<string, boolean | null>>;
  /** Words that begin something that is not a plain expression. */
  readonly reserved: ReadonlySet<string>;
}

const words: Readonly<Record<DapLanguage, Words>> = {
  Python: {
    operators: { and: 'and', or: 'or', not: 'not', is: 'is' },
    literals: { True: true, False: false, None: null },
    reserved: new Set(['lambda', 'await', 'yield', 'in', 'if', 'else', 'for', 'async', 'import']),
  },
  Go: {
    operators: { '&&': 'and', '||': 'or', '!': 'not' },
    literals: { true: true, false: false, nil: null },
    reserved: new Set(['func', 'go', 'defer', 'map', 'chan', 'struct', 'interface', 'range']),
  },
};

const pattern =
  /\s+|(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))|(?<string>"[^"\\\n]*"|'[^'\\\n]*')|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<sign>==|!=|<=|>=|:=|&&|\|\||[-.()[\]<>!=+*/%{}&|^~,:;@?$#`\\"'])/uy;

/** Backslashes in strings are not understood: each language reads them differently. */
export function tokenize(text: string, language: DapLanguage): readonly ExpressionToken[] {
  const tokens: ExpressionToken[] = [];
  for (let index = 0; index < text.length; ) {
    pattern.lastIndex = index;
    const match = pattern.exec(text);
    if (!match) {
      const reason = `as ${language}, "${text.slice(index, index + 10)}" is not expected there`;
      throw fault('PROBE_EXPRESSION_INVALID', { expression: text, reason });
    }
    index += match[0].length;
    const token = toToken(match, words[language]);
    if (token) tokens.push(token);
  }
  return tokens;
}

const signs = new Set(['==', '!=', '<', '<=', '>', '>=', '-', '.', '(', ')', '[', ']']);

function toToken({ groups = {} }: RegExpExecArray, known: Words): ExpressionToken | undefined {
  const { number, string, name, sign } = groups;
  if (number !== undefined) return { kind: 'literal', text: number, value: Number(number) };
  if (string !== undefined) return { kind: 'literal', text: string, value: string.slice(1, -1) };
  const text = name ?? sign;
  if (text === undefined) return undefined;
  const literal = known.literals[text];
  if (literal !== undefined) return { kind: 'literal', text, value: literal };
  const operator = known.operators[text];
  if (operator !== undefined) return { kind: 'operator', text: operator };
  if (signs.has(text)) return { kind: 'operator', text };
  const isPlain = name !== undefined && !known.reserved.has(name);
  return { kind: isPlain ? 'name' : 'other', text };
}
