import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Json, rememberSecret, sha256 } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { SpanRow } from '../rows.ts';
import { folded } from './distinct.ts';
import { LaneFinder } from './lane-finder.ts';
import {
  anyValue,
  attributes,
  createScene,
  logsOf,
  nowNs,
  type Scene,
  span,
  spanId,
  spansOf,
  traceId,
  traceSecret,
} from './scene.fixture.ts';

let scene: Scene;
beforeEach(() => {
  scene = createScene();
});

function stored(...spans: Json[]): SpanRow {
  scene.send('traces', spansOf(spans));
  return scene.kept.rows.spans.at(-1) as SpanRow;
}

const rowOf = (values: Record<string, Json>, more: Record<string, Json> = {}): SpanRow =>
  stored(span(more, values));

describe('span columns come from attributes of any convention:', () => {
  test.each<[string, Record<string, Json>, Partial<SpanRow>, number?]>([
    [
      'of HTTP today',
      {
        'http.request.method': 'GET',
        'http.route': '/orders/:id',
        'http.response.status_code': 503,
        'http.response.body.size': 12,
      },
      { method: 'GET', route: '/orders/:id', httpStatus: 503, responseBytes: 12 },
    ],
    [
      'of HTTP before 2024',
      { 'http.method': 'POST', 'http.target': '/orders/4711?a=1', 'http.status_code': 201 },
      { method: 'POST', route: '/orders/:id', httpStatus: 201 },
    ],
    ['a path that has no ids', { 'url.path': '/healthz' }, { route: '/healthz' }],
    ['a status as text', { 'http.status_code': '404' }, { httpStatus: 404 }],
    [
      'of RPC',
      { 'rpc.service': 'Pricing', 'rpc.method': 'Quote' },
      { method: 'Quote', route: '/Pricing/Quote' },
    ],
    [
      'of our preload',
      { 'surety.cpu_us': 812.5, 'surety.calls': 3, 'surety.request_id': 'r-1' },
      { cpuUs: 812.5, calls: 3, requestId: 'r-1' },
    ],
    [
      'a request id that was recorded as a header',
      { 'http.request.header.x-request-id': ['r-2'] },
      { requestId: 'r-2' },
    ],
    [
      'the callee by address',
      { 'server.address': '127.0.0.1', 'server.port': 4302 },
      { peer: 'pricing', kind: 'client' },
      3,
    ],
    [
      'the callee by the old attribute names',
      { 'net.peer.name': 'localhost', 'net.peer.port': 9 },
      { peer: 'localhost:9' },
      3,
    ],
    [
      'the callee as configured in the SDK',
      { 'peer.service': 'billing', 'server.address': 'b', 'server.port': 1 },
      { peer: 'billing' },
      3,
    ],
    [
      'a database, and where it is',
      { 'db.system.name': 'postgresql', 'server.address': 'db', 'server.port': 5432 },
      { peer: 'postgresql://db:5432' },
      3,
    ],
    ['the callee by its URL', { 'url.full': 'http://u:p@bank:80/x' }, { peer: 'bank:80' }, 3],
    [
      'a query',
      { 'db.system': 'postgresql', 'db.operation.name': 'SELECT' },
      { peer: 'postgresql', method: 'SELECT' },
      3,
    ],
    [
      'a message',
      { 'messaging.system': 'nats', 'messaging.destination.name': 'trades' },
      { peer: 'trades', kind: 'producer' },
      4,
    ],
  ])('%s', (_, values, expected, kind = 2) => {
    scene.names.tell({ peers: { '127.0.0.1:4302': 'pricing' } });
    expect(rowOf(values, { kind })).toMatchObject(expected);
  });

  test('all other attributes, of every type, as one JSON object', () => {
    const values = {
      text: 'a "b"',
      whole: 7,
      half: 0.5,
      yes: true,
      none: null,
      list: ['a', 1],
      map: { a: { b: [true] } },
    };
    expect(JSON.parse(rowOf(values).attributes)).toEqual(values);
  });

  test('numbers that JSON would round or does not have, as texts', () => {
    const more = [
      { key: 'big', value: { intValue: '9007199254740993' } },
      { key: 'nan', value: { doubleValue: 'NaN' } },
      { key: 'bytes', value: { bytesValue: 'AAEC' } },
    ];
    const row = stored(span({ attributes: more }));
    const expected = { big: '9007199254740993', nan: 'NaN', bytes: 'AAEC' };
    expect(JSON.parse(row.attributes)).toEqual(expected);
  });

  test('the resource attributes that tell versions apart', () => {
    const resource = { 'service.name': 'orders', 'service.version': '7', 'host.name': 'box' };
    scene.send('traces', spansOf([span({}, { a: 1 })], resource));
    expect(JSON.parse(scene.kept.rows.spans[0]?.attributes ?? '')).toEqual({
      'service.version': '7',
      a: 1,
    });
  });

  test('the service name of surety.yaml for services that Surety runs', () => {
    const resource = {
      'service.name': 'Orders API',
      'surety.service': 'orders',
      'service.instance.id': 'orders/baseline/run_1',
    };
    scene.send('traces', spansOf([span()], resource), '');
    scene.send('traces', spansOf([span()], { 'service.name': 'unknown_service:node' }));
    expect(scene.kept.rows.spans.map(({ service, instance }) => [service, instance])).toEqual([
      ['orders', 'unproven:orders/baseline/run_1'],
      ['', ''],
    ]);
  });
});

