import { type ExpandedWord, exact, joinFields, pattern, unknown } from '../shell/field.ts';
import { putIn } from './find.ts';
import { nameList, sortArguments } from './options.ts';
import { showsEnvironment } from './plain.ts';
import type { KnownProgram, ProgramCall, Programs } from './program.ts';

/** Shells run text from an option, a file or standard input. */
function shellProgram({ name, args, stdin, shell }: ProgramCall): ExpandedWord {
  // The name after `-o` or `-O` is no operand, and options may follow it.
  const start = args.findIndex(
    ({ text }, at) =>
      (!/^[-+]/.test(text) && !/^[-+]\w*[oO]$/.test(args[at - 1]?.text ?? '')) ||
      text === '-' ||
      text === '--',
  );
  const flags = (start < 0 ? args : args.slice(0, start)).map(({ text }) => text);
  if (args.slice(0, start < 0 ? undefined : start).some(({ kind }) => kind !== 'exact')) {
    shell.unresolved(`${name} has an option that is not known`);
    return unknown();
  }
  if (flags.some((flag) => /^--(?:version|help)$/.test(flag))) return unknown();
  if (flags.some((flag) => /^--(?:rcfile|init-file)/.test(flag)))
    shell.unresolved(`${name} runs a file of its own at the start`);
  if (flags.includes('extglob')) shell.unresolved(`${name} uses patterns that are not followed`);
  const rest = (start < 0 ? [] : args.slice(start)).filter(
    ({ text }, index) => index > 0 || text !== '--',
  );
  const [first, ...more] = rest;
  if (flags.some((flag) => /^-\w*n\w*$/.test(flag) && !/^-\w*c/.test(flag))) {
    if (first) shell.reads(first);
    return unknown();
  }
  if (flags.some((flag) => /^-\w*c/.test(flag))) return runText(first, more, name, shell);
  if (first && !flags.some((flag) => /^-\w*s/.test(flag))) {
    if (first.text !== '-') {
      shell.runScript(first, more);
      return unknown();
    }
  }
  return runInput(stdin, name, shell);
}

function runText(
  text: ExpandedWord | undefined,
  [zero, ...positional]: readonly ExpandedWord[],
  name: string,
  shell: ProgramCall['shell'],
): ExpandedWord {
  if (text?.kind === 'exact') return shell.script(text.text, positional, zero);
  shell.unresolved(`${name} -c runs text that is not known before the command runs`);
  return unknown();
}

function runInput(
  stdin: ExpandedWord | undefined,
  name: string,
  shell: ProgramCall['shell'],
): ExpandedWord {
  if (stdin?.kind === 'exact') return shell.script(stdin.text);
  shell.unresolved(`${name} runs text from its input that is not known before the command runs`);
  return unknown();
}

/** Programs that run the rest of their arguments. `taking`: options with a value. */
function wrapper(taking: readonly string[], operands = 0): KnownProgram {
  return ({ name, args, stdin, shell }) => {
    const { operands: words, valuesOf } = sortArguments(args, taking, { stopsAtOperand: true });
    for (const file of name === 'time' ? valuesOf('o', 'output') : []) shell.writes(file);
    return shell.run(words.slice(operands), stdin);
  };
}

const asOther: KnownProgram = (call) => {
  const { args, stdin, shell, name } = call;
  shell.add({ kind: 'machine.change', values: { operations: [`${name}: act as another user`] } });
  const { operands, has } = sortArguments(
    args,
    nameList('u user g group p prompt C h host r role t type D chdir T U'),
    { stopsAtOperand: true },
  );
  if (has('e', 'edit')) for (const file of operands) shell.writes(file);
  const words = operands.filter(({ text }, index) => index > 0 || !/^\w+=/.test(text));
  return words.length > 0 ? shell.run(words, stdin) : unknown();
};

