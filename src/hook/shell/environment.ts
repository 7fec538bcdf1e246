import type { ExpandedWord } from './field.ts';
import type { Scope } from './scope.ts';
import type { Shell } from './shell.ts';

/** Variables by which a program loads or runs something else, and values that are harmless. */
const dangerous: readonly (readonly [name: RegExp, harmless: RegExp])[] = [
  [
    /^(?:LD_PRELOAD|LD_AUDIT|LD_LIBRARY_PATH|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|PS[0-4]|BASH_FUNC_.*|BASH_ALIASES|BASH_CMDS|CDPATH|TAR_OPTIONS|PSQLRC|DOCKER_HOST|HUSKY|LESSOPEN|LESSCLOSE)$/,
    /^$/,
  ],
  [
    /^(?:GIT_SSH|GIT_SSH_COMMAND|GIT_PROXY_COMMAND|GIT_EXTERNAL_DIFF|GIT_ASKPASS|SSH_ASKPASS|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG\w*|GIT_DIR|GIT_WORK_TREE|GIT_OBJECT_DIRECTORY|GIT_INDEX_FILE)$/,
    /^(?:\/dev\/null|ssh|true|echo)?$/,
  ],
  [
    /^(?:\w*PAGER|\w*EDITOR|VISUAL|BROWSER|MANOPT)$/,
    /^(?:cat|less|more|true|false|:|vim?|nano|none|code --wait)?$/,
  ],
  [
    /^(?:PERL5OPT|PERL5LIB|PERL5DB|RUBYOPT|RUBYLIB|PYTHONSTARTUP|PYTHONHOME|PYTHONINSPECT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|RUSTC_WRAPPER|RUSTC|CC|CXX|LD|MAKEFLAGS|AWKPATH)$/,
    /^(?:-[\w=:.-]*|gcc|g\+\+|clang|clang\+\+|sccache|-X\w+)?$/,
  ],
  [
    /^NODE_OPTIONS$/,
    /^(?:\s*--(?:max-old-space-size=\d+|no-warnings|experimental-[\w-]+|enable-source-maps|inspect(?:-brk)?(?:=[\w.:]+)?|trace-[\w-]+|openssl-legacy-provider|no-deprecation|unhandled-rejections=\w+|no-experimental-[\w-]+))*\s*$/,
  ],
  [
    /^(?:GOFLAGS|RUSTFLAGS|CARGO_(?:TARGET_\w+|BUILD_\w+)|RUSTDOCFLAGS|MAVEN_OPTS|GRADLE_OPTS|JAVA_OPTS|JDK_JAVA_OPTIONS|PYTEST_ADDOPTS|PYTEST_PLUGINS|CMAKE_\w+_LAUNCHER|ESLINT_USE_FLAT_CONFIG|TS_NODE_\w+|BUN_OPTIONS|DENO_\w+|VITE_NODE_\w+|PIP_\w+|UV_\w+|BUNDLE_\w+|KUBECONFIG|DOCKER_CONFIG|AWS_CONFIG_FILE)$/,
    /^(?!.*(?:exec|wrapper|linker|agent|runner))(?:-[\w=,.: -]*|true|false|\d*)$/,
  ],
  [/^npm_config_/i, /^(?:true|false|\d*|silent|error|warn|info)$/],
];

/** `NAME=value command` and `export NAME=value`. */
export function checkEnvironment(
  assigned: ReadonlyMap<string, ExpandedWord>,
  shell: Shell,
  scope: Scope,
): undefined {
  for (const [name, value] of assigned) {
    if (name === 'PATH') checkSearchPath(value, shell, scope);
    const rule = dangerous.find(([names]) => names.test(name));
    if (!rule || (value.kind === 'exact' && rule[1].test(value.text))) continue;
    shell.unresolved(`the variable ${name} can make a program run something else`);
  }
}

const usualDirectory =
  /^(?:\$PATH|\$\{PATH\}|\/usr\/.*|\/bin|\/sbin|\/opt\/.*|\/home\/[^/]+\/(?:\.[\w.-]+|go)\/.*|\/root\/\.[\w.-]+\/.*|(?:.*\/)?node_modules\/\.bin|(?:.*\/)?\.?venv\/bin)$/;

function checkSearchPath({ text }: ExpandedWord, shell: Shell, { directories }: Scope): undefined {
  const isOdd = text
    .split(':')
    .some((entry) => !usualDirectory.test(entry) && !directories.includes(entry));
  if (isOdd || text === '') shell.unresolved('PATH is changed, so another program could run');
}
