import { exact } from '../shell/field.ts';
import type { CodeJudge, CodePort } from './code-port.ts';
import { standardModules } from './python-modules.ts';
import { type PythonToken, readPythonTokens } from './python-tokens.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Modules of the standard library whose members below reach no process and no network. */
const safeModules = words(`
  json sys math cmath datetime time re random uuid hashlib base64 collections itertools functools
  string statistics decimal fractions operator platform struct secrets pathlib csv textwrap
  difflib heapq bisect enum dataclasses typing copy pprint calendar unicodedata numbers abc
  collections.abc html hmac binascii zlib
`);

/** Members that may be used of any value. `os.remove` and `Path.unlink` are why it is a list. */
const members = words(`
  loads load dumps dump stdin read readline readlines splitlines stdout stderr argv exit version
  version_info maxsize executable byteorder getsizeof flush write writerow writerows writeheader
  writelines reader DictReader writer DictWriter fieldnames
  pi e inf nan sqrt floor ceil log log2 log10 exp pow sin cos tan gcd isclose prod fsum
  date datetime time now today utcnow timedelta timezone utc isoformat fromisoformat strftime
  strptime timestamp fromtimestamp year month day hour minute second total_seconds perf_counter
  monotonic sleep days seconds
  match search findall finditer fullmatch sub subn split compile escape group groups groupdict
  start end span IGNORECASE MULTILINE DOTALL I M S X VERBOSE
  join strip lstrip rstrip format upper lower title capitalize startswith endswith count index
  find rfind isdigit isalpha isalnum isspace zfill ljust rjust center partition rpartition encode
  decode casefold swapcase isupper islower replace removeprefix removesuffix translate maketrans
  items keys values get append extend insert pop sort reverse update setdefault add discard union
  intersection difference issubset issuperset copy clear most_common elements popleft appendleft
  randint choice choices sample shuffle seed uniform random uuid4 uuid5 hex sha256 sha1 md5 sha512
  hexdigest digest b64encode b64decode token_hex token_urlsafe compare_digest
  Counter defaultdict deque OrderedDict namedtuple chain product combinations permutations islice
  groupby accumulate count cycle repeat reduce partial lru_cache cache wraps
  ascii_letters ascii_lowercase ascii_uppercase digits punctuation mean median mode stdev variance
  Decimal Fraction itemgetter quantize machine python_version node release pack unpack calcsize
  Path read_text read_bytes write_text name stem suffix exists is_file is_dir rglob glob iterdir
  stat st_size st_mtime relative_to as_posix parts
  dedent indent fill unified_diff ndiff nlargest nsmallest heappush heappop heapify bisect_left
  Enum dataclass field Any Optional List Dict Iterable deepcopy pprint
  numerator denominator real imag args mark parametrize raises approx fixture skip xfail value
  __version__ VERSION __name__ __doc__ __file__
`);

/** They evaluate text, or reach members by a computed name. */
const refusedNames = words(`
  eval exec compile getattr setattr delattr globals locals vars input breakpoint help memoryview
  get_ipython object super
`);

const pathChanges = words('write_text');
const pathListings = words('rglob glob iterdir');
const versionMembers = words('__version__ VERSION version __file__ __name__ __doc__');

/** Python that computes, prints and opens files by literal names. */
export const isHarmlessPython: CodeJudge = (code, port) => {
  const tokens = readPythonTokens(code);
  if (!tokens || /^\s*[%!?]/m.test(code)) return false;
  const modules = readImports(tokens, port);
  if (!modules) return false;
  const reader = { tokens, port, modules, usesPaths: modules.safe.has('pathlib') };
  return tokens.every((token, at) => token.kind !== 'name' || isHarmlessName(token, at, reader));
};

interface Modules {
  readonly safe: ReadonlySet<string>;
  /** Code of the project, of which any function may be called. */
  readonly own: ReadonlySet<string>;
  /** Installed packages: importing them is usual, calling them is not judged. */
  readonly other: ReadonlySet<string>;
}

interface PythonCode {
  readonly tokens: readonly PythonToken[];
  readonly port: CodePort;
  readonly modules: Modules;
  readonly usesPaths: boolean;
}

function readImports(tokens: readonly PythonToken[], port: CodePort): Modules | undefined {
  const found = { safe: new Set<string>(), own: new Set<string>(), other: new Set<string>() };
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const isFirst = !before || before.kind === 'newline' || /^[;:]$/.test(before.text);
    if (!isFirst || token.kind !== 'name' || !/^(?:import|from)$/.test(token.text)) continue;
    const line = lineFrom(tokens, at + 1);
    const isRead =
      token.text === 'import' ? readPlain(line, found, port) : readFrom(line, found, port);
    if (!isRead) return undefined;
  }
  return found;
}

type FoundModules = Record<keyof Modules, Set<string>>;

/** Up to the end of the statement, also over lines in parentheses. */
function lineFrom(tokens: readonly PythonToken[], start: number): string {
  let text = '';
  let depth = 0;
  for (const token of tokens.slice(start)) {
    if (token.text === '(') depth++;
    else if (token.text === ')') depth--;
    else if (depth === 0 && (token.kind === 'newline' || token.text === ';')) break;
    else text += token.kind === 'name' && /\w$/.test(text) ? ` ${token.text}` : token.text;
  }
  return text;
}

function readPlain(line: string, found: FoundModules, port: CodePort): boolean {
  return line.split(',').every((part) => {
    const [, name = '', alias] = /^([\w.]+)(?: as (\w+))?$/.exec(part.trim()) ?? [];
    const [first = ''] = name.split('.');
    if (safeModules.has(name)) {
      found.safe.add(name);
      // Another name for a module could hide which one it is.
      return alias === undefined || alias === name;
    }
    if (name === '' || standardModules.has(first)) return false;
    found[isOwn(name, port) ? 'own' : 'other'].add(alias ?? first);
    return true;
  });
}

