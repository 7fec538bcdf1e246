import { fault, redactText } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';

/** The original message of DuckDB, which names the position and often the remedy. */
export function queryFault(error: Error): Error {
  const message = formatMessage(error.message);
  const reason = message.replace(/ LINE \d+:.*$/, '').trim();
  if (/Out of Memory|bad_alloc|max_temp_directory_size/i.test(message)) {
    return fault('QUERY_TOO_LARGE', { reason }, error);
  }
  return fault('QUERY_INVALID', { reason, hint: hintOf(message) }, error);
}

/**
 * An error may repeat a value: megabytes of it, lines that imitate other output, or a secret. So it
 * is bounded and redacted like any other text of an answer.
 */
function formatMessage(message: string): string {
  const most = telemetryLimits.telemetryQuestionTextCharsMax;
  const text = redactText(message.slice(0, 2 * most)).replaceAll(/\p{Cc}+/gu, ' ');
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

function hintOf(message: string): string {
  const candidates = /Candidate bindings: (.*?)(?: LINE \d+:|$)/.exec(message)?.[1];
  if (candidates) return `Did you mean ${candidates.trim()}?`;
  return 'Correct it, and ask again.';
}
