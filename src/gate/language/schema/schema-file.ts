import { z } from 'zod';
import type { JsonObject } from '../../../kernel/index.ts';
import { policySchema } from '../document.ts';

/** The JSON Schema of a policy document, by which editors complete and check it. */
export function policyJsonSchema(): JsonObject {
  return {
    ...(z.toJSONSchema(policySchema, { io: 'input' }) as JsonObject),
    title: 'A policy of Surety',
  };
}
