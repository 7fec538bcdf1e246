import type { Json } from '../../kernel/index.ts';
import {
  type Field,
  invalid,
  nullOr,
  objectOf,
  unlessGiven,
  wholeNumber,
} from '../protocol/fields.ts';

/** What a child and everything that it starts may use; null is "as much as there is". */
export interface ProcessBounds {
  readonly memoryMb: number | null;
  readonly cpu: number | null;
  readonly processes: number | null;
  /** What all of them may write to disks together. Only a confined child can be asked for it. */
  readonly diskMb: number | null;
}

/** The resources that a machine may bound by itself. */
export const machineResources = ['memoryMb', 'cpu', 'processes'] as const;

export type BoundedResource = (typeof machineResources)[number];

const cpuShare: Field<number> = (value: Json | undefined, path) => {
  if (typeof value === 'number' && value > 0 && value <= 4_096) return value;
  throw invalid(path, 'must be a number above 0, at most 4096');
};

export const bounds: Field<ProcessBounds> = objectOf({
  memoryMb: unlessGiven(null, nullOr(wholeNumber(1))),
  cpu: unlessGiven(null, nullOr(cpuShare)),
  processes: unlessGiven(null, nullOr(wholeNumber(1))),
  diskMb: unlessGiven(null, nullOr(wholeNumber(1))),
});

/** Which of those were given that a machine may bound by itself. */
export function boundedBy(bounds: ProcessBounds | null): readonly BoundedResource[] {
  if (!bounds) return [];
  return machineResources.filter((name) => bounds[name] !== null);
}
