import type { IncomingMessage } from 'node:http';
import { constants, type IncomingHttpHeaders } from 'node:http2';
import type { HeaderValues } from '../routing/claim.ts';
import { invalid } from '../table/table-forms.ts';
import { endToEnd } from './headers.ts';

/** How a request begins, in one form for all that it may be spoken in. */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  /** By name in small letters, for reading. */
  readonly headers: HeaderValues;
  /** Name, value, name, value: all that is for the service, `host` included. */
  readonly lines: string[];
  readonly hasBody: boolean;
  readonly isGrpc: boolean;
}

export function readHttp1Head(request: IncomingMessage): RequestHead {
  const { headers, rawHeaders, method = 'GET', url = '/' } = request;
  const length = headers['content-length'];
  return {
    method,
    path: url.charCodeAt(0) === slash ? url : originForm(url, { method, host: headers.host }),
    headers,
    lines: endToEnd(rawHeaders, headers.connection),
    hasBody: headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0'),
    isGrpc: false,
  };
}

const slash = 0x2f;

/**
 * A target that names a host must name the same host as the Host header: otherwise two parsers
 * could route the request differently.
 */
function originForm(target: string, about: { method: string; host: string | undefined }): string {
  if (target === '*' && about.method === 'OPTIONS') return target;
  const [, authority, path = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? [];
  if (!authority || authority !== about.host || /^[^/?]/.test(path)) {
    throw invalid('its target is neither a path nor an address at its own host');
  }
  return path.startsWith('/') ? path : `/${path}`;
}

const grpcType = /^application\/grpc(?:$|[;+])/;

export function isGrpcType(type: string | undefined): boolean {
  return grpcType.test(type ?? '');
}

export function readHttp2Head(headers: IncomingHttpHeaders, hasBody: boolean): RequestHead {
  const { ':method': method = 'GET', ':path': path = '', ':authority': authority } = headers;
  const host = headers.host ?? authority;
  if (authority !== undefined && host !== authority) {
    throw invalid('its authority and its host are not the same');
  }
  if (method === constants.HTTP2_METHOD_CONNECT) throw invalid('it asks for a tunnel');
  if (path.charCodeAt(0) !== slash && !(path === '*' && method === 'OPTIONS')) {
    throw invalid('its path does not begin with a slash');
  }
  const lines = host === undefined ? [] : ['host', host];
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || name === 'host' || value === undefined) continue;
    for (const one of [value].flat()) lines.push(name, one);
  }
  const isGrpc = isGrpcType(headers['content-type']);
  return { method, path, headers, lines: endToEnd(lines), hasBody, isGrpc };
}
