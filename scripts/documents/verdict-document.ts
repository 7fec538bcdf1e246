import { verdictJsonSchema } from '../../src/http/operations/verdict-schema.ts';

/** docs/verdict.schema.json, for programs that read verdicts. */
export function verdictSchemaFile(): string {
  return `${JSON.stringify(verdictJsonSchema(), null, 2)}\n`;
}