describe('the signature of an error', () => {
  const failed = { status: { code: 2, message: 'order 4711 not found' } };
  const exception = {
    timeUnixNano: String(nowNs),
    name: 'exception',
    attributes: attributes({
      'exception.type': 'TypeError',
      'exception.message': `Cannot read 'price' of 12`,
    }),
  };

  test.each<[string, Record<string, Json>, Record<string, Json>, string]>([
    [
      'comes from its exception',
      { ...failed, events: [exception] },
      {},
      'TypeError: Cannot read * of *',
    ],
    ['comes from its status', failed, {}, 'order * not found'],
    ['comes from its type', { status: { code: 2 } }, { 'error.type': 'ECONNRESET' }, 'ECONNRESET'],
    ['comes from its reporter if given', failed, { 'surety.error_signature': 'X' }, 'X'],
    ['is empty without an error', {}, { 'error.type': 'a' }, ''],
  ])('%s', (_, more, values, expected) => {
    expect(rowOf(values, more).errorSignature).toBe(expected);
  });

  test('is stored with the events, to the nanosecond', () => {
    const [event] = JSON.parse(rowOf({}, { events: [exception] }).events);
    expect(event).toMatchObject({ at: '2026-11-15T12:00:00.000000000Z', name: 'exception' });
    expect(event.attributes['exception.type']).toBe('TypeError');
  });
});

describe('the lane of a span', () => {
  const lane = 'lane_01JABC';
  const number = sha256(lane).slice(0, 8);
  const mac = createHmac('sha256', Buffer.from(traceSecret, 'hex'));
  const signature = mac.update(Buffer.from(number, 'hex')).digest('hex').slice(0, 6);
  const tagged = `5e1a${number}${signature}${'0'.repeat(13)}1`;

  test.each<[string, Json, Record<string, Json>]>([
    ['comes from its resource', span(), { 'surety.lane': lane }],
    ['comes from the span', span({}, { 'surety.lane': lane }), {}],
    ['comes from baggage that an SDK copied', span({}, { 'baggage.surety-lane': lane }), {}],
    ['comes from the trace state', span({ traceState: `a=b, surety=${lane},c=d` }), {}],
    ['comes from the trace id', span({ traceId: tagged }), {}],
  ])('%s', (_, reported, resource) => {
    scene.names.tell({ lanes: [lane] });
    scene.send('traces', spansOf([reported], { 'service.name': 'orders', ...resource }));
    expect(scene.kept.rows.spans[0]).toMatchObject({ lane });
    expect(scene.kept.rows.spans[0]?.attributes).not.toContain(lane);
  });

  test('comes from other spans of its trace, earlier or later', () => {
    stored(span(), span({ spanId: '1'.repeat(16) }, { 'surety.lane': lane }));
    stored(span({ spanId: '2'.repeat(16) }));
    expect(scene.kept.rows.spans.map((row) => row.lane)).toEqual([lane, lane, lane]);
  });

  test('is empty for an invalid key or a forged tag', () => {
    scene.names.tell({ lanes: [lane] });
    const forged = tagged.replace(signature, signature === '000000' ? '000001' : '000000');
    const others = [span({ traceId: forged }), span({}, { 'surety.lane': 'no key!' })];
    for (const reported of others) expect(stored(reported).lane).toBe('');
  });

  test('is remembered for a bounded number of traces', () => {
    const finder = new LaneFinder({ names: scene.names, traceSecret });
    const most = telemetryLimits.telemetryTraceLanesMax;
    for (let n = 0; n < most; n++) finder.find(lane, '', `trace ${n}`);
    expect(finder.byTrace('trace 0')).toBe(lane);
    finder.find(lane, '', 'one more');
    const known = ['trace 0', 'trace 1', 'one more'].map((id) => finder.byTrace(id));
    expect(known).toEqual(['', lane, lane]);
  });
});

