import type { z } from 'zod';

/** One thing that the API does. */
export interface Operation {
  readonly summary: string;
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly response: z.ZodType;
  /** Answers with server-sent events, one `response` each. */
  readonly stream?: true;
  /** Needs no token. */
  readonly open?: true;
  /** Agents may call it, too; whether they may have the effect, the gate decides. */
  readonly agents?: true;
}
