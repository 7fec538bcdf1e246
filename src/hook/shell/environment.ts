import type { ExpandedWord } from './field.ts';
import { isBelow } from './path.ts';
import type { Scope } from './scope.ts';
import type { Shell } from './shell.ts';

const bare = /^[\w.:,+-]*$/;

/**
 * Variables that programs read as settings, and the values that are harmless. The first line that
 * fits counts. A variable of the project itself, such as `DATABASE_URL`, is on none of them.
 */
const settings: readonly (readonly [name: RegExp, harmless: RegExp])[] = [
  [
    /^(?:GIT_(?:AUTHOR|COMMITTER)_\w+|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GIT_MERGE_AUTOEDIT|GIT_LFS_SKIP_SMUDGE|GIT_DISCOVERY_ACROSS_FILESYSTEM)$/,
    /^/,
  ],
  [
    /^(?:GIT_SSH|GIT_SSH_COMMAND|GIT_ASKPASS|SSH_ASKPASS|GIT_CONFIG_(?:GLOBAL|SYSTEM)|GIT_CONFIG_NOSYSTEM)$/,
    /^(?:\/dev\/null|ssh|true|echo|1)?$/,
  ],
  [
    /^(?:\w*PAGER|\w*EDITOR|VISUAL|BROWSER|MANOPT)$/,
    /^(?:cat|less|more|true|false|:|vim?|nano|none|code --wait)?$/,
  ],
  [/^(?:GIT|SSH)_/, /^(?:0|1|true|false)$/],
  [/^HUSKY$|^PRE_COMMIT_\w+$|^SKIP$/, /^$/],
  [/^(?:PG|MYSQL_|REDIS_)HOST(?:ADDR)?$/, /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\/.*)?$/],
  [
    /^(?:LD_\w+|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|PS[0-4]|BASH_FUNC_.*|BASH_ALIASES|BASH_CMDS|BASH_LOADABLES_PATH|CDPATH|FPATH|ZDOTDIR|SHELL|FCEDIT|HISTFILE|TAR_OPTIONS|GZIP|PSQLRC|DOCKER_(?:HOST|CONTEXT)|LESSOPEN|LESSCLOSE|LESS|LESSKEY\w*|TERMINFO\w*|GCONV_PATH|LOCPATH|NLSPATH|RES_OPTIONS|HOSTALIASES|GLIBC_TUNABLES|MALLOC_\w+)$/,
    /^$/,
  ],
  [/^(?:HOME|XDG_\w+|TMPDIR|TMP|TEMP)$/, /^\/tmp(?:\/[\w.-]+)*$/],
  [
    /^(?:NODE_ENV|NODE_NO_WARNINGS|NODE_DEBUG|NODE_TLS_\w+|NODE_DISABLE_COLORS|NODE_PENDING_DEPRECATION)$/,
    /^/,
  ],
  [
    /^NODE_OPTIONS$/,
    /^(?:\s*--(?:max-old-space-size=\d+|no-warnings|experimental-(?!loader|config)[\w-]+|enable-source-maps|inspect(?:-brk)?(?:=(?:localhost|127\.0\.0\.1)?:?\d+)?|trace-(?!event)[\w-]+|openssl-legacy-provider|no-deprecation|unhandled-rejections=\w+|no-experimental-[\w-]+|dns-result-order=\w+))*\s*$/,
  ],
  [/^NODE_\w+$/, /^\d*$/],
  [
    /^(?:GOFLAGS|RUSTFLAGS|RUSTDOCFLAGS|CARGO_\w+|RUSTUP_\w+|MAVEN_\w+|GRADLE_\w+|\w*JAVA_OPT\w*|JDK_\w+|_JAVA_\w+|JAVA_TOOL_OPTIONS|PYTEST_\w+|CMAKE_\w+|ESLINT_\w+|TS_NODE_\w+|BUN_\w+|DENO_\w+|VITE_NODE_\w+|PIP_\w+|UV_\w+|POETRY_\w+|BUNDLE_\w+|KUBECONFIG|KUBE_\w+|HELM_\w+|DOCKER_CONFIG|COMPOSE_FILE|AWS_CONFIG_FILE|AWS_SHARED_\w+|AWS_ENDPOINT_\w+|RUSTC\w*|CC|CXX|LD|AR|AS|CPP|MAKE\w*|PERL\w*|RUBY\w*|PHP\w*|LUA_\w+|ERL_\w+|ELIXIR_\w+|MIX_(?!ENV$)\w+|AWK\w*|ANSIBLE_\w+|TF_(?!VAR_|LOG$|IN_)\w+|PKG_CONFIG\w*|PROTOC\w*|JEST_(?!WORKER)\w+|PLAYWRIGHT_\w+|PRISMA_\w+|COREPACK_\w+|YARN_\w+|npm_config_\w+|NPM_CONFIG_\w+|ELECTRON_\w+|MYPYPATH|COVERAGE_\w+|CURL_\w+|WGETRC|NETRC|MAILRC|INPUTRC|VIMINIT|EXINIT|OPENSSL_\w+|SSL_\w+|REQUESTS_CA_BUNDLE|RIPGREP_CONFIG_PATH|BAT_\w+|FZF_\w+|SQLITE_\w+|PGSERVICE\w*|PGPASSFILE|PGSYSCONFDIR|PGOPTIONS|MYSQL_\w+|DBUS_\w+|TEXINPUTS\w*|GOPROXY|GONOSUMDB|GOSUMDB|GOINSECURE|GOTOOLCHAIN|GOENV|GOROOT|GOBIN|GOEXPERIMENT|CGO_\w*FLAGS|VAGRANT_\w+|PACKER_\w+|SURETY_\w+|CLAUDE_\w+|CODEX_\w+|GEMINI_\w+|CURSOR_\w+|OPENCODE_\w+)$/,
    /^(?!.*(?:exec|wrapper|linker|agent|runner))(?:-[\w=,.: -]*|on|off|auto|true|false|\d*|gcc|g\+\+|clang|clang\+\+|cc|sccache|ccache|silent|error|warn|info|debug|direct|local|always|never|short|full|sparse|git|dev|test|production)$/,
  ],
  [
    /^(?:PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|IOENCODING|UTF8|FAULTHANDLER|DEVMODE|ASYNCIODEBUG|OPTIMIZE|VERBOSE|TRACEMALLOC|NOUSERSITE|SAFEPATH|MALLOC))$/,
    bare,
  ],
  [/^PYTHONWARNINGS$/, /^(?:ignore|error|default|always|module|once|all)?(?::[\w :.]*)?$/],
  [/^PYTHON\w+$/, /^$/],
];

