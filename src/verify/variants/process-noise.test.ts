import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { ComparedRounds } from '../compare/compared-rounds.ts';
import { hop } from '../compare/recorded.fixture.ts';
import type { RoundSide } from '../observe/round.ts';
import { processNoise } from './process-noise.ts';
import { suspectsOf } from './suspects.ts';
import type { Variant } from './variant.ts';

/** A process of the same code as the control, with an id of its own. */
const baseline = createServer(({ url }, answer) => {
  answer.statusCode = url === '/gone' ? 404 : 200;
  answer.end(JSON.stringify({ process: 111, open: 7 }));
});
beforeAll(() => new Promise<void>((resolve) => baseline.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => baseline.close(resolve)));

const variant = (path: string, isUnasked: boolean): Variant => ({
  what: 'asked directly',
  hop: `outside → shop GET ${path}`,
  requests: [{ method: 'GET', path, headers: [], body: null, status: 200, answer: null }],
  varied: 1,
  hasOwnIds: false,
  isUnasked,
  rank: 0,
});

async function noiseOf(
  [control, candidate]: readonly [Partial<Hop>, Partial<Hop>],
  path = '/info',
  isUnasked = true,
): Promise<number> {
  const sentAs = variant(path, isUnasked);
  const side = (more: Partial<Hop>): RoundSide => {
    const root = hop({ from: null, to: 'shop', method: 'GET', path, ...more });
    const hops = [{ ...root, variant: sentAs.what, sentAs } as Hop];
    return { runs: [], hops, logs: [], lastHop: 0 };
  };
  const round = { control: side(control), candidate: side(candidate) };
  const compared = new ComparedRounds(['shop']);
  await compared.add(round);
  const differences = compared.differences().flat();
  const suspects = suspectsOf({ variants: [sentAs], round, differences }, []);
  expect(suspects).not.toEqual([]);
  const { port } = baseline.address() as AddressInfo;
  const config = { services: { shop: { port } } } as unknown as Config;
  return (await processNoise(suspects, round, config)).size;
}

const info = (process: number, open: number): Partial<Hop> => ({
  responseBody: { process, open },
});

test('a value that differs between two processes of the same code is noise', async () => {
  expect(await noiseOf([info(222, 7), info(333, 7)])).toBe(1);
});

test('a value that the baseline and the control share is none', async () => {
  expect(await noiseOf([info(111, 7), info(111, 8)])).toBe(0);
});

test('values prove nothing if the baseline answers with another status', async () => {
  expect(await noiseOf([info(111, 7), info(111, 8)], '/gone')).toBe(1);
  expect(await noiseOf([info(111, 7), { status: 500, responseBody: null }], '/gone')).toBe(0);
});

test('requests that clients and suites make are judged without it', async () => {
  expect(await noiseOf([info(222, 7), info(333, 7)], '/info', false)).toBe(0);
});
