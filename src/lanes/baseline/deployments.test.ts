import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../kernel/index.ts';
import type { Entry } from '../../ledger/index.ts';
import type { Deployment } from '../api-schema.ts';
import { laneLimits } from '../limits.ts';
import { type DeploymentsRow, recentDeployments } from './deployments.ts';

/** What is known after these entries. */
function play(...entries: readonly (readonly [kind: string, body: JsonObject])[]) {
  const rows = new Map<string, Json>();
  const access = {
    get: <Value extends Json>(key: string) => rows.get(key) as Value | undefined,
    set: (key: string, value: Json | undefined) => void rows.set(key, value ?? null),
  };
  for (const [index, [kind, body]] of entries.entries()) {
    const entry = {
      kind,
      body,
      actor: 'person:ada',
      at: index,
      seq: index + 1,
    } as unknown as Entry;
    recentDeployments.apply(access, entry);
  }
  return (rows.get('deployments') as DeploymentsRow).recent;
}

const deployed = (version: string) =>
  ['deployment-recorded', { service: 'orders', version, previous: '', note: '' }] as const;

describe('the record of deployments', () => {
  test('holds promotions by service, configurations and policies', () => {
    const promotion = { commit: 'c2', base: 'c1', services: ['orders', 'edge'], reason: 'r' };
    const configuration = { version: 'k2', previous: 'k1', sections: ['lanes'], services: [] };
    const recent = play(
      ['change-promoted', promotion],
      ['configuration-changed', configuration],
      ['configuration-changed', { ...configuration, services: ['edge'] }],
      ['policy-adopted', { hash: 'p1', mode: 'enforce' }],
      ['policy-adopted', { hash: 'p2', mode: 'enforce' }],
    );
    const common = { actor: 'person:ada' };
    expect(recent).toEqual(
      [
        { kind: 'promotion', service: 'orders', version: 'c2', previous: 'c1', note: 'r', seq: 1 },
        { kind: 'promotion', service: 'edge', version: 'c2', previous: 'c1', note: 'r', seq: 1 },
        { kind: 'configuration', service: '', version: 'k2', previous: 'k1', seq: 2 },
        { kind: 'configuration', service: 'edge', version: 'k2', previous: 'k1', seq: 3 },
        { kind: 'configuration', version: 'p1', previous: '', note: 'policy', seq: 4 },
        { kind: 'configuration', version: 'p2', previous: 'p1', note: 'policy', seq: 5 },
      ].map((one) => expect.objectContaining({ ...common, ...one, at: one.seq - 1 })),
    );
  });

  test('names the previous version of a service, also when a promotion deployed it', () => {
    const promotion = { commit: 'c2', base: 'c1', services: ['orders'] };
    const recent = play(deployed('v1'), ['change-promoted', promotion], deployed('v2'));
    expect(recent.map(({ previous }) => previous)).toEqual(['', 'c1', 'c2']);
  });

  test('is kept up to the limit', () => {
    const many = (count: number): readonly Deployment[] =>
      play(...Array.from({ length: count }, (_, n) => deployed(`v${n}`)));
    expect(many(laneLimits.recentDeploymentsMax)[0]).toMatchObject({ version: 'v0' });
    const more = many(laneLimits.recentDeploymentsMax + 1);
    expect(more).toHaveLength(laneLimits.recentDeploymentsMax);
    expect(more[0]).toMatchObject({ version: 'v1' });
  });
});
