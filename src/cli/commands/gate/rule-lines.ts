import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';

export interface SpokenRule {
  readonly rule: string;
  readonly verdict: string;
  readonly reason: string;
  readonly remedy: string;
  readonly values?: unknown;
}

const tones = { allow: 'good', deny: 'bad', hold: 'warn', warn: 'warn' } as const;

export function verdictTone(verdict: string): (typeof tones)[keyof typeof tones] {
  return tones[verdict as keyof typeof tones] ?? 'warn';
}

/** Each rule that denied or held: its reason, the values that mattered, and the remedy. */
export function showSaid(said: readonly SpokenRule[], output: Output, margin = '    '): void {
  for (const { rule, verdict, reason, remedy, values } of said) {
    output.line(
      `${margin}${output.tone(verdictTone(verdict), verdict)}  ${visible(`${rule}: ${reason}`)}`,
    );
    const shown = Object.entries((values ?? {}) as Record<string, unknown>);
    for (const [name, value] of shown) {
      output.line(
        `${margin}      ${output.tone('dim', name)} is ${visible(JSON.stringify(value))}`,
      );
    }
    output.line(`${margin}      ${output.tone('dim', 'try')}  ${visible(remedy)}`);
  }
}
