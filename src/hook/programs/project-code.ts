import type { ExpandedWord } from '../shell/field.ts';
import { isBelow } from '../shell/path.ts';
import { nameList } from './options.ts';
import type { KnownProgram, ProgramCall, Programs, ShellPort } from './program.ts';

/** Programs of developers: they run code and configuration of the project, and write in it. */
const tools = [
  ...nameList(`
    tsc tsgo eslint prettier biome jest vitest mocha ava tap c8 nyc playwright cypress
    karma webpack rollup rolldown vite esbuild parcel turbo nx lerna gulp grunt next
    nuxt astro svelte-kit svelte-check vue-tsc ng remix gatsby storybook
    start-storybook stylelint markdownlint markdownlint-cli2 cspell knip madge
    depcheck tsup unbuild swc babel rimraf-none husky lint-staged commitlint changeset
    typedoc jsdoc api-extractor oxlint dprint rescript elm concurrently npm-run-all
    run-s run-p wait-on serve http-server json-server msw graphql-codegen tailwindcss
    postcss sass less-compiler prisma-none drizzle-kit-none expo react-native metro
    ts-prune tsd publint attw size-limit lighthouse pa11y wireit moon sherif syncpack
    ncu npm-check-updates license-checker is-ci
  `),
  ...nameList(`
    pytest py.test tox nox black isort flake8 pylint mypy pyright basedpyright ruff
    bandit coverage autopep8 yapf pre-commit uvicorn gunicorn hypercorn flask
    django-admin celery jupyter nbconvert sphinx-build mkdocs streamlit pyinstaller
    cython pycodestyle pydocstyle vulture radon interrogate pdoc unittest doctest
    compileall py_compile build cookiecutter-none fastapi locust behave robot
    ipykernel pydoc dis ast tokenize tabnanny site platform this calendar sphinx
    pre_commit http.server ensurepip
  `),
  ...nameList(`
    rustc rustfmt clippy-driver cargo-clippy cross trunk wasm-pack gofmt goimports
    golangci-lint staticcheck govulncheck dlv air mockgen buf protoc sqlc wire ginkgo
    gotestsum revive templ
  `),
  ...nameList(`
    gcc g++ cc c++ clang clang++ clang-format clang-tidy cpplint cppcheck ld ar as
    nasm cmake ctest cpack ninja meson bazel bazelisk buck2 scons autoconf automake
    libtoolize pkg-config ccache valgrind gcov lcov gprof perf doxygen conan vcpkg
    xmake
  `),
  ...nameList(`
    javac jar mvn mvnw gradle gradlew ant sbt kotlinc scalac ktlint detekt checkstyle
    google-java-format jshell-none lein mill bloop jps jstack jmap javap
  `),
  ...nameList(`
    rake rspec rubocop rails standardrb brakeman reek srb solargraph jekyll middleman
    phpunit phpstan psalm php-cs-fixer phpcs phpcbf pest pint rector artisan symfony
    wp drush mix rebar3 dialyzer credo stack cabal hlint ormolu dune swift swiftc
    swiftlint swiftformat xcodebuild xcrun xcodegen pod fastlane flutter dart dotnet
    msbuild nunit3-console zig nim nimble crystal v odin ghcup-none forge cast-none
    anvil hardhat truffle
  `),
  ...nameList(`
    shellcheck shfmt hadolint yamllint actionlint jsonlint tflint checkov trivy
    semgrep gitleaks trufflehog-none typos vale codespell editorconfig-checker taplo
    sqlfluff sqlfmt ansible-lint kubeval kubeconform kube-linter spectral redocly
    openapi-generator openapi-generator-cli swagger-cli pandoc asciidoctor mdbook hugo
    zola pdflatex xelatex latexmk plantuml mmdc dot graphviz d2 convert magick ffmpeg
    ffprobe cwebp optipng svgo inkscape hyperfine wrk ab k6 hey bombardier vegeta
    autocannon tokei asdf mise nvm fnm volta rbenv pyenv rustup-none sdk direnv
    act-none devcontainer tilt-none skaffold-none
  `),
].filter((name) => !name.endsWith('-none'));

