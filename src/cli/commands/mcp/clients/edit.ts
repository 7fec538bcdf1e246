/** The text of a configuration with an entry in it, and everything else as it was. */
export type ConfigEdit = (text: string, place: readonly [string, string], entry: object) => string;
