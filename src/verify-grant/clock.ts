/** The executor's own clock, in milliseconds since the Unix epoch; a caller may give another. */
export const systemNow = (): number => Date.now();
