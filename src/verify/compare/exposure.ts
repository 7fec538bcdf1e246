import { type Json, redactSecrets, redactText } from '../../kernel/index.ts';

const stackTrace =
  /\bat [^\n]{1,200}?:\d+:\d+|Traceback \(most recent call last\)|\bFile \\?"[^"\n]{1,200}", line \d+|\.java:\d+\)|\bgoroutine \d+ \[/;

/** What a text gives away that it should keep to itself; in words that can be compared. */
export function exposuresOf(text: string): string[] {
  const redacted = redactedText(text);
  const marks = [...redacted.matchAll(/\[redacted(?: ([\w-]+))?\]/g)];
  const secrets = marks.map(([, kind = 'named as such']) => `a secret (${kind})`);
  return [...new Set([...secrets, ...(stackTrace.test(text) ? ['a stack trace'] : [])])];
}

/** Names of fields tell a secret only where there are fields. */
function redactedText(text: string): string {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(redactSecrets(JSON.parse(text) as Json));
    } catch {
      // Cut off, or not what it looks like: then it is a text.
    }
  }
  return redactText(text);
}
