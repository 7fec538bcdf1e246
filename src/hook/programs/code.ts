import { isHarmlessCode } from '../code/index.ts';
import { type ExpandedWord, exact, unknown } from '../shell/field.ts';
import { checkTask } from './build-tools.ts';
import { connectsTo } from './network.ts';
import { nameList, sortArguments } from './options.ts';
import type { KnownProgram, ProgramCall, Programs, ShellPort } from './program.ts';
import { runsProject } from './project-code.ts';

interface Language {
  readonly name: string;
  /** Options with code in them. */
  readonly inline: readonly string[];
  /** Options with a value that is no code. */
  readonly taking: readonly string[];
  /** Options that load further code by a name or path. */
  readonly loading?: readonly string[];
  readonly singleDash?: boolean;
}

const languages: readonly (readonly [names: readonly string[], language: Language])[] = [
  [
    nameList(`
      python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12
      python3.13 pypy3 ipython
    `),
    { name: 'python', inline: ['c'], taking: ['W', 'X', 'Q'] },
  ],
  [
    ['node', 'nodejs'],
    {
      name: 'javascript',
      inline: ['e', 'eval', 'p', 'print', 'pe'],
      taking: nameList(`
        C conditions test-name-pattern test-reporter test-reporter-destination
        env-file inspect-port max-old-space-size
      `),
      loading: ['r', 'require', 'import', 'loader', 'experimental-loader'],
    },
  ],
  [['perl'], { name: 'perl', inline: ['e', 'E'], taking: ['I', 'M', 'm'] }],
  [['ruby'], { name: 'ruby', inline: ['e'], taking: ['I', 'C'], loading: ['r'] }],
  [['php'], { name: 'php', inline: ['r', 'B', 'R', 'E'], taking: ['d', 'c', 'S', 't', 'f'] }],
  [['lua', 'luajit'], { name: 'lua', inline: ['e'], taking: [], loading: ['l'] }],
  [['Rscript', 'R'], { name: 'r', inline: ['e'], taking: ['f'] }],
  [
    ['julia'],
    {
      name: 'julia',
      inline: ['e', 'eval', 'E', 'print'],
      taking: ['project', 't', 'threads'],
      loading: ['L', 'load'],
    },
  ],
  [
    nameList(`
      groovy scala kotlin clojure clj elixir iex erl ghc runghc ocaml sbcl guile
      racket raku
    `),
    { name: 'code', inline: ['e', 'eval', 'E', 'r'], taking: ['pa', 'cp', 'classpath'] },
  ],
];