/** Options after which a tool runs or loads what is written there. */
const runningOption =
  /^--?(?:exec|eval|execute|run-command|shell|init-command|onSuccess|on-success|watch-command|command|cmd|hook|require|r|import|loader|inject|plugin|plugins|rulesdir|resolvePluginsRelativeTo|resolve-plugins-relative-to|globalSetup|setupFiles|config|testEnvironment|env|environment|reporter|runner|transform|preload|rootdir|confcutdir|load-plugins|init-hook|wrapper|compiler|linker|Xlinker|fplugin|specs|run)$/;

/** Code of the project: who may change it is decided where it is written. */
export function runsProject(shell: ShellPort): undefined {
  shell.add({ kind: 'code.run', values: { paths: shell.directories } });
  shell.checkOwnCode();
}

/** They read code and run only their settings, so the code may come from the same command. */
const checkers =
  /^(?:tsc|gofmt|black|ruff|mypy|pyright|shellcheck|prettier|eslint|biome|isort|flake8|stylelint|oxlint|rustfmt|clang-format|shfmt)$/;

const settingsOption =
  /^-(?:c|f|p|-config|-settings|-rc|-plugin|-rule|-parser|-format|-resolve|-project|-stylelint|-custom|-load)/;

const projectTool: KnownProgram = ({ name, args, shell }) => {
  if (args.length === 1 && /^--?(?:version|help|v|V|h)$/.test(args[0]?.text ?? ''))
    return undefined;
  const namesSettings = args.some(
    ({ kind, text }) => kind === 'unknown' || settingsOption.test(text),
  );
  if (checkers.test(name) && !namesSettings) {
    shell.add({ kind: 'code.run', values: { paths: shell.directories } });
    shell.checkOwnCode('settings');
  } else runsProject(shell);
  for (const [index, field] of args.entries()) checkArgument(name, field, args[index - 1], shell);
  return undefined;
};

/** Options by which one tool loads a module: only names of its own plugins are usual. */
const loadingOptions: Readonly<Record<string, readonly [flag: RegExp, usual: RegExp]>> = {
  pytest: [
    /^-(?:p|-pdbcls|o|-override-ini)$/,
    /^no:|^(?:xdist|pytest_cov|pytest_asyncio|django|randomly)\b|^(?:log_cli|addopts=$|timeout|asyncio_mode|testpaths|log_level|log_cli_level|xfail_strict|markers|junit_family)\b/,
  ],
  pylint: [/^--(?:load-plugins|init-hook)$/, /^pylint[\w.,]*$/],
  pandoc: [
    /^(?:--filter|-F|--lua-filter|-L|--pdf-engine)$/,
    /^(?:pdflatex|xelatex|lualatex|tectonic|weasyprint|wkhtmltopdf|typst|pandoc-crossref)$/,
  ],
  mypy: [/^--python-executable$/, /^(?:python3?|\.?venv\/bin\/python3?)$/],
  sass: [/^(?:-p|--pkg-importer)$/, /^node$/],
};

function checkLoading(
  name: string,
  flag: string,
  { kind, text }: ExpandedWord,
  shell: ShellPort,
): undefined {
  const [flags, usual] = loadingOptions[name] ?? [];
  if (flags?.test(flag) && (kind !== 'exact' || !usual?.test(text)))
    shell.unresolved(`${name} ${flag} loads something else`);
}

