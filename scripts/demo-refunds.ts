import { isDeepStrictEqual } from 'node:util';
import { RefundPlace } from '../tests/harness/gate/refund-place.ts';
import { chapters } from '../tests/harness/gate/refund-story.ts';
import { startPostgres } from '../tests/harness/postgres/postgres.ts';
import { say } from './steps.ts';

/**
 * `npm run demo:refunds`: an agent and a payment service that pays whatever it is told, with
 * Surety in between. It prints what it saw, and fails if that is not what should be.
 */
const started = performance.now();
let different = 0;

function tell(what: string, seen: unknown, wanted: unknown): void {
  const isSame = isDeepStrictEqual(seen, wanted);
  if (!isSame) different++;
  const text = typeof seen === 'string' ? seen : JSON.stringify(seen);
  const instead = isSame ? '' : `   instead of ${JSON.stringify(wanted)}`;
  say(`  ${isSame ? '✓' : '✗'} ${what}: ${text}${instead}`);
}

say('Setting up: PostgreSQL, the payment service, and a workspace with its daemon …');
const postgres = await startPostgres();
try {
  await using place = await RefundPlace.start(await postgres.createDatabase());
  for (const [title, chapter] of Object.entries(chapters)) {
    say(`\n${title}`);
    await chapter(place, tell);
  }
} finally {
  await postgres.stop();
}
const seconds = ((performance.now() - started) / 1_000).toFixed(0);
say(`\n${different === 0 ? 'All as it should be' : `${different} differences`}, ${seconds} s.`);
process.exitCode = different === 0 ? 0 : 1;
