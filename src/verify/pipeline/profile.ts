/** `quick` while somebody waits; `full` takes several starts of both versions, and load. */
export type Profile = 'quick' | 'full';
