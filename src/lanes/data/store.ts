import type { Confinement } from '../../confinement/index.ts';
import type { Json } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { DataMode, Template } from '../api-schema.ts';
import type { VersionTree } from '../change/trees.ts';
import type { ShellCommand } from './run-command.ts';

export type StoreConfig = Config['datastores'][string];

export interface BranchRequest {
  readonly lane: string;
  readonly store: string;
  readonly config: StoreConfig;
  readonly mode: Exclude<DataMode, 'shared'>;
  /** Where surety.yaml stands; the user's own commands run there, not in the lane's version. */
  readonly root: string;
  /** The version whose migrations and seeds are for it. */
  readonly tree: VersionTree;
  /** For its migrations and seeds, which an agent may have written. */
  readonly confinement: Confinement;
  /** Called before a branch is created, so that the branch can be removed in any case. */
  readonly note: (branch: BranchRecord) => void;
  /** What other lanes have of this store. */
  readonly others: () => readonly BranchRecord[];
}

/** What it takes to use a branch and to drop it. Has passwords: it stays in a private file. */
export type BranchRecord = {
  readonly lane: string;
  readonly store: string;
  readonly branch: string;
  readonly kind: StoreKind;
  /** By which the branch is dropped. */
  readonly address: string;
  /** What a service of the lane gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** For a branch that a command of the user's has made. */
  readonly drop?: ShellCommand;
};

export type StoreKind = StoreConfig['kind'] | 'command';

/** What makes branches of one kind of datastore. */
export interface DataStore {
  /** Resolves with what was made, ready for use. What it leaves when it fails, `drop` removes. */
  create(request: BranchRequest): Promise<BranchRecord>;
  /** Also when nothing, or not all of it, was made. */
  drop(branch: BranchRecord): Promise<void>;
  /** Rejects if nothing answers at the address of the live store. */
  check?(config: StoreConfig): Promise<void>;
  /** The comparable content of a branch. */
  rows?(branch: BranchRecord): Promise<readonly TableRows[]>;
  /** A moment of the live data, and what was written into it since; by whom is not known. */
  mark?(config: StoreConfig): Promise<string>;
  newRows?(config: StoreConfig, mark: string): Promise<readonly TableRows[]>;
  /** The copy that branches are made from, if it keeps one. */
  template?(config: StoreConfig): Promise<Template | undefined>;
}

export interface TableRows {
  readonly table: string;
  /** Names of the columns by which a row is known; none where there is no such key. */
  readonly key: readonly string[];
  readonly rows: readonly Json[];
}

/** What a store has, table by table. */
export interface StoreRows {
  readonly store: string;
  readonly tables: readonly TableRows[];
}

/** A moment of a live datastore. */
export interface StoreMark {
  readonly store: string;
  readonly mark: string;
}

export type Stores = Readonly<Record<StoreKind, DataStore>>;

export function storeKind({ kind, branch }: StoreConfig): StoreKind {
  return typeof branch === 'object' ? 'command' : kind;
}
