import type { MiddlewareHandler } from 'hono';
import type { Database } from './database.ts';

/** Every call is written down before it is looked at, and its status once it has one. */
export function logRequests(database: Database): MiddlewareHandler {
  return async (context, next) => {
    const { method, path } = context.req;
    const header = (name: string): string | null => context.req.header(name) ?? null;
    const [request] = await database.query(
      'INSERT INTO requests (method, path, key, fence) VALUES ($1, $2, $3, $4) RETURNING seq',
      [method, path, header('Idempotency-Key'), header('Surety-Fence')],
    );
    await next();
    if (context.res.headers.has('x-hono-already-sent')) return;
    await database.query('UPDATE requests SET status = $2 WHERE seq = $1', [
      request?.seq,
      context.res.status,
    ]);
  };
}
