import type { HypothesisClass } from '../api-schema.ts';

/** A kind of cause, how to recognise that a change may be one, and what would prove it. */
export interface CauseClass {
  readonly name: HypothesisClass;
  /** Matches changed lines. The first class that matches names the hypothesis. */
  readonly pattern: RegExp;
  readonly mechanism: string;
  readonly confirms: string;
  readonly refutes: string;
}

const takenBack = 'the symptom stays when the change alone is taken back';
const separates = (what: string): string =>
  `${what} in every failing and in no healthy request, and the symptom ends without the change`;

/** From the most special to the most general; the last one matches every line. */
export const causeClasses: readonly CauseClass[] = [
  {
    name: 'retry-storm',
    pattern: /\b(?:retr(?:y|ies)|attempts?|backoff)\b/i,
    mechanism: 'calls are repeated more often, and their number grows with every failure',
    confirms: separates('more attempts'),
    refutes: takenBack,
  },
  {
    name: 'pool-exhaustion',
    pattern:
      /\b(?:pool(?:Size)?|max(?:Connections|Sockets)|connectionLimit|concurrency|semaphore)\b/i,
    mechanism: 'requests wait for a connection or a place that others hold',
    confirms: separates('a smaller or longer held pool'),
    refutes: takenBack,
  },
  {
    name: 'dependency',
    pattern: /\b(?:timeout(?:Ms)?|deadline|https?:|_URL|fetch\(|connect\(|hostname|address)\b/i,
    mechanism: 'a service that is called is slow, fails, or is another one',
    confirms: separates('another address, timeout or answer'),
    refutes: takenBack,
  },
  {
    name: 'stale-cache',
    pattern: /\b(?:cache[ds]?|memo(?:ize)?|ttl|remember|new Map\()\b/i,
    mechanism: 'an old answer is used again after it has become wrong',
    confirms: separates('a value from an earlier request'),
    refutes: takenBack,
  },
  {
    name: 'n-plus-one',
    pattern: /\bfor\s*(?:await)?\s*\(.*\bawait\b|await\b.*\.map\(|\.map\(\s*async/,
    mechanism: 'one call is made for each item in place of one for all',
    confirms: separates('one call for each item'),
    refutes: takenBack,
  },
  {
    name: 'leak',
    pattern: /\b(?:setInterval|addListener|\.on\(|\.push\(|\.set\()/,
    mechanism: 'something is kept for every request and never given back',
    confirms: separates('a size that only grows'),
    refutes: takenBack,
  },
  {
    name: 'permission',
    pattern:
      /\b(?:scope[sd]?|role[s]?|permi(?:t|ssion)s?|allow(?:ed)?|den(?:y|ied)|auth\w*|token)\b/i,
    mechanism: 'a request is let in or kept out by another rule',
    confirms: separates('the other decision'),
    refutes: takenBack,
  },
  {
    name: 'flag',
    pattern: /\b(?:flags?|feature|toggle|enabled|isOn)\b/i,
    mechanism: 'a flag turns another path on or off',
    confirms: separates('the other value of the flag'),
    refutes: takenBack,
  },
  {
    name: 'configuration',
    pattern: /\bprocess\.env\b|\benvironment\b|\bconfig\w*\b/i,
    mechanism: 'a value of the environment or the configuration is another one',
    confirms: separates('the other value'),
    refutes: takenBack,
  },
  {
    name: 'time',
    pattern: /\b(?:Date|UTC|time[zZ]one|toISOString|getHours|Ms)\b/,
    mechanism: 'a time is read in another unit, zone or clock',
    confirms: separates('another time'),
    refutes: takenBack,
  },
  {
    name: 'resource-limit',
    pattern: /\b(?:memory|heap|cpu|limit[s]?|quota)\b/i,
    mechanism: 'a bound is reached that was not reached before',
    confirms: separates('the other bound'),
    refutes: takenBack,
  },
  {
    name: 'type-or-shape',
    pattern: /\b(?:String|Number|JSON|format\w*|toString|toFixed|parse\w*|as unknown)\s*\(/,
    mechanism: 'a value has another type or shape than its readers expect',
    confirms: separates('the other type'),
    refutes: takenBack,
  },
  {
    name: 'threshold-or-branch',
    pattern: /[<>]=?|[!=]==?|\bif\b|\?\s|\bswitch\b|THRESHOLD|_MAX|_MIN/,
    mechanism: 'a comparison goes the other way',
    confirms: separates('the other value or branch'),
    refutes: takenBack,
  },
  {
    name: 'data',
    pattern: /(?:)/,
    mechanism: 'a value is missing, or another one than before',
    confirms: separates('the other value'),
    refutes: takenBack,
  },
];

export function classOf(changedText: string): CauseClass {
  const found = causeClasses.find(({ pattern }) => pattern.test(changedText));
  return found ?? (causeClasses.at(-1) as CauseClass);
}
