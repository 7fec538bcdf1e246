import { CommanderError, Command as Program } from 'commander';
import { type Fault, fault, isFault, toFault } from '../kernel/index.ts';
import { findPlace } from '../runtime/place.ts';
import { type Command, checkPlatform, type ExitCode, exitCodes } from './command.ts';
import { commands } from './commands.ts';
import { createOutput, type OutputStreams } from './format/output.ts';
import { visibleLines } from './format/visible.ts';
import { formatExample, terminalColumns } from './format/wrap.ts';
import { withLatest } from './latest.ts';
import { formatRootHelp } from './root-help.ts';

/** Parses, runs one command, and turns every error into a fault and an exit code. */
export async function runCli(
  words: readonly string[],
  streams: OutputStreams = process,
): Promise<ExitCode> {
  const output = createOutput(words.includes('--json'), streams);
  let code: ExitCode = exitCodes.ok;
  let judges = false;
  const program = createProgram(async (command, given, options) => {
    judges = command.judges === true;
    checkPlatform(command, process.platform);
    const run = await command.load();
    const place = findPlace(process.cwd(), options.directory as string | undefined);
    const known = await withLatest(command, given, place);
    code = (await run({ place, output, words: known, options })) ?? exitCodes.ok;
  });
  try {
    await program.parseAsync(usualWords(words), { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && isHelp(error)) return exitCodes.ok;
    const found = error instanceof CommanderError ? usageFault(error) : toFault(error);
    output.fault(found);
    return exitCodeOf(found, judges);
  }
}

/** The name of the command that these words call, without running it; throws a usage fault. */
export async function findCalledCommand(words: readonly string[]): Promise<string> {
  let called = '';
  const program = createProgram(async ({ name }) => {
    called = name;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    throw error instanceof CommanderError ? usageFault(error) : error;
  }
  return called;
}

/** `surety --version` and `surety help lane open`, as other programs have them. */
function usualWords(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === '--version' || first === '-V') return ['version', ...rest];
  return first === 'help' ? [...rest, '--help'] : words;
}

type Start = (
  command: Command,
  given: readonly string[],
  options: Record<string, string | boolean | undefined>,
) => Promise<void>;

function createProgram(start: Start): Program {
  const program = configure(new Program('surety'));
  program.helpInformation = () => formatRootHelp();
  const families = new Map<string, Program>();
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ');
    if (second === undefined) {
      // A command may also be a family: `contracts` lists, `contracts show` shows one.
      families.set(first, addCommand(program, first, command, start));
      continue;
    }
    const family = families.get(first) ?? configure(program.command(first));
    families.set(first, family);
    addCommand(family, second, command, start);
  }
  return program;
}

function configure(program: Program): Program {
  return program
    .exitOverride()
    .helpCommand(false)
    .configureHelp({ helpWidth: terminalColumns })
    .showSuggestionAfterError()
    .configureOutput({
      outputError: () => undefined,
      writeErr: (text) => process.stdout.write(visibleLines(text)),
    });
}

function addCommand(parent: Program, name: string, command: Command, start: Start): Program {
  const sub = configure(parent.command(name)).description(command.summary);
  for (const [argument, meaning] of command.arguments ?? []) sub.argument(argument, meaning);
  for (const [flags, meaning] of command.options ?? []) {
    if (isList(flags)) sub.option(flags, meaning, together);
    else sub.option(flags, meaning);
  }
  sub.option('--json', 'answer in JSON');
  sub.option(
    '-C, --directory <path>',
    'the workspace (the nearest surety.yaml or .surety upwards)',
  );
  sub.addHelpText('after', `\nExamples:\n${command.examples.map(formatExample).join('\n')}`);
  sub.action(async (...parameters: unknown[]) => {
    const sub = parameters.at(-1) as Program;
    // Otherwise a flag that the family has too would stay with the family.
    const options = sub.optsWithGlobals() as Record<string, string | boolean | undefined>;
    const words = parameters.slice(0, -2).flat();
    await start(command, words.filter((word) => word !== undefined) as string[], options);
  });
  return sub;
}

const isList = (flags: string): boolean => flags.includes(',…>');

/** A list flag given twice is joined, so that the first value is not lost silently. */
function together(value: string, before: string | undefined): string {
  return before === undefined ? value : `${before},${value}`;
}

/** Help was requested, or is shown because no command was named: neither is an error. */
function isHelp({ exitCode, code }: CommanderError): boolean {
  return exitCode === 0 || code === 'commander.help';
}

function usageFault(error: CommanderError): Fault {
  const reason = error.message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '; $1');
  return fault('USAGE', { reason, help: 'surety --help' });
}

const usageFaults = new Set([
  'USAGE',
  'REQUEST_INVALID',
  'HOOK_INPUT_INVALID',
  'JSON_INVALID',
  'CLIENT_FILE_INVALID',
  'CONFIG_INVALID',
  'POLICY_INVALID',
  'POLICY_UNREADABLE',
  'CASES_INVALID',
  'CASES_UNREADABLE',
  'EXPORT_INVALID',
  'TELEMETRY_ASKED_WRONGLY',
  'TELEMETRY_QUESTION_UNKNOWN',
  'QUERY_INVALID',
  'QUERY_NOT_A_SELECT',
  'QUERY_REFUSED',
]);

function exitCodeOf(found: Fault, judges: boolean): ExitCode {
  if (usageFaults.has(found.code)) return exitCodes.usage;
  if (!isFault(found) || found.definition.blame !== 'caller') return exitCodes.failed;
  return judges ? exitCodes.usage : exitCodes.bad;
}
