import {
  type Assignment,
  type Command,
  forEachChild,
  type HereDoc,
  type ParsedScript,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { hookLimits } from '../limits.ts';
import { showsVariables } from '../secret-paths.ts';
import { checkEnvironment } from './environment.ts';
import { expandSingle, expandWord, type WordDeps } from './expand-word.ts';
import { type ExpandedWord, exact, joinFields, unknown } from './field.ts';
import { applyRedirect } from './redirect.ts';
import { runFile } from './run-file.ts';
import { runProgram, runWords } from './run-words.ts';
import type { Scope } from './scope.ts';
import type { FileRun, InnerPort, Shell, ShellSettings, Streams } from './shell.ts';
import { createPort } from './shell-port.ts';
import { checkSubscript } from './subscript.ts';

const nothing: Streams = { stdin: undefined };

/**
 * Follows a command through a shell without running anything: every branch, every loop body and
 * every substitution. What it cannot know, it says in `effects.unresolved`.
 */
export class Interpreter implements Shell {
  readonly settings: ShellSettings;
  /** Files that this call itself wrote, with their text if that is known. */
  readonly written = new Map<string, ExpandedWord>();
  /** Files and directories that this call downloads or unpacks. */
  readonly fetched = new Set<string>();
  readonly links = new Map<string, string>();
  #commands = 0;
  #depth = 0;

  constructor(settings: ShellSettings) {
    this.settings = settings;
  }

  unresolved(reason: string): undefined {
    this.settings.effects.unresolved.add(reason.slice(0, 300));
  }

  runWords(words: readonly ExpandedWord[], scope: Scope, streams: Streams): ExpandedWord {
    return runWords(this, words, scope, streams);
  }

  runProgram(
    name: string,
    args: readonly ExpandedWord[],
    scope: Scope,
    streams: Streams,
  ): ExpandedWord {
    return runProgram(this, { name, args }, scope, streams);
  }

  runFile(run: FileRun, scope: Scope): undefined {
    runFile(this, run, scope);
  }

  port(scope: Scope): InnerPort {
    return createPort(this, scope);
  }

  script(text: string, scope: Scope, streams: Streams = nothing): ExpandedWord {
    if (text.includes('\0')) return this.#lost('the command contains a NUL');
    if (text.length > hookLimits.commandCharsMax)
      return this.#lost('the command is too long to be read');
    const parsed = parse(text);
    return this.#parsed(parsed, text, scope, streams);
  }

  #parsed(parsed: ParsedScript, text: string, scope: Scope, streams: Streams): ExpandedWord {
    const [error] = parsed.errors ?? [];
    if (error)
      this.unresolved(
        `the shell cannot parse ${JSON.stringify(text.slice(0, 80))}: ${error.message}`,
      );
    return this.deeper(() => this.statements(parsed.commands, scope, streams));
  }

  #lost(reason: string): ExpandedWord {
    this.unresolved(reason);
    return unknown();
  }

  /** Limits recursion: functions that call themselves, scripts that run themselves. */
  deeper(run: () => ExpandedWord): ExpandedWord {
    if (this.#depth >= hookLimits.nestingMax) return this.#lost('commands are nested too deeply');
    this.#depth++;
    try {
      return run();
    } finally {
      this.#depth--;
    }
  }

  statements(list: readonly Statement[], scope: Scope, streams: Streams = nothing): ExpandedWord {
    const outputs = list.map(({ command, background }) => {
      const own = background ? scope.copy() : scope;
      const before = scope.directories;
      const output = this.node(command, own, streams);
      this.#mayHaveStayed(before, own);
      return output;
    });
    return joinFields(outputs);
  }

  /** A `cd` may have failed, so that the next command runs where the shell was before. */
  #mayHaveStayed(before: readonly string[], scope: Scope): undefined {
    if (scope.directories === before) return;
    const { files } = this.settings;
    const isCertain = scope.directories.every((path) => files.at(path)?.isDirectory === true);
    if (!isCertain) scope.directories = [...new Set([...scope.directories, ...before])];
  }

  node(node: SyntaxNode, scope: Scope, streams: Streams): ExpandedWord {
    switch (node.type) {
      case 'Command':
        return this.command(node, scope, streams);
      case 'AndOr':
        return this.#andOr(node.commands, node.operators, scope, streams);
      case 'Pipeline':
        return this.#pipeline(node.commands, scope, streams);
      case 'CompoundList':
        return this.statements(node.commands, scope, streams);
      case 'Subshell':
        return this.statements(node.body.commands, scope.copy(), streams);
      case 'BraceGroup':
        return this.statements(node.body.commands, scope, streams);
      case 'Redirected':
        return this.#redirected(node.command, node.redirects, scope, streams);
      case 'If':
        return this.#branches(
          [[node.clause, node.then], ...node.elif.map((one) => [one.clause, one.then])],
          node.else,
          scope,
          streams,
        );
      case 'While':
        return this.#loop(() => this.#sequence([node.clause, node.body], scope, streams), scope);
      case 'For':
      case 'Select':
        return this.#for(node, scope, streams);
      case 'ArithmeticFor':
        this.visitExpansions(node, scope);
        return this.#loop(() => this.node(node.body, scope, streams), scope);
      case 'Case':
        this.single(node.word, scope);
        return this.#branches(
          node.items.map(({ body }) => [body]),
          undefined,
          scope,
          streams,
        );
      case 'Function':
        scope.functions.set(node.name.value, node);
        return exact('');
      case 'Coproc':
        this.node(node.body, scope.copy(), streams);
        return exact('');
      default:
        // Tests and arithmetic: only the substitutions inside of them run.
        this.visitExpansions(node, scope);
        return exact('');
    }
  }

  #sequence(nodes: readonly SyntaxNode[], scope: Scope, streams: Streams): ExpandedWord {
    return joinFields(nodes.map((node) => this.node(node, scope, streams)));
  }

  /** What follows `&&` or `||` runs only perhaps; a `cd` before `&&` has then worked. */
  #andOr(
    nodes: readonly SyntaxNode[],
    operators: readonly string[],
    scope: Scope,
    streams: Streams,
  ): ExpandedWord {
    const outputs: ExpandedWord[] = [];
    const earlier: Scope[] = [];
    nodes.forEach((node, index) => {
      const before = scope.copy();
      if (operators[index - 1] === '||') scope.mergeWith(earlier.at(-1) ?? before);
      outputs.push(this.node(node, scope, streams));
      earlier.push(before);
    });
    return joinFields(outputs);
  }

  #pipeline(nodes: readonly SyntaxNode[], scope: Scope, streams: Streams): ExpandedWord {
    let stdin = streams.stdin;
    // Each command of a pipeline has a shell of its own.
    nodes.forEach((node) => {
      stdin = this.node(node, nodes.length > 1 ? scope.copy() : scope, { ...streams, stdin });
    });
    return stdin ?? exact('');
  }

  #redirected(
    node: SyntaxNode,
    redirects: readonly Redirection[],
    scope: Scope,
    streams: Streams,
  ): ExpandedWord {
    const stdin = this.redirects(redirects, scope, streams.stdin, []);
    return this.node(node, scope, { ...streams, stdin });
  }

  #branches(
    branches: readonly (readonly SyntaxNode[])[],
    otherwise: SyntaxNode | undefined,
    scope: Scope,
    streams: Streams,
  ): ExpandedWord {
    const ways = [...branches, ...(otherwise ? [[otherwise]] : [])];
    const outputs = ways.map((nodes) => {
      const before = scope.copy();
      const output = this.#sequence(nodes, scope, streams);
      scope.mergeWith(before);
      return output;
    });
    return outputs.length === 1 && outputs[0]?.text === '' ? exact('') : unknown();
  }

  /** Twice: what a round leaves behind, the next one may use. */
  #loop(round: () => ExpandedWord, scope: Scope): ExpandedWord {
    for (const _ of [1, 2]) {
      const before = scope.copy();
      round();
      scope.mergeWith(before);
    }
    return unknown();
  }

  #for(
    node: Extract<SyntaxNode, { type: 'For' | 'Select' }>,
    scope: Scope,
    streams: Streams,
  ): ExpandedWord {
    const { wordlist, body, name } = node;
    const values = wordlist?.flatMap((word) => this.words(word, scope)) ?? scope.positional;
    const isFew = values.length <= hookLimits.alternativesMax && node.type === 'For';
    const rounds = isFew ? values : [unknown(`$${name.value}`)];
    const outputs: ExpandedWord[] = [];
    for (const value of rounds) {
      scope.assign(name.value, value);
      const before = scope.copy();
      outputs.push(this.node(body, scope, streams));
      scope.mergeWith(before);
      if (rounds.length === 1) this.node(body, scope, streams);
    }
    return joinFields(outputs);
  }

  command(node: Command, scope: Scope, streams: Streams): ExpandedWord {
    if (++this.#commands > hookLimits.simpleCommandsMax)
      return this.#lost('the command has too many parts');
    const assigned = new Map<string, ExpandedWord>();
    for (const part of node.prefix) {
      if (part.type === 'Assignment') assigned.set(part.name, this.assigned(part, scope));
    }
    const words = node.name ? [node.name, ...node.args] : node.args;
    const fields = words.flatMap((word) =>
      word.type === 'Assignment' ? [this.#assignmentWord(word, scope)] : this.words(word, scope),
    );
    for (const field of fields) checkSubscript(field, this);
    const outputs: string[] = [];
    const stdin = this.redirects(node.redirects, scope, streams.stdin, outputs);
    if (!node.name) {
      checkEnvironment(assigned, this, scope);
      for (const part of node.prefix) if (part.type === 'Assignment') this.assign(part, scope);
      return exact('');
    }
    const output = this.runWords(fields, scope, { stdin, environment: assigned });
    for (const path of outputs) this.written.set(path, output);
    return outputs.length > 0 ? exact('') : output;
  }

  /** `export NAME=value`: an argument, of which the builtin makes an assignment. */
  #assignmentWord(part: Assignment, scope: Scope): ExpandedWord {
    return joinFields([
      exact(`${part.name}${part.append ? '+' : ''}=`),
      this.assigned(part, scope),
    ]);
  }

  assigned({ value }: Assignment, scope: Scope): ExpandedWord {
    if (value.type === 'Word') return this.single(value, scope);
    const fields = value.elements.flatMap((word) => this.words(word, scope));
    return joinFields(fields, ' ');
  }

  assign(part: Assignment, scope: Scope): undefined {
    const { name, value, append, index } = part;
    const hasIndexes =
      value.type === 'ArrayValue' && value.elements.some(({ text }) => /^\[.*\]\+?=/s.test(text));
    if (index || hasIndexes) {
      if (index) this.single(index, scope);
      scope.variables.delete(name);
      scope.arrays.set(name, [unknown(`$${name}`)]);
    } else if (value.type === 'ArrayValue') {
      const added = value.elements.flatMap((word) => this.words(word, scope));
      scope.variables.delete(name);
      scope.arrays.set(
        name,
        append ? [...(scope.arrays.get(name) ?? [unknown()]), ...added] : added,
      );
    } else {
      const added = this.single(value, scope);
      checkSubscript(added, this);
      const older = append ? [scope.read(name) ?? unknown(`$${name}`)] : [];
      scope.assign(name, joinFields([...older, added]));
    }
  }

  words(word: Word, scope: Scope): ExpandedWord[] {
    return expandWord(word, this.#wordDeps(scope));
  }

  single(word: Word, scope: Scope): ExpandedWord {
    return expandSingle(word, this.#wordDeps(scope));
  }

  #wordDeps(scope: Scope): WordDeps {
    return {
      scope,
      substitute: (script, text) => this.#substitute(script, text, scope),
      processSubstitution: (script, operator) => {
        if (!script) return this.#lost('a process substitution cannot be parsed');
        const output = this.#parsed(script, '', scope.copy(), nothing);
        return this.pipeFile(operator === '<' ? output : exact(''));
      },
      arithmetic: (part) => this.visitExpansions(part, scope),
      unresolved: (reason) => this.unresolved(reason),
    };
  }

  /** A name for what a process substitution prints, which a program then opens as a file. */
  pipeFile(text: ExpandedWord): ExpandedWord {
    const path = `/dev/fd/pipe-${this.written.size}`;
    this.written.set(path, text);
    return exact(path);
  }

  #substitute(script: ParsedScript | undefined, text: string, scope: Scope): ExpandedWord {
    if (!script) return this.#lost(`${text.slice(0, 80)} cannot be parsed`);
    const output = this.#parsed(script, text, scope.copy(), nothing);
    return { ...output, text: output.text.replace(/\n+$/, '') };
  }

  /** Follows the substitutions in tests and arithmetic. */
  visitExpansions(node: SyntaxNode, scope: Scope): undefined {
    const visit = (child: SyntaxNode): undefined => {
      if (child.type === 'CompoundList') return;
      if (child.type === 'Word') checkSubscript(exact(child.value), this);
      if ('script' in child && child.script)
        this.#parsed(child.script as ParsedScript, '', scope.copy(), nothing);
      else forEachChild(child, visit);
    };
    // Arithmetic evaluates the text of variables, and that may contain a substitution.
    for (const { kind, text } of scope.variables.values()) {
      if (kind === 'exact' && /\$\(|`/.test(text))
        this.unresolved('arithmetic could run the text of a variable');
    }
    forEachChild(node, visit);
  }

  /** Returns the text on standard input, and collects the files that standard output goes to. */
  redirects(
    list: readonly Redirection[],
    scope: Scope,
    stdin: ExpandedWord | undefined,
    outputs: string[],
  ): ExpandedWord | undefined {
    let input = stdin;
    for (const redirect of list) {
      if (redirect.type === 'HereDoc') input = this.#hereDocument(redirect, scope);
      else if (redirect.type === 'HereString') {
        const text = redirect.target ? this.single(redirect.target, scope) : exact('');
        input = joinFields([text, exact('\n')]);
      } else input = applyRedirect(this, redirect, scope, { input, outputs });
      if (redirect.type !== 'Redirect') showsVariables(input, this.settings.effects);
    }
    return input;
  }

  #hereDocument({ body, closing }: HereDoc, scope: Scope): ExpandedWord {
    if (!closing) this.unresolved('a here-document has no end');
    if (!body.parts) return exact(body.text);
    const { pos, end, parts, text: value } = body;
    return this.single({ type: 'Word', text: ` ${value}`, value, pos, end, parts }, scope);
  }
}
