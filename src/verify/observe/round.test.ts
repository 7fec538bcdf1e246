import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unconfined } from '../../confinement/unconfined.fixture.ts';
import type { Hop, Lane, Routes, VersionTree } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { type Round, type RoundContext, type RoundPlan, runRound } from './round.ts';

let root: string;
let tree: VersionTree;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'surety-rounds-'));
  tree = { commit: '', root, top: root };
});
afterAll(() => rmSync(root, { recursive: true }));

/** Writes down the lane, and reports a check that passed. */
const command = `node -e '
  require("node:fs").appendFileSync("turns", /lane_(\\w+)/.exec(process.env.HEADERS)[1] + " ");
  console.log(JSON.stringify({ check: "ran", passed: true }));'`;

const lane = (name: string): Lane => ({ lane: `lane_${name}`, candidates: [] as const }) as never;

function routesOver(hops: Hop[]): Routes {
  return {
    publish: async () => undefined,
    forget: async () => undefined,
    address: async () => 'http://127.0.0.1:1',
    hops: async () => hops,
    take: async () => undefined,
    taken: async () => [],
  };
}

const contextOver = (hops: Hop[]): RoundContext => ({
  routes: routesOver(hops),
  host: { readLog: async () => ({ lines: [], next: 0 }), listeners: async () => [] },
  config: { services: {} },
  confinement: unconfined,
});

test('a round runs every suite on both versions, in random order', async () => {
  const suite = { command, directory: '.', environment: {} };
  const all = { one: suite, two: { ...suite, measured: false }, three: suite };
  const suites = Object.entries(all);
  const plan: RoundPlan = { control: lane('control'), candidate: lane('candidate'), tree, suites };
  const lots = [1, 0, 1];
  const random = (): Uint8Array => Uint8Array.of(lots.shift() ?? 0);
  const { control, candidate } = await runRound(plan, [], { ...contextOver([]), random });
  const turns = 'candidate control control candidate candidate control';
  expect(readFileSync(join(root, 'turns'), 'utf8').trim()).toBe(turns);
  // Requests of a suite that is not measured are not kept.
  expect(control.scenarios?.map(({ name }) => name)).toEqual(['one', 'three']);
  for (const { runs } of [control, candidate]) {
    expect(runs.map(({ result }) => result)).toEqual(['passed', 'passed', 'passed']);
  }
});

test('a round has only the hops since the last round', async () => {
  const suites = [['one', { command, directory: '.', environment: {} }] as const];
  const plan: RoundPlan = { control: lane('a'), candidate: lane('b'), tree, suites };
  const hops = [hop(), hop()];
  const rounds: Round[] = [];
  rounds.push(await runRound(plan, rounds, contextOver(hops)));
  hops.push(hop());
  rounds.push(await runRound(plan, rounds, contextOver(hops)));
  expect(rounds.map(({ control }) => control.hops.length)).toEqual([2, 1]);
});

test('a round names the suites whose requests were dropped', async () => {
  const suite = { command, directory: '.', environment: {} };
  const suites = Object.entries({ one: suite, two: suite });
  const plan: RoundPlan = { control: lane('control'), candidate: lane('other'), tree, suites };
  const context = contextOver([]);
  const routes = { ...context.routes, take: async () => undefined, taken: async () => null };
  const { control } = await runRound(plan, [], { ...context, routes });
  expect(control).toMatchObject({ scenarios: [], untaken: ['one', 'two'] });
});

test('a round reports that the router dropped calls', async () => {
  const suites = [['one', { command, directory: '.', environment: {} }] as const];
  const plan: RoundPlan = { control: lane('a'), candidate: lane('b'), tree, suites };
  const hops = [hop({ nth: 1 }), hop({ nth: 2 })];
  const whole = await runRound(plan, [], contextOver(hops));
  const rest = await runRound(plan, [whole], contextOver([...hops, hop({ nth: 3 })]));
  const cut = await runRound(plan, [whole, rest], contextOver([hop({ nth: 5 })]));
  const all = [whole, rest, cut].map(({ candidate }) => candidate.dropped);
  expect(all).toEqual([[], [], ['calls']]);
});
