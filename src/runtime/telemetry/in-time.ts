import { setTimeout as delay } from 'node:timers/promises';
import { fault } from '../../kernel/index.ts';

/** A telemetry process that is paused accepts the connection, and never answers. */
export async function inTime<Answer>(asked: Promise<Answer>, ms: number): Promise<Answer> {
  const over = new AbortController();
  const late = delay(ms, undefined, { signal: over.signal, ref: false }).then(() => {
    throw fault('TELEMETRY_UNREACHABLE', { reason: `it did not answer in ${ms / 1_000} s` });
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    asked.catch(() => undefined);
    late.catch(() => undefined);
    over.abort();
  }
}
