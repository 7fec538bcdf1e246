/** Says from outside the database which hash the chain had at an entry. */
export interface Anchor {
  readonly seq: number;
  readonly hash: string;
  /** When it was taken; an anchor without a time is never part of an acknowledged loss. */
  readonly at?: number;
  /** Who says so, as the subject of a sentence: "the anchor", "the signed head". */
  readonly source: string;
  /** The key with which a checkpoint was signed here; the database must still have it. */
  readonly keyId?: string;
}