describe('the ids of a span', () => {
  test.each<[string, Record<string, Json>]>([
    ['a trace id of 15 bytes', { traceId: 'ab'.repeat(15) }],
    ['a trace id of 17 bytes', { traceId: 'ab'.repeat(17) }],
    ['no trace id', { traceId: '' }],
    ['a trace id of zeros', { traceId: '0'.repeat(32) }],
    ['a trace id that is no hex', { traceId: 'x'.repeat(32) }],
    ['a span id of 7 bytes', { spanId: 'ab'.repeat(7) }],
    ['a span id of zeros', { spanId: '0'.repeat(16) }],
    ['a parent of 9 bytes', { parentSpanId: 'ab'.repeat(9) }],
  ])('are refused with a reason, and only this span: %s', (_, more) => {
    const taken = scene.send('traces', spansOf([span(), span(more), span()]));
    expect(taken).toMatchObject({ rejected: 1, reason: expect.stringMatching(/ id .*\(1\)$/) });
    expect(scene.kept.rows.spans).toHaveLength(2);
  });

  test('are stored in lower case, and a parent of zeros as none', () => {
    const row = stored(span({ traceId: traceId.toUpperCase(), parentSpanId: '0'.repeat(16) }));
    expect(row).toMatchObject({ traceId, parentSpanId: '' });
  });
});

describe('the limits of spans', () => {
  const attributeCount = (row: SpanRow): number => Object.keys(JSON.parse(row.attributes)).length;
  const many = (count: number): Record<string, Json> =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, n]));

  test('drop and count attributes beyond the maximum', () => {
    expect(attributeCount(rowOf(many(telemetryLimits.telemetryAttributesMax)))).toBe(
      telemetryLimits.telemetryAttributesMax,
    );
    const more = JSON.parse(rowOf(many(telemetryLimits.telemetryAttributesMax + 2)).attributes);
    expect(more['surety.dropped_attributes']).toBe(2);
    expect(scene.intake.counts.get('attributes dropped')).toBe(2);
  });

  test('truncate texts', () => {
    const [value, name] = [
      telemetryLimits.telemetryValueCharsMax,
      telemetryLimits.telemetryNameCharsMax,
    ];
    const cut = (row: SpanRow): string => JSON.parse(row.attributes).a;
    expect(cut(rowOf({ a: 'x'.repeat(value) }))).toBe('x'.repeat(value));
    expect(cut(rowOf({ a: 'x'.repeat(value + 1) }))).toBe(`${'x'.repeat(value - 1)}…`);
    expect(rowOf({}, { name: 'x'.repeat(name) }).name).toBe('x'.repeat(name));
    expect(rowOf({}, { name: 'x'.repeat(name + 1) }).name).toBe(`${'x'.repeat(name - 1)}…`);
    const text = telemetryLimits.telemetryTextCharsMax;
    const message = (length: number): Json => ({
      status: { code: 2, message: 'x'.repeat(length) },
    });
    expect(rowOf({}, message(text) as never).statusMessage).toHaveLength(text);
    expect(rowOf({}, message(text + 1) as never).statusMessage).toMatch(/x…$/);
  });

  test('refuse a message that is nested too deeply', () => {
    const nested = (depth: number): Json =>
      Array.from({ length: depth }).reduce<Json>((inner) => [inner as string], 1);
    expect(
      JSON.parse(rowOf({ a: nested(telemetryLimits.telemetryDepthMax) }).attributes).a,
    ).toBeTruthy();
    expect(() => rowOf({ a: nested(telemetryLimits.telemetryDepthMax + 1) })).toThrow(
      'nested more than',
    );
  });

  test('leave out events beyond the maximum', () => {
    const events = (count: number): Json => Array.from({ length: count }, () => ({ name: 'e' }));
    const kept = (count: number): number =>
      JSON.parse(rowOf({}, { events: events(count) }).events).length;
    expect(kept(telemetryLimits.telemetryEventsMax)).toBe(telemetryLimits.telemetryEventsMax);
    expect(kept(telemetryLimits.telemetryEventsMax + 1)).toBe(telemetryLimits.telemetryEventsMax);
  });

  test('refuse spans beyond the maximum of one message', () => {
    const most = telemetryLimits.telemetryItemsMax;
    const spans = Array.from({ length: most + 2 }, () => ({ traceId, spanId }));
    const taken = scene.send('traces', spansOf(spans));
    expect(taken).toEqual({ rejected: 2, reason: `more than ${most} in one message (2)` });
    expect(scene.kept.rows.spans).toHaveLength(most);
  });

  test('merge the routes of one service beyond the maximum', () => {
    const route = (n: number): Json => span({}, { 'http.route': `/r${n}` });
    const routes = Array.from({ length: telemetryLimits.telemetryRoutesMax + 1 }, (_, n) =>
      route(n),
    );
    expect(stored(...routes.slice(0, -1)).route).toBe(
      `/r${telemetryLimits.telemetryRoutesMax - 1}`,
    );
    expect(stored(...routes).route).toBe(folded);
    expect(stored(route(3)).route).toBe('/r3');
    expect(scene.intake.counts.get('routes folded')).toBe(1);
  });

  test('let services beyond the maximum share the allowance of one', () => {
    const most = telemetryLimits.telemetryServicesMax;
    const resourceSpans = Array.from({ length: most }, (_, n) => ({
      resource: { attributes: attributes({ 'service.name': `s${n}` }) },
      scopeSpans: [{ spans: [span({}, { 'http.route': '/' })] }],
    }));
    scene.send('traces', { resourceSpans });
    const routes = Array.from({ length: telemetryLimits.telemetryRoutesMax }, (_, n) => `/r${n}`);
    const spans = (some: readonly string[]): Json[] =>
      some.map((route) => span({}, { 'http.route': route }));
    scene.send('traces', spansOf(spans(routes), { 'service.name': 'one too many' }));
    scene.send('traces', spansOf(spans(['/new']), { 'service.name': 'two too many' }));
    scene.send('traces', spansOf(spans(['/new']), { 'service.name': 's7' }));
    expect(scene.kept.rows.spans.slice(-2).map(({ route }) => route)).toEqual([folded, '/new']);
  });
});

