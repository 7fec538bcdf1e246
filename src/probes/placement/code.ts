import { readFile } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { fault } from '../../kernel/index.ts';
import { type Outline, outlineOf } from './outline.ts';
import { createMatcher, findNamesakes, type Script } from './script.ts';
import { readSourceMap, type SourceMap } from './source-map.ts';

/** What placing a probe asks of a process. Lines from 0 here, as the inspector counts them. */
export interface CodeReader {
  readonly pid: number;
  scripts(): Promise<readonly Script[]>;
  source(script: Script): Promise<string>;
  /** The address of its source map, also of one inside its text. */
  mapUrl(script: Script): Promise<string>;
  locations(script: Script, from: Point, to?: Point): Promise<readonly Location[]>;
}

export interface Point {
  readonly lineNumber: number;
  readonly columnNumber: number;
}

export type Location = Point & { readonly scriptId: string; readonly type?: string };

/** The code of one source file as a process runs it. */
export interface Code {
  readonly script: Script;
  readonly text: string;
  readonly outline: Outline;
  /** The source file, if what runs was made of it. */
  readonly map?: SourceMap;
  readonly source?: number;
  /** How the file was made of others, if it was asked for by its own name. */
  readonly madeOf?: SourceMap;
  readonly file: string;
  readonly drift?: string;
}

/** Finds the loaded script that a source file became, or says in words why there is not one. */
export async function findCode(reader: CodeReader, file: string): Promise<Code> {
  const scripts = await reader.scripts();
  const found = await matchScripts(reader, scripts, file);
  const [first] = found;
  if (first === undefined || found.length > 1) {
    const candidates = findNamesakes(first ? found.map((one) => one.script) : scripts, file);
    throw fault('PROBE_SCRIPT_NOT_FOUND', {
      pid: reader.pid,
      file,
      count: found.length,
      candidates,
    });
  }
  return describe(reader, first);
}

/** Whether a process has loaded the file, or something that was made of it. */
export async function isLoaded(reader: CodeReader, file: string): Promise<boolean> {
  return (await matchScripts(reader, await reader.scripts(), file)).length > 0;
}

interface Match {
  readonly script: Script;
  readonly map?: SourceMap;
  readonly source?: number;
  readonly madeOf?: SourceMap;
}

async function matchScripts(
  reader: CodeReader,
  scripts: readonly Script[],
  file: string,
): Promise<readonly Match[]> {
  const isMeant = await createMatcher(file);
  // A file that was loaded again has several scripts under one name: the last one runs.
  const direct = [
    ...new Map(scripts.filter(({ path }) => isMeant(path)).map((one) => [one.path, one])).values(),
  ];
  if (direct.length > 0) return Promise.all(direct.map((script) => withOwnMap(reader, script)));
  const compiled = scripts.filter(
    ({ map, path }) => map !== '' && !path.includes('/node_modules/'),
  );
  const matches = await Promise.all(
    compiled.map(async (script): Promise<readonly Match[]> => {
      const map = await readSourceMap(await reader.mapUrl(script), script.path);
      const source = map?.findSource(isMeant);
      return map === undefined || source === undefined ? [] : [{ script, map, source }];
    }),
  );
  return matches.flat();
}

const translated = /\.(?:[cm]?ts|[jt]sx)$/;

/** A loader such as tsx gives the script the name of the file, and a map that moves lines. */
async function withOwnMap(reader: CodeReader, script: Script): Promise<Match> {
  if (script.map === '') return { script };
  const isTranslated = translated.test(script.path);
  // Packages bring maps of sources that nobody has.
  if (!isTranslated && script.path.includes('/node_modules/')) return { script };
  const map = await readSourceMap(await reader.mapUrl(script), script.path);
  if (!isTranslated) return { script, ...(map ? { madeOf: map } : {}) };
  if (map === undefined) throw fault('PROBE_SOURCE_MAPPED', { file: script.path });
  return { script, map, source: map.findSource((path) => path === script.path) ?? 0 };
}

async function describe(reader: CodeReader, match: Match): Promise<Code> {
  const { script, map, source } = match;
  const text = await reader.source(script);
  const outline = outlineOf(text, script.isModule);
  if (outline === undefined) throw fault('PROBE_SCRIPT_UNREADABLE', { file: script.path });
  if (outline.hasWith) throw fault('PROBE_SCRIPT_UNREADABLE', { file: script.path });
  const file = map && source !== undefined ? (map.sources[source] ?? script.path) : script.path;
  const drift = await findDrift(file, match, text);
  return { ...match, text, outline, file, ...(drift === undefined ? {} : { drift }) };
}

/** Whether the file on disk is what the process runs, by its text. */
async function findDrift(
  file: string,
  { map, source }: Match,
  text: string,
): Promise<string | undefined> {
  const disk = await readFile(file, 'utf8').catch(() => undefined);
  if (disk === undefined) return `${file} is not on this disk`;
  const content = map && source !== undefined ? map.content(source) : undefined;
  if (map && content === undefined) return undefined;
  const running = content ?? text;
  if (isSameText(disk, running)) return undefined;
  if (translated.test(file) && isSameText(stripTypes(disk), running)) return undefined;
  return `${file} on disk is not the text that the process loaded; lines are those of the process`;
}

/** Node appends a comment to a file whose types it has removed. */
function isSameText(some: string, other: string): boolean {
  const plain = (text: string): string =>
    text.replace(/^\uFEFF|\r|\/\/# sourceURL=.*\s*$/g, '').trimEnd();
  return plain(some) === plain(other);
}

/** As Node does it when it loads a TypeScript file. */
function stripTypes(text: string): string {
  const { stripTypeScriptTypes } = nodeModule as {
    stripTypeScriptTypes?: (text: string) => string;
  };
  try {
    return stripTypeScriptTypes?.(text) ?? text;
  } catch {
    return text;
  }
}