function env({ args, stdin, shell }: ProgramCall): ExpandedWord {
  const split = args.findIndex(
    ({ text }) => /^(?:-S|--split-string)/.test(text) || /^-[iv0]+S/.test(text),
  );
  if (split >= 0) {
    const attached = (args[split] as ExpandedWord).text.replace(
      /^(?:--split-string=?|-[iv0]*S)/,
      '',
    );
    const words =
      attached === '' ? args.slice(split + 1) : [exact(attached), ...args.slice(split + 1)];
    const text = joinFields(words, ' ');
    if (text.kind === 'exact') return shell.script(text.text);
    shell.unresolved('env splits text that is not known');
    return unknown();
  }
  const { operands, valuesOf } = sortArguments(args, ['u', 'unset', 'C', 'chdir'], {
    stopsAtOperand: true,
  });
  const start = operands.findIndex(({ text }) => !/^[^=/]+=/.test(text));
  const assigned = start < 0 ? operands : operands.slice(0, start);
  shell.setsVariables(assigned);
  const words = start < 0 ? [] : operands.slice(start);
  if (words.length === 0) {
    if (!args.some(({ text }) => /^--(?:version|help)$/.test(text))) showsEnvironment(shell);
    return unknown();
  }
  const [directory] = valuesOf('C', 'chdir');
  return directory
    ? shell.inDirectory(directory, () => shell.run(words, stdin))
    : shell.run(words, stdin);
}

/** The words that `xargs` adds come from its input. */
function xargs({ args, stdin, shell }: ProgramCall): ExpandedWord {
  const { operands, valuesOf } = sortArguments(
    args,
    nameList(`
      I i replace n max-args P max-procs L max-lines d delimiter s max-chars a
      arg-file E eof process-slot-var
    `).filter((name) => name !== 'i'),
    { stopsAtOperand: true },
  );
  const words = operands.length > 0 ? operands : [exact('echo')];
  for (const file of valuesOf('a', 'arg-file')) shell.reads(file);
  const [mark] = [
    ...valuesOf('I', 'replace'),
    ...(args.some(({ text }) => text === '-i') ? [exact('{}')] : []),
  ];
  const given =
    valuesOf('a', 'arg-file').length > 0
      ? [unknown('xargs')]
      : inputWords(stdin, mark !== undefined);
  if (mark) {
    for (const value of given) shell.run(words.map((word) => putIn(word, value, mark.text)));
    return unknown();
  }
  return shell.run([...words, ...given]);
}

function inputWords(stdin: ExpandedWord | undefined, isByLine: boolean): readonly ExpandedWord[] {
  if (!stdin || stdin.kind === 'unknown') return [unknown('input of xargs')];
  if (stdin.kind === 'pattern') return [pattern(stdin.text.trim())];
  const words = stdin.text
    .split(isByLine ? /\n/ : /[\s\0]+/)
    .map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
  return words.filter((word) => word !== '').map(exact);
}

/** GNU parallel, watch and others join their words and give them to a shell. */
function joining(taking: readonly string[]): KnownProgram {
  return ({ name, args, shell }) => {
    const { operands } = sortArguments(args, taking, { stopsAtOperand: true });
    const end = operands.findIndex(({ text }) => /^:::/.test(text));
    const text = joinFields(end < 0 ? operands : operands.slice(0, end), ' ');
    const values = end < 0 ? [] : operands.slice(end + 1);
    if (name === 'parallel' && end < 0)
      shell.unresolved('parallel takes its arguments from an input that is not known');
    if (text.kind !== 'exact') {
      shell.unresolved(`${name} runs text that is not known before the command runs`);
      return unknown();
    }
    if (values.length === 0) return shell.script(text.text);
    for (const value of values) {
      const line = text.text.includes('{}')
        ? putIn(text, value)
        : joinFields([text, exact(' '), value]);
      if (line.kind === 'exact') shell.script(line.text);
      else shell.unresolved(`${name} runs text that is not known before the command runs`);
    }
    return unknown();
  };
}

