import type { Confinement } from '../../confinement/index.ts';
import type { Act, MakeIdentifier } from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import type { Trees } from '../change/trees.ts';
import type { Host } from '../host/host.ts';
import type { Tagging } from '../host/instance.ts';
import type { SerialQueue } from '../lane/serial-queue.ts';
import type { Preparation } from './preparation.ts';
import type { StoreProcesses } from './store-processes.ts';

export interface BaselineDeps {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly host: Host;
  readonly trees: Trees;
  /** Always what holds now. */
  readonly config: Config;
  /** Has it be that of another version. */
  readonly follow: (commit: string) => Promise<void>;
  /** Where surety.yaml stands; services run from there when there is no repository. */
  readonly root: string;
  readonly makeIdentifier: MakeIdentifier;
  /** Asked before services start: whatever they need to be reached must be there by then. */
  readonly tagging: () => Promise<Tagging>;
  readonly preparation: Preparation;
  readonly storeProcesses: StoreProcesses;
  readonly confinement: Confinement;
  /** Queued with promotions: a running promotion would restart what `down` stopped. */
  readonly promoting: SerialQueue;
  /** Tells the router what there is. */
  readonly publish: () => Promise<void>;
}
