import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import type { Lane } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { findWriteChanges } from '../compare/writes.ts';
import { ownWrites, watchSharedWrites } from './shared-writes.ts';

const order = (n: number): string => `ord_${n}f3a77c1-0000-4000-8000-000000000001`;

const lane = (name: string, mode = 'shared'): Lane =>
  ({
    lane: name,
    candidates: [{ service: 'payments', version: 'changed' }],
    data: [{ store: 'db', mode, branch: mode === 'shared' ? null : 'own' }],
  }) as unknown as Lane;

const asked = (id: string) => ({ hops: [hop({ path: `/orders/${id}/payment` })] });

type Sent = { readonly hops: readonly ReturnType<typeof hop>[] };

async function writesWith(
  rows: readonly Json[],
  mode?: string,
  [was, is]: readonly [Sent, Sent] = [asked(order(1)), asked(order(2))],
) {
  const config = { services: { payments: { stores: ['db'] } } } as never;
  const liveData = {
    markLive: async (stores: readonly string[]) => stores.map((store) => ({ store, mark: '7' })),
    liveRowsSince: async () => [{ store: 'db', tables: [{ table: 'charges', key: [], rows }] }],
  };
  const pair = { control: lane('one', mode), candidate: lane('two', mode) };
  const read = await watchSharedWrites(pair, { lanes: { liveData }, config });
  return read(was, is);
}

// proves: verify.shared-writes
describe('rows in data that both versions share', () => {
  test('belong to the version that sent or was answered an id in them, others to nobody', async () => {
    const rows = [{ key: order(1) }, { key: `${order(2)}:card` }, { key: order(3) }, { n: 12 }];
    const { control, candidate } = await writesWith(rows);
    expect(control.writes?.map(({ row, forms }) => [row, forms])).toEqual([
      [{ key: order(1) }, { key: '<id>' }],
    ]);
    expect(candidate.writes?.map(({ forms, service }) => [service, forms])).toEqual([
      ['payments', { key: '<id>:card' }],
    ]);
  });

  test('belong to nobody by a date or a number, which others have as well', async () => {
    const rows = [{ at: '2026-11-18T01:50:12.345Z' }, { at: '20261118T015012Z', cents: 123456789 }];
    const sent = [{ hops: [hop({ responseBody: rows })] }, { hops: [hop()] }] as const;
    const { control } = await writesWith(rows, 'shared', sent);
    expect(control.writes).toEqual([]);
  });

  test('are not read where a lane has the data for itself', async () => {
    expect(await writesWith([{ key: order(1) }], 'branch')).toEqual({ control: {}, candidate: {} });
  });

  const charges = (key: (id: string) => string, id: string, more: Json[] = []) => ({
    hops: [],
    writes: ownWrites(
      [{ store: 'db', tables: [{ table: 'charges', key: [], rows: [{ key: key(id) }, ...more] }] }],
      new Set([id, id.slice('ord_'.length)]),
      () => 'payments',
    ),
  });
  const plain = (id: string): string => id;
  const known = { baseline: charges(plain, order(1)), control: charges(plain, order(2)) };

  test('show a key that is made otherwise, though every key is new', () => {
    const candidate = charges((id) => `${id}-0042`, order(3));
    const found = findWriteChanges({ ...known, candidate });
    expect(found.map(({ what, place }) => `${what} ${place}`)).toContain(
      'form-changed write db.charges key',
    );
    expect(findWriteChanges({ ...known, candidate: charges(plain, order(3)) })).toEqual([]);
  });

  test('show nothing where known runs disagree, or where one was not read', () => {
    const random = { ...known, control: charges((id) => `${id}-1`, order(2)) };
    const candidate = charges((id) => `${id}-2`, order(3));
    const forms = findWriteChanges({ ...random, candidate }).map(({ what }) => what);
    expect(forms).not.toContain('form-changed');
    expect(findWriteChanges({ ...known, candidate: { hops: [] } })).toEqual([]);
  });
});
