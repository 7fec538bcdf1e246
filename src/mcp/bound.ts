import { fault, sha256 } from '../kernel/index.ts';
import { mcpLimits } from './limits.ts';
import { fittingMembers, shortText } from './short.ts';
import type { ToolAnswer } from './tool-answer.ts';

/** As much of an answer as fits into one message. */
export interface BoundedAnswer {
  readonly value: object;
  readonly text: string;
  /** The cursor of the next part; null if the answer is complete. */
  readonly next: string | null;
}

const charsMax = mcpLimits.mcpAnswerCharsMax;

/** One part of an answer that can be read again, from a cursor on. */
export function boundRead(answer: ToolAnswer, cursor: string | undefined): BoundedAnswer {
  return answer.list ? boundList(answer, answer.list, cursor) : boundDocument(answer, cursor);
}

/** The beginning of the answer to an action, which must not be repeated to read the rest. */
export function boundAction({ value, text, whole }: ToolAnswer): BoundedAnswer {
  const short = cutText(text);
  if (JSON.stringify(value).length <= charsMax) return { value, text: short, next: null };
  const how = whole === undefined ? '' : ` ${whole}`;
  const cut = { ...fittingMembers(value), cut: `Long values are cut.${how}` };
  return { value: cut, text: `${short}\n${cut.cut}`, next: null };
}

function boundList(
  { value, text }: ToolAnswer,
  { name, lines }: NonNullable<ToolAnswer['list']>,
  cursor: string | undefined,
): BoundedAnswer {
  const items = (value as Record<string, readonly object[]>)[name] ?? [];
  const from = Math.min(readCursor(cursor, name), items.length);
  const page: object[] = [];
  let chars = JSON.stringify({ ...value, [name]: [] }).length;
  for (const item of items.slice(from)) {
    const shown = fitting(item);
    chars += JSON.stringify(shown).length + 1;
    if (chars > charsMax && page.length > 0) break;
    page.push(shown);
  }
  const until = from + page.length;
  const next = until < items.length ? writeCursor({ offset: until, of: name }) : null;
  const joined = [text, ...lines.slice(from, until).map(cutLine)].join('\n');
  const whole = { ...value, [name]: page, total: items.length };
  return { value: whole, text: cutText(joined), next };
}

/** An item that is too large by itself would stop the list from continuing. */
function fitting(item: object): object {
  if (JSON.stringify(item).length <= charsMax / 4) return item;
  const short = fittingMembers(item);
  return JSON.stringify(short).length <= charsMax / 4 ? short : { cut: shortText(item) };
}

/** The whole document if it fits; otherwise its text in parts. */
function boundDocument({ value, text }: ToolAnswer, cursor: string | undefined): BoundedAnswer {
  const whole = JSON.stringify(value);
  if (cursor === undefined && whole.length <= charsMax) {
    return { value, text: cutText(text), next: null };
  }
  // Bound to this exact text: pieces of two versions would make a document that never existed.
  const of = sha256(whole).slice(0, 16);
  const from = readCursor(cursor, of);
  const part = whole.slice(from, from + charsMax / 2);
  const until = from + part.length;
  const next = until < whole.length ? writeCursor({ offset: until, of }) : null;
  return { value: { part, from, until, total: whole.length }, text: part, next };
}

const lineCharsMax = 1_000;

function cutLine(line: string): string {
  return line.length <= lineCharsMax ? line : `${line.slice(0, lineCharsMax)}…`;
}

function cutText(text: string): string {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax)}\n… (${text.length - charsMax} more characters)`;
}

/**
 * Where an answer continues. `of` identifies the answer, so that a cursor does not fit another one.
 */
interface Cursor {
  readonly offset: number;
  readonly of: string;
}

export function writeCursor({ offset, of }: Cursor): string {
  return Buffer.from(JSON.stringify([offset, of])).toString('base64url');
}

/** The position that earlier parts have reached. */
export function readCursor(text: string | undefined, of: string): number {
  if (text === undefined) return 0;
  const [offset, made] = parse(text);
  if (typeof offset !== 'number' || !Number.isSafeInteger(offset) || offset < 0 || made !== of) {
    throw fault('CURSOR_UNKNOWN', {});
  }
  return offset;
}

function parse(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
