import { fault } from '../../kernel/index.ts';
import { readTokens, type Token } from './promql-tokens.ts';

/** Before a list of labels, in which names are no series. */
const beforeLabels: ReadonlySet<string> = new Set([
  ...['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'],
]);

const words: ReadonlySet<string> = new Set([
  ...['and', 'or', 'unless', 'atan2', 'bool', 'offset', 'inf', 'nan'],
]);

/**
 * The query, with nothing in it but series of these lanes and such as are of none: every selector
 * gets one matcher more, and all matchers of one have to fit. What can't be read is refused.
 */
export function narrowPromql(query: string, lanes: readonly string[]): string {
  const tokens = readTokens(query);
  if (tokens === undefined) throw unreadable(query);
  const matcher = `lane=~${JSON.stringify(['', ...lanes].map(escaped).join('|'))}`;
  return new Narrowing(query, tokens, matcher).run();
}

/** Keys of lanes have none of what means something in a pattern; nobody has to rely on that. */
function escaped(lane: string): string {
  return lane.replaceAll(/[^\w]/g, (sign) => `\\${sign}`);
}

class Narrowing {
  readonly #query: string;
  readonly #tokens: readonly Token[];
  readonly #matcher: string;
  #told = '';
  #at = 0;

  constructor(query: string, tokens: readonly Token[], matcher: string) {
    this.#query = query;
    this.#tokens = tokens.filter(({ kind }) => kind !== 'space');
    this.#matcher = matcher;
  }

  run(): string {
    while (this.#at < this.#tokens.length) this.#step();
    return this.#told.trim();
  }

  #step(): void {
    if (this.#peek() === '{') this.#selector('');
    else this.#piece(this.#next());
  }

  #piece({ kind, text }: Token): void {
    if (kind === 'name') this.#name(text);
    else if (text === '[') this.#tell(`[${this.#until(']')}]`);
    else if (text === '}' || text === ']') throw unreadable(this.#query);
    else this.#tell(text);
  }

  #name(name: string): void {
    const [word, after = ''] = [name.toLowerCase(), this.#peek()?.toLowerCase()];
    if (beforeLabels.has(word)) this.#labels(name);
    else if (words.has(word) || after === '(') this.#tell(name);
    // `sum by (x) (…)`: what follows says that it is no series.
    else if (aggregations.has(word) && (after === 'by' || after === 'without')) this.#tell(name);
    else this.#selector(name);
  }

  #selector(name: string): void {
    const hasMatchers = this.#peek() === '{';
    if (hasMatchers) this.#next();
    const inside = hasMatchers ? this.#until('}') : '';
    const comma = inside.trim() === '' || inside.trimEnd().endsWith(',') ? '' : ',';
    this.#tell(`${name}{${inside}${comma}${this.#matcher}}`);
  }

  #labels(name: string): void {
    this.#tell(name);
    if (this.#peek() !== '(') return;
    this.#next();
    this.#tell(`(${this.#until(')')})`);
  }

  /** The text up to a sign, which is read over; nothing of it is a query. */
  #until(end: string): string {
    const from = this.#tokens[this.#at]?.at ?? this.#query.length;
    for (;;) {
      const token = this.#next();
      if (token.text === end) return this.#query.slice(from, token.at);
      if (['{', '[', '('].includes(token.text)) throw unreadable(this.#query);
    }
  }

  #next(): Token {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw unreadable(this.#query);
    return token;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at]?.text;
  }

  #tell(text: string): void {
    this.#told += `${text} `;
  }
}

const aggregations: ReadonlySet<string> = new Set([
  ...['sum', 'avg', 'min', 'max', 'count', 'group', 'stddev', 'stdvar'],
  ...['topk', 'bottomk', 'quantile', 'count_values', 'limitk', 'limit_ratio'],
]);

function unreadable(query: string): Error {
  return fault('PROMETHEUS_NOT_NARROWED', { query });
}
