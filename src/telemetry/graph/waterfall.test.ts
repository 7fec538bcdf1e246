import { describe, expect, test } from 'vitest';
import type { TableRow } from '../api-schema.ts';
import { waterfall } from './waterfall.ts';

const span = (id: string, parent: string, offset: number, more: TableRow = {}): TableRow => ({
  span_id: id,
  parent_span_id: parent,
  trace_id: 't',
  offset_ms: offset,
  duration_ms: 10,
  service: id,
  lane: 'baseline',
  kind: 'server',
  name: `of ${id}`,
  http_status: 200,
  status: 'unset',
  status_message: '',
  error_signature: '',
  caller: '',
  ...more,
});

const drawn = (rows: readonly TableRow[]): string[] =>
  waterfall(rows).map(({ depth, service, kind }) => `${'  '.repeat(depth)}${service} ${kind}`);

describe('the steps of a trace', () => {
  test('are nested below their parents in order of time', () => {
    const rows = [span('c', 'a', 6), span('b', 'a', 3), span('d', 'c', 7), span('a', '', 0)];
    expect(drawn(rows)).toEqual(['a server', '  b server', '  c server', '    d server']);
  });

  test('start at the left when their parent was never reported', () => {
    expect(drawn([span('a', 'gone', 0), span('b', 'a', 1)])).toEqual(['a server', '  b server']);
  });

  test('appear once each when they claim to be each other’s parent', () => {
    const rows = [span('a', 'b', 0), span('b', 'a', 1), span('c', 'c', 2)];
    expect(drawn(rows)).toEqual(['a server', '  b server', 'c server']);
  });

  test("include the router's hops for services that report nothing", () => {
    const hop = (service: string, caller: string): TableRow =>
      span('', '', 2, { service, caller, kind: 'hop', duration_ms: 4 });
    const late = { ...hop('queue', 'a'), offset_ms: 40 };
    const rows = [span('a', '', 4), hop('python', 'a'), hop('a', ''), late];
    expect(drawn(rows)).toEqual(['a server', '  python hop', '  queue hop']);
  });

  test('say what failed', () => {
    const [failed] = waterfall([span('a', '', 0, { http_status: 503, error_signature: 'away' })]);
    expect(failed).toMatchObject({ isError: true, httpStatus: 503, error: 'away' });
    const [step] = waterfall([span('a', '', 0, { status: 'error', http_status: null })]);
    expect(step).toMatchObject({ isError: true, httpStatus: null });
    const refused = { kind: 'client', status: 'error', http_status: 404 };
    expect(waterfall([span('a', '', 0, refused)])).toMatchObject([{ isError: false }]);
  });
});
