import { type PostgresQuery, quoted } from './session.ts';

interface Locale {
  readonly encoding: string;
  readonly collate: string;
  readonly ctype: string;
  readonly icu: string | null;
}

/** An empty database with the encoding and the order of texts of the one we are connected to. */
export async function createLike(query: PostgresQuery, name: string): Promise<void> {
  // As JSON, since newer servers call one of the columns otherwise.
  const [row] = await query<Locale>(
    `SELECT pg_encoding_to_char(encoding) AS encoding, datcollate AS collate, datctype AS ctype,
       CASE WHEN to_jsonb(d)->>'datlocprovider' = 'i'
         THEN coalesce(to_jsonb(d)->>'datlocale', to_jsonb(d)->>'daticulocale') END AS icu
     FROM pg_database d WHERE datname = current_database()`,
  );
  const { encoding, collate, ctype, icu } = row as Locale;
  const provider = icu === null ? '' : ` LOCALE_PROVIDER icu ICU_LOCALE ${literal(icu)}`;
  await query(
    `CREATE DATABASE ${quoted(name)} TEMPLATE template0 ENCODING ${literal(encoding)}
       LC_COLLATE ${literal(collate)} LC_CTYPE ${literal(ctype)}${provider}`,
  );
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
