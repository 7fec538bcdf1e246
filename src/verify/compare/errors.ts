import { isJsonObject, type Json } from '../../kernel/index.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { type LogLine, type Recordings, wholeOf } from './recording.ts';

interface LoggedError {
  readonly service: string;
  readonly signature: string;
  readonly text: string;
}

/** Errors of a kind that no service ever logged before, also of services that nobody changed. */
export function findNewErrors(recordings: Recordings): Difference[] {
  const { known, candidate } = wholeOf(recordings);
  const runs = known.map(({ logs = [] }) => errorsOf(logs));
  const seen = new Set(runs.flat().map(nameOf));
  const now = errorsOf(candidate.logs ?? []);
  const isNew = Map.groupBy(
    now.filter((error) => !seen.has(nameOf(error))),
    nameOf,
  );
  return [...isNew.values()].map((errors) => {
    const [first] = errors as [LoggedError];
    const count = (list: readonly LoggedError[]): number =>
      list.filter(({ service }) => service === first.service).length;
    // As many errors as ever, in other words: somebody changed the text.
    const isRephrased = count(now) <= Math.min(...runs.map(count));
    return {
      class: 'error',
      what: isRephrased ? 'error-rephrased' : 'error-new',
      service: first.service,
      hop: null,
      place: null,
      which: first.signature,
      before: 'never logged',
      after: `logged ${errors.length} times: ${first.signature}`,
      examples: { before: null, after: first.text },
      severity: isRephrased ? 'notice' : 'fail',
      confidence: certaintyOf(Math.max(1, runs.flat().length)),
    } as const;
  });
}

function nameOf({ service, signature }: LoggedError): string {
  return `${service} ${signature}`;
}

function errorsOf(logs: readonly LogLine[]): LoggedError[] {
  return logs.flatMap(({ service, text }) => {
    const message = errorMessage(text);
    return message === null ? [] : [{ service, text, signature: signatureOf(message) }];
  });
}

const errorLevel = /^(?:err(?:or)?|fatal|crit(?:ical)?|panic|emerg(?:ency)?|alert)$/i;
const errorWord =
  /\b(?:error|exception|fatal|panic|traceback|unhandled|segfault|out of memory|E(?:CONN\w+|TIMEDOUT|PIPE|ADDR\w+))\b/i;

/** By its type, as runtimes and frameworks write it. */
const errorType = /\b[A-Z]\w*(?:Error|Exception)\b/;

/** Words about errors where there was none. */
const onlyMentioned =
  /\b(?:no|zero|0|without(?: any)?) (?:errors?|exceptions?)\b|\b(?:errors?|exceptions?)\s*[=:]\s*0\b|\b(?:error|exception)[ _-](?:rate|count(?:er)?|budget|handl(?:er|ing)|middleware|pages?|report(?:er|ing)|tracking|boundary|codes?)\b/gi;

/** What runtimes warn of by themselves; that something will go away one day is no error. */
const warning = /\b(?!Deprecation|Experimental|PendingDeprecation|Future)[A-Z]\w*Warning\b/;

/** Whether a line of a log tells of an error. */
export function isErrorLine(text: string): boolean {
  return errorMessage(text) !== null;
}

/** Of a JSON line its own level decides; of any other, its words. */
function errorMessage(text: string): string | null {
  const line = jsonLine(text);
  if (line === null) return isPlainError(text) ? text : null;
  const level = line.level ?? line.severity ?? line.lvl;
  const isError = typeof level === 'number' ? level >= 50 : errorLevel.test(String(level));
  if (!isError) return null;
  const parts = [line.message ?? line.msg, line.error ?? line.err ?? line.reason];
  return (
    parts
      .filter((part) => part !== undefined)
      .map(toText)
      .join(': ') || text
  );
}

function isPlainError(text: string): boolean {
  const said = text.replace(onlyMentioned, '');
  return [errorWord, errorType, warning].some((mark) => mark.test(said));
}

function toText(part: Json | undefined): string {
  if (typeof part === 'string') return part;
  return isJsonObject(part) && typeof part.message === 'string'
    ? part.message
    : JSON.stringify(part);
}

function jsonLine(text: string): Readonly<Record<string, Json>> | null {
  if (!text.startsWith('{')) return null;
  try {
    const line = JSON.parse(text) as Json;
    return isJsonObject(line) ? line : null;
  } catch {
    return null;
  }
}

const signatureCharsMax = 160;

/** Without what differs from one time to the next: numbers, ids, quoted values, addresses. */
function signatureOf(message: string): string {
  return message
    .slice(0, 2_000)
    .replace(/"[^"\n]{0,200}"|'[^'\n]{0,200}'/g, '(value)')
    .replace(
      /\b[a-z]{2,12}_[\w-]{6,}|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b(?=\w*\d)[0-9a-f]{8,}\b/gi,
      '(id)',
    )
    .replace(/\d+(?:[.,:]\d+)*/g, '(number)')
    .slice(0, signatureCharsMax);
}
