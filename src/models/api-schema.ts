import { z } from 'zod';

export const modelUsageSchema = z.object({
  agent: z.string(),
  task: z.string().nullable(),
  provider: z.string(),
  model: z.string(),
  calls: z.int(),
  inputTokens: z.int().describe('As the provider counts them, with those from its cache.'),
  outputTokens: z.int(),
  uncountedCalls: z.int().describe('Calls without a count of the provider: as reserved.'),
});

export type ModelUsage = z.infer<typeof modelUsageSchema>;

export const modelProviderSchema = z.object({
  provider: z.string(),
  api: z.enum(['openai', 'anthropic']),
  path: z.string().describe("The base address of clients, on the daemon's address."),
});
