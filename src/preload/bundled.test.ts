import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { Scratch } from '../../tests/harness/scratch.ts';
import { Peer } from './peer.fixture.ts';
import { Service } from './service.fixture.ts';

const entry = fileURLToPath(new URL('fixtures/protocol-service.cjs', import.meta.url));

/** Everything in one file with short names, as many an application is shipped. */
async function bundle(file: string): Promise<void> {
  const built = await rolldown({ input: entry, platform: 'node', logLevel: 'silent' });
  await built.write({ file, format: 'cjs', minify: true, codeSplitting: false });
  await built.close();
}

// proves: lanes.unmodified
test('a bundled and minified application propagates its keys', async () => {
  using scratch = new Scratch();
  const file = scratch.file('bundled.cjs');
  await bundle(file);
  await using router = await Peer.open('router');
  await using baseline = await Peer.open('baseline');
  await using service = await Service.start({ file, tag: { router: router.address } });
  const ways = (await (await service.ask('/ways')).json()) as string[];
  const ask = async (way: string, key?: string): Promise<string> =>
    (await service.ask(`/call/${way}?to=${baseline.address}`, key)).text();
  for (const way of ways) {
    expect([way, await ask(way, 'k1')]).toEqual([way, 'router']);
    expect([way, await ask(way)]).toEqual([way, 'baseline']);
  }
});
