import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  canonicalJson,
  fault,
  isJsonObject,
  type Json,
  type JsonObject,
  parseStrictJson,
  toFault,
  zeroHash,
} from '../kernel/index.ts';
import type { Head } from './api-schema.ts';
import type { StoredContent } from './content.ts';
import { isWorkspaceName, type StoredEntry } from './entry.ts';
import type { ExportLine } from './export.ts';
import { ledgerLimits } from './limits.ts';
import type { Verifiable } from './verify.ts';

/**
 * An export file, read again and again rather than held in memory: each scan is one pass over the
 * file that keeps only what it is after.
 */
export async function openExport(path: string): Promise<Verifiable> {
  if (!existsSync(path)) throw fault('LEDGER_MISSING', { path });
  const workspace = await readWorkspace(path);
  return {
    workspace,
    head: () => readHead(path),
    checkpoints: () => collect(path, (line) => ('checkpoint' in line ? line.checkpoint : null)),
    scanEntries: (from) => pages(path, (line) => entryOf(line, workspace, from)),
    scanContents: (from) => pages(path, (line) => contentOf(line, from)),
  };
}

function entryOf(line: ExportLine, workspace: string, from: number): StoredEntry | null {
  if (!('entry' in line) || line.entry.seq < from) return null;
  // The bytes that were hashed are the canonical ones, whatever the file's own spelling is.
  return { ...line.entry, workspace, body: canonicalJson(line.entry.body) };
}

function contentOf(line: ExportLine, from: number): StoredContent | null {
  return 'content' in line && line.content.seq >= from ? line.content : null;
}

async function readWorkspace(path: string): Promise<string> {
  for await (const line of readLines(path)) {
    if (!('ledger' in line)) break;
    if (line.ledger.format === 1 && isWorkspaceName(line.ledger.workspace)) {
      return line.ledger.workspace;
    }
    break;
  }
  throw fault('EXPORT_INVALID', { line: 1, reason: 'it does not say which ledger this is' });
}

/** Without its last line an export is cut off, and that is what its head must show. */
async function readHead(path: string): Promise<Head> {
  let head: Head | undefined;
  let last: Head = { seq: 0, at: 0, hash: zeroHash };
  for await (const line of readLines(path)) {
    if ('entry' in line) last = line.entry;
    if ('end' in line) head = line.end;
  }
  return head ?? { ...last, seq: last.seq + 1 };
}

async function collect<Item>(
  path: string,
  pick: (line: ExportLine) => Item | null,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pages(path, pick)) items.push(...page);
  return items;
}

async function* pages<Item>(
  path: string,
  pick: (line: ExportLine) => Item | null,
): AsyncGenerator<readonly Item[]> {
  let page: Item[] = [];
  for await (const line of readLines(path)) {
    const item = pick(line);
    if (item === null) continue;
    page.push(item);
    if (page.length < ledgerLimits.scanPageEntries) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function* readLines(path: string): AsyncGenerator<ExportLine> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  let number = 0;
  for await (const text of lines) {
    number++;
    if (text !== '') yield readLine(text, number);
  }
}

type Field = 'text' | 'count' | 'object' | 'text?' | 'count?';

const shapes: Record<string, Record<string, Field>> = {
  ledger: { format: 'count', workspace: 'text' },
  entry: {
    seq: 'count',
    at: 'count',
    kind: 'text',
    actor: 'text',
    digest: 'text',
    prev: 'text',
    hash: 'text',
    salt: 'text',
    body: 'object',
  },
  content: {
    seq: 'count',
    name: 'text',
    subject: 'text',
    digest: 'text',
    salt: 'text?',
    value: 'text?',
    shreddedBy: 'count?',
  },
  checkpoint: { seq: 'count', at: 'count', hash: 'text', keyId: 'text', signature: 'text' },
  end: { seq: 'count', at: 'count', hash: 'text' },
} satisfies Record<ExportKey, Record<string, Field>>;

type ExportKey = 'ledger' | 'entry' | 'content' | 'checkpoint' | 'end';

function readLine(text: string, line: number): ExportLine {
  const value = parse(text, line);
  const [key, ...others] = isJsonObject(value) ? Object.keys(value) : [];
  const shape = key === undefined ? undefined : shapes[key];
  if (!shape || others.length > 0) {
    throw fault('EXPORT_INVALID', { line, reason: 'it is none of the lines of an export' });
  }
  checkShape((value as JsonObject)[key as string] as Json, shape, line);
  return value as ExportLine;
}

function parse(text: string, line: number): Json {
  try {
    return parseStrictJson(text);
  } catch (error) {
    throw fault('EXPORT_INVALID', { line, reason: toFault(error).message }, error);
  }
}

function checkShape(value: Json, shape: Record<string, Field>, line: number): void {
  for (const [name, field] of Object.entries(shape)) {
    const member = isJsonObject(value) ? value[name] : undefined;
    if (!fits(member, field)) {
      throw fault('EXPORT_INVALID', { line, reason: `"${name}" is missing or of another type` });
    }
  }
  // No hash covers what we do not know, so anybody could have added it.
  const unknown = Object.keys(value as JsonObject).find((name) => !Object.hasOwn(shape, name));
  if (unknown === undefined) return;
  throw fault('EXPORT_INVALID', { line, reason: `it has an unknown field "${unknown}"` });
}

function fits(value: Json | undefined, field: Field): boolean {
  if (field.endsWith('?') && value === null) return true;
  if (field === 'object') return isJsonObject(value);
  if (field.startsWith('count')) return Number.isSafeInteger(value) && (value as number) >= 0;
  return typeof value === 'string';
}
