import { type Fault, fault } from '../../kernel/index.ts';
import { type DapLanguage, type ExpressionToken, tokenize } from './expression-tokens.ts';

/** An expression that passed the allow-list, in a form that the process can be given. */
export type ReadExpression =
  | readonly ['literal', string | number | boolean | null]
  | readonly ['name', string]
  | readonly ['attribute', ReadExpression, string]
  | readonly ['index', ReadExpression, ReadExpression]
  | readonly ['not' | 'negative', ReadExpression]
  | readonly ['and' | 'or', ReadExpression, ReadExpression]
  | readonly ['compare', string, ReadExpression, ReadExpression];

/**
 * Accepts names, attributes, indexes, literals, comparisons and boolean operators. Calls,
 * assignments and everything else are refused: a debugger would execute them in the process.
 */
export function parseReadExpression(text: string, language: DapLanguage): ReadExpression {
  const parser = new ExpressionParser(text, language);
  return parser.parse();
}

const depthMax = 40;
const comparisons = new Set(['==', '!=', '<', '<=', '>', '>=', 'is']);

class ExpressionParser {
  readonly #text: string;
  readonly #language: DapLanguage;
  readonly #tokens: readonly ExpressionToken[];
  #position = 0;
  #depth = 0;

  constructor(text: string, language: DapLanguage) {
    this.#text = text;
    this.#language = language;
    this.#tokens = tokenize(text, language);
  }

  parse(): ReadExpression {
    const expression = this.#either();
    const rest = this.#tokens[this.#position];
    if (rest) throw this.#refuse(rest);
    return expression;
  }

  #either(): ReadExpression {
    this.#depth += 1;
    if (this.#depth > depthMax) throw this.#invalid(`it is nested deeper than ${depthMax}`);
    let left = this.#both();
    while (this.#accept('or')) left = ['or', left, this.#both()];
    this.#depth -= 1;
    return left;
  }

  #both(): ReadExpression {
    let left = this.#negation();
    while (this.#accept('and')) left = ['and', left, this.#negation()];
    return left;
  }

  #negation(): ReadExpression {
    let negations = 0;
    while (this.#accept('not')) negations += 1;
    let expression = this.#comparison();
    for (; negations > 0; negations--) expression = ['not', expression];
    return expression;
  }

  #comparison(): ReadExpression {
    const left = this.#operand();
    const token = this.#tokens[this.#position];
    if (token?.kind !== 'operator' || !comparisons.has(token.text)) return left;
    this.#position += 1;
    if (token.text !== 'is') return ['compare', token.text, left, this.#operand()];
    const isNot = this.#accept('not');
    return ['compare', isNot ? 'is not' : 'is', left, this.#operand()];
  }

  #operand(): ReadExpression {
    if (this.#accept('-')) return ['negative', this.#operand()];
    let expression = this.#primary();
    for (;;) {
      if (this.#accept('.')) expression = ['attribute', expression, this.#attributeName()];
      else if (this.#accept('[')) expression = this.#index(expression);
      else return expression;
    }
  }

  #index(of: ReadExpression): ReadExpression {
    const index = this.#either();
    this.#expect(']');
    return ['index', of, index];
  }

  #attributeName(): string {
    const token = this.#tokens[this.#position++];
    if (token?.kind !== 'name') throw this.#refuse(token);
    return token.text;
  }

  #primary(): ReadExpression {
    const token = this.#tokens[this.#position++];
    if (token?.kind === 'literal') return ['literal', token.value];
    if (token?.kind === 'name') return ['name', token.text];
    if (token?.text !== '(') throw this.#refuse(token);
    const inner = this.#either();
    this.#expect(')');
    return inner;
  }

  #accept(operator: string): boolean {
    const token = this.#tokens[this.#position];
    if (token?.kind !== 'operator' || token.text !== operator) return false;
    this.#position += 1;
    return true;
  }

  #expect(operator: string): void {
    if (!this.#accept(operator)) throw this.#refuse(this.#tokens[this.#position]);
  }

  #refuse(token: ExpressionToken | undefined): Fault {
    if (!token) return this.#invalid('it ends too early');
    const construct = constructs[token.text];
    if (construct === undefined) return this.#invalid(`"${token.text}" is not expected there`);
    return fault('PROBE_NOT_READ_ONLY', { expression: this.#text, construct });
  }

  #invalid(reason: string): Fault {
    const why = `as ${this.#language}, ${reason}`;
    return fault('PROBE_EXPRESSION_INVALID', { expression: this.#text, reason: why });
  }
}

/** What a token that is not expected would have begun. */
const constructs: Readonly<Record<string, string>> = {
  '(': 'a call',
  '=': 'an assignment',
  ':=': 'an assignment',
  '{': 'a literal with members',
  '+': 'arithmetic',
  '*': 'arithmetic or a pointer',
  '/': 'arithmetic',
  '%': 'arithmetic',
  lambda: 'a function',
  await: 'await',
  func: 'a function',
};
