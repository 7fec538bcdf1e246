/** For tests only: frames of HTTP/2 that no library would send. */

type Field = readonly [name: string, value: string];

export interface HostileStream {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly body?: string;
  readonly reached: readonly string[];
}

const usual: readonly Field[] = [
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', '/a'],
  [':authority', 'a'],
];
const key: Field = ['baggage', 'surety-lane=k1'];
const withPseudo = (name: string, value: string): readonly Field[] => [
  ...usual.map((field) => (field[0] === name ? ([name, value] as const) : field)),
  key,
];
const without = (name: string): readonly Field[] => [...usual.filter(([one]) => one !== name), key];
const withField = (name: string, value: string): readonly Field[] => [...usual, key, [name, value]];
const hidden = 'GET /smuggled HTTP/1.1\r\nHost: a\r\nbaggage: surety-lane=k2\r\n\r\n';

export const hostileStreams: readonly HostileStream[] = [
  ...Object.entries({
    'a path of two lines': withPseudo(':path', `/a HTTP/1.1\r\n\r\n${hidden}`),
    'a path with a blank': withPseudo(':path', '/a /smuggled'),
    'a path that is an address': withPseudo(':path', 'http://b/a'),
    'an empty path': withPseudo(':path', ''),
    'no path': without(':path'),
    'no method': without(':method'),
    'a method of two lines': withPseudo(':method', 'GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST'),
    'a tunnel': [[':method', 'CONNECT'], [':authority', 'a:80'], key] as const,
    'a tunnel for WebSocket': [...withPseudo(':method', 'CONNECT'), [':protocol', 'websocket']],
    'two paths': [...usual, [':path', '/smuggled'], key],
    'a path after the headers': [...without(':path'), [':path', '/a']],
    'an unknown pseudo header': [[':lane', 'k2'], ...usual, key],
    'an authority of two lines': withPseudo(':authority', 'a\r\nbaggage: surety-lane=k2'),
    'a host that is not its authority': withField('host', 'b'),
    'a transfer coding': withField('transfer-encoding', 'chunked'),
    'a connection header': withField('connection', 'baggage'),
    'a TE that is not for HTTP/2': withField('te', 'gzip'),
    'a name in capital letters': withField('Baggage', 'surety-lane=k2'),
    'two keys': withField('baggage', 'surety-lane=k2'),
    'another key in its tracestate': withField('tracestate', 'surety=k2'),
    'two lengths': [...withField('content-length', '0'), ['content-length', '1']],
  } satisfies Record<string, readonly Field[]>).map(([name, fields]) => ({
    name,
    fields,
    reached: [],
  })),
  // The field is left out, and what remains is a request of its lane.
  ...Object.entries({
    'a name with a colon': withField('x: 1\r\nbaggage', 'surety-lane=k2'),
    'a value of two lines': withField('x', '1\r\nbaggage: surety-lane=k2'),
    'a value with a line feed': withField('x', '1\nbaggage: surety-lane=k2'),
  }).map(([name, fields]) => ({ name, fields, reached: ['k1 /a'] })),
  { name: 'nothing wrong', fields: [...usual, key], body: 'body', reached: ['k1 /a'] },
];

/** Whether it gets there in part or not at all, nobody gets what is hidden. */
export const hostileLengths: readonly HostileStream[] = [
  {
    name: 'less than it sends',
    fields: withField('content-length', '0'),
    body: hidden,
    reached: [],
  },
  {
    name: 'more than it sends',
    fields: withField('content-length', '999'),
    body: hidden,
    reached: [],
  },
];

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

export function framesOf({ fields, body }: HostileStream): Buffer {
  const head = Buffer.concat(fields.map(literal));
  const flags = body === undefined ? 0x05 : 0x04;
  const frames = [preface, frame(4, 0, 0), frame(1, flags, 1, head)];
  if (body !== undefined) frames.push(frame(0, 1, 1, Buffer.from(body, 'latin1')));
  return Buffer.concat(frames);
}

/** HPACK without its tables: the name and the value as they are. */
function literal([name, value]: Field): Buffer {
  return Buffer.concat([Buffer.from([0x10]), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  const rest = bytes.length - 127;
  const length =
    rest < 0 ? [bytes.length] : rest < 128 ? [127, rest] : [127, (rest & 127) | 128, rest >> 7];
  return Buffer.concat([Buffer.from(length), bytes]);
}

function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Whether the other side has said something about stream 1, or about the connection. */
export function isAnswered(bytes: Buffer): boolean {
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    const [type, flags] = [bytes[at + 3], bytes[at + 4] ?? 0];
    const isEnd = (type === 0 || type === 1) && (flags & 1) === 1;
    if (isEnd || type === 3 || type === 7) return true;
  }
  return false;
}
