import type { ExportStatus } from './export/exporter.ts';
import type { ScrapeStatus } from './prometheus/scrape.ts';
import type { TelemetryFile } from './state-file.ts';
import type { SinkStatus } from './store/sink.ts';
import type { TelemetryStoreStatus } from './store/store.ts';

export interface EdgesStatus {
  readonly scrapes: readonly ScrapeStatus[];
  /** Null: nobody gets a copy. */
  readonly export: ExportStatus | null;
  /** Hops that the router could not tell. */
  readonly lostHops: number;
}

/** What is known of the process besides where it listens. */
export interface DeskStatus extends EdgesStatus {
  readonly startedAt: number;
  /** Of the settings that it was started with. */
  readonly settings: string;
  /** Why nothing is taken in at present; null if it is. */
  readonly closedBecause: string | null;
  readonly rowsPerSecond: number;
  /** What happened on the way in, by what it is called. */
  readonly counts: Readonly<Record<string, number>>;
  readonly sink: SinkStatus;
  readonly store: TelemetryStoreStatus;
}

export type TelemetryStatus = DeskStatus & Omit<TelemetryFile, 'token'>;
