import type { Design } from './statement-amount.ts';

/** As much of a finding as the agent understands. */
interface Finding {
  kind?: unknown;
  hop?: unknown;
  part?: unknown;
  field?: unknown;
  before?: unknown;
  after?: unknown;
}

/**
 * What the findings ask for: a field that the receiver calculates with must stay a number, so the
 * text needs a field of its own. Undefined when no finding is about the field that was changed.
 */
export function repairDesign(design: Design, findings: unknown): Design | undefined {
  const field = (Array.isArray(findings) ? findings : []).find(
    ({ kind, hop, part, field, before, after }: Finding) =>
      kind === 'wire' &&
      String(hop).startsWith('pricing → validation') &&
      part === 'request' &&
      field === design.textField &&
      before === 'number' &&
      after === 'string',
  )?.field as string | undefined;
  if (field === undefined) return undefined;
  return { textField: `display${field.charAt(0).toUpperCase()}${field.slice(1)}` };
}
