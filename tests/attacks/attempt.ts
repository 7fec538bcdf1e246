/** Who attacks. docs/attacks.md groups the attempts by this. */
export const attackers = [
  'another local user',
  'a page in the browser',
  'an agent',
  'a person with a smaller role',
  'a holder of a grant',
  'a tool server',
  'code under test',
  'a sender of telemetry',
  'a writer of the database',
] as const;

export type Attacker = (typeof attackers)[number];

/** One attack: what it tries, and how it has to end. */
export interface Attempt<Scene> {
  readonly attacker: Attacker;
  /** Unique, and understandable alone: it is a line of the documentation. */
  readonly tries: string;
  /** The status and fault code of the refusal, or a phrase about what the attacker does not get. */
  readonly refusal: string;
  /** The kind of the entry that the ledger gets. Without it, the attempt appends nothing. */
  readonly entry?: string;
  /** Runs only in `npm run test:attacks` and `npm run test:deep`. */
  readonly slow?: true;
  /**
   * Returns what the attacker got, in the words of `refusal`. Entries that are appended before it
   * calls `begin` belong to its preparations.
   */
  readonly attack: (scene: Scene, begin: () => Promise<void>) => Promise<string> | string;
}

/** The attempts against each surface of one scene. */
export type Surfaces<Scene> = Readonly<Record<string, readonly Attempt<Scene>[]>>;

/** An attempt that a test elsewhere makes. A test checks that this test exists. */
export interface AttemptElsewhere extends Omit<Attempt<never>, 'attack' | 'slow'> {
  readonly file: string;
  readonly title: string;
}

/** What an attempt tries, its refusal, the attack, and its entry if it has one. */
export type Line<Scene> = readonly [
  tries: string,
  refusal: string,
  attack: Attempt<Scene>['attack'],
  entry?: string,
];

/** The attempts of one attacker. */
export function attemptsOf<Scene>(
  attacker: Attacker,
  lines: readonly Line<Scene>[],
): Attempt<Scene>[] {
  return lines.map(([tries, refusal, attack, entry]) => ({
    attacker,
    tries,
    refusal,
    attack,
    ...(entry === undefined ? {} : { entry }),
  }));
}
