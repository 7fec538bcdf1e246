import http from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { laneLimits } from '../src/lanes/limits.ts';

const require = createRequire(import.meta.url);
const context = require('../src/preload/context/context.cjs');
const { createMessages, messageMs } = require('../src/preload/messages/messages.cjs');

/** Answers with these, one after the other, and with the last one from then on. */
let answers: (string | undefined)[] = [];
let questions = 0;
const router = http.createServer((_, response) => {
  questions += 1;
  const consumer = answers.length > 1 ? answers.shift() : answers[0];
  if (consumer === undefined) response.writeHead(503).end();
  else response.writeHead(204, { 'x-surety-consumer': consumer }).end();
});

let port: number;

beforeAll(async () => {
  await new Promise<void>((resolve) => router.listen(0, '127.0.0.1', resolve));
  port = (router.address() as AddressInfo).port;
});

afterAll(() => {
  router.closeAllConnections();
  router.close();
});

const messages = () =>
  createMessages({
    router: { host: '127.0.0.1', port },
    service: 'worker',
    instance: 'worker/lane_1/1',
    lane: 'k1',
    dial: http.request,
  });

const message = { key: 'k1', name: 'orders', handedOn: {} };

describe('the consumer of a message', () => {
  test.each<[string, (string | undefined)[], string, number]>([
    ['this instance when the router names it', ['worker/lane_1/1'], 'mine', 1],
    ['another instance when the router names that one', ['baseline'], 'theirs', 1],
    [
      'the instance that the router names once it knows the lane',
      [undefined, 'baseline'],
      'theirs',
      2,
    ],
    ['nobody when the router does not know the lane twice in a row', [undefined], 'refused', 2],
  ])('is %s', async (_, given, whose, asked) => {
    answers = [...given];
    questions = 0;
    expect(await messages().whose(message)).toBe(whose);
    expect(questions).toBe(asked);
  });
});

describe('a message handler', () => {
  const keyAt = (uptimeMs: number): string | undefined => {
    vi.spyOn(process, 'uptime').mockReturnValue(uptimeMs / 1_000);
    try {
      return context.current()?.key;
    } finally {
      vi.restoreAllMocks();
    }
  };

  test(`that returns no promise keeps the key for laneLimits.messageKeyMs (${laneLimits.messageKeyMs})`, () => {
    expect(messageMs).toBe(laneLimits.messageKeyMs);
    const here = messages();
    const opened = here.open(message);
    vi.spyOn(process, 'uptime').mockReturnValue(0);
    here.serve(opened, () => undefined);
    vi.restoreAllMocks();
    context.run(opened, () => {
      expect(keyAt(messageMs - 1)).toBe('k1');
      expect(keyAt(messageMs)).toBeUndefined();
    });
  });

  test('that returns a promise keeps the key until it settles, however long that takes', async () => {
    const here = messages();
    const opened = here.open(message);
    const { promise, resolve } = Promise.withResolvers<void>();
    const served = here.serve(opened, () => promise);
    context.run(opened, () => expect(keyAt(100 * messageMs)).toBe('k1'));
    resolve();
    await served;
    context.run(opened, () => expect(keyAt(100 * messageMs)).toBeUndefined());
  });
});
