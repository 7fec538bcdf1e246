import { isJsonObject, type Json } from '../../kernel/index.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { type ServiceLogLine, splitRecordings, type VersionRecordings } from './recording.ts';

interface LoggedError {
  readonly service: string;
  readonly signature: string;
  readonly text: string;
}

/** Errors of a kind that the service did not log before, also in unchanged services. */
export function findNewErrors(recordings: VersionRecordings): Difference[] {
  const { known, candidate } = splitRecordings(recordings);
  const runs = known.map(({ logs = [] }) => errorsOf(logs));
  const knownErrors = new Set(runs.flat().map(nameOf));
  const now = errorsOf(candidate.logs ?? []);
  const isNew = Map.groupBy(
    now.filter((error) => !knownErrors.has(nameOf(error))),
    nameOf,
  );
  return [...isNew.values()].map((errors) => {
    const [first] = errors as [LoggedError];
    const count = (list: readonly LoggedError[]): number =>
      list.filter(({ service }) => service === first.service).length;
    // No more errors than before, but in other words: only the text changed.
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

function errorsOf(logs: readonly ServiceLogLine[]): LoggedError[] {
  return logs.flatMap(({ service, text }) => {
    const message = errorMessage(text);
    return message === null ? [] : [{ service, text, signature: signatureOf(message) }];
  });
}

const errorLevel = /^(?:err(?:or)?|fatal|crit(?:ical)?|panic|emerg(?:ency)?|alert)$/i;
const errorWord =
  /\b(?:error|exception|fatal|panic|traceback|unhandled|segfault|out of memory|E(?:CONN\w+|TIMEDOUT|PIPE|ADDR\w+))\b/i;

/** The name of an error type, as runtimes and frameworks write it. */
const errorType = /\b[A-Z]\w*(?:Error|Exception)\b/;

/** Mentions of errors where there is none. */
const onlyMentioned =
  /\b(?:no|zero|0|without(?: any)?) (?:errors?|exceptions?)\b|\b(?:errors?|exceptions?)\s*[=:]\s*0\b|\b(?:error|exception)[ _-](?:rate|count(?:er)?|budget|handl(?:er|ing)|middleware|pages?|report(?:er|ing)|tracking|boundary|codes?)\b/gi;

/** Warnings of the runtime itself; a deprecation is not an error. */
const warning = /\b(?!Deprecation|Experimental|PendingDeprecation|Future)[A-Z]\w*Warning\b/;

/** Whether a log line reports an error. */
export function isErrorLine(text: string): boolean {
  return errorMessage(text) !== null;
}

/** The level decides for a JSON line, the words for any other. */
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
  const rest = text.replace(onlyMentioned, '');
  return [errorWord, errorType, warning].some((mark) => mark.test(rest));
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

/** Without numbers, ids, quoted values and addresses, which differ each time. */
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
