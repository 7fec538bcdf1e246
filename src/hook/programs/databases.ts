import { type ExpandedWord, unknown } from '../shell/field.ts';
import { hostOf } from './network.ts';
import { nameList, sortArguments } from './options.ts';
import type { KnownProgram, ProgramCall, Programs, ShellPort } from './program.ts';
import { runsProject } from './project-code.ts';
import { readStatements } from './sql.ts';

function changesDatabase(
  values: {
    readonly operations: readonly string[];
    readonly unbounded?: boolean;
    readonly inTransaction?: boolean;
  },
  shell: ShellPort,
): undefined {
  const { operations, unbounded = false, inTransaction = false } = values;
  shell.add({
    kind: 'database.change',
    values: {
      operations: operations.map((text) => text.slice(0, 300)),
      unbounded,
      withoutTransaction: !inTransaction,
    },
  });
}

interface SqlClient {
  readonly statement: readonly string[];
  readonly file: readonly string[];
  readonly host: readonly string[];
  readonly output: readonly string[];
  readonly taking: readonly string[];
  /** The operand that is a statement, for clients that take one. */
  readonly operand?: number;
  /** Commands of the client itself that run a program or write a file. */
  readonly escapes: RegExp;
}

function sqlClient({
  statement,
  file,
  host,
  output,
  taking,
  operand,
  escapes,
}: SqlClient): KnownProgram {
  return ({ name, args, stdin, shell }) => {
    const { operands, valuesOf, has } = sortArguments(
      args,
      [...statement, ...file, ...host, ...output, ...taking],
      { singleDash: name === 'sqlite3' },
    );
    for (const place of valuesOf(...host)) if (!/^\//.test(place.text)) shell.connects(place.text);
    for (const { text } of operands)
      if (/^\w+:\/\//.test(text)) shell.connects(hostOf(text) ?? 'unknown');
      else if (/\bservice\s*=/.test(text))
        shell.unresolved(`${name} connects to a service that a file names`);
      else
        for (const found of text.matchAll(/\bhost(?:addr)?\s*=\s*'?([\w.:-]+)/g))
          shell.connects(found[1] as string);
    for (const place of valuesOf(...output)) shell.writes(place);
    if (name === 'sqlite3' && operands[0] && operands[0].text !== ':memory:')
      shell.reads(operands[0]);
    const texts = [
      ...valuesOf(...statement),
      ...(operand === undefined ? [] : operands.slice(operand)),
      ...(stdin ? [stdin] : []),
    ];
    const isScratch = name === 'sqlite3' && operands[0] !== undefined && isScratchFile(operands[0]);
    if (isScratch) shell.writes(operands[0] as ExpandedWord);
    for (const text of texts)
      if (
        !isScratch ||
        text.kind === 'unknown' ||
        escapes.test(text.text) ||
        /attach/i.test(text.text)
      )
        runSql(name, text, escapes, shell);
    for (const place of valuesOf(...file)) {
      shell.reads(place);
      changesDatabase({ operations: [`${name} runs ${place.text}`] }, shell);
    }
    if (has('init', 'cmd') && name === 'sqlite3')
      shell.unresolved('sqlite3 runs commands from an option');
    return unknown();
  };
}

/** A database of this machine that nobody keeps. */
function isScratchFile({ kind, text }: ExpandedWord): boolean {
  return kind === 'exact' && /^(?::memory:|\/tmp\/(?!.*\.\.)[\w./-]+)$/.test(text);
}

function runSql(
  name: string,
  { kind, text }: ExpandedWord,
  escapes: RegExp,
  shell: ShellPort,
): undefined {
  if (kind === 'unknown')
    return changesDatabase(
      { operations: [`${name}: a statement that is not known`], unbounded: true },
      shell,
    );
  if (escapes.test(text)) shell.unresolved(`${name} runs a program or writes a file from inside`);
  const { changes, isUnbounded, isLimited } = readStatements(text);
  if (changes.length > 0)
    changesDatabase(
      { operations: changes, unbounded: isUnbounded, inTransaction: isLimited },
      shell,
    );
}

const mysqlClient = sqlClient({
  statement: ['e', 'execute'],
  file: [],
  host: ['h', 'host'],
  output: ['tee'],
  taking: ['u', 'user', 'P', 'port', 'D', 'database', 'protocol', 'S', 'socket', 'init-command'],
  escapes:
    /(?:^|\n)\s*(?:\\!|system\b|source\b|\\\.|tee\b|pager\b)|into\s+(?:out|dump)file|load_file|load\s+data/i,
});

export const databasePrograms: Programs = {
  psql: sqlClient({
    statement: ['c', 'command'],
    file: ['f', 'file'],
    host: ['h', 'host'],
    output: ['o', 'output', 'L', 'log-file'],
    taking: nameList('U username d dbname p port v set variable F P R T'),
    escapes:
      /\\!|\\copy|\\o\s|\\g\s*\S|\\w\s|\\i\w*\s|\\setenv|\\e\b|\bcopy\b[^;]*\b(?:program|to\s+'|from\s+')|lo_export|lo_import|pg_read_file|pg_ls_dir|pg_write|dblink/i,
  }),
  mysql: mysqlClient,
  mariadb: mysqlClient,
  sqlite3: sqlClient({
    statement: [],
    file: [],
    host: [],
    output: [],
    taking: ['separator', 'nullvalue', 'cmd', 'init', 'newline'],
    operand: 1,
    escapes:
      /\.(?:shell|system|output|once|excel|read|import|save|backup|clone|dump\s*>|load|open|log|trace|restore|archive|ar|cd)\b|load_extension|writefile|readfile|edit\(|attach\b/i,
  }),
  duckdb: sqlClient({
    statement: ['c', 's', 'cmd'],
    file: ['init'],
    host: [],
    output: [],
    taking: [],
    operand: 1,
    escapes:
      /\.(?:shell|system|output|once|read)\b|\bcopy\b[^;]*\bto\b|\binstall\b|\bload\b|\battach\b|\bexport\b/i,
  }),
  clickhouse: sqlClient({
    statement: ['q', 'query'],
    file: ['queries-file'],
    host: ['h', 'host'],
    output: [],
    taking: ['u', 'user', 'password', 'd', 'database'],
    escapes: /into\s+outfile|\bfile\(|\burl\(|executable\(/i,
  }),
  'clickhouse-client': sqlClient({
    statement: ['q', 'query'],
    file: ['queries-file'],
    host: ['h', 'host'],
    output: [],
    taking: ['u', 'user', 'password', 'd', 'database'],
    escapes: /into\s+outfile|\bfile\(|\burl\(|executable\(/i,
  }),
  'redis-cli': redis,
  'valkey-cli': redis,
  mongosh: documentStore,
  mongo: documentStore,
  pg_dump: dumping,
  pg_dumpall: dumping,
  mysqldump: dumping,
  mongodump: dumping,
  pg_isready: () => undefined,
  ...Object.fromEntries(
    nameList(`
      pg_restore mongorestore mysqlimport dropdb createdb dropuser createuser
      mongoimport mysqladmin vacuumdb reindexdb cqlsh influx etcdctl consul
    `).map((name) => [
      name,
      (call: ProgramCall) =>
        changesDatabase(
          {
            operations: [`${name} ${call.args.map(({ text }) => text).join(' ')}`],
            unbounded: /^drop|restore/.test(name),
          },
          call.shell,
        ) as undefined,
    ]),
  ),
  prisma: migrations(
    /^(?:migrate (?:reset|deploy|resolve)|db (?:push|execute|drop))$/,
    /reset|drop|execute/,
  ),
  'drizzle-kit': migrations(/^(?:push|drop|migrate)\b/, /drop/),
  knex: migrations(/^(?:migrate:(?:rollback|down)|seed:run)/, /rollback|down/),
  sequelize: migrations(/^db:(?:drop|migrate:undo|seed)/, /drop|undo/),
  typeorm: migrations(/^(?:schema:drop|schema:sync|migration:revert|query)/, /drop|revert|query/),
  alembic: migrations(/^(?:downgrade|stamp)/, /downgrade/),
  flyway: migrations(/^(?:clean|undo|repair|migrate)/, /clean|undo/),
  liquibase: migrations(/^(?:drop|rollback|update)/, /drop|rollback/),
  dbmate: migrations(/^(?:drop|down|rollback)/, /drop|down|rollback/),
  migrate: migrations(/^(?:down|drop|force)/, /drop|down/),
  goose: migrations(/(?:down|reset)/, /down|reset/),
};

/** Tools of migrations run code of the project; some of their commands throw data away. */
function migrations(changing: RegExp, losing: RegExp): KnownProgram {
  return ({ name, args, shell }) => {
    const words = sortArguments(args, ['schema', 'config', 'env', 'c'])
      .operands.map(({ text }) => text)
      .join(' ');
    runsProject(shell);
    const wanted = words.split(' ').slice(0, 2).join(' ');
    const isLost =
      losing.test(words) ||
      args.some(({ text }) => /^--(?:accept-data-loss|force-reset)/.test(text));
    for (const file of sortArguments(args, ['schema', 'config']).valuesOf('schema', 'config'))
      shell.runFile(file, []);
    if (changing.test(wanted))
      changesDatabase(
        { operations: [`${name} ${words}`], unbounded: isLost, inTransaction: true },
        shell,
      );
    return undefined;
  };
}

function dumping({ args, shell }: ProgramCall): undefined {
  const { valuesOf } = sortArguments(
    args,
    nameList('f file h host U u p P d F t n o out r result-file db uri archive'),
  );
  for (const place of valuesOf('f', 'file', 'o', 'out', 'r', 'result-file', 'archive'))
    shell.writes(place);
  for (const host of valuesOf('h', 'host'))
    if (!host.text.startsWith('/')) shell.connects(host.text);
  for (const address of valuesOf('uri')) shell.connects(hostOf(address.text) ?? 'unknown');
}

const redisReading =
  /^(?:get|mget|keys|scan|exists|ttl|pttl|type|hget|hgetall|hkeys|hvals|hlen|lrange|llen|smembers|scard|sismember|zrange|zcard|zscore|info|ping|dbsize|monitor|client|memory|object|xrange|xlen|xinfo|pubsub|time|echo|strlen|getrange|bitcount|select|slowlog|latency|--version|--help|hscan|sscan|zscan|randomkey|subscribe|psubscribe)$/i;

function redis({ name, args, stdin, shell }: ProgramCall): undefined {
  const { operands, valuesOf, has } = sortArguments(
    args,
    ['h', 'p', 'a', 'n', 'u', 's', 'r', 'i', 'user', 'pass', 'pattern', 'eval'],
    { stopsAtOperand: true },
  );
  for (const host of valuesOf('h')) shell.connects(host.text);
  for (const address of valuesOf('u')) shell.connects(hostOf(address.text) ?? 'unknown');
  const [verb] = operands;
  if (stdin || has('pipe', 'eval', 'rdb', 'x'))
    changesDatabase(
      { operations: [`${name} runs commands from elsewhere`], unbounded: true },
      shell,
    );
  const isReading =
    redisReading.test(verb?.text ?? '') &&
    !/\b(?:kill|purge|reset|pause|setname|tracking|no-evict)\b/i.test(operands[1]?.text ?? '');
  if (!verb || (verb.kind === 'exact' && isReading)) return;
  changesDatabase(
    {
      operations: [`${name} ${operands.map(({ text }) => text).join(' ')}`],
      unbounded: /^(?:flush|config|script|eval|debug|shutdown|module|slaveof|replicaof)/i.test(
        verb.text,
      ),
    },
    shell,
  );
}

/** A member whose name is computed, or functions by which one could be called. */
const isComputed =
  /[\w)\]]\s*\[(?!\s*\d+\s*\])|\b(?:Reflect|Function|constructor|prototype|globalThis|this|call|apply|bind|Object)\b|`/;

function documentStore({ name, args, stdin, shell }: ProgramCall): undefined {
  const { operands, valuesOf } = sortArguments(
    args,
    nameList('eval host port u username p password f file'),
  );
  for (const { text } of operands)
    if (/^mongodb/.test(text)) shell.connects(hostOf(text) ?? 'unknown');
  for (const host of valuesOf('host')) shell.connects(host.text);
  for (const { kind, text } of [...valuesOf('eval'), ...(stdin ? [stdin] : [])]) {
    const isRead =
      kind === 'exact' &&
      !isComputed.test(text) &&
      !/\b(?:insert|update|delete|remove|drop|replace|rename|create|bulkWrite|run|load|eval|require|exec|write|cat|fs|process|save|set|shutdown|findAndModify|findOneAnd|aggregate)\w*\b|\$(?:out|merge)/i.test(
        text,
      );
    if (!isRead)
      changesDatabase(
        { operations: [`${name} ${text}`], unbounded: !/deleteOne|updateOne|insertOne/.test(text) },
        shell,
      );
  }
  for (const place of [
    ...valuesOf('f', 'file'),
    ...operands.filter(({ text }) => /\.js$/.test(text)),
  ])
    shell.runFile(place, []);
}
