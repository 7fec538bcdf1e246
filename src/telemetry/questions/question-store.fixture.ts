import type { AskedText, QuestionAnswer, TableRow } from '../api-schema.ts';
import { ask as askStore } from '../query/ask.ts';
import type { TelemetryRows } from '../rows.ts';
import { openTestStore } from '../store/store.fixture.ts';
import { type Asker, ask } from './ask.ts';
import { noon } from './rows.fixture.ts';
import { tableOf } from './table.ts';

/** A real store with these rows in it, asked a minute after noon. */
export class QuestionStore {
  readonly asker: Asker;
  readonly remove: () => Promise<void>;

  private constructor(asker: Asker, remove: () => Promise<void>) {
    this.asker = asker;
    this.remove = remove;
  }

  static async open(rows: Partial<TelemetryRows>): Promise<QuestionStore> {
    const { store, remove } = await openTestStore();
    await store.write(rows);
    const query = async (sql: string) => tableOf(await askStore(store, { sql }));
    return new QuestionStore({ query, now: noon + 60_000 }, remove);
  }

  ask(question: string, given: AskedText = {}): Promise<QuestionAnswer> {
    return ask(question, given, this.asker);
  }

  async rows(question: string, given: AskedText = {}): Promise<readonly TableRow[]> {
    return (await this.ask(question, given)).rows;
  }
}
