import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  canonicalJson,
  createClock,
  type JsonObject,
  openSigningKey,
  redactSecrets,
  sha256,
  systemRandom,
  verifyingKey,
  zeroHash,
} from '../../src/kernel/index.ts';
import {
  type Ledger,
  openLedger,
  type Store,
  type StoreReader,
  verifyLedger,
} from '../../src/ledger/index.ts';

export const callers = 64;

/** What a granted proposal looks like on the chain. */
export function body(index: number): JsonObject {
  return {
    proposal: `prop_01K9ZK3M8Q4T${index}`,
    tool: 'payments.refund',
    argumentsHash: zeroHash,
    task: 'task_01K9ZK3M8Q5VY7',
    cost: { calls: 1, money: 2999 },
    index,
  };
}

export const kind = 'proposal-recorded';
export const actor = 'agent:refunds';

/** 64 callers, each asking again as soon as it was answered. */
export async function appendConcurrently(ledger: Ledger, count: number): Promise<number> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) await ledger.append({ kind, actor, body: body(next++) });
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return count;
}

export function openBenchLedger(store: Store): Promise<Ledger> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-bench-key-'));
  const key = openSigningKey(join(directory, 'key.pem'));
  rmSync(directory, { recursive: true });
  const clock = createClock();
  return openLedger({
    store,
    clock,
    random: systemRandom,
    redact: redactSecrets,
    key,
    projections: [],
  });
}

/** The columns of an entry as the bare loop makes them: canonicalised, salted, hashed, chained. */
export class BareChain {
  #seq = 0;
  #prev = zeroHash;

  next(): [number, number, string, string, string, string, string, string, string] {
    const seq = ++this.#seq;
    const at = Date.now();
    const salt = Buffer.from(systemRandom(16)).toString('hex');
    const text = canonicalJson(body(seq));
    const digest = sha256(salt + text);
    const prev = this.#prev;
    const header = `{"actor":"${actor}","at":${at},"digest":"${digest}","kind":"${kind}","prev":"${prev}","seq":${seq},"workspace":"bare"}`;
    this.#prev = sha256(header);
    return [seq, at, kind, actor, salt, text, digest, prev, this.#prev];
  }
}

/** After the timing: as many entries as were counted, and all of them sound. */
export async function checkLedger(
  reader: StoreReader,
  ledgerKey: string[],
  entries: number,
): Promise<void> {
  const { problem, head } = await verifyLedger(reader, {
    trustedKeys: ledgerKey.map(verifyingKey),
  });
  await reader.close();
  if (problem) throw new Error(`the benchmark broke the chain: ${problem.detail}`);
  if (head.seq !== entries) throw new Error(`${head.seq} entries instead of ${entries}`);
}