function commandOption(option: string, taking: readonly string[]): KnownProgram {
  return ({ name, args, shell }) => {
    const { valuesOf, has, operands } = sortArguments(args, [option, 'command', ...taking]);
    if (name === 'su')
      shell.add({ kind: 'machine.change', values: { operations: ['su: act as another user'] } });
    const [text] = valuesOf(option, 'command');
    if (name === 'script' && operands[0]) shell.writes(operands[0]);
    if (name === 'flock' && operands[0]) shell.touches(operands[0]);
    if (name === 'flock' && !has(option, 'command')) return shell.run(operands.slice(1));
    if (!has(option, 'command')) return unknown();
    return runText(text, [], name, shell);
  };
}

const timed = ['k', 's', 'signal', 'kill-after'];

export const shellPrograms: Programs = {
  ...Object.fromEntries(
    ['sh', 'bash', 'zsh', 'dash', 'ksh', 'mksh', 'ash', 'rbash', 'yash'].map((name) => [
      name,
      shellProgram,
    ]),
  ),
  ...Object.fromEntries(
    nameList(`
      fish csh tcsh pwsh powershell nu xonsh elvish cmd cmd.exe expect at batch socat
      nsenter unshare chroot capsh gdb lldb strace ltrace ld.so tclsh wish osascript
      screen dtach abduco entr start-stop-daemon systemd-run runuser pkexec run-parts
      rlwrap unbuffer firejail bwrap proot fakeroot qemu-x86_64 busctl dbus-send
      gtk-launch openvt zsoelim cpulimit taskset chrt prlimit setpriv setarch linux64
      runcon choom coproc
    `).map((name) => [name, opaque]),
  ),
  busybox: ({ args, stdin, shell }) => (args.length > 0 ? shell.run(args, stdin) : unknown()),
  toybox: ({ args, stdin, shell }) => (args.length > 0 ? shell.run(args, stdin) : unknown()),
  env,
  xargs,
  gxargs: xargs,
  sudo: asOther,
  doas: asOther,
  nohup: wrapper([]),
  setsid: wrapper([]),
  nice: wrapper(['n', 'adjustment']),
  ionice: wrapper(['c', 'n', 'p', 'class', 'classdata']),
  stdbuf: wrapper(['i', 'o', 'e', 'input', 'output', 'error']),
  time: wrapper(['f', 'format', 'o', 'output']),
  timeout: wrapper(timed, 1),
  gtimeout: wrapper(timed, 1),
  caffeinate: wrapper(['t', 'w']),
  dotenv: wrapper(['e', 'c', 'f']),
  'dotenv-cli': wrapper(['e']),
  'cross-env': ({ args, stdin, shell }) => {
    const start = args.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
    shell.setsVariables(start < 0 ? args : args.slice(0, start));
    return start < 0 ? unknown() : shell.run(args.slice(start), stdin);
  },
  watch: joining(['n', 'interval', 'd', 'differences']),
  parallel: joining(nameList('j jobs a C colsep delay timeout joblog S sshlogin')),
  su: commandOption('c', ['s', 'g', 'G', 'w', 'shell']),
  script: commandOption('c', ['t', 'T', 'I', 'O', 'B', 'm', 'o', 'E']),
  flock: commandOption('c', ['w', 'E', 'timeout']),
  tmux: ({ args, shell }) => {
    const [verb] = args;
    if (
      verb &&
      !/^(?:ls|list-\w+|has-session|info|kill-session|attach|attach-session|a|display-message|capture-pane)$/.test(
        verb.text,
      )
    )
      shell.unresolved('tmux runs commands of its own');
    return undefined;
  },
};

function opaque({ name, args, shell }: ProgramCall): undefined {
  if (args.length === 1 && /^--?(?:version|help|V|h)$/.test(args[0]?.text ?? '')) return;
  shell.unresolved(`${name} can run anything`);
}
