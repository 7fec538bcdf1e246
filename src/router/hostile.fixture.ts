/** For tests only: bytes that no well-behaved client sends. */

const key = 'baggage: surety-lane=k1\r\n';
const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\nbaggage: surety-lane=k2\r\n\r\n';

/** A body whose length two parsers could read differently, with a request hidden in or after it. */
const framed = (lines: string): string =>
  `POST /a HTTP/1.1\r\nHost: a\r\n${key}${lines}\r\n${smuggled}`;

const asked = (line: string, lines = ''): string =>
  `${line}\r\nHost: a\r\nConnection: close\r\n${key}${lines}\r\n`;

const headed = (lines: string): string =>
  `GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`;

export interface HostileCase {
  readonly name: string;
  readonly bytes: string;
  /** Who may get which request; all others must not. */
  readonly reached: readonly string[];
}

const cases = (
  make: (lines: string) => string,
  reached: readonly string[],
  named: Readonly<Record<string, string>>,
): HostileCase[] =>
  Object.entries(named).map(([name, lines]) => ({ name, bytes: make(lines), reached }));

const framing = cases(framed, [], {
  'two lengths': 'Content-Length: 0\r\nContent-Length: 5\r\n',
  'two equal lengths': 'Content-Length: 5\r\nContent-Length: 5\r\n',
  'a list of lengths': 'Content-Length: 5, 5\r\n',
  'lengths with a blank': 'Content-Length: 5 5\r\n',
  'a length in hex': 'Content-Length: 0x5\r\n',
  'a length with a plus': 'Content-Length: +5\r\n',
  'a negative length': 'Content-Length: -1\r\n',
  'a length with letters': 'Content-Length: 5abc\r\n',
  'a length that overflows': 'Content-Length: 99999999999999999999\r\n',
  'an empty length': 'Content-Length:\r\n',
  'a length and a coding': 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
  'a coding and a length': 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
  'a coding that is not the last': 'Transfer-Encoding: chunked, gzip\r\n',
  'two codings': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
  'an unknown coding': 'Transfer-Encoding: xchunked\r\n',
  'an identity coding': 'Transfer-Encoding: identity\r\n',
  'a coding behind a vertical tab': 'Transfer-Encoding: \x0bchunked\r\n',
  'a coding in quotes': 'Transfer-Encoding: "chunked"\r\n',
  'a folded coding': 'Transfer-Encoding:\r\n chunked\r\n',
  'a folded length': 'Content-Length:\r\n\t5\r\n',
  'a blank before the colon': 'Content-Length : 5\r\n',
  'a tab before the colon': 'Transfer-Encoding\t: chunked\r\n',
  'a bare line feed': 'X: 1\nContent-Length: 5\r\n',
  'a bare carriage return': 'X: 1\rContent-Length: 5\r\n',
  'a NUL in a value': 'X: a\0b\r\n',
  'a NUL in a name': 'X\0: a\r\n',
  'a line without a colon': 'Content-Length 5\r\n',
  'a line that begins with a colon': ': 5\r\n',
  'a name with a blank': 'Content Length: 5\r\n',
  'a name with a non-ASCII letter': 'Cöntent-Length: 5\r\n',
});

const broken = cases(
  (chunks) => `${asked('POST /a HTTP/1.1', 'Transfer-Encoding: chunked\r\n')}${chunks}${smuggled}`,
  [],
  {
    'a chunk size that is not a number': 'x\r\nabcde\r\n0\r\n\r\n',
    'a negative chunk size': '-1\r\nabcde\r\n0\r\n\r\n',
    'a chunk longer than its size': '3\r\nabcde\r\n0\r\n\r\n',
    'a chunk with a bare line feed': '5;x\nabcde\r\n0\r\n\r\n',
    'a chunk with two numbers': '5 5\r\nabcde\r\n0\r\n\r\n',
    'a chunk size that overflows': 'fffffffffffffffff\r\nabcde\r\n0\r\n\r\n',
  },
);

