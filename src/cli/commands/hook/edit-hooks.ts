import {
  applyEdits,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  printParseErrorCode,
} from 'jsonc-parser';
import { type HookFile, isOurs } from './hook-files.ts';

/** Edits the text and not the value, so that comments and order stay unchanged. */
export function addHooks(text: string, file: HookFile, command: string): string {
  const { entry: entryOf } = file;
  if (!entryOf) return ownText(file, command);
  let after = removeHooks(text.trim() === '' ? '{}\n' : text, file);
  for (const [name, value] of Object.entries(file.more ?? {})) {
    if (!Object.hasOwn(read(after), name)) after = put(after, [name], value);
  }
  for (const event of file.events) {
    const list = entriesOf(after, event);
    const entry = entryOf(command);
    if (list.length === 0) after = put(after, ['hooks', event], [entry]);
    else after = put(after, ['hooks', event, list.length], entry, true);
  }
  return after;
}

/** A file that only Surety writes. */
function ownText({ text }: HookFile, command: string): string {
  if (!text) throw new Error('nothing can be added to it');
  return text(command);
}

export function removeHooks(text: string, file: HookFile): string {
  if (!file.entry) return '';
  let after = text;
  for (const event of file.events) {
    const ours = entriesOf(after, event).flatMap((entry, index) => (isOurs(entry) ? [index] : []));
    for (const index of ours.reverse()) after = put(after, ['hooks', event, index], undefined);
  }
  return after;
}

/** The events for which our hook is there. */
export function hookedEvents(text: string, { events, entry }: HookFile): string[] {
  if (!entry) return isOurs(text) ? [...events] : [];
  return events.filter((event) => entriesOf(text, event).some(isOurs));
}

function entriesOf(text: string, event: string): readonly unknown[] {
  const { hooks = {} } = read(text) as { hooks?: unknown };
  if (typeof hooks !== 'object' || hooks === null || Array.isArray(hooks))
    throw new Error('hooks is no object');
  const list = (hooks as Record<string, unknown>)[event] ?? [];
  if (!Array.isArray(list)) throw new Error(`hooks.${event} is no list`);
  return list;
}

function read(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new Error(`line ${line}: ${printParseErrorCode(first.error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('it is no object');
  return value as Record<string, unknown>;
}

function put(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion }));
}