function readFrom(line: string, found: FoundModules, port: CodePort): boolean {
  const [, name = '', list = ''] = /^([\w.]+) import\s*(.*)$/s.exec(line) ?? [];
  const [first = ''] = name.split('.');
  const imported = list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (safeModules.has(name)) {
    found.safe.add(name);
    return imported.every((part) => members.has(part) && part !== 'system');
  }
  if (name === '' || standardModules.has(first) || imported.includes('*')) return false;
  return isOwn(name, port) || /^pytest$/.test(first);
}

/** A module of the project: there is such a file. */
function isOwn(name: string, { directories, textOf }: CodePort): boolean {
  const path = name.replaceAll('.', '/');
  return directories.some((directory) =>
    [`${directory}/${path}.py`, `${directory}/${path}/__init__.py`].some(
      (file) => textOf(file) !== undefined,
    ),
  );
}

function isHarmlessName(token: PythonToken, at: number, code: PythonCode): boolean {
  const { tokens, modules } = code;
  const { text } = token;
  if (tokens[at - 1]?.text === '.') return isHarmlessMember(text, at, code);
  if (text.startsWith('__') && text !== '__name__') return false;
  if (refusedNames.has(text)) return false;
  if (text === 'type' && code.usesPaths) return false;
  if (text === 'open') return opensLiteral(at, code);
  if (text === 'Path' && code.usesPaths && !isImported(at, tokens)) return namesPath(at, code);
  if (modules.other.has(text) && tokens[at + 1]?.text === '.' && !isImported(at, tokens))
    return versionMembers.has(tokens[at + 2]?.text ?? '');
  return true;
}

function isImported(at: number, tokens: readonly PythonToken[]): boolean {
  for (let index = at - 1; index >= 0 && !/^[\n;:]$/.test(tokens[index]?.text ?? ''); index--)
    if (tokens[index]?.text === 'import' || tokens[index]?.text === 'from') return true;
  return false;
}

function isHarmlessMember(text: string, at: number, code: PythonCode): boolean {
  const { tokens, modules, usesPaths } = code;
  const owner = tokens[at - 2]?.text ?? '';
  const isFirst = tokens[at - 3]?.text !== '.';
  if (isImported(at, tokens)) return true;
  if (isFirst && modules.own.has(owner)) return !text.startsWith('_') || versionMembers.has(text);
  if (isFirst && modules.other.has(owner)) return versionMembers.has(text);
  if (owner === 'platform' && text === 'system') return modules.safe.has('platform');
  // What is put there first is imported first.
  if (owner === 'sys' && text === 'path') return /^[),\n]?$/.test(tokens[at + 1]?.text ?? '');
  if (text === 'compile') return owner === 're';
  // `Path.replace` has one argument and moves a file.
  if (text === 'replace' && usesPaths) return argumentsAt(at + 1, tokens) >= 2;
  if (text === 'Path') return owner === 'pathlib' && namesPath(at, code);
  return members.has(text);
}

/** How many arguments the call has whose parenthesis is here. */
function argumentsAt(at: number, tokens: readonly PythonToken[]): number {
  let depth = 0;
  let count = 1;
  for (const { text, kind } of tokens.slice(at)) {
    if (kind === 'string') continue;
    if (/^[([{]$/.test(text)) depth++;
    else if (/^[)\]}]$/.test(text) && --depth === 0) return count;
    else if (text === ',' && depth === 1) count++;
    else if (text === '*' && depth === 1) return 0;
  }
  return 0;
}

/** `open('name')` reads, `open('name', 'w')` writes. */
function opensLiteral(at: number, { tokens, port }: PythonCode): boolean {
  const [bracket, name, next, mode, end] = tokens.slice(at + 1, at + 6);
  if (bracket?.text !== '(' || !name?.isLiteral) return false;
  if (next?.text === ')') {
    port.reads(exact(name.text));
    return true;
  }
  if (next?.text !== ',') return false;
  if (mode?.kind === 'name' && mode.text === 'encoding') {
    port.reads(exact(name.text));
    return true;
  }
  if (!mode?.isLiteral || !/^[),]$/.test(end?.text ?? '')) return false;
  if (/^(?:r|rb|rt)$/.test(mode.text)) port.reads(exact(name.text));
  else port.writes(exact(name.text));
  return true;
}

/** `Path('name')`: what the code does with any path, it may do with this one. */
function namesPath(at: number, { tokens, port }: PythonCode): boolean {
  const [bracket, name, close] = tokens.slice(at + 1, at + 4);
  if (bracket?.text !== '(' || !name?.isLiteral || close?.text !== ')') return false;
  const uses = (set: ReadonlySet<string>): boolean =>
    tokens.some(
      ({ kind, text }, index) =>
        kind === 'name' && set.has(text) && tokens[index - 1]?.text === '.',
    );
  // `path / name` leads to another file, and a pattern may lead up.
  const leadsOn = tokens.some(({ kind, text }) => kind === 'operator' && /^\/=?$/.test(text));
  if (leadsOn || (uses(pathListings) && (uses(pathChanges) || tokens.some(climbs)))) return false;
  port.reads(exact(name.text), uses(pathListings));
  if (uses(pathChanges)) port.writes(exact(name.text));
  return true;
}

function climbs({ kind, text }: PythonToken): boolean {
  return kind === 'string' && /\.\.|^\.|\/\./.test(text);
}
