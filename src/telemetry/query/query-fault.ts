import { fault } from '../../kernel/index.ts';

/** What DuckDB said, in its own words: they name the place and often the remedy. */
export function queryFault(error: Error): Error {
  const reason = error.message.replace(/\s*LINE \d+:[\s\S]*$/, '').trim();
  if (/Out of Memory|bad_alloc|max_temp_directory_size/i.test(error.message)) {
    return fault('QUERY_TOO_LARGE', { reason }, error);
  }
  return fault('QUERY_INVALID', { reason, hint: hintOf(error.message) }, error);
}

function hintOf(message: string): string {
  const candidates = /Candidate bindings: (.*)/.exec(message)?.[1];
  if (candidates) return `Did you mean ${candidates.trim()}?`;
  return 'Correct it, and ask again.';
}
