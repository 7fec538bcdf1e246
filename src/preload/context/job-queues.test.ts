import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { serviceNodes } from '../old-node.fixture.ts';
import { Recorder, Service } from '../service.fixture.ts';

const queues = ['p-limit', 'p-queue', 'fastq', 'fastq.promise'];

describe.each(serviceNodes)('jobs that wait in a queue inside the program, on %s', (node) => {
  let router: Recorder;
  let baseline: Recorder;
  let service: Service;

  beforeAll(async () => {
    router = await Recorder.open('router');
    baseline = await Recorder.open('baseline');
    const tag = { router: `127.0.0.1:${router.port}` };
    service = await Service.start({ file: 'job-service.cjs', node, tag });
  });

  afterAll(async () => {
    for (const one of [service, router, baseline]) await one?.[Symbol.asyncDispose]();
  });

  const text = async (path: string, key?: string): Promise<string> =>
    (await service.ask(path, key)).text();

  // proves: lanes.isolation
  test.each(queues)('keep the key of the request that queued them (%s)', async (by) => {
    const path = `/job?by=${by}&to=http://127.0.0.1:${baseline.port}/`;
    const asked: Promise<string>[] = [];
    for (const key of ['k1', undefined, 'k2', undefined, 'k1']) {
      asked.push(text(path, key));
      await until('it is in the queue', async () => Number(await text('/count')) === asked.length);
    }
    await text('/release');
    expect(await Promise.all(asked)).toEqual([
      'router',
      'baseline',
      'router',
      'baseline',
      'router',
    ]);
    expect(router.take().map(({ headers }) => headers.baggage)).toEqual([
      'surety-lane=k1',
      'surety-lane=k2',
      'surety-lane=k1',
    ]);
  });
});

test('a fastq queue shows its tasks unchanged', async () => {
  const require = createRequire(import.meta.url);
  const { tagFastq } = require('./job-queues.cjs');
  const module = { exports: require('fastq') };
  tagFastq(module.exports, module);
  const failed: unknown[] = [];
  const queue = module.exports((task: string, done: (error: Error) => void) => {
    done(new Error(`${task} failed`));
  }, 1);
  queue.error((error: Error | null, task: string) => failed.push(error?.message, task));
  queue.pause();
  queue.push('b');
  queue.unshift('a');
  expect(queue.getQueue()).toEqual(['a', 'b']);
  queue.resume();
  await until('all are done', () => queue.idle());
  expect(failed).toEqual(['a failed', 'a', 'b failed', 'b']);
});
