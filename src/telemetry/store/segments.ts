import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import {
  attachSegment,
  createSegment,
  detachSegment,
  filesOf,
  readAbout,
  removeSegmentFiles,
  type Segment,
  segmentAt,
  segmentBytes,
  segmentsIn,
  segmentVersion,
} from './segment.ts';
import { troubleOf } from './trouble.ts';
import { viewStatements } from './views.ts';

/** A segment that can be queried. */
export interface OpenSegment extends Segment {
  readonly openedMs: number;
}

/** An unreadable file that was moved away. */
export interface QuarantinedFile {
  readonly file: string;
  readonly reason: string;
}

/** All segments of a directory; the last one is written to. */
export class Segments {
  readonly setAside: QuarantinedFile[] = [];
  readonly #connection: DuckDBConnection;
  readonly #directory: string;
  #open: OpenSegment[] = [];

  constructor(connection: DuckDBConnection, directory: string) {
    this.#connection = connection;
    this.#directory = directory;
  }

  get all(): readonly OpenSegment[] {
    return this.#open;
  }

  get bytes(): number {
    return this.#open.reduce((sum, segment) => sum + segmentBytes(segment), 0);
  }

  /** Opens the existing segments, except one that had to be closed. */
  async openAll(): Promise<void> {
    const known = new Set(this.#open.map((segment) => segment.number));
    for (const segment of segmentsIn(this.#directory)) {
      if (!known.has(segment.number)) await this.#openOne(segment);
    }
    this.#open.sort((one, other) => one.number - other.number);
    await this.#showAll();
  }

  /** The segment to write to. */
  async active(nowMs: number): Promise<OpenSegment> {
    // A segment that had to be closed and could not be reopened may be readable by now.
    const last = segmentsIn(this.#directory).at(-1)?.number;
    if (this.#open.at(-1)?.number !== last) await this.openAll();
    if (this.#open.length === 0) await this.begin(nowMs);
    return this.#open.at(-1) as OpenSegment;
  }

  /** Begins a new active segment. */
  async begin(nowMs: number): Promise<void> {
    const last = segmentsIn(this.#directory).at(-1)?.number ?? 0;
    const segment = segmentAt(this.#directory, last + 1);
    try {
      await createSegment(this.#connection, segment, nowMs);
    } catch (error) {
      await detachSegment(this.#connection, segment);
      removeSegmentFiles(segment);
      throw error;
    }
    this.#open.push({ ...segment, openedMs: nowMs });
    await this.#showAll();
  }

  /** Drops a segment; running queries can finish reading it. */
  async drop(segment: OpenSegment): Promise<void> {
    await this.#close(segment);
    removeSegmentFiles(segment);
  }

  /**
   * After a failed write, DuckDB refuses the file until it is opened again and recovers what was
   * committed.
   */
  async reopen(segment: OpenSegment): Promise<void> {
    await this.#close(segment);
    await this.openAll();
  }

  async #close(segment: OpenSegment): Promise<void> {
    this.#open = this.#open.filter((other) => other.number !== segment.number);
    await this.#showAll();
    await detachSegment(this.#connection, segment);
  }

  async #openOne(segment: Segment): Promise<void> {
    try {
      await attachSegment(this.#connection, segment);
      const { version, openedMs } = await readAbout(this.#connection, segment);
      if (version !== segmentVersion) throw new Error(`it has version ${version}`);
      this.#open.push({ ...segment, openedMs });
    } catch (error) {
      await detachSegment(this.#connection, segment);
      if (troubleOf(error) !== null) throw error;
      this.#putAside(segment, (error as Error).message);
    }
  }

  // Telemetry can be collected again, so continuing matters more than an old file.
  #putAside(segment: Segment, reason: string): void {
    // Outside of the directory that DuckDB can access.
    const place = join(dirname(this.#directory), 'unreadable');
    // Files of earlier starts: nobody has looked at them, and they take space.
    if (this.setAside.length === 0) rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true, mode: 0o700 });
    for (const file of filesOf(segment)) {
      if (existsSync(file)) renameSync(file, join(place, basename(file)));
    }
    this.setAside.push({ file: join(place, basename(segment.file)), reason });
  }

  async #showAll(): Promise<void> {
    const statements = viewStatements(this.#open.map((segment) => segment.name));
    await this.#connection.run(`BEGIN; ${statements.join('; ')}; COMMIT`);
  }
}
