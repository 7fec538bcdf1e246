export const hookLimits = {
  /** A command that is taken. A longer one is refused. */
  commandBytesMax: 1024 * 1024,
  /** A command that is parsed. A longer one is held. */
  commandCharsMax: 64 * 1024,
  /** Input of one hook, as the harness writes it. */
  payloadBytesMax: 8 * 1024 * 1024,
  /** Alternatives of one brace expansion, and rounds of one loop, that are followed. */
  alternativesMax: 64,
  /** Simple commands of one call, counting those in functions, loops and scripts. */
  simpleCommandsMax: 2_000,
  /** Commands inside of commands: substitutions, `sh -c`, functions, scripts. */
  nestingMax: 24,
  /** A script or package.json that is read to see what a command runs. */
  scriptBytesMax: 64 * 1024,
  /** Code in a command, or in a file that the command writes, that is judged. Longer is held. */
  inlineCodeCharsMax: 8_000,
  /** Files that are looked at for one call. */
  filesMax: 64,
  /** Rounds of looking at files that scripts name. */
  fileRoundsMax: 5,
  /** Values of one effect, such as paths, in one proposal. More are held. */
  effectValuesMax: 100,
  /** One value of an effect, such as a path. */
  effectValueCharsMax: 1_000,
  /** Text of a command that a proposal contains. Of a longer one it has the start and a hash. */
  shownCommandCharsMax: 4_000,
  /** How long the hook waits for the daemon's decision. */
  decisionMsMax: 10_000,
  /** How long a hook's report of an outcome waits for the daemon. */
  reportMsMax: 5_000,
  /** How long grants of a call without an outcome are kept for a late report. */
  openCallMsMax: 24 * 60 * 60 * 1_000,
} as const;
