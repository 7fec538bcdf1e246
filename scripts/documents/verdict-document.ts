import { verdictJsonSchema } from '../../src/verify/api-schema.ts';

/** docs/verdict.schema.json, for programs that read verdicts. */
export function verdictSchemaFile(): string {
  return `${JSON.stringify(verdictJsonSchema(), null, 2)}\n`;
}
