import { setTimeout as delay } from 'node:timers/promises';
import type { Wish } from '../gate/gate-plan.ts';
import type { Told } from '../gate/gate-work.ts';
import { nextWish, propose } from '../gate/recovery-campaign.ts';
import type { LaneSystem } from '../systems/lane-system.ts';

/** What callers did, and what they were told. */
export class SoakLoad {
  readonly wishes: Wish[] = [];
  readonly told: Told[] = [];
  /** The texts of notes that the daemon has acknowledged, with the number of their entry. */
  readonly notes: Map<string, number> = new Map();
  readonly counts = {
    ...{ baseline: 0, unansweredByBaseline: 0, lanes: 0, inLanes: 0, refusedInLanes: 0 },
    ...{ queries: 0, failed: 0 },
  };
  readonly problems: string[] = [];
  readonly #system: LaneSystem;
  readonly #effectsUrl: string;
  readonly #random: () => number;
  readonly #running: Promise<void>[];
  #isOver = false;

  constructor(system: LaneSystem, effectsUrl: string, random: () => number) {
    this.#system = system;
    this.#effectsUrl = effectsUrl;
    this.#random = random;
    this.#running = [
      ...Array.from({ length: proposers }, () => this.#repeat(() => this.#propose())),
      this.#repeat(() => this.#note()),
      this.#repeat(() => this.#askBaseline()),
      this.#repeat(() => this.#useLane()),
      this.#repeat(() => this.#read()),
    ];
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      // Whoever is refused comes again: what counts is that no answer is wrong.
      await work().catch(() => void this.counts.failed++);
      await delay(pauseMsMax * this.#random());
    }
  }

  async #propose(): Promise<void> {
    const wish = nextWish(this.#random, this.wishes.length, 0);
    this.wishes.push(wish);
    this.told.push(await propose(this.#system.workspace, wish, this.#effectsUrl));
  }

  async #note(): Promise<void> {
    const text = `note ${this.notes.size + this.counts.failed}-${this.#random()}`;
    const client = this.#system.workspace.client();
    for (let tries = 0; tries < 3; tries++) {
      try {
        const { seq } = await client.call('POST /v1/notes', { body: { text } }, { key: text });
        this.notes.set(text, seq);
        return;
      } catch (error) {
        if (tries === 2) throw error;
        await delay(pauseMsMax);
      }
    }
  }

  async #askBaseline(): Promise<void> {
    const answer = await this.#system.baseline().catch((error) => {
      this.counts.unansweredByBaseline++;
      throw error;
    });
    this.counts.baseline++;
    if (answer !== baselineAnswer) this.problems.push(`the baseline answered ${answer}`);
  }

  async #useLane(): Promise<void> {
    const version = `v${this.counts.lanes++}`;
    const patch = this.#patchOf(version);
    const opened = await this.#system.open({ patch, ttlMs: laneTtlMs });
    const { lane } = opened.lane;
    try {
      for (let request = 0; request < 5; request++) {
        const answer = await this.#system.through(opened, lane);
        this.counts.inLanes++;
        // A service passes on what the router says about a candidate that is away.
        if (/^refused|"code":"LANE_/.test(answer)) this.counts.refusedInLanes++;
        else if (answer !== `1 1 ${version}`) {
          this.problems.push(`the lane of ${version} answered ${answer}`);
        }
        await delay(pauseMsMax * this.#random());
      }
    } finally {
      await this.#system.close(lane);
    }
  }

  /** A patch of one line, without git, which would write to a disk that may be full. */
  #patchOf(version: string): string {
    const file = 'back/version.mjs';
    return `diff --git a/${file} b/${file}
--- a/${file}
+++ b/${file}
@@ -1 +1 @@
-export const version = '1';
+export const version = '${version}';
`;
  }

  async #read(): Promise<void> {
    const client = this.#system.workspace.client();
    await client.call('GET /v1/status', {});
    await client.call('GET /v1/entries', { query: { limit: 100 } });
    await client.call('POST /v1/telemetry/query', {
      body: { sql: 'SELECT count(*) FROM requests' },
    });
    this.counts.queries++;
  }
}

const proposers = 4;
const pauseMsMax = 800;
const laneTtlMs = 60_000;
export const baselineAnswer = '1 1 1';
