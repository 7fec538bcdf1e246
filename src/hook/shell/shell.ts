import type { SyntaxNode, Word } from 'unbash';
import type { EffectList } from '../effect.ts';
import type { ShellPort } from '../programs/program.ts';
import type { ExpandedWord } from './field.ts';
import type { FileFacts } from './file-facts.ts';
import type { Scope } from './scope.ts';

export interface ShellSettings {
  readonly home: string;
  readonly project: string;
  readonly files: FileFacts;
  readonly effects: EffectList;
}

/** What a command knows besides its scope. */
export interface Streams {
  readonly stdin: ExpandedWord | undefined;
  /** Assignments before the command: `NAME=value command`. */
  readonly environment?: ReadonlyMap<string, ExpandedWord>;
}

export interface InnerPort extends ShellPort {
  /** The text of a file that this call wrote, or that a process substitution made. */
  contentOf(field: ExpandedWord): ExpandedWord;
}

/** A file that is run, with its arguments. */
export interface FileRun {
  readonly file: ExpandedWord;
  readonly args: readonly ExpandedWord[];
  /** Whether a shell reads it, whatever its first line says. */
  readonly isShell?: boolean;
}

/** The interpreter, as the parts of a shell use it. */
export interface Shell {
  readonly settings: ShellSettings;
  /** Files that this call itself wrote, with their text if that is known. */
  readonly written: Map<string, ExpandedWord>;
  /** Files and directories that this call downloads or unpacks. */
  readonly fetched: Set<string>;
  readonly links: Map<string, string>;
  unresolved(reason: string): undefined;
  /** Limits recursion: functions that call themselves, scripts that run themselves. */
  deeper(run: () => ExpandedWord): ExpandedWord;
  /** Text that a shell runs. */
  script(text: string, scope: Scope, streams?: Streams): ExpandedWord;
  node(node: SyntaxNode, scope: Scope, streams: Streams): ExpandedWord;
  single(word: Word, scope: Scope): ExpandedWord;
  /** A simple command, after expansion. Returns what it prints, if that is known. */
  runWords(words: readonly ExpandedWord[], scope: Scope, streams: Streams): ExpandedWord;
  /** A program by its name or path, and never a function or builtin. */
  runProgram(
    name: string,
    args: readonly ExpandedWord[],
    scope: Scope,
    streams: Streams,
  ): ExpandedWord;
  runFile(run: FileRun, scope: Scope): undefined;
  /** The interpreter as programs see it, with the directory and variables of one command. */
  port(scope: Scope): InnerPort;
}
