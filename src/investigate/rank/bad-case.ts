import { type Fault, fault } from '../../kernel/index.ts';

/** A file that is not in the layout of docs/investigate.md. */
export function badCase(file: string, reason: string): Fault {
  return fault('RANK_CASE_INVALID', { file, reason });
}
