import { parseAllDocuments } from 'yaml';
import { sharedLimits } from '../kernel/index.ts';

/** As many as people write in files for other tools; a small file that explodes has far more. */
const aliasesMax = 100;

/** The documents of a YAML text that was written for another tool; none of those with mistakes. */
export function readForeignText(text: string): unknown[] {
  if (text.length > sharedLimits.configBytesMax) return [];
  try {
    const documents = [...parseAllDocuments(text, { merge: true, prettyErrors: false })];
    return documents.flatMap((document) =>
      document.errors.length > 0 ? [] : [document.toJS({ maxAliasCount: aliasesMax })],
    );
  } catch {
    // Nested too deeply, or aliases without end.
    return [];
  }
}
