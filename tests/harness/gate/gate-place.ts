import { join } from 'node:path';
import {
  compilePolicy,
  createGate,
  type Gate,
  gateProjections,
  KeyRing,
  type Notice,
  OutcomeLog,
  PolicyBook,
  type PolicyDocument,
} from '../../../src/gate/index.ts';
import {
  type Clock,
  createClock,
  createIdentifiers,
  type MakeIdentifier,
  openSigningKey,
  redactSecrets,
  systemRandom,
} from '../../../src/kernel/index.ts';
import {
  type Ledger,
  openLedger,
  type Store,
  type StoreReader,
} from '../../../src/ledger/index.ts';
import { openPostgresReader, openPostgresStore } from '../../../src/ledger/postgres/store.ts';
import { openSqliteReader, openSqliteStore } from '../../../src/ledger/sqlite/store.ts';
import { isNative, natives } from '../../../src/runtime/tools/natives.ts';
import { createToolRunner } from '../../../src/runtime/tools/tool-runner.ts';

/** Where a gate keeps its things: a directory, and the ledger there or in PostgreSQL. */
export interface GatePlace {
  readonly directory: string;
  readonly postgresUrl?: string;
  readonly executor: string;
}

export interface OpenGate extends Gate {
  readonly ledger: Ledger;
  readonly makeIdentifier: MakeIdentifier;
  readonly notices: readonly Notice[];
  close(): Promise<void>;
}

export interface GateOptions {
  readonly policy: PolicyDocument;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly aroundStore?: (store: Store) => Store;
}

const workspace = 'default';

/** The gate with its real ledger and its real runner of tools, and without the rest of a daemon. */
export async function openGateAt(place: GatePlace, options: GateOptions): Promise<OpenGate> {
  const { directory, executor } = place;
  const { clock = createClock(), aroundStore = (store) => store } = options;
  const key = openSigningKey(join(directory, `${executor}.pem`));
  const ledger = await openLedger({
    store: aroundStore(await openStore(place)),
    clock,
    random: systemRandom,
    redact: redactSecrets,
    key,
    projections: gateProjections,
  });
  const policies = new PolicyBook(ledger);
  await policies.reload();
  const notices: Notice[] = [];
  const makeIdentifier = createIdentifiers(clock, systemRandom);
  const gate = createGate({
    ledger,
    clock,
    makeIdentifier,
    executor,
    policies,
    isNative,
    runTool: createToolRunner(new Map(), options.environment),
    notify: (notice) => notices.push(notice),
    keys: new KeyRing(join(directory, `${executor}-grants.json`), clock),
    outcomes: new OutcomeLog(join(directory, `${executor}-outcomes.jsonl`), redactSecrets),
  });
  await policies.adopt(compilePolicy(options.policy, { natives }), 'person:root');
  return { ...gate, ledger, makeIdentifier, notices, close: () => ledger.close() };
}

async function openStore({ directory, postgresUrl }: GatePlace): Promise<Store> {
  if (postgresUrl) return openPostgresStore({ url: postgresUrl, workspace });
  return openSqliteStore({ file: join(directory, 'ledger.db'), workspace });
}

export async function openReaderAt({ directory, postgresUrl }: GatePlace): Promise<StoreReader> {
  if (postgresUrl) return openPostgresReader({ url: postgresUrl, workspace });
  return openSqliteReader({ file: join(directory, 'ledger.db'), workspace });
}
