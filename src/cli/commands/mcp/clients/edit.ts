/** The text of a configuration with an entry added, and everything else unchanged. */
export type ConfigEdit = (text: string, place: readonly [string, string], entry: object) => string;