describe('secrets in spans are not stored', () => {
  test.each<[string, Record<string, Json>]>([
    ['by the name of the attribute', { 'db.password': 'hunter22' }],
    ['by their form', { note: 'Bearer hunter22hunter22' }],
    ['in lists and maps', { deep: [{ apiKey: 'hunter22' }] }],
    ['in addresses', { 'url.full': 'postgres://u:hunter22@db/x' }],
  ])('%s', (_, values) => {
    const { attributes: text } = rowOf({ ...values, other: 'stays' });
    expect(text).not.toContain('hunter22');
    expect(JSON.parse(text).other).toBe('stays');
  });

  test('in texts, names and events', () => {
    const token = 'Bearer abcdefghijkl';
    const events = [{ name: 'e', attributes: attributes({ a: token }) }];
    const row = rowOf({}, { name: token, status: { code: 2, message: token }, events });
    expect(JSON.stringify({ ...row, startNs: 0, durationNs: 0 })).not.toContain('abcdefghijkl');
  });

  test('in part where a text is truncated', () => {
    rememberSecret('the-one-half-and-the-other');
    const at = (charsMax: number): string =>
      `${'x'.repeat(charsMax - 14)} the-one-half-and-the-other`;
    const name = at(telemetryLimits.telemetryNameCharsMax);
    const message = at(telemetryLimits.telemetryTextCharsMax);
    const exception = { 'exception.type': 'Error', 'exception.message': at(300) };
    const longAttributes = {
      'http.route': name,
      'surety.request_id': name,
      a: at(4_096),
      list: [name],
    };
    const events = [{ name: 'exception', attributes: attributes(exception) }];
    for (const more of [{ events }, {}]) {
      const row = rowOf(longAttributes, { name, status: { code: 2, message }, ...more });
      expect(JSON.stringify({ ...row, startNs: 0, durationNs: 0 })).not.toContain('the-one');
    }
    scene.send('logs', logsOf([{ body: { stringValue: message } }, { body: anyValue([message]) }]));
    expect(scene.kept.rows.logs.map(({ text }) => text).join()).not.toContain('the-one');
  });
});
