import type { Observation } from '../api-schema.ts';
import type { TemplatePart } from './template.ts';

/** The text of a log probe for one hit. */
export function formatMessage(
  parts: readonly TemplatePart[],
  values: readonly Observation[],
): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : formatValue(values[part])))
    .join('');
}

function formatValue(seen: Observation | undefined): string {
  if (seen === undefined) return '';
  if ('error' in seen) return `<${seen.error}>`;
  if (seen.type === 'undefined') return 'undefined';
  return typeof seen.value === 'string' ? seen.value : JSON.stringify(seen.value);
}
