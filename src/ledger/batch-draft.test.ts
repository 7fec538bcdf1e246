import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createClock, openSigningKey, redactSecrets, systemRandom } from '../kernel/index.ts';
import { openLedger } from './ledger.ts';
import { openSqliteStore } from './sqlite/store.ts';

// proves: ledger.redaction
test('a value that somebody sent as a password stays in later entries that name it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'surety-draft-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const ledger = await openLedger({
    store: openSqliteStore({
      file: join(directory, 'ledger.db'),
      workspace: 'default',
      threads: false,
    }),
    clock: createClock(),
    random: systemRandom,
    redact: redactSecrets,
    key: openSigningKey(join(directory, 'key.pem')),
    projections: [],
  });
  const base = 'fb284512753f6f1f2b1c0a9d8e7f6a5b4c3d2e1f';
  await ledger.append({
    kind: 'call-proposed',
    actor: 'agent:eve',
    body: { given: { password: base } },
  });
  await ledger.append({ kind: 'change-promoted', actor: 'surety:promotion', body: { base } });
  const bodies = [(await ledger.entry(2)).body, (await ledger.entry(3)).body];
  await ledger.close();
  expect(bodies).toEqual([{ given: { password: '[redacted]' } }, { base }]);
});
