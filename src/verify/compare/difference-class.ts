/** From causes to symptoms. */
export const differenceClasses = [
  'start',
  'security',
  'contract',
  'calls',
  'writes',
  'error',
  'status',
  'signal',
  'load',
] as const;

export type DifferenceClass = (typeof differenceClasses)[number];
