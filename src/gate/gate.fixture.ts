import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Clock,
  createClock,
  createIdentifiers,
  fault,
  type Json,
  openSigningKey,
  redactSecrets,
  systemRandom,
} from '../kernel/index.ts';
import {
  announcedKeys,
  type Ledger,
  openLedger,
  type Projection,
  Projections,
  type Rebuild,
  rebuildRows,
  type StoreReader,
} from '../ledger/index.ts';
// The gate imports no adapter; its tests need a real one.
import { openSqliteReader, openSqliteStore } from '../ledger/sqlite/store.ts';
import { createGate, type Gate } from './gate.ts';
import { KeyRing } from './grants/index.ts';
import { compilePolicy, type PolicyDocument } from './language/index.ts';
import { OutcomeLog } from './outcome-log.ts';
import { PolicyBook } from './policy-book.ts';
import { gateProjections } from './projections.ts';
import { type ReplayOptions, type ReplayResult, replayDecisions } from './replay.ts';
import type { Notice, ToolCall } from './tool-call.ts';

export type ToolFunctions = Record<string, (call: ToolCall) => Promise<Json>>;

/** A clock that a test can move forward. */
export interface TestClock extends Clock {
  forward(ms: number): void;
}

export interface TestGate extends Gate {
  readonly ledger: Ledger;
  readonly clock: TestClock;
  readonly policies: PolicyBook;
  readonly notices: readonly Notice[];
  /** Requests that denied calls were charged with. */
  readonly charged: readonly number[];
  readonly directory: string;
  adopt(document: PolicyDocument): Promise<boolean>;
  kinds(): Promise<string[]>;
  replay(options?: ReplayOptions): Promise<ReplayResult>;
  rebuild(): Promise<Rebuild>;
  /** Closes and reopens, as after a crash of the process. */
  close(): Promise<void>;
}

export interface TestGateOptions {
  readonly directory: string;
  readonly policy?: PolicyDocument;
  readonly tools?: ToolFunctions;
  readonly natives?: readonly string[];
  /** Of other features. */
  readonly more?: readonly Projection[];
}

export function makeDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'surety-gate-'));
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

function testClock(): TestClock {
  const clock = createClock();
  let aheadMs = 0;
  return {
    now: () => clock.now() + aheadMs,
    keepAfter: (instant) => clock.keepAfter(instant - aheadMs),
    aheadMs: () => clock.aheadMs(),
    forward: (ms) => {
      aheadMs += ms;
    },
  };
}

/** A gate on a real SQLite ledger whose tools are functions of the test. */
export async function openTestGate(options: TestGateOptions): Promise<TestGate> {
  const { directory, policy, tools = {}, natives = [], more = [] } = options;
  const file = join(directory, 'ledger.db');
  const clock = testClock();
  const ledger = await openLedger({
    store: openSqliteStore({ file, workspace: 'default', threads: false }),
    clock,
    random: systemRandom,
    redact: redactSecrets,
    key: openSigningKey(join(directory, 'key.pem')),
    projections: [...gateProjections, ...more],
  });
  const policies = new PolicyBook(ledger);
  await policies.reload();
  const notices: Notice[] = [];
  const charged: number[] = [];
  const gate = createGate({
    ledger,
    clock,
    makeIdentifier: createIdentifiers(clock, systemRandom),
    executor: 'here',
    policies,
    isNative: (tool) => natives.includes(tool),
    runTool: async (call) => {
      const run = tools[call.contract.tool];
      if (!run) throw fault('TOOL_NOT_RUNNABLE', { tool: call.contract.tool });
      return run(call);
    },
    notify: (notice) => notices.push(notice),
    chargeDenied: (_, requests) => charged.push(requests),
    keys: new KeyRing(join(directory, 'grant-keys.json'), clock),
    outcomes: new OutcomeLog(join(directory, 'outcomes.jsonl'), redactSecrets),
  });
  const adopt = async (document: PolicyDocument): Promise<boolean> =>
    policies.adopt(compilePolicy(document), 'person:ada');
  if (policy) await adopt(policy);
  const projections = new Projections([announcedKeys, ...gateProjections, ...more]);
  const reading = async <Result>(work: (reader: StoreReader) => Promise<Result>) => {
    const reader = openSqliteReader({ file, workspace: 'default' });
    return work(reader).finally(() => reader.close());
  };
  return {
    ...gate,
    ledger,
    clock,
    policies,
    notices,
    charged,
    directory,
    adopt,
    kinds: async () => (await ledger.entries(2, 1_000)).map(({ kind }) => kind),
    replay: (replaying) => reading((reader) => replayDecisions(reader, projections, replaying)),
    rebuild: () => reading((reader) => rebuildRows(reader, projections)),
    close: () => ledger.close(),
  };
}
