import { z } from 'zod';

const provider = z
  .strictObject({
    api: z.enum(['openai', 'anthropic']).describe('What its clients speak.'),
    url: z.url('use https://host').describe('The address that requests go to, without /v1.'),
    keyVariable: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'use the name of a variable')
      .optional()
      .describe("The variable of the daemon's environment that has the owner's key."),
    keyFile: z
      .string()
      .min(1)
      .optional()
      .describe("Instead: the file with the owner's key, relative to this file."),
    outputTokens: z
      .int('use a whole number')
      .min(1)
      .default(4_096)
      .describe('What is reserved for an answer if a request does not limit it.'),
  })
  .refine(({ keyVariable, keyFile }) => (keyVariable === undefined) !== (keyFile === undefined), {
    message: 'say either keyVariable or keyFile',
  });

/** `models` of surety.yaml. */
export const modelsSchema = z
  .record(z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'use lower-case letters and digits'), provider)
  .default({})
  .describe('Models that agents reach through Surety, which counts their tokens, by name.');

export type ModelProviders = z.output<typeof modelsSchema>;
export type ModelProvider = ModelProviders[string];
