import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fault, type JsonObject } from '../kernel/index.ts';
import type { ProbePlan } from './request.ts';
import type { InspectorSession } from './session.ts';

/** A file that the process has loaded. */
export interface Script {
  readonly id: string;
  readonly path: string;
  /** SHA-256 by V8 of the text that runs; with stripped types, blanks are in their place. */
  readonly hash: string;
  readonly lines: number;
  readonly chars: number;
  readonly isMapped: boolean;
}

/** What is loaded, by V8's numbers. Files have a path, parts of Node a name: `node:events`. */
export type Scripts = ReadonlyMap<string, Script>;

/** Enables the debugger, on which V8 tells everything that is loaded. Blocks the process once. */
export async function listScripts(session: InspectorSession): Promise<Scripts> {
  const scripts = new Map<string, Script>();
  // Goes on: what is loaded later may be on the stack of a hit. What was evaluated has no name.
  session.on('Debugger.scriptParsed', (parsed) => {
    if (parsed.url) scripts.set(String(parsed.scriptId), scriptOf(parsed));
  });
  await session.call('Debugger.enable');
  return scripts;
}

function scriptOf({ scriptId, url, hash, endLine, length, sourceMapURL }: JsonObject): Script {
  return {
    id: String(scriptId),
    path: pathOf(String(url)),
    hash: String(hash),
    lines: Number(endLine) + 1,
    chars: Number(length),
    isMapped: Boolean(sourceMapURL),
  };
}

function pathOf(url: string): string {
  return /^file:\/\/\//.test(url) ? fileURLToPath(url) : url;
}

const translated = /\.(?:[cm]?ts|[jt]sx)$/;

/** Exactly one, or a fault that names those that could have been meant. */
export async function findScript(scripts: Scripts, { pid, file }: ProbePlan): Promise<Script> {
  const isMeant = await matcher(file);
  const all = [...scripts.values()];
  const meant = all.filter(({ path }) => isMeant(path));
  const [script] = meant;
  if (!script || meant.length > 1) {
    const candidates = namesakes(script ? meant : all, file);
    throw fault('PROBE_SCRIPT_NOT_FOUND', { pid, file, count: meant.length, candidates });
  }
  // A loader that translates moves lines, and its map is the only one to know where to.
  if (script.isMapped && translated.test(script.path)) {
    throw fault('PROBE_SOURCE_MAPPED', { file: script.path });
  }
  return script;
}

async function matcher(file: string): Promise<(path: string) => boolean> {
  // Node runs the file behind a symbolic link, under its own name.
  if (file.startsWith('/')) {
    const real = await realpath(file).catch(() => file);
    return (path) => path === file || path === real;
  }
  const end = `/${file.replace(/^\.\//, '')}`;
  return (path) => path.endsWith(end);
}

function namesakes(scripts: readonly Script[], file: string): string {
  const same = scripts.filter(({ path }) => basename(path) === basename(file)).slice(0, 5);
  return same.map(({ path }) => path).join(', ') || `none is called ${basename(file)}`;
}
