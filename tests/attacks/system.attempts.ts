import { gzipSync } from 'node:zlib';
import { until } from '../harness/until.ts';
import { type Attempt, attemptsOf, type Line } from './attempt.ts';
import type { SystemScene } from './system-scene.ts';

type Attack = Attempt<SystemScene>['attack'];

/** Mallory calls an operation; LANE is the key of Alice's lane. */
const call =
  (operation: string, body?: (lane: string) => object): Attack =>
  async (scene) => {
    const target = operation.replace('LANE', scene.lane);
    return (await scene.call('mallory', target, body?.(scene.lane))).verdict;
  };

const query = (tries: string, sql: string): Line<SystemScene> => [
  tries,
  '403 QUERY_REFUSED',
  call('POST /v1/telemetry/query', () => ({ sql })),
];

/** Counts rows of Alice's lane as Mallory. */
const count =
  (sql: string): Attack =>
  async (scene) =>
    `${await scene.count('mallory', sql.replaceAll('LANE', scene.lane))} rows`;

const added = (path: string, mode = '100644', text = 'x'): string =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`;

const patch = (tries: string, refusal: string, text: string, entry?: string): Line<SystemScene> => [
  tries,
  refusal,
  async (scene) => {
    const sound = scene.system.versions({ back: '3' });
    return (await scene.call('mallory', 'POST /v1/lanes', { patch: sound + text })).verdict;
  },
  ...(entry === undefined ? ([] as const) : ([entry] as const)),
];

export const laneAttempts = attemptsOf<SystemScene>('an agent', [
  ['reads the lane of another agent', '404 LANE_CLOSED', call('GET /v1/lanes/LANE')],
  ['reads the logs of a lane of another agent', '404 LANE_CLOSED', call('GET /v1/lanes/LANE/logs')],
  [
    'reads the reach of a lane of another agent',
    '404 LANE_CLOSED',
    call('GET /v1/lanes/LANE/reach'),
  ],
  ['closes the lane of another agent', '404 LANE_CLOSED', call('POST /v1/lanes/LANE/close')],
  [
    'extends the lane of another agent',
    '404 LANE_CLOSED',
    call('POST /v1/lanes/LANE/extend', () => ({ ttlMs: 60_000 })),
  ],
  [
    'builds on the lane of another agent',
    '404 LANE_CLOSED',
    call('POST /v1/lanes', (on) => ({ on })),
  ],
  [
    'runs suites in the lane of another agent',
    '404 LANE_CLOSED',
    call('POST /v1/suites/run', (lane) => ({ lane })),
    'proposal-failed',
  ],
  [
    'places a probe in the lane of another agent',
    '404 LANE_CLOSED',
    call('POST /v1/probes', (lane) => ({
      service: 'back',
      lane,
      file: 'back/main.mjs',
      line: 4,
      expressions: ['version'],
    })),
  ],
  [
    'learns the keys of other lanes from the list',
    'no key',
    async (scene) => {
      const { body } = await scene.call('mallory', 'GET /v1/lanes');
      return JSON.stringify(body).includes(scene.lane) ? 'the key' : 'no key';
    },
  ],
  [
    'learns the keys of other lanes from the system',
    'no key',
    async (scene) => {
      const { body } = await scene.call('mallory', 'GET /v1/system');
      return JSON.stringify(body).includes(scene.lane) ? 'the key' : 'no key';
    },
  ],
  [
    'names a branch that git reads as an option, through the API',
    '400 CHANGE_INVALID',
    call('POST /v1/lanes', () => ({ ref: '--upload-pack=id' })),
  ],
  [
    'names a base that git reads as an option',
    '400 CHANGE_INVALID',
    call('POST /v1/lanes', () => ({ base: '--help' })),
  ],
  patch(
    'opens a lane with a patch outside of the repository',
    '409 CHANGE_DOES_NOT_APPLY',
    added('../outside.txt'),
  ),
  patch(
    'opens a lane with a git hook',
    '409 CHANGE_DOES_NOT_APPLY',
    added('.git/hooks/post-checkout', '100755'),
  ),
  patch(
    'opens a lane with .git in capitals',
    '409 CHANGE_DOES_NOT_APPLY',
    added('back/.GiT/config'),
  ),
  patch(
    'opens a lane with an invisible character in .git',
    '409 CHANGE_DOES_NOT_APPLY',
    added('back/.g\u200cit/config'),
  ),
  patch(
    'opens a lane with the short name of .git',
    '409 CHANGE_DOES_NOT_APPLY',
    added('back/git~1/config'),
  ),
  patch(
    'opens a lane with a symbolic link',
    '400 CHANGE_INVALID',
    added('back/link', '120000', '/etc/passwd'),
  ),
  patch(
    'opens a lane with a submodule',
    '400 CHANGE_INVALID',
    added('back/module', '160000', `Subproject commit ${'a'.repeat(40)}`),
  ),
  patch(
    'hides the name of a protected file behind a NUL',
    '403 CHANGE_PROTECTED',
    added('.github/workflows/a.yml\0/x'),
    'attempt-refused',
  ),
  patch(
    'quotes the name of a protected file',
    '403 CHANGE_PROTECTED',
    added('.github/workflows/b.yml').replaceAll(
      'b/.github/workflows/b.yml',
      '"b/.github/workfl\\157ws/b.yml"',
    ),
    'attempt-refused',
  ),
]);

export const queryAttempts = attemptsOf<SystemScene>('an agent', [
  [
    'counts requests of the lane of another agent by SQL',
    '0 rows',
    count("SELECT count(*) FROM requests WHERE lane = 'LANE'"),
  ],
  [
    'joins its way to the lane of another agent',
    '0 rows',
    count(
      "SELECT count(*) FROM (SELECT * FROM requests UNION ALL SELECT * FROM requests) r WHERE r.lane = 'LANE'",
    ),
  ],
  [
    'reads logs of the lane of another agent by SQL',
    '0 rows',
    count("SELECT count(*) FROM logs WHERE lane = 'LANE'"),
  ],
  [
    'reads hops of the lane of another agent by SQL',
    '0 rows',
    count("SELECT count(*) FROM hops WHERE lane = 'LANE'"),
  ],
  [
    'reads spans of other lanes with a comment in between',
    '0 rows',
    count("SELECT count(*) FROM /**/ spans WHERE lane <> '' OR true AND lane = 'LANE'"),
  ],
  query('reads a file by SQL', "SELECT * FROM read_text('/etc/passwd')"),
  query('reads a file as a table', "SELECT * FROM '/etc/passwd'"),
  query('lists files by SQL', "SELECT * FROM glob('/**')"),
  query('reads the environment by SQL', "SELECT getenv('HOME')"),
  query('reads settings by SQL', 'SELECT * FROM duckdb_settings()'),
  query('reads the catalogue by SQL', 'SELECT * FROM information_schema.tables'),
  query('reads the table under a view', 'SELECT * FROM main.spans'),
  query('runs a query from a text', "SELECT * FROM query('SELECT 1')"),
  [
    'writes a file by SQL',
    '400 QUERY_NOT_A_SELECT',
    call('POST /v1/telemetry/query', () => ({ sql: "COPY (SELECT 1) TO '/tmp/a'" })),
  ],
  [
    'attaches a database by SQL',
    '400 QUERY_NOT_A_SELECT',
    call('POST /v1/telemetry/query', () => ({ sql: "ATTACH '/tmp/a.db'" })),
  ],
  [
    'loads an extension by SQL',
    '400 QUERY_NOT_A_SELECT',
    call('POST /v1/telemetry/query', () => ({ sql: 'INSTALL httpfs' })),
  ],
  [
    'runs two statements at once',
    '400 QUERY_NOT_A_SELECT',
    call('POST /v1/telemetry/query', () => ({ sql: 'SELECT 1; DROP VIEW spans' })),
  ],
  [
    'asks a question about the lane of another agent',
    '[]',
    async (scene) => {
      const body = { question: 'requests-by-status', lane: scene.lane };
      const reply = await scene.call('mallory', 'POST /v1/telemetry/ask', body);
      return JSON.stringify(reply.body.rows);
    },
  ],
  [
    'asks for the graph of the lane of another agent',
    '[]',
    async (scene) => {
      const reply = await scene.call('mallory', `GET /v1/telemetry/graph?lane=${scene.lane}`);
      return JSON.stringify(reply.body.edges);
    },
  ],
  [
    'puts SQL into a question',
    'no rows',
    async (scene) => {
      const body = { question: 'logs', service: "' OR lane <> '' --" };
      const reply = await scene.call('mallory', 'POST /v1/telemetry/ask', body);
      return JSON.stringify(reply.body).includes(scene.lane) ? 'the lane' : 'no rows';
    },
  ],
]);

const through =
  (headers: (lane: string) => Record<string, string>): Attack =>
  async (scene) =>
    String((await fetch(scene.address, { headers: headers(scene.lane) })).status);

export const routerAttempts = attemptsOf<SystemScene>('code under test', [
  [
    'makes up a lane key',
    '503',
    through(() => ({ baggage: `surety-lane=lane_${'0'.repeat(26)}` })),
  ],
  ['sends an empty lane key', '503', through(() => ({ baggage: 'surety-lane=' }))],
  [
    'sends two different lane keys',
    '503',
    through((lane) => ({ baggage: `surety-lane=${lane},surety-lane=lane_other` })),
  ],
  [
    'contradicts its lane key in the trace state',
    '503',
    through((lane) => ({ baggage: `surety-lane=${lane}`, tracestate: 'surety=lane_other' })),
  ],
  [
    'alters a letter of its lane key',
    '503',
    through((lane) => ({ baggage: `surety-lane=${lane.toUpperCase()}` })),
  ],
  ['appends text to its lane key', '503', through((lane) => ({ baggage: `surety-lane=${lane}x` }))],
  ['sends __proto__ as a lane key', '503', through(() => ({ baggage: 'surety-lane=__proto__' }))],
]);

/** Sends a body to the traces of telemetry. */
const report =
  (body: string | Buffer, headers: Record<string, string>): Attack =>
  async (scene) =>
    String(
      (
        await fetch(`${scene.telemetryUrl}/v1/traces`, {
          method: 'POST',
          body: body as never,
          headers,
        })
      ).status,
    );

const json = { 'content-type': 'application/json' };

function forgedSpan(name: string, lane: string): string {
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const attributes = [attribute('service.name', 'back'), attribute('surety.lane', lane)];
  const now = String(BigInt(Math.round(performance.timeOrigin + performance.now())) * 1_000_000n);
  const ids = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
  const span = { ...ids, name, kind: 2, startTimeUnixNano: now, endTimeUnixNano: now };
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [span] }] }],
  });
}

export const telemetryAttempts = attemptsOf<SystemScene>('a sender of telemetry', [
  [
    'makes up the proof of an instance',
    '401',
    report('{"resourceSpans":[]}', { ...json, 'surety-sender': 'back/baseline/run_1:forged' }),
  ],
  [
    'sends a gzip bomb of telemetry',
    '413',
    (scene, begin) =>
      report(gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20)), {
        ...json,
        'content-encoding': 'gzip',
      })(scene, begin),
  ],
  [
    'sends telemetry in an unknown coding',
    '415',
    report('{}', { ...json, 'content-encoding': 'br' }),
  ],
  ['sends telemetry of another type', '415', report('<a/>', { 'content-type': 'text/xml' })],
  [
    'nests telemetry 100,000 deep',
    '400',
    report(`{"resourceSpans":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, json),
  ],
  [
    'sends telemetry from a web page',
    '403',
    report('{"resourceSpans":[]}', { ...json, origin: 'https://evil.example' }),
  ],
  [
    'asks for the control of telemetry',
    '404',
    async (scene) => String((await fetch(`${scene.telemetryUrl}/control/status`)).status),
  ],
  [
    'adds rows to a lane whose key it knows',
    'stored as unproven',
    async (scene) => {
      const name = `forged ${performance.now()}`;
      const rows = (lane: string): string =>
        `SELECT count(*) FROM spans WHERE name = '${name}' AND lane = '${lane}'`;
      await report(forgedSpan(name, scene.lane), json)(scene, async () => undefined);
      await until('it is stored', () => scene.count('owner', rows(`unproven:${scene.lane}`)));
      return (await scene.count('owner', rows(scene.lane))) === 0
        ? 'stored as unproven'
        : 'evidence of the lane';
    },
  ],
  [
    'finds the key of a lane in the metrics',
    'no key',
    async (scene) => {
      const page = await (await fetch(`${scene.telemetryUrl}/metrics`)).text();
      return page.includes(scene.lane) ? 'the key' : 'no key';
    },
  ],
]);
