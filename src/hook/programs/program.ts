import type { CommandEffect } from '../effect.ts';
import type { ExpandedWord } from '../shell/field.ts';

/** One simple command, after expansion: a program with its arguments. */
export interface ProgramCall {
  readonly name: string;
  readonly args: readonly ExpandedWord[];
  /** The text on its standard input; undefined if there is none or the terminal. */
  readonly stdin: ExpandedWord | undefined;
  readonly shell: ShellPort;
}

/** What a program can tell the interpreter about its call. */
export interface ShellPort {
  readonly home: string;
  readonly project: string;
  readonly directories: readonly string[];
  add(effect: CommandEffect): undefined;
  /** Something that cannot be known before the command runs. A person has to look at the call. */
  unresolved(reason: string): undefined;
  /** The absolute paths that a field may name, after links; undefined if not known. */
  paths(field: ExpandedWord): readonly string[] | undefined;
  reads(field: ExpandedWord, isRecursive?: boolean): undefined;
  writes(field: ExpandedWord): undefined;
  /** Changes the permissions or times of a file, and not its text. */
  touches(field: ExpandedWord): undefined;
  /** Writes what comes from outside: a download, an archive, a clone. */
  fetches(field: ExpandedWord): undefined;
  deletes(field: ExpandedWord): undefined;
  connects(host: string): undefined;
  /** Runs another program: `env`, `xargs`, `find -exec`. */
  run(words: readonly ExpandedWord[], stdin?: ExpandedWord): ExpandedWord;
  /** Runs text as a shell does: `sh -c`, `eval`. `zero` is its `$0`. */
  script(text: string, positional?: readonly ExpandedWord[], zero?: ExpandedWord): ExpandedWord;
  /** Runs a file as a program or script. */
  runFile(field: ExpandedWord, args: readonly ExpandedWord[]): undefined;
  /** Runs a file as a shell script. */
  runScript(field: ExpandedWord, args: readonly ExpandedWord[]): undefined;
  /** Follows a script of the project that is not in a file of its own, such as one of npm. */
  runKnown(text: string): undefined;
  /** A program that is known by its name. */
  programNamed(name: string): KnownProgram | undefined;
  /** Notes it if the same call wrote code that is now run; or only settings, if just these run. */
  checkOwnCode(only?: 'settings'): undefined;
  /** A file with such a path that the same call wrote. */
  ownFile(paths: RegExp): string | undefined;
  /** Whether the same call made the text of a file, by writing, downloading or a pipe. */
  isOwn(field: ExpandedWord): boolean;
  /** `NAME=value` words in front of a program. */
  setsVariables(words: readonly ExpandedWord[]): undefined;
  /** The text of a file, if it is known at this time. */
  textOf(path: string): string | undefined;
  /** A link that later commands may go through. */
  links(path: ExpandedWord, target: ExpandedWord): undefined;
  inDirectory(field: ExpandedWord, run: () => ExpandedWord): ExpandedWord;
  variable(name: string): ExpandedWord | undefined;
}

/** Records the effects of a call. Returns what the program prints, if that is known. */
export type KnownProgram = (call: ProgramCall) => ExpandedWord | undefined;
export type Programs = Readonly<Record<string, KnownProgram>>;
