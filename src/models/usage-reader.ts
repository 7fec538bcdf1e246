import { StringDecoder } from 'node:string_decoder';
import type { JsonObject } from '../kernel/index.ts';
import { modelLimits } from './limits.ts';
import type { ModelApi } from './model-api.ts';
import { objectOf, type ReportedUsage } from './usage.ts';

/** Passes an answer on as it comes, and reads its usage on the way. */
export interface UsageReader {
  /** What is passed on of this piece. */
  take(piece: Uint8Array): Uint8Array;
  /** What is left to pass on at the end. */
  end(): Uint8Array;
  /** What the provider has said so far. */
  usage(): ReportedUsage;
}

type Reading = Pick<ModelApi, 'usageOf' | 'isUsageOnly'>;

/** Server-sent events: whole events are passed on, so that one can be left out. */
export function createStreamReader(api: Reading, hidesUsage: boolean): UsageReader {
  const decoder = new StringDecoder('utf8');
  const encoder = new TextEncoder();
  let waiting = '';
  let usage: ReportedUsage = {};
  const passOn = (event: string): string => {
    const said = readEvent(event);
    const found = said && api.usageOf(said);
    if (found) usage = { ...usage, ...found };
    return said && hidesUsage && api.isUsageOnly(said) ? '' : event;
  };
  return {
    take: (piece) => {
      waiting += decoder.write(piece);
      const events = waiting.split(/(?<=\r?\n\r?\n)/);
      const isWhole = /\r?\n\r?\n$/.test(events.at(-1) ?? '');
      waiting = isWhole ? '' : (events.pop() ?? '');
      const whole = events.map(passOn).join('');
      if (waiting.length <= modelLimits.modelEventCharsMax) return encoder.encode(whole);
      const long = waiting;
      waiting = '';
      return encoder.encode(whole + long);
    },
    end: () => encoder.encode(passOn(waiting + decoder.end())),
    usage: () => usage,
  };
}

function readEvent(event: string): JsonObject | undefined {
  const data = event
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).trim()] : []))
    .join('\n');
  return parse(data);
}

/** An answer in one piece. */
export function createAnswerReader(api: Reading): UsageReader {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  return {
    take: (piece) => {
      bytes += piece.length;
      if (bytes <= modelLimits.modelAnswerBytesMax) pieces.push(piece);
      return piece;
    },
    end: () => new Uint8Array(),
    usage: () => {
      if (bytes > modelLimits.modelAnswerBytesMax) return {};
      const answer = parse(Buffer.concat(pieces).toString('utf8'));
      return (answer && api.usageOf(answer)) ?? {};
    },
  };
}

function parse(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
