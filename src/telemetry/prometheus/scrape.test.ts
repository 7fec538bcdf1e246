import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { createClock, sharedLimits } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { CollectedRows } from '../rows.fixture.ts';
import { readTargets, Scraper, type ScrapeStatus, type ScrapeTarget } from './scrape.ts';

const paths: Readonly<Record<string, RequestListener>> = {
  '/metrics': (_, response) => response.end('up 1\n# TYPE a_total counter\na_total 3\n'),
  '/broken': (_, response) => response.writeHead(500).end('up 1\n'),
  '/garbage': (_, response) => response.end('up 1\n<html>\n'),
  '/endless': (_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write('x 1\n'.repeat(100_000)));
    };
    response.on('drain', more);
    more();
  },
  '/silent': () => undefined,
};
const server = createServer((request, response) => paths[request.url ?? '']?.(request, response));
const scrapers: Scraper[] = [];
let address = '';

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  for (const scraper of scrapers) scraper.stop();
  server.closeAllConnections();
  server.close();
});

function start(): { scraper: Scraper; sink: CollectedRows } {
  const sink = new CollectedRows();
  const scraper = new Scraper({ sink, clock: createClock() });
  scrapers.push(scraper);
  return { scraper, sink };
}

const target = (path: string, more: Partial<ScrapeTarget> = {}): ScrapeTarget => ({
  service: path.slice(1),
  instance: `${path.slice(1)}/1`,
  lane: '',
  url: path.startsWith('/') ? address + path : path,
  everyMs: sharedLimits.scrapeEveryMsMin,
  ...more,
});

describe('scrape targets', () => {
  test('are scraped repeatedly, although others are dead, silent or endless', async () => {
    const { scraper, sink } = start();
    const all = ['/metrics', '/broken', '/garbage', '/endless', '/silent'].map((path) =>
      target(path),
    );
    scraper.follow([...all, target('/dead', { url: 'http://127.0.0.1:1/metrics' })]);
    const failed = (service: string) => (status: ScrapeStatus) =>
      status.service === service && status.failures > 0;
    await until('all but the silent one were asked', () => {
      const status = scraper.status();
      const bad = ['broken', 'garbage', 'endless', 'dead'];
      return bad.every((service) => status.some(failed(service)));
    });
    await until('one was asked twice', () => ofService(sink, 'metrics').length >= 4);
    const problems = Object.fromEntries(
      scraper.status().map(({ service, problem }) => [service, problem]),
    );
    expect(problems).toEqual({
      metrics: null,
      broken: 'it answered with status 500',
      garbage: '1 lines could not be read',
      endless: `the answer is larger than ${telemetryLimits.scrapeBytesMax} bytes`,
      silent: null,
      dead: expect.stringContaining('ECONNREFUSED'),
    });
    expect(ofService(sink, 'metrics').slice(0, 2)).toMatchObject([
      { name: 'up', kind: 'gauge', value: 1, instance: 'metrics/1' },
      { name: 'a_total', kind: 'counter', value: 3 },
    ]);
    expect(ofService(sink, 'garbage')[0]).toMatchObject({ name: 'up' });
    expect(ofService(sink, 'broken')).toEqual([]);
  });

  test('that are removed are no longer scraped, and the others keep their counts', async () => {
    const { scraper, sink } = start();
    const [stays, goes] = [target('/metrics'), target('/metrics', { service: 'goes' })];
    scraper.follow([stays, goes]);
    await until('both answered', () => scraper.status().every(({ points }) => points === 2));
    scraper.follow([stays]);
    expect(scraper.status()).toMatchObject([{ service: 'metrics', points: 2, failures: 0 }]);
    const before = ofService(sink, 'goes').length;
    const asked = ofService(sink, 'metrics').length;
    await until('one was asked again', () => ofService(sink, 'metrics').length > asked);
    expect(ofService(sink, 'goes')).toHaveLength(before);
  });
});

test('valid scrape targets are read and invalid ones are ignored', () => {
  const url = 'http://127.0.0.1:1/metrics';
  const target = { service: 'a', instance: 'a/1', lane: 'lane_1', url, everyMs: 1 };
  expect(readTargets({ targets: [target, { url: 'nowhere' }, 7] })).toEqual([
    { ...target, everyMs: sharedLimits.scrapeEveryMsMin },
  ]);
  expect(readTargets({})).toEqual([]);
});

function ofService({ rows }: CollectedRows, service: string) {
  return rows.metrics.filter((row) => row.service === service);
}
