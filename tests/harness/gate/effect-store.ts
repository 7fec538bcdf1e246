import { DatabaseSync } from 'node:sqlite';

const schema = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS effects
    (seq INTEGER PRIMARY KEY, key TEXT NOT NULL, stuck INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS effects_by_key ON effects (key);
  CREATE TABLE IF NOT EXISTS fences (resource TEXT PRIMARY KEY, fence INTEGER NOT NULL) STRICT`;

/** What really happened, and the last fence that was shown for each resource. */
export class EffectStore {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(schema);
  }

  /** One more effect; false if a later holder of one of its resources was here. */
  add(key: string, isStuck: boolean, fences: string): boolean {
    if (!this.pass(fences)) return false;
    const insert = this.#database.prepare('INSERT INTO effects (key, stuck) VALUES (?, ?)');
    insert.run(key, Number(isStuck));
    return true;
  }

  /** `resource=number, …`, as the runtime sends it. */
  pass(fences: string): boolean {
    const shown = fences
      .split(', ')
      .filter(Boolean)
      .map((text): [string, number] => [
        text.slice(0, text.lastIndexOf('=')),
        Number(text.slice(text.lastIndexOf('=') + 1)),
      ]);
    if (shown.some(([resource, fence]) => fence < this.#fenceOf(resource))) return false;
    for (const [resource, fence] of shown) {
      this.#database.prepare('INSERT OR REPLACE INTO fences VALUES (?, ?)').run(resource, fence);
    }
    return true;
  }

  state(key: string): { key: string; count: number; stuck: boolean; cancelled: number } {
    const [{ count, stuck }] = this.#counts(key) as [{ count: number; stuck: number }];
    const [{ count: cancelled }] = this.#counts(`cancel:${key}`) as [{ count: number }];
    return { key, count, stuck: stuck > 0, cancelled };
  }

  counts(): Record<string, number> {
    const all = this.#database.prepare('SELECT key, count(*) AS count FROM effects GROUP BY key');
    return Object.fromEntries(all.all().map(({ key, count }) => [key, Number(count)]));
  }

  #counts(key: string): object[] {
    const sql = 'SELECT count(*) AS count, total(stuck) AS stuck FROM effects WHERE key = ?';
    return this.#database.prepare(sql).all(key);
  }

  #fenceOf(resource: string): number {
    const find = this.#database.prepare('SELECT fence FROM fences WHERE resource = ?');
    return Number(find.get(resource)?.fence ?? 0);
  }
}
