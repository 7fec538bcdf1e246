/** A schema that takes everything as it is: what is passed on is not made over. */
export const anything = {
  '~standard': {
    version: 1 as const,
    vendor: 'surety',
    validate: (value: unknown) => ({ value: value as Record<string, unknown> }),
  },
};
