import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFault } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { logRow, spanRow } from '../row.fixture.ts';
import { createSink } from '../store/sink.ts';
import { openTestStore, type TestStore } from '../store/store.fixture.ts';
import { guarded } from './guard.ts';
import { openQueries } from './queries.ts';

let scene: TestStore;

beforeAll(async () => {
  scene = await openTestStore();
  await scene.store.write({ spans: [spanRow()] });
});

afterAll(() => scene.remove());

const endless = 'SELECT count(*) FROM range(1000000000) a, range(1000000000) b';

test('a bounded number of queries run, a bounded number wait, and the rest are refused', async () => {
  const queries = openQueries(scene.store, { abandon: () => undefined });
  const ask = (sql: string) => queries.ask({ sql, msMax: 5_000 }).catch((error) => error);
  const running = Array.from({ length: telemetryLimits.telemetryQueriesMax }, () => ask(endless));
  const waiting = Array.from({ length: telemetryLimits.telemetryQueriesQueuedMax }, () =>
    ask('SELECT count(*) FROM spans'),
  );
  expect(isFault(await ask('SELECT 1'), 'QUERIES_TOO_MANY')).toBe(true);
  // Each of those that run is connected by now or a little later; they are interrupted in turn.
  const stop = setInterval(() => queries.interrupt(), 20);
  for (const ended of await Promise.all(running)) expect(isFault(ended)).toBe(true);
  clearInterval(stop);
  const answers = await Promise.all(waiting);
  expect(answers.filter((answer) => !isFault(answer))).not.toHaveLength(0);
  expect(await ask('SELECT count(*) FROM spans')).toMatchObject({ rows: [[1]] });
});

// proves: telemetry.fair
test('an agent that floods keeps neither the owner nor another agent waiting for long', async () => {
  const queries = openQueries(scene.store, { abandon: () => undefined });
  const outcomes: string[] = [];
  const ask = async (name: string, sql: string, caller?: string): Promise<void> => {
    const question = { sql, ...(caller === undefined ? {} : { caller }) };
    const answer = await queries.ask(question).catch((error) => error);
    outcomes.push(isFault(answer, 'QUERIES_TOO_MANY') ? `${name} refused` : name);
  };
  const short = 'SELECT count(*) FROM spans';
  const first = ask('flood', endless, 'agent:eve');
  const waiting = telemetryLimits.telemetryQueriesQueuedOfAgentMax;
  const flood = Array.from({ length: waiting + 1 }, () => ask('flood', short, 'agent:eve'));
  await Promise.race(flood);
  expect(outcomes).toEqual(['flood refused']);
  // Served while the endless query of the agent still runs.
  await ask('owner', short);
  const other = ask('other agent', short, 'agent:ada');
  const stop = setInterval(() => queries.interrupt(), 20);
  await first;
  clearInterval(stop);
  await Promise.all([other, ...flood]);
  expect(outcomes.slice(0, 4)).toEqual(['flood refused', 'owner', 'flood', 'other agent']);
  expect(outcomes).toHaveLength(waiting + 4);
});

// proves: telemetry.not-blocked
test('rows are stored while queries use all their resources', async () => {
  const queries = openQueries(scene.store, { abandon: () => undefined });
  const sink = await createSink(scene.store, {
    run: 'beside',
    relieve: () => queries.interrupt(),
  });
  let ended = 0;
  const running = Array.from({ length: telemetryLimits.telemetryQueriesMax }, () =>
    queries.ask({ sql: endless }).catch(() => ended++),
  );
  sink.take({ logs: Array.from({ length: 100 }, () => logRow()) });
  await sink.flush();
  expect(sink.status()).toMatchObject({ stored: { logs: 100 }, trouble: null });
  expect(ended).toBe(0);
  const stop = setInterval(() => queries.interrupt(), 20);
  await Promise.all(running);
  clearInterval(stop);
  await sink.close();
});

async function guardedBy(residentMb: number, work: () => Promise<unknown>): Promise<unknown> {
  const connection = await scene.store.connect();
  try {
    const options = { msMax: 60_000, residentMb: () => residentMb };
    return await guarded(connection, options, work).catch((error) => error);
  } finally {
    connection.closeSync();
  }
}

test('a query is stopped when the process has grown too large', async () => {
  const connection = await scene.store.connect();
  const ended = await guarded(
    connection,
    { msMax: 60_000, residentMb: () => telemetryLimits.telemetryResidentMbMax + 1 },
    () => connection.runAndReadAll(endless),
  ).catch((error) => error);
  connection.closeSync();
  expect(isFault(ended, 'QUERY_TOO_LARGE')).toBe(true);
  expect(await guardedBy(telemetryLimits.telemetryResidentMbMax, async () => 'done')).toBe('done');
});

test('the caller is told when a query cannot be stopped', async () => {
  const never = () => new Promise(() => undefined);
  const outcome = await guardedBy(2 * telemetryLimits.telemetryResidentMbMax + 1, never);
  expect(isFault(outcome, 'QUERY_UNSTOPPABLE')).toBe(true);
});

test('the owner of the process is asked to end it when a query cannot be stopped', async () => {
  let abandoned = 0;
  const stuck = Object.assign(Object.create(scene.store), {
    connect: async () => ({ run: () => new Promise(() => undefined), interrupt: () => undefined }),
  });
  const queries = openQueries(stuck, { abandon: () => abandoned++, residentMb: () => 1e6 });
  const outcome = await queries.ask({ sql: 'SELECT 1' }).catch((error) => error);
  expect(isFault(outcome, 'QUERY_UNSTOPPABLE')).toBe(true);
  expect(abandoned).toBe(1);
});