/** Lists of directories from which programs load code: those of the project are its own code. */
const codePaths = /^(?:PYTHONPATH|NODE_PATH|GOPATH|CLASSPATH)$/;

const proxies = /^(?:\w+_)?proxy$/i;

/** `NAME=value command` and `export NAME=value`. */
export function checkEnvironment(
  assigned: ReadonlyMap<string, ExpandedWord>,
  shell: Shell,
  scope: Scope,
): undefined {
  for (const [name, value] of assigned) {
    if (name === 'PATH') checkSearchPath(value, shell, scope);
    else if (!isHarmless(name, value, shell, scope))
      shell.unresolved(`the variable ${name} can make a program run or use something else`);
  }
}

function isHarmless(name: string, value: ExpandedWord, shell: Shell, scope: Scope): boolean {
  if (codePaths.test(name)) return isProjectPath(value, shell, scope);
  if (proxies.test(name))
    return value.kind === 'exact' && /^$|\/\/(?:localhost|127\.)/.test(value.text);
  const rule = settings.find(([names]) => names.test(name));
  if (rule) return value.kind === 'exact' && rule[1].test(value.text);
  return true;
}

function isProjectPath({ kind, text }: ExpandedWord, shell: Shell, scope: Scope): boolean {
  const port = shell.port(scope);
  return text
    .split(':')
    .filter((entry) => !/^$|^\$\{?\w+(?::-)?\}?$/.test(entry))
    .every((entry) => {
      const found = port.paths({
        kind: kind === 'unknown' && !entry.includes('$') ? 'exact' : kind,
        text: entry,
      });
      return found?.every((path) => isBelow(path, shell.settings.project)) === true;
    });
}

const usualDirectory =
  /^(?:\$PATH|\$\{PATH\}|\/usr\/.*|\/bin|\/sbin|\/opt\/.*|\/home\/[^/]+\/(?:\.[\w.-]+|go)\/.*|\/root\/\.[\w.-]+\/.*|(?:.*\/)?node_modules\/\.bin|(?:.*\/)?\.?venv\/bin)$/;

function checkSearchPath({ text }: ExpandedWord, shell: Shell, { directories }: Scope): undefined {
  const isOdd = text
    .split(':')
    .some((entry) => !usualDirectory.test(entry) && !directories.includes(entry));
  if (isOdd || text === '') shell.unresolved('PATH is changed, so another program could run');
}
