import type { Database } from './database.ts';
import { Refusal } from './refusal.ts';

/**
 * `Surety-Fence: <resource>=<number>`. Whoever held a resource before its present holder has a
 * lower number, and comes too late. To be called in the transaction of the effect: a check that
 * ends before the effect would let an older holder through in between.
 */
export async function passFence(database: Database, header: string | null): Promise<void> {
  if (header === null) return;
  const { resource, fence } = parse(header);
  const passed = await database.query(
    `INSERT INTO fences VALUES ($1, $2) ON CONFLICT (resource) DO UPDATE SET fence = excluded.fence
     WHERE fences.fence <= excluded.fence RETURNING fence`,
    [resource, fence],
  );
  if (passed.length > 0) return;
  throw new Refusal(409, 'fence_passed', `A later holder of ${resource} than ${fence} was here.`);
}

function parse(header: string): { resource: string; fence: number } {
  const [, resource, digits] = /^(.+)=(\d{1,15})$/.exec(header) ?? [];
  if (resource && digits) return { resource, fence: Number(digits) };
  throw new Refusal(400, 'invalid_fence', 'Surety-Fence must be <resource>=<number>.');
}
