import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eachMapping, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import type { Matcher } from './script.ts';

/** A part of a generated line, from one column to before another. Lines from 1, columns from 0. */
export interface GeneratedRange {
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly sourceColumn: number;
}

/** How the text that runs was made of other files. */
export class SourceMap {
  readonly sources: readonly string[];
  readonly #map: TraceMap;

  constructor(json: string, directory: string) {
    this.#map = new TraceMap(json);
    const root = this.#map.sourceRoot ?? '';
    this.sources = this.#map.sources.map((source) => pathOf(source ?? '', root, directory));
  }

  /** The source that is meant, by the number that it has in the map. */
  findSource(isMeant: Matcher): number | undefined {
    const index = this.sources.findIndex(isMeant);
    return index < 0 ? undefined : index;
  }

  content(source: number): string | undefined {
    return this.#map.sourcesContent?.[source] ?? undefined;
  }

  /** What a line of a source became, by the column in the source. */
  rangesOf(source: number, line: number): readonly GeneratedRange[] {
    const name = this.#map.sources[source];
    const ranges: GeneratedRange[] = [];
    let open: Omit<GeneratedRange, 'to'> | undefined;
    const close = (to: number): void => {
      if (open) ranges.push({ ...open, to });
      open = undefined;
    };
    let lastLine = 0;
    eachMapping(this.#map, (mapping) => {
      const { generatedLine, generatedColumn } = mapping;
      close(generatedLine === lastLine ? generatedColumn : Number.POSITIVE_INFINITY);
      lastLine = generatedLine;
      if (mapping.source !== name || mapping.originalLine !== line) return;
      const sourceColumn = mapping.originalColumn ?? 0;
      open = { line: generatedLine, from: generatedColumn, sourceColumn };
    });
    close(Number.POSITIVE_INFINITY);
    return ranges.sort((one, other) => one.sourceColumn - other.sourceColumn);
  }

  /** Where generated code comes from. Columns from 0. */
  original(line: number, column: number): { file: string; line: number } | undefined {
    const found = originalPositionFor(this.#map, { line, column });
    if (found.source === null) return undefined;
    return { file: this.sources[this.#indexOf(found.source)] ?? found.source, line: found.line };
  }

  /** The name in the source of what a minifier renamed, from the map or from the source itself. */
  originalName(line: number, column: number): string | undefined {
    const found = originalPositionFor(this.#map, { line, column });
    if (found.source === null) return undefined;
    if (found.name !== null) return found.name;
    const text = this.content(this.#indexOf(found.source))?.split('\n')[found.line - 1];
    return /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u.exec(text?.slice(found.column) ?? '')?.[0];
  }

  #indexOf(source: string): number {
    return this.#map.sources.indexOf(source);
  }
}

/** The map of a script, from its address in the script; nothing if it cannot be read. */
export async function readSourceMap(url: string, script: string): Promise<SourceMap | undefined> {
  try {
    const { text, directory } = await readMap(url, dirname(script));
    return new SourceMap(text, directory);
  } catch {
    return undefined;
  }
}

async function readMap(
  url: string,
  directory: string,
): Promise<{ text: string; directory: string }> {
  if (!url.startsWith('data:')) {
    const path = url.startsWith('file:') ? fileURLToPath(url) : resolve(directory, url);
    return { text: await readFile(path, 'utf8'), directory: dirname(path) };
  }
  const [, encoding = '', data = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
  const text = encoding === '' ? decodeURIComponent(data) : Buffer.from(data, 'base64').toString();
  return { text, directory };
}

function pathOf(source: string, root: string, directory: string): string {
  if (source.startsWith('file:')) return fileURLToPath(source);
  return resolve(directory, root.startsWith('file:') ? fileURLToPath(root) : root, source);
}
