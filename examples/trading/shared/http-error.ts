/**
 * An answer other than success, thrown from anywhere in a handler and written as JSON by the
 * server.
 */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export function badRequest(code: string, message: string): HttpError {
  return new HttpError(400, code, message);
}

export function notFound(what: string, id: string): HttpError {
  return new HttpError(404, `${what}_not_found`, `There is no ${what} with id "${id}".`);
}
