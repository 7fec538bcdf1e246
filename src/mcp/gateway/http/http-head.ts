import { notUnderstood } from './http-doubt.ts';

export interface HttpHead {
  readonly status: number;
  readonly type: string;
  readonly length: number | 'chunked' | 'until-closed';
  readonly isKept: boolean;
}

/** By these it is decided where an answer ends: two of one kind could mean two ends. */
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

export function parseHead(text: string): HttpHead {
  const [first = '', ...lines] = text.split('\r\n');
  const [, minor, status] = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/.exec(first) ?? [];
  if (status === undefined) throw notUnderstood('it does not speak HTTP/1.1');
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined) throw notUnderstood('one of its headers is none');
    const key = name.toLowerCase();
    if (framing.has(key) && fields.has(key)) throw notUnderstood(`it has two headers ${key}`);
    fields.set(key, value.trimEnd());
  }
  return {
    status: Number(status),
    type: fields.get('content-type') ?? '',
    length: lengthOf(Number(status), fields),
    isKept: minor === '1' && !/\bclose\b/i.test(fields.get('connection') ?? ''),
  };
}

function lengthOf(status: number, fields: ReadonlyMap<string, string>): HttpHead['length'] {
  const length = fields.get('content-length');
  const encoding = fields.get('transfer-encoding')?.toLowerCase();
  if (encoding !== undefined && (encoding !== 'chunked' || length !== undefined)) {
    throw notUnderstood('nobody can tell how long it is');
  }
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    throw notUnderstood('its length is no number');
  }
  if (status === 204 || status === 304) return 0;
  if (encoding !== undefined) return 'chunked';
  return length === undefined ? 'until-closed' : Number(length);
}