/** Paths outside of the project: a configuration from there is code, and output goes there. */
function checkArgument(
  name: string,
  field: ExpandedWord,
  before: ExpandedWord | undefined,
  shell: ShellPort,
): undefined {
  const [, option, value] =
    /^(--?[\w-]+)[=:](.*)$/s.exec(field.text) ?? /^(-[oOdBC])([/~.].*)$/s.exec(field.text) ?? [];
  const path: ExpandedWord = option === undefined ? field : { ...field, text: value ?? '' };
  const flag = option ?? before?.text ?? '';
  const [, host] =
    /^(?:(?:https?|rtmps?|ftp|wss?):\/\/|tcp:(?:\/\/)?)([^/:]+)/i.exec(path.text) ?? [];
  if (host !== undefined) shell.connects(host);
  if (
    path.text.startsWith('@') &&
    /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|ar|javac|jar)$/.test(name)
  )
    shell.unresolved(`${name} takes its arguments from a file`);
  if (runningOption.test(flag) && /^[{[]/.test(path.text))
    shell.unresolved(`${name} ${flag} contains settings`);
  if (runningOption.test(flag) && (/[\s;|&$`]/.test(path.text) || path.kind === 'unknown'))
    shell.unresolved(`${name} ${flag} runs something else`);
  if (/^(?:file|data|https?):/.test(path.text) && runningOption.test(flag))
    shell.unresolved(`${name} ${flag} loads something from elsewhere`);
  checkLoading(name, flag, path, shell);
  if (!/^(?:\/|~|\.\.(?:\/|$)|.*\/\.\.(?:\/|$))/.test(path.text)) return;
  const outside = shell.paths(path)?.filter((one) => !isBelow(one, shell.project)) ?? [];
  if (outside.length === 0) return;
  const isOutput =
    /^--?(?:o|out|output|out-?file|out-?dir|outdir|outfile|dist|report(?!er)\w*|cache.*|d|target-dir|prefix|destination|B|basetemp|junit.*|coverage.*|log-file)$/i.test(
      flag,
    );
  if (isOutput || (isFormatter(name) && !settingsOption.test(flag) && !runningOption.test(flag)))
    shell.writes(path);
  else shell.add({ kind: 'code.run', values: { paths: outside } });
}

function isFormatter(name: string): boolean {
  return /^(?:prettier|black|isort|gofmt|rustfmt|clang-format|shfmt|biome|autopep8|yapf|ruff|eslint|convert|magick|ffmpeg|pandoc|cwebp|optipng|svgo|dot|gcc|g\+\+|cc|clang|clang\+\+|ld|ar|as)$/.test(
    name,
  );
}

function make(call: ProgramCall): ExpandedWord | undefined {
  const { args, stdin, shell } = call;
  const odd = args.some(
    ({ text, kind }) =>
      // What is attached to -j is its number.
      (kind === 'unknown' && !/^-j./.test(`${text}.`)) ||
      /^--eval|^-E|^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|CC|CXX|LD|MAKE)\s*[:+?]?=\s*(?!gcc|g\+\+|clang|cc)/.test(
        text,
      ),
  );
  if (odd) shell.unresolved('make runs a command that its arguments say');
  const file = args.findIndex(({ text }) => /^(?:-f|--file|--makefile)$/.test(text));
  const attached = args.find(({ text }) => /^(?:-f.+|--(?:make)?file=.+)$/.test(text));
  const named =
    file >= 0
      ? args[file + 1]
      : attached && { ...attached, text: attached.text.replace(/^(?:-f|--\w+=)/, '') };
  if (named?.text === '-' || (named && stdin)) shell.unresolved('make runs text from its input');
  else if (named) shell.runFile(named, []);
  const place = args.findIndex(({ text }) => /^(?:-C|--directory)$/.test(text));
  const directory = args[place + 1];
  if (place >= 0 && directory)
    shell.inDirectory(
      directory,
      () =>
        projectTool({ ...call, args: args.filter((field) => field !== directory) }) ?? directory,
    );
  else runsProject(shell);
  for (const { kind, text } of args) {
    const [, place] = /^\w+=([/~].*)$/s.exec(text) ?? [];
    if (place !== undefined) shell.writes({ kind, text: place });
  }
  return undefined;
}

const toolNames: ReadonlySet<string> = new Set(tools);

/** A program of developers that runs what is in the project. */
export function isProjectTool(name: string): boolean {
  return toolNames.has(name);
}

export const projectPrograms: Programs = {
  ...Object.fromEntries(tools.map((name) => [name, projectTool])),
  make,
  gmake: make,
  just: make,
  task: projectTool,
  rimraf: ({ args, shell }) => {
    for (const file of args) if (!file.text.startsWith('-')) shell.deletes(file);
    return undefined;
  },
  del: ({ args, shell }) => {
    for (const file of args) if (!file.text.startsWith('-')) shell.deletes(file);
    return undefined;
  },
};

export { projectTool };