const lines = [
  ...cases((line) => asked(line), [], {
    'a tab in the first line': 'GET\t/a HTTP/1.1',
    'an invalid version': 'GET /a HTTP/9.9',
    'a method in small letters': 'get /a HTTP/1.1',
    'a method of two lines': 'GET /a HTTP/1.1\r\nGET /smuggled HTTP/1.1',
    'a blank in the path': 'GET /a /smuggled HTTP/1.1',
    'a target at another host': 'GET http://b/a HTTP/1.1',
    'a target with a user': 'GET http://a@b/a HTTP/1.1',
    'a target of another scheme': 'GET ftp://a/a HTTP/1.1',
    'a target that is a host': 'GET a:80 HTTP/1.1',
    'a star for a target': 'GET * HTTP/1.1',
    'a tunnel': 'CONNECT a:80 HTTP/1.1',
  }),
  ...cases((line) => asked(line), ['k1 /a'], {
    'a target at its own host': 'GET http://a/a HTTP/1.1',
    'two blanks in the first line': 'GET  /a HTTP/1.1',
    'no version': 'GET /a',
    'the version of HTTP/2': 'GET /a HTTP/2.0',
  }),
];

const keys = [
  ...cases(headed, [], {
    'two keys in one list': 'baggage: surety-lane=k1,surety-lane=k2\r\n',
    'two keys in two headers': 'baggage: surety-lane=k1\r\nbaggage: surety-lane=k2\r\n',
    'two keys in headers of two cases': 'Baggage: surety-lane=k1\r\nBAGGAGE: surety-lane=k2\r\n',
    'two keys in two carriers': 'baggage: surety-lane=k1\r\ntracestate: surety=k2\r\n',
    'a key in quotes': 'baggage: surety-lane="k1"\r\n',
    'a key that is encoded': 'baggage: surety-lane=%6b1\r\n',
    'a key with a tab in it': 'baggage: surety-lane=k\t1\r\n',
    '__proto__ as a key': 'baggage: surety-lane=__proto__\r\n',
    'no key at all': 'x: 1\r\n',
    'two hosts': `Host: b\r\n${key}`,
    'two addresses': `${key}x-surety-to: edge:80\r\nx-surety-to: front:80\r\n`,
    'an address with a path': `${key}x-surety-to: edge:80/../a\r\n`,
    'an address with a user': `${key}x-surety-to: a@edge:80\r\n`,
    'a head that is too large': `${key}x: ${'x'.repeat(20_000)}\r\n`,
  }),
  ...cases(headed, ['k1 /a'], {
    'a key twice': 'baggage: surety-lane=k1,surety-lane=k1\r\ntracestate: surety=k1\r\n',
    'another key as a property': 'baggage: surety-lane=k1;surety-lane=k2\r\n',
    'another lane in x-surety-lane': `${key}x-surety-lane: lane_2\r\n`,
    'a key that Connection marks as hop-by-hop': `${key}Connection: baggage, tracestate\r\n`,
    'a key behind many headers': `${'a:\r\n'.repeat(2_100)}${key}`,
  }),
];

const sequences: HostileCase[] = [
  {
    name: 'two requests of two lanes in one packet',
    bytes: `GET /a HTTP/1.1\r\nHost: a\r\n${key}\r\n${headed('baggage: surety-lane=k2\r\n')}`,
    reached: ['k1 /a', 'k2 /a'],
  },
  {
    name: 'a request after one that is refused',
    bytes: `GET /a HTTP/1.1\r\nHost: a\r\nbaggage: surety-lane=k3\r\n\r\n${headed(key)}`,
    reached: ['k1 /a'],
  },
  {
    name: 'a request behind a WebSocket that is refused',
    bytes: `${asked('GET /a HTTP/1.1')
      .replace('close', 'Upgrade')
      .replace('\r\n\r\n', '\r\nUpgrade: websocket\r\n\r\n')}${smuggled}`,
    reached: ['k1 /a'],
  },
  {
    name: 'an upload that waits for a 100 that never comes',
    bytes: asked('POST /a HTTP/1.1', 'Expect: 200-ok\r\nContent-Length: 5\r\n'),
    reached: [],
  },
];

export const hostileRequests: readonly HostileCase[] = [
  ...framing,
  ...broken,
  ...lines,
  ...keys,
  ...sequences,
];
