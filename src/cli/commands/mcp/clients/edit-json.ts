import { isDeepStrictEqual } from 'node:util';
import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { ConfigEdit } from './edit.ts';

/** Edits the text and not the value, so that comments, order and long numbers stay unchanged. */
export const editJson: ConfigEdit = (text, [section, name], entry) => {
  const before = text.trim() === '' ? '{}\n' : text;
  const value = read(before);
  const servers = member(value, section);
  const older = Object.hasOwn(servers, name) ? member(servers, name) : undefined;
  const merged = { ...older, ...entry };
  if (older && isDeepStrictEqual(older, merged)) return text;
  const after = put(before, [section, name], merged);
  const expected = { ...value, [section]: { ...servers, [name]: merged } };
  // For example if a name occurs twice: the first would be edited, but the last one counts.
  if (!isDeepStrictEqual(read(after), expected)) throw new Error('it says something twice');
  return after;
};

type Members = Readonly<Record<string, unknown>>;

const lenient = { allowTrailingComma: true };

function read(text: string): Members {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, lenient);
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new Error(`line ${line}: ${printParseErrorCode(first.error)}`);
  }
  return asMembers(value, 'the whole');
}

function member(value: Members, name: string): Members {
  return Object.hasOwn(value, name) ? asMembers(value[name], name) : {};
}

function asMembers(value: unknown, what: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new Error(`${what} is no object`);
}

function put(text: string, [section, name]: readonly [string, string], value: object): string {
  const root = parseTree(text, [], lenient) as Node;
  const older = findNodeAtLocation(root, [section, name]);
  if (older) {
    const { offset, length } = older;
    return text.slice(0, offset) + show(value, text, offset) + text.slice(offset + length);
  }
  const servers = findNodeAtLocation(root, [section]);
  return servers
    ? insertFirst(text, servers, name, value)
    : insertFirst(text, root, section, { [name]: value });
}

/** As the first member, since after the last one there may be a comma, a comment, or both. */
function insertFirst(text: string, object: Node, name: string, value: object): string {
  const { unit, eol } = styleOf(text);
  const at = object.offset + 1;
  const outer = indentAt(text, object.offset);
  const rest = text.slice(at);
  const isLast = (object.children ?? []).length === 0;
  const closing = isLast && !/^[^\S\n]*\r?\n/.test(rest) ? `${eol}${outer}` : '';
  const shown = shift(JSON.stringify(value, undefined, unit), `${outer}${unit}`, eol);
  const line = `${eol}${outer}${unit}${JSON.stringify(name)}: ${shown}`;
  return text.slice(0, at) + line + (isLast ? closing : ',') + rest;
}

function show(value: object, text: string, offset: number): string {
  const { unit, eol } = styleOf(text);
  return shift(JSON.stringify(value, undefined, unit), indentAt(text, offset), eol);
}

function shift(json: string, indent: string, eol: string): string {
  return json.replaceAll('\n', `${eol}${indent}`);
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const [indent = ''] = /^[ \t]*/.exec(line) ?? [];
  return indent;
}

function styleOf(text: string): { readonly unit: string; readonly eol: string } {
  const [, unit = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { unit, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
