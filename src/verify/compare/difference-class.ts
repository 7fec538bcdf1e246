/** From what breaks others to what merely shows it. */
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
