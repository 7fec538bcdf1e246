/** A gate in a process of its own that works through a plan, and is killed where it was told. */
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { type CrashPoint, crasher, crashingFetch, crashingStore } from './gate-crash-point.ts';
import { type GatePlace, openGateAt } from './gate-place.ts';
import { crashPolicy, plan, type Wish } from './gate-plan.ts';
import { work } from './gate-work.ts';

export interface GateJob {
  readonly place: GatePlace;
  readonly seed: number;
  readonly effectsUrl: string;
  readonly crash: CrashPoint | null;
  /** Instead of those of the seed. */
  readonly wishes?: readonly Wish[];
  readonly lease?: string;
  /** Whether it leaves alone what others may have left. */
  readonly isBlind?: boolean;
}

const job = JSON.parse(process.argv[2] ?? '') as GateJob;
const { place, seed, effectsUrl, crash, lease, wishes = plan(seed) } = job;
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const reach = crasher(crash);
globalThis.fetch = crashingFetch(globalThis.fetch, reach);

const gate = await openGateAt(place, {
  policy: crashPolicy(lease),
  environment: { EFFECTS_URL: effectsUrl },
  aroundStore: (store) => crashingStore(store, reach),
});
// Node would write it at its end, which kill -9 does not let come.
flushCompileCache();
await gate.recoverInterrupted();
if (!job.isBlind) await gate.maintain((error) => say({ trouble: String(error) }));
await work(gate, wishes, effectsUrl, (told) => say({ told }));
await gate.close();
say({ done: true });
