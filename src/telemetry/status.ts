import type { ExportStatus } from './export/exporter.ts';
import type { ScrapeStatus } from './prometheus/scrape.ts';
import type { TelemetryFile } from './state-file.ts';
import type { SinkStatus } from './store/sink.ts';
import type { TelemetryStoreStatus } from './store/store.ts';

export interface EdgesStatus {
  readonly scrapes: readonly ScrapeStatus[];
  /** Null: there is no export. */
  readonly export: ExportStatus | null;
  /** Hops that the router could not send. */
  readonly lostHops: number;
}

/** The status of the process, without its ports. */
export interface DeskStatus extends EdgesStatus {
  readonly startedAt: number;
  /** The hash of the settings that it was started with. */
  readonly settings: string;
  /** Why nothing is accepted at present; null if rows are accepted. */
  readonly closedBecause: string | null;
  readonly rowsPerSecond: number;
  /** Counters of incoming rows, by name. */
  readonly counts: Readonly<Record<string, number>>;
  readonly sink: SinkStatus;
  readonly store: TelemetryStoreStatus;
}

export type TelemetryStatus = DeskStatus & Omit<TelemetryFile, 'token'>;
