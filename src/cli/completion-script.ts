import type { Command } from './command.ts';

/** The shells that Surety completes commands in. */
export const completedShells = ['bash', 'zsh', 'fish'] as const;

export type CompletedShell = (typeof completedShells)[number];

/** A script for a shell, made from the table of commands. */
export function formatCompletion(shell: CompletedShell, commands: readonly Command[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

const commonFlags = ['--json', '--directory', '--help'];

function flagsOf({ options = [] }: Command): string[] {
  const own = options.flatMap(([flags]) => flags.match(/--[\w-]+/g) ?? []);
  return [...own, ...commonFlags];
}

/** Names of commands, and of those that follow a first word. */
function familiesOf(commands: readonly Command[]): Map<string, string[]> {
  const families = Map.groupBy(commands, ({ name }) => name.split(' ')[0] ?? '');
  return new Map(
    [...families].map(([first, members]) => [
      first,
      members.flatMap(({ name }) => name.split(' ').slice(1)),
    ]),
  );
}

function bashScript(commands: readonly Command[]): string {
  const families = [...familiesOf(commands)];
  const second = families
    .filter(([, words]) => words.length > 0)
    .map(([first, words]) => `    ${first}) words="${words.join(' ')}" ;;`);
  const flags = commands.map(
    (command) => `    "${command.name}") flags="${flagsOf(command).join(' ')}" ;;`,
  );
  return `# bash completion for surety: eval "$(surety completion bash)"
_surety() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="" flags="${commonFlags.join(' ')}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="help ${families.map(([first]) => first).join(' ')}"
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${second.join('\n')}
    esac
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${flags.filter((line) => /"\S+ \S+"/.test(line)).join('\n')}
    *) case "\${COMP_WORDS[1]}" in
${flags.filter((line) => !/"\S+ \S+"\)/.test(line)).join('\n')}
    esac ;;
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _surety surety
`;
}

/** zsh completes by the script of bash, which it can load. */
function zshScript(commands: readonly Command[]): string {
  const start = '# zsh completion for surety: eval "$(surety completion zsh)"\n';
  return `${start}autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`;
}

function fishScript(commands: readonly Command[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;
  const lines = commands.map(({ name, summary }) => {
    const [first = '', second] = name.split(' ');
    const when =
      second === undefined ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${first}`;
    return `complete -c surety -n ${quoted(when)} -a ${second ?? first} -d ${quoted(summary)}`;
  });
  const families = [...familiesOf(commands)].map(
    ([first]) => `complete -c surety -n '__fish_use_subcommand' -a ${first}`,
  );
  const flags = commands.flatMap((command) => {
    const when = command.name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    return flagsOf(command).map(
      (flag) => `complete -c surety -n ${quoted(when.join('; and '))} -l ${flag.slice(2)}`,
    );
  });
  const start = '# fish completion for surety: surety completion fish | source';
  return `${[start, ...families, ...lines, ...flags].join('\n')}\n`;
}
