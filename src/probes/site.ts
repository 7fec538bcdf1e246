import { fault, isFault, type JsonObject, redactText } from '../kernel/index.ts';
import { probeLimits } from './limits.ts';
import type { ProbePlan } from './request.ts';
import type { Script } from './script.ts';
import type { InspectorSession } from './session.ts';

/** Where a probe sits, as V8 confirmed it. */
export interface Site {
  readonly breakpoint: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly scriptHash: string;
  /** The line as it runs. */
  readonly text: string;
}

/** V8 moves a breakpoint to the next statement if there is none on the line; we refuse that. */
export async function setBreakpoint(
  session: InspectorSession,
  script: Script,
  { line }: ProbePlan,
): Promise<Site> {
  if (line > script.lines) throw refused(script, line, `it has ${script.lines} lines`);
  const text = await readLine(session, script, line);
  const location = { scriptId: script.id, lineNumber: line - 1 };
  const set = await session
    .call('Debugger.setBreakpoint', { location })
    .catch((error) => Promise.reject(isUnresolved(error) ? noCode(script, line) : error));
  const { lineNumber, columnNumber = 0 } = set.actualLocation as JsonObject;
  if (lineNumber !== line - 1) {
    throw refused(script, line, `the next statement begins on line ${Number(lineNumber) + 1}`);
  }
  return {
    breakpoint: String(set.breakpointId),
    file: script.path,
    line,
    column: Number(columnNumber) + 1,
    scriptHash: script.hash,
    text,
  };
}

const sourceCharsMax = 1_000_000;

/** A bundle of many megabytes is not worth its transport. */
async function readLine(session: InspectorSession, script: Script, line: number): Promise<string> {
  if (script.chars > sourceCharsMax) return '';
  const { scriptSource } = await session.call('Debugger.getScriptSource', { scriptId: script.id });
  const text = String(scriptSource).split('\n')[line - 1] ?? '';
  return redactText(text.trim()).slice(0, probeLimits.probeStringCharsMax);
}

function isUnresolved(error: unknown): boolean {
  return isFault(error) && /Could not resolve breakpoint/.test(error.message);
}

function noCode(script: Script, line: number): Error {
  return refused(script, line, 'no statement begins there or below');
}

function refused({ path }: Script, line: number, reason: string): Error {
  return fault('PROBE_LINE_REFUSED', { file: path, line, reason });
}
