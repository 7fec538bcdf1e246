import { expect } from 'vitest';
import {
  announcedKeys,
  type Projection,
  Projections,
  rebuildRows,
  type StoreReader,
  type Verification,
  verifyLedger,
} from '../../src/ledger/index.ts';
import { accounts } from '../../src/ledger/ledger.fixture.ts';

export interface SoundLedger extends Verification {
  /** The text of every note, with the numbers of the entries that have it. */
  readonly notes: ReadonlyMap<string, readonly number[]>;
}

const testProjections: readonly Projection[] = [announcedKeys, accounts];

/** Fails unless the chain verifies and the rows are what it says; tells which notes are on it. */
export async function expectSound(
  open: () => StoreReader | Promise<StoreReader>,
  projections = testProjections,
): Promise<SoundLedger> {
  const reader = await open();
  try {
    const verification = await verifyLedger(reader, { trustedKeys: [] });
    expect(verification.problem).toBeNull();
    const { differences } = await rebuildRows(reader, new Projections(projections));
    expect(differences).toEqual([]);
    return { ...verification, notes: await readNotes(reader) };
  } finally {
    await reader.close();
  }
}

/** The text of every note, with the numbers of the entries that have it. */
export async function readNotes(reader: StoreReader): Promise<Map<string, number[]>> {
  const notes = new Map<string, number[]>();
  for await (const page of reader.scanContents(0)) {
    for (const { name, seq, value } of page) {
      if (name !== 'text' || value === null) continue;
      const text = JSON.parse(value) as string;
      notes.set(text, [...(notes.get(text) ?? []), seq]);
    }
  }
  return notes;
}
