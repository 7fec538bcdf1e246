import { request } from 'node:http';
import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { Recorder } from '../service.fixture.ts';

interface Report {
  readonly key: string;
  readonly from?: string;
  readonly method?: string;
  readonly path?: string;
}

const { createReport } = createRequire(import.meta.url)('./report.cjs') as {
  createReport(settings: object): (report: Report) => void;
};

let router: Recorder;

beforeEach(async () => {
  router = await Recorder.open('router');
});
afterEach(() => router[Symbol.asyncDispose]());

const open = (port: number): ((report: Report) => void) =>
  createReport({
    router: { host: '127.0.0.1', port },
    service: 'a',
    instance: 'a/baseline/1',
    dial: request,
  });

const keys = (): string[] =>
  router.seen.map(({ headers }) => String(headers.baggage).replace('surety-lane=', ''));

describe('a report of a lost key', () => {
  test('is not held back by many reports of another lane or another kind', async () => {
    const report = open(router.port);
    for (let n = 0; n < 100; n++) report({ key: 'k1', path: `/${n}` });
    report({ key: 'k2' });
    report({ key: 'k1', method: 'timer', path: 'own' });
    report({ key: 'k1', method: 'timer', path: 'late' });
    const paths = await until('all have come', () => {
      const paths = router.seen.map(({ headers }) => headers['x-surety-path']);
      const isAll = paths.includes('own') && paths.includes('late') && keys().includes('k2');
      return isAll ? paths : null;
    });
    expect(paths.length).toBeLessThan(100);
    expect(paths).toContain('/0');
  });

  test('is sent again after the router was unreachable', async () => {
    const { port } = router;
    await router[Symbol.asyncDispose]();
    const report = open(port);
    report({ key: 'k1' });
    router = await Recorder.open('router', undefined, port);
    expect(await until('it is told', () => keys()[0])).toBe('k1');
  });
});
