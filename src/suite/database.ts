import { messageOf, required, type SuiteEnvironment, SuiteError } from './broken.ts';

/** The lane's data: its own branch, where it may write; or the live data, which it only reads. */
export interface Database {
  query<Row = Record<string, unknown>>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

interface Connection {
  query(sql: string, values: unknown[]): Promise<{ rows: unknown[] }>;
  end(): Promise<void>;
}

const patienceMs = 10_000;

/** Connects when it is first asked something. */
export class Databases {
  readonly #environment: SuiteEnvironment;
  readonly #open = new Map<string, Promise<Connection>>();

  constructor(environment: SuiteEnvironment) {
    this.#environment = environment;
  }

  /** `variable` is the one by which services are told where that store is. */
  at(variable: string): Database {
    return {
      query: async <Row>(sql: string, values: readonly unknown[] = []) => {
        const connection = await this.#connect(variable);
        return (await connection.query(sql, [...values])).rows as Row[];
      },
    };
  }

  async close(): Promise<void> {
    const open = await Promise.allSettled(this.#open.values());
    for (const one of open) if (one.status === 'fulfilled') await one.value.end();
  }

  #connect(variable: string): Promise<Connection> {
    const known = this.#open.get(variable);
    if (known) return known;
    const remedy = 'Name the datastore under suites.<name>.stores of surety.yaml.';
    const connecting = connect(required(this.#environment, variable, remedy));
    this.#open.set(variable, connecting);
    return connecting;
  }
}

async function connect(address: string): Promise<Connection> {
  // Only for suites that ask a database: the others need nothing but Node.
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
  });
  // Told by the query that fails; unheard, this would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw new SuiteError(`The database can't be reached: ${messageOf(error)}`);
  }
  return client;
}
