/** A piece of a query in PromQL, and where it begins. */
export interface Token {
  readonly kind: 'space' | 'name' | 'text' | 'number' | 'sign';
  readonly text: string;
  readonly at: number;
}

const forms: readonly (readonly [Token['kind'], RegExp])[] = [
  ['space', /(?:\s+|#[^\n]*)/y],
  ['text', /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/y],
  ['name', /[a-zA-Z_:][a-zA-Z0-9_:]*/y],
  ['number', /(?:0[xX][0-9a-fA-F_]+|\d[\w.]*(?:(?<=[eE])[+-]\d+)?|\.\d[\w]*)/y],
  ['sign', /==|!=|=~|!~|<=|>=|[-+*/%^(){}[\],=<>@:]/y],
];

/** Undefined where there is anything that is not known: nothing is guessed. */
export function readTokens(query: string): Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < query.length; ) {
    const token = tokenAt(query, at);
    if (token === undefined) return undefined;
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(query: string, at: number): Token | undefined {
  for (const [kind, form] of forms) {
    form.lastIndex = at;
    const text = form.exec(query)?.[0];
    if (text !== undefined && text !== '') return { kind, text, at };
  }
  return undefined;
}
