import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import type { ConfigEdit } from './edit.ts';

/** Adds a table at the end, or replaces an older version of it; other lines stay. */
export const editToml: ConfigEdit = (text, [section, name], entry) => {
  const value = read(text);
  const servers = member(value, section);
  const older = member(servers, name);
  const merged = { ...older, ...entry };
  if (isDeepStrictEqual(older, merged)) return text;
  const after = place(text, `${section}.${name}`, merged);
  const expected = { ...value, [section]: { ...servers, [name]: merged } };
  // Tables can be written in many ways; if one is not understood, its owner has to edit it.
  if (!isDeepStrictEqual(read(after), expected)) {
    throw new Error(`${section}.${name} is written in a way that cannot be edited here`);
  }
  return after;
};

type Table = Readonly<Record<string, unknown>>;

function read(text: string): Table {
  return plain(parse(text, { integersAsBigInt: 'asNeeded' }));
}

/** The parser's tables have no prototype, which would make them unequal to plain objects. */
function plain(table: object): Table {
  return Object.fromEntries(
    Object.entries(table).map(([name, value]) => [name, isTable(value) ? plain(value) : value]),
  );
}

function isTable(value: unknown): value is Table {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof Date);
}

function member(table: Table, name: string): Table {
  const value = Object.hasOwn(table, name) ? table[name] : {};
  if (isTable(value)) return value;
  throw new Error(`${name} is no table`);
}

function place(text: string, path: string, entry: Table): string {
  // Nested tables have their own headers, and stay where they are.
  const own = Object.fromEntries(Object.entries(entry).filter(([, value]) => !isTable(value)));
  const block = [`[${path}]`, ...stringify(own).trimEnd().split('\n')];
  const lines = text.split('\n');
  const header = lines.findIndex((line) => line.replace(/#.*/, '').trim() === `[${path}]`);
  if (header < 0) {
    const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    return `${before}${before === '' ? '' : '\n'}${block.join('\n')}\n`;
  }
  const rest = lines.slice(header + 1);
  const next = rest.findIndex((line) => /^\s*\[/.test(line));
  const older = next < 0 ? rest : rest.slice(0, next);
  const remarks = older.filter((line) => /^\s*(?:#|$)/.test(line));
  const after = next < 0 ? [] : rest.slice(next);
  return [...lines.slice(0, header), ...block, ...remarks, ...after].join('\n');
}
