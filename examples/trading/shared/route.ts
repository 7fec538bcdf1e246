import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from './http-error.ts';
import type { JsonObject } from './json-body.ts';
import type { Log } from './log.ts';

export interface ServiceRequest {
  method: string;
  path: string;
  params: Record<string, string>;
  headers: IncomingHttpHeaders;
  requestId: string;
  log: Log;
  json(): Promise<JsonObject>;
}

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface Route {
  method: 'GET' | 'POST';
  /** Segments that start with a colon are parameters: `/orders/:id`. */
  path: string;
  handle(request: ServiceRequest): Promise<Reply> | Reply;
}

export interface Match {
  route: Route;
  params: Record<string, string>;
}

/**
 * All routes that have this path, whatever their method: more than none means 405 instead of 404.
 */
export function matchPath(routes: readonly Route[], path: string): Match[] {
  return routes.flatMap((route) => {
    const params = matchSegments(route.path.split('/'), path.split('/'));
    return params ? [{ route, params }] : [];
  });
}

function matchSegments(pattern: string[], actual: string[]): Record<string, string> | undefined {
  if (pattern.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, wanted] of pattern.entries()) {
    const segment = actual[index] ?? '';
    if (wanted.startsWith(':') && segment !== '') params[wanted.slice(1)] = decode(segment);
    else if (wanted !== segment) return undefined;
  }
  return params;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('invalid_path', `The path segment "${segment}" is not valid URL encoding.`);
  }
}