function interpreter({ name: language, inline, taking, loading = [] }: Language): KnownProgram {
  return ({ name, args, stdin, shell }) => {
    const code = args.findIndex(({ text }) => isInline(text, inline));
    const operand = args.findIndex(
      (field, index) =>
        !field.text.startsWith('-') &&
        !takesNext(args[index - 1]?.text ?? '', [...taking, ...loading, ...inline]),
    );
    if (code >= 0 && (operand < 0 || code < operand || language === 'perl' || language === 'ruby'))
      return inlineCode(language, args, code, shell);
    if (
      args[0]?.text === '-m' ||
      (args.some(({ text }, index) => text === '-m' && (operand < 0 || index < operand)) &&
        language === 'python')
    )
      return pythonModule(args, stdin, shell);
    if (operand < 0) nodeFiles(args, shell);
    if (operand < 0) return withoutFile(language, name, args, stdin, shell);
    for (const value of sortArguments(args.slice(0, operand), [...loading, ...taking]).valuesOf(
      ...loading,
    ))
      loads(value, shell);
    nodeFiles(args.slice(0, operand), shell);
    const [file, rest] = [args[operand] as ExpandedWord, args.slice(operand + 1)];
    if (file.text === '-' || /^\/(?:dev|proc)\//.test(file.text))
      return fromInput(language, stdin, shell);
    if (name === 'node' && file.text === 'inspect') return undefined;
    runsProject(shell);
    if (
      name === 'node' &&
      args.some(({ text }) => text === '--test' || text === '--check' || text === '--run')
    )
      return undefined;
    checkKnownFile(file, rest, shell);
    shell.runFile(file, rest);
    return undefined;
  };
}

const setupInstalls = /^(?:install|develop|easy_install|upload|register)$/;

/** `manage.py` and the like delegate, so their arguments say what happens. */
function checkKnownFile(
  { text }: ExpandedWord,
  args: readonly ExpandedWord[],
  shell: ShellPort,
): undefined {
  const [, framework] = /(?:^|\/)(artisan|manage\.py|console|rails|drush)$/.exec(text) ?? [];
  if (framework !== undefined) checkTask(framework, args, shell);
  if (
    framework !== undefined &&
    /^(?:tinker|db|dbshell|dbconsole|console|runner|php:eval|shell\w*)$/.test(args[0]?.text ?? '')
  )
    shell.unresolved(`${framework} ${args[0]?.text} runs code or statements of its own`);
  const [verb] = args;
  const isSetup = /(?:^|\/)setup\.py$/.test(text);
  if (isSetup && args.some((word) => word.kind !== 'exact' || setupInstalls.test(word.text)))
    shell.add({
      kind: 'package.install',
      values: { manager: ['setup.py'], packages: [text], runsScripts: true, isGlobal: false },
    });
  if (
    /(?:^|\/)manage\.py$/.test(text) &&
    /^(?:shell|dbshell|flush|sqlflush|reset_db|shell_plus)$/.test(verb?.text ?? '')
  ) {
    if (args.length > 1 || verb?.text === 'flush' || verb?.text === 'reset_db')
      shell.unresolved(`manage.py ${verb?.text} can change the database`);
  }
}

function isInline(text: string, inline: readonly string[]): boolean {
  if (/^--/.test(text))
    return inline.some((name) => text === `--${name}` || text.startsWith(`--${name}=`));
  if (!/^-[A-Za-z]/.test(text)) return false;
  const cluster = text.slice(1);
  return inline.some(
    (name) =>
      name.length === 1 &&
      (cluster === name ||
        (new RegExp(`^[a-zA-Z0-9]*${name}`).test(cluster) && !/^[MmIWXrd]/.test(cluster))),
  );
}

function takesNext(text: string, taking: readonly string[]): boolean {
  return taking.some((name) => text === (name.length === 1 ? `-${name}` : `--${name}`));
}

function inlineCode(
  language: string,
  args: readonly ExpandedWord[],
  at: number,
  shell: ShellPort,
): ExpandedWord {
  const { text } = args[at] as ExpandedWord;
  const attached =
    /^--\w+=(.*)$/s.exec(text)?.[1] ??
    (/^-[A-Za-z0-9]*?[ceEprRB](.+)$/s.exec(text)?.[1] || undefined);
  const code =
    attached !== undefined && attached.length > 2 ? exact(attached) : (args[at + 1] ?? unknown());
  const isHarmless = code.kind === 'exact' && isHarmlessCode(language, code.text, shell);
  if (!isHarmless) shell.add({ kind: 'code.inline', values: { languages: [language] } });
  else if (language === 'perl') perlFiles(args, code, shell);
  return unknown();
}

/** Perl edits the files behind the code with `-i`. A name like `x|` would run a program. */
function perlFiles(args: readonly ExpandedWord[], code: ExpandedWord, shell: ShellPort): undefined {
  const flags = args.filter(({ text }) => text.startsWith('-'));
  const isPlain = flags.every(({ text }) => /^-[pnlwsai0]*(?:\.\w+)?e?$/.test(text));
  if (!isPlain) shell.add({ kind: 'code.inline', values: { languages: ['perl'] } });
  const isInPlace = flags.some(({ text }) => text.includes('i'));
  for (const file of args.filter((field) => field !== code && !flags.includes(field))) {
    const isNamed = file.kind === 'exact' ? !/[|<>&]/.test(file.text) : /\.\w+$/.test(file.text);
    if (!isNamed || !/^[\w./]/.test(file.text))
      shell.unresolved(`perl opens ${file.text.slice(0, 80)}, which could be a program`);
    if (isInPlace) shell.writes(file);
    else shell.reads(file);
  }
}

const pythonTools =
  /^(?:pytest|unittest|mypy|black|isort|flake8|pylint|ruff|coverage|build|venv|virtualenv|json\.tool|timeit|doctest|compileall|py_compile|pdb|cProfile|sphinx|mkdocs|tox|nox|django|flask|uvicorn|gunicorn|alembic|bandit|pyright|ipykernel|jupyter|poetry|site|platform|this|calendar|ensurepip|twine|celery|streamlit|fastapi|pre_commit|autopep8|yapf|pydoc|dis|ast|tokenize|trace|tabnanny|zipfile|tarfile|http\.server)$/;

function pythonModule(
  args: readonly ExpandedWord[],
  stdin: ExpandedWord | undefined,
  shell: ShellPort,
): ExpandedWord | undefined {
  const at = args.findIndex(({ text }) => text === '-m');
  const [module, ...rest] = args.slice(at + 1);
  if (module?.text === 'pip' || module?.text === 'pip3')
    return shell.run([exact('pip'), ...rest], stdin);
  if (module?.text === 'json.tool') {
    const [input, output] = sortArguments(rest, ['indent']).operands;
    if (input) shell.reads(input);
    if (output) shell.writes(output);
    return undefined;
  }
  if (module?.text === 'venv' || module?.text === 'virtualenv') {
    for (const place of sortArguments(rest, ['prompt', 'p', 'python']).operands)
      shell.writes(place);
    return undefined;
  }
  if (module?.text === 'twine') return shell.run([exact('twine'), ...rest], stdin);
  if (
    module?.text === 'timeit' ||
    module?.text === 'pdb' ||
    module?.text === 'zipfile' ||
    module?.text === 'tarfile' ||
    module?.text === 'trace' ||
    module?.text === 'cProfile'
  ) {
    const isCode = module.text === 'timeit' && rest.length > 0;
    if (isCode || (rest.some(({ text }) => /^-/.test(text)) && module.text !== 'cProfile'))
      shell.add({ kind: 'code.inline', values: { languages: ['python'] } });
    for (const file of sortArguments(rest, ['o', 's', 'm']).operands.slice(0, 1))
      if (module.text === 'cProfile') shell.runFile(file, []);
    return undefined;
  }
  for (const word of module?.text === 'webbrowser' ? rest : []) connectsTo(word, shell);
  runsProject(shell);
  if (module?.kind !== 'exact') shell.unresolved('python runs a module that is not known');
  else if (!pythonTools.test(module.text))
    shell.add({ kind: 'code.run', values: { paths: shell.directories } });
  else return shell.run([exact(module.text), ...rest], stdin);
  return undefined;
}

function withoutFile(
  language: string,
  name: string,
  args: readonly ExpandedWord[],
  stdin: ExpandedWord | undefined,
  shell: ShellPort,
): ExpandedWord | undefined {
  const isInfo =
    args.length > 0 &&
    args.every(
      ({ text }) =>
        /^-{1,2}(?:v|V|version|help|h|i|m|test|watch|run|ini|info|check)(?:=.*)?$/.test(text) ||
        /^--test/.test(text) ||
        /^--(?:no-warnings|experimental-[\w-]+|enable-source-maps)$/.test(text),
    );
  if (args.some(({ text }) => /^--(?:test|watch|run)/.test(text))) runsProject(shell);
  if (isInfo) return undefined;
  if (stdin) return fromInput(language, stdin, shell);
  if (args.length > 0) shell.unresolved(`${name} has options that are not known`);
  return undefined;
}

function fromInput(language: string, stdin: ExpandedWord | undefined, shell: ShellPort): undefined {
  const isHarmless = stdin?.kind === 'exact' && isHarmlessCode(language, stdin.text, shell);
  if (!isHarmless) shell.add({ kind: 'code.inline', values: { languages: [language] } });
}

/** Reporters are modules, what they report goes to files, and a debugger may listen for others. */
function nodeFiles(args: readonly ExpandedWord[], shell: ShellPort): undefined {
  const { valuesOf } = sortArguments(args, [
    'test-reporter',
    'test-reporter-destination',
    'watch-path',
  ]);
  for (const value of valuesOf('test-reporter')) loads(value, shell);
  for (const file of valuesOf('test-reporter-destination'))
    if (!/^std(?:out|err)$/.test(file.text)) shell.writes(file);
  for (const { text } of valuesOf('inspect', 'inspect-brk', 'inspect-port'))
    if (!/^(?:(?:localhost|127\.0\.0\.1):?)?\d*$/.test(text))
      shell.unresolved('node lets others debug the program');
}

/** A module by its name is a package of the project; a path is a file. */
function loads(value: ExpandedWord, shell: ShellPort): undefined {
  if (/^data:|^https?:/.test(value.text))
    shell.add({ kind: 'code.inline', values: { languages: ['javascript'] } });
  else if (/^[./~]/.test(value.text) || value.kind !== 'exact') shell.runFile(value, []);
}

const scriptRunners: Programs = Object.fromEntries(
  nameList(`
    tsx ts-node ts-node-esm bun deno nodemon ts-node-dev esno swc-node babel-node
    coffee zx vite-node
  `).map((name) => [name, (call: ProgramCall) => scriptRunner(call)]),
);

/** `nodemon --exec '…'` gives its text to a shell. */
function runsText(args: readonly ExpandedWord[], shell: ShellPort): undefined {
  const at = args.findIndex(({ text }) => /^(?:--exec|-x)/.test(text));
  const text = args[at + 1];
  if (text?.kind === 'exact') shell.script(text.text);
  else shell.unresolved('nodemon runs a command that is not known');
}

function scriptRunner({ name, args, stdin, shell }: ProgramCall): ExpandedWord | undefined {
  const [verb, ...rest] = args;
  if (
    args.some(({ text }) => /^(?:-e|--eval|-p|--print|-pe)(?:=|$)/.test(text)) ||
    (name === 'deno' && verb?.text === 'eval')
  ) {
    shell.add({ kind: 'code.inline', values: { languages: ['javascript'] } });
    return undefined;
  }
  if (name === 'nodemon' && args.some(({ text }) => /^(?:--exec|-x)/.test(text)))
    return runsText(args, shell);
  if (
    name === 'bun' &&
    /^(?:install|i|add|remove|rm|update|x|create|link|publish|pm|upgrade)$/.test(verb?.text ?? '')
  )
    return shell.run([exact('bun-packages'), ...args], stdin);
  if (
    name === 'deno' &&
    /^(?:install|add|upgrade|publish|deploy|jupyter)$/.test(verb?.text ?? '')
  ) {
    shell.add({
      kind: 'package.install',
      values: {
        manager: ['deno'],
        packages: rest.map(({ text }) => text),
        runsScripts: true,
        isGlobal: verb?.text === 'install',
      },
    });
    return undefined;
  }
  const words =
    /^(?:run|test|build|watch|task|check|fmt|lint|bench|compile|bundle|cache|dev)$/.test(
      verb?.text ?? '',
    )
      ? rest
      : args;
  runsProject(shell);
  for (const value of sortArguments(words, ['r', 'require', 'import'], {
    stopsAtOperand: true,
  }).valuesOf('r', 'require', 'import'))
    loads(value, shell);
  const [file] = sortArguments(
    words,
    nameList(`
      r require P project watch ignore ext e import tsconfig C allow-read filter
      timeout coverage outdir outfile target
    `),
    { stopsAtOperand: true },
  ).operands;
  if (file && /^https?:|^npm:|^jsr:/.test(file.text))
    shell.add({
      kind: 'package.install',
      values: { manager: [name], packages: [file.text], runsScripts: true, isGlobal: false },
    });
  else if (file && (/[./]/.test(file.text) || file.kind !== 'exact')) shell.runFile(file, []);
  if (!file && stdin) shell.add({ kind: 'code.inline', values: { languages: ['javascript'] } });
  return undefined;
}

export const codePrograms: Programs = {
  ...Object.fromEntries(
    languages.flatMap(([names, language]) => names.map((name) => [name, interpreter(language)])),
  ),
  ...scriptRunners,
  java: ({ args, shell }) => {
    const { valuesOf, operands } = sortArguments(
      args,
      nameList('cp classpath class-path jar m module p agentlib javaagent agentpath'),
      { singleDash: true, stopsAtOperand: true },
    );
    runsProject(shell);
    if (args.some(({ text }) => text.startsWith('@')))
      shell.unresolved('java takes its arguments from a file');
    for (const { kind, text } of valuesOf('cp', 'classpath', 'class-path', 'p', 'module-path'))
      for (const place of text.split(':').filter((one) => /^(?:\/|~|\.\.)/.test(one)))
        shell.runFile({ kind, text: place }, []);
    for (const file of [
      ...valuesOf('jar'),
      ...operands.filter(({ text }) => text.endsWith('.java')).slice(0, 1),
    ])
      shell.runFile(file, []);
    if (args.some(({ text }) => /^-(?:javaagent|agentpath|agentlib):/.test(text)))
      shell.unresolved('java loads an agent');
    return undefined;
  },
};
