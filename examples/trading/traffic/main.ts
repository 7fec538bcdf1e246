/** Sends a bounded, repeatable mix of visits to the edge and prints a JSON summary. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { planVisits, type Visit } from './plan.ts';
import { sendVisit, type Target } from './send.ts';
import { type Result, summarise } from './summary.ts';

const USAGE = `usage: node examples/trading/traffic/main.ts [--rate 20] [--count 200] [--seed 1] [--in-flight 100]
  --rate       visits per second, at most 1000
  --count      visits in all, at most 100000
  --seed       the same seed gives the same visits
  --in-flight  visits that wait for an answer at the same time, at most 100
environment: BASE_URL, TOKEN, EXPIRED_TOKEN, HEADERS (a JSON object of extra headers)
`;
const RATE_MAX = 1_000;
const COUNT_MAX = 100_000;
const IN_FLIGHT_MAX = 100;

const settings = readSettings();
if (settings === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  const started = performance.now();
  const results = await sendAll(planVisits(settings.count, settings.seed), settings);
  const summary = summarise(results, performance.now() - started);
  process.stdout.write(`${JSON.stringify(summary)}\n`);
  process.exitCode = summary.unexpected > 0 ? 1 : 0;
}

/**
 * At a steady rate, whether or not answers come, but never with more than a bounded number
 * waiting.
 */
async function sendAll(
  visits: Visit[],
  { rate, inFlightMax, target }: { rate: number; inFlightMax: number; target: Target },
): Promise<Result[]> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
  const results: Result[] = [];
  const inFlight = new Set<Promise<void>>();
  const started = performance.now();
  for (const [index, visit] of visits.entries()) {
    const waitMs = started + (index * 1000) / rate - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: stop.signal }).catch(() => {});
    if (inFlight.size >= inFlightMax) await Promise.race(inFlight);
    if (stop.signal.aborted) break;
    const sent = sendVisit(visit, target).then((answers) => void results.push(...answers));
    inFlight.add(sent);
    void sent.then(() => inFlight.delete(sent));
  }
  await Promise.all(inFlight);
  return results;
}

function readSettings() {
  try {
    const { values } = parseArgs({
      options: {
        rate: { type: 'string', default: '20' },
        count: { type: 'string', default: '200' },
        seed: { type: 'string', default: '1' },
        'in-flight': { type: 'string', default: String(IN_FLIGHT_MAX) },
      },
    });
    const rate = within(values.rate, RATE_MAX);
    const count = within(values.count, COUNT_MAX);
    const seed = within(values.seed, 0xffff_ffff);
    const inFlightMax = within(values['in-flight'], IN_FLIGHT_MAX);
    return { rate, count, seed, inFlightMax, target: targetFromEnvironment() };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  }
}

function within(text: string, max: number): number {
  const value = Number(text);
  if (value > 0 && value <= max && Number.isInteger(value)) return value;
  throw new Error(`"${text}" is not a whole number from 1 to ${max}.`);
}

function targetFromEnvironment(): Target {
  const { BASE_URL, TOKEN, EXPIRED_TOKEN, HEADERS } = process.env;
  return {
    baseUrl: BASE_URL ?? 'http://127.0.0.1:4300',
    tokens: { valid: TOKEN ?? 'trader-token', expired: EXPIRED_TOKEN ?? 'expired-token' },
    headers: JSON.parse(HEADERS ?? '{}') as Record<string, string>,
  };
}
