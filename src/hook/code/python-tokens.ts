export interface PythonToken {
  readonly kind: 'name' | 'string' | 'number' | 'operator' | 'newline';
  /** Of a string: what is between its quotes, if it contains no escape. */
  readonly text: string;
  /** Whether the text of a string is exactly what the code gets. */
  readonly isLiteral?: boolean;
}

const shapes =
  /(?<space>[ \t\f\r]+|\\\r?\n|#[^\n]*)|(?<newline>\n)|(?<prefix>[A-Za-z]{0,2})(?<quote>"""|'''|"|')|(?<number>\d[\w.]*)|(?<name>[A-Za-z_]\w*)|(?<operator>->|:=|\*\*|\/\/|[-+*/%=<>!|&^~]=?|[()[\]{},:.;@])/y;

/** Undefined if the text is not plain Python, such as a command of a notebook. */
export function readPythonTokens(code: string): PythonToken[] | undefined {
  const tokens: PythonToken[] = [];
  for (let at = 0; at < code.length; ) {
    shapes.lastIndex = at;
    const groups = shapes.exec(code)?.groups;
    if (!groups) return undefined;
    at = shapes.lastIndex;
    const { newline, prefix = '', quote, number, name, operator } = groups;
    if (quote !== undefined) {
      const end = endOfString(code, at, quote);
      if (end < 0) return undefined;
      const inner = readString(code.slice(at, end), prefix.toLowerCase());
      if (!inner) return undefined;
      tokens.push(...inner);
      at = end + quote.length;
    } else if (newline !== undefined) tokens.push({ kind: 'newline', text: '\n' });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator });
  }
  return tokens;
}

function endOfString(code: string, start: number, quote: string): number {
  for (let at = start; at < code.length; at++) {
    if (code[at] === '\\') at++;
    else if (code.startsWith(quote, at)) return at;
    else if (code[at] === '\n' && quote.length === 1) return -1;
  }
  return -1;
}

/** A formatted string contains expressions, which are code like any other. */
function readString(text: string, prefix: string): PythonToken[] | undefined {
  if (!/^(?:|r|b|u|rb|br|f|rf|fr)$/.test(prefix)) return undefined;
  const isFormatted = prefix.includes('f');
  const isLiteral = !isFormatted && (!text.includes('\\') || prefix.includes('r'));
  const string: PythonToken = { kind: 'string', text, isLiteral };
  if (!isFormatted) return [string];
  const found = [string];
  for (const [, inner = ''] of text.replaceAll(/\{\{|\}\}/g, '').matchAll(/\{([^{}]*)\}/g)) {
    const tokens = readPythonTokens(inner.replace(/![rsa](?=:|$)/, '').replace(/=$/, ''));
    if (!tokens) return undefined;
    found.push({ kind: 'operator', text: '%' }, ...tokens);
  }
  const rest = text.replaceAll(/\{\{|\}\}/g, '').replaceAll(/\{[^{}]*\}/g, '');
  return /[{}]/.test(rest) ? undefined : found;
}
