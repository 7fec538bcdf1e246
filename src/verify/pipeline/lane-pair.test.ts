import { expect, test } from 'vitest';
import { fault } from '../../kernel/index.ts';
import type { Lane, OpenLane } from '../../lanes/index.ts';
import type { VerifyContext } from './context.ts';
import { lifeOf, withLanePair } from './lane-pair.ts';

test.each([
  ['outlive the longest run', { ttlMinutes: 1, ttlMinutesMax: 240 }, 120],
  ['live at least as long as other lanes', { ttlMinutes: 200, ttlMinutesMax: 240 }, 200],
  ['live no longer than the maximum', { ttlMinutes: 1, ttlMinutesMax: 10 }, 10],
])('lanes of a run %s', (_, lanes, minutes) => {
  expect(lifeOf({ lanes: { perAgent: 5, perMachine: 100, ...lanes } })).toBe(minutes * 60_000);
});

const failure = { service: 'back', reason: 'it ended', log: 'back', lines: '', advice: '' };
const notHealthy = fault('SERVICE_UNHEALTHY', failure).with({ ...failure, lines: [] });

/** What happens to lanes when a pair is opened with this random byte. */
async function playPair(byte: number, failing: 'candidate' | 'preview' | null = null) {
  const story: string[] = [];
  const kindOf = ({ patch }: OpenLane) => (patch === undefined ? 'control' : 'candidate');
  const lanes = {
    preview: async () => {
      if (failing === 'preview') throw new Error('the change is invalid');
      return { services: ['back'], data: { db: 'branch' } };
    },
    open: async (_: string, request: OpenLane) => {
      const lane = kindOf(request);
      story.push(`open ${lane}`);
      if (lane === failing) throw notHealthy;
      if (lane === 'control')
        expect(request).toMatchObject({ services: ['back'], data: { db: 'branch' } });
      return { lane } as Lane;
    },
    close: async (_: string, lane: string) => story.push(`close ${lane}`),
  };
  const config = { lanes: { ttlMinutes: 1, ttlMinutesMax: 240 } };
  const context = { lanes, config, random: () => Uint8Array.of(byte) };
  await withLanePair(
    { base: 'b1', patch: 'p' },
    context as unknown as VerifyContext,
    async ({ control, candidate }) => story.push(`work ${control.lane} ${candidate.lane}`),
    async () => story.push('failed start'),
  ).catch((error: Error) => story.push(error.message));
  return story;
}

test('a pair is opened in random order', async () => {
  const rest = ['work control candidate', 'close candidate', 'close control'];
  expect(await playPair(0)).toEqual(['open candidate', 'open control', ...rest]);
  const turned = ['work control candidate', 'close control', 'close candidate'];
  expect(await playPair(1)).toEqual(['open control', 'open candidate', ...turned]);
});

test('a candidate that does not start leaves no lane open', async () => {
  expect(await playPair(0, 'candidate')).toEqual(['open candidate', 'failed start']);
  const first = ['open control', 'open candidate', 'failed start', 'close control'];
  expect(await playPair(1, 'candidate')).toEqual(first);
});

test('an invalid change opens no lane', async () => {
  expect(await playPair(1, 'preview')).toEqual(['the change is invalid']);
});
