import { tagsIn } from '../routing/trace-tag.ts';
import { type BodyFraming, ChunkedFraming, LengthFraming } from './body-framing.ts';

/** As much of a request's head as a connection that is passed through needs. */
export interface PlainHead {
  /** Where the body begins. */
  readonly end: number;
  readonly isHead: boolean;
  /** Null for a request without a body. */
  readonly body: BodyFraming | null;
  /** Without effects by definition, so it may be sent twice. */
  readonly isRepeatable: boolean;
}

const form =
  /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/[!-~\x80-\xff]* HTTP\/1\.1(?:\r\n[\w!#$%&'*+.^`|~-]+:[\t -~\x80-\xff]*)+\r\n\r\n$/;
const named =
  /\r\n(host|content-length|transfer-encoding|connection|upgrade|expect|trailer|traceparent):[ \t]*([^\r\n]*)/gi;
const usualConnection = /^(?:keep-alive|close)?$/i;
const headEnd = '\r\n\r\n';

/**
 * Null for every head that is not wholly in these bytes or is in any way special: with a key, or
 * in a form that two parsers could read differently. Those are for the router to look at.
 */
export function readPlainHead(bytes: Buffer, keyHeader: string | undefined): PlainHead | null {
  const blank = bytes.indexOf(headEnd);
  if (blank < 0) return null;
  const end = blank + headEnd.length;
  const head = bytes.toString('latin1', 0, end);
  const method = form.exec(head)?.[1];
  if (method === undefined || namesKey(head, keyHeader)) return null;
  const body = readBody(head);
  if (body === undefined) return null;
  const isRepeatable = body === null && (method === 'GET' || method === 'HEAD');
  return { end, isHead: method === 'HEAD', body, isRepeatable };
}

function namesKey(head: string, keyHeader: string | undefined): boolean {
  const lower = head.toLowerCase();
  return lower.includes('surety') || (keyHeader !== undefined && lower.includes(`\n${keyHeader}:`));
}

/** Undefined when a header asks for more than passing bytes on. */
function readBody(head: string): BodyFraming | null | undefined {
  let body: BodyFraming | null = null;
  let bodies = 0;
  let hosts = 0;
  for (const [, name = '', value = ''] of head.matchAll(named)) {
    const lower = name.toLowerCase();
    if (lower === 'host') hosts++;
    else if (lower === 'content-length') {
      bodies++;
      if (!/^\d{1,15}[ \t]*$/.test(value)) return undefined;
      body = Number(value) === 0 ? null : new LengthFraming(Number(value));
    } else if (lower === 'transfer-encoding') {
      bodies++;
      if (!/^chunked[ \t]*$/i.test(value)) return undefined;
      body = new ChunkedFraming();
    } else if (lower === 'connection') {
      if (!usualConnection.test(value)) return undefined;
    } else if (lower !== 'traceparent' || tagsIn(value).length > 0) return undefined;
  }
  return hosts === 1 && bodies <= 1 ? body : undefined;
}
