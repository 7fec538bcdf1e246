import { writeFileSync } from 'node:fs';
import { attacksDocument } from './documents/attacks-document.ts';
import { cliDocument } from './documents/cli-document.ts';
import { configurationDocument } from './documents/configuration-document.ts';
import { errorsDocument } from './documents/errors-document.ts';
import { evasionsDocument } from './documents/evasions-document.ts';
import { limitsDocument } from './documents/limits-document.ts';
import { mcpToolsDocument } from './documents/mcp-tools-document.ts';
import { policyDocument, policySchemaFile } from './documents/policy-document.ts';
import { telemetryDocument } from './documents/telemetry-document.ts';
import { verdictSchemaFile } from './documents/verdict-document.ts';
import { say } from './steps.ts';

/** `npm run docs`: the pages that are made from the code. A test compares them. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  'docs/attacks.md': attacksDocument,
  'docs/cli.md': cliDocument,
  'docs/errors.md': errorsDocument,
  'docs/limits.md': limitsDocument,
  'docs/configuration.md': configurationDocument,
  'docs/mcp-tools.md': mcpToolsDocument,
  'docs/policy-reference.md': policyDocument,
  'docs/policy.schema.json': policySchemaFile,
  'docs/shell-evasions.md': evasionsDocument,
  'docs/telemetry-reference.md': telemetryDocument,
  'docs/verdict.schema.json': verdictSchemaFile,
};

if (import.meta.main) {
  for (const [path, make] of Object.entries(generatedPages)) {
    writeFileSync(path, make());
    say(`wrote ${path}`);
  }
}
