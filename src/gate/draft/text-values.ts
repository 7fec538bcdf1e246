import { normalPath } from '../expression/index.ts';

const distinctMax = 8;
const directoriesMax = 4;
const escapeBase = '/base';

/** The texts found at one position. */
export class TextValues {
  times = 0;
  /** In code points, as a schema counts. */
  lengthMax = 0;
  /** Null: there are more than a few. */
  distinct: ReadonlySet<string> | null = new Set();
  /** Directories with every text; null if a text is no absolute path, or there are too many. */
  directories: readonly string[] | null = [];
  /** Whether every text is a relative path that stays below its base. */
  isRelative = true;
  /** `https://host:port` of every text; null if a text is no such address, or there are too many. */
  origins: ReadonlySet<string> | null = new Set();

  /** First words of every text as SQL, in capitals; null if a text is no single statement. */
  statements: ReadonlySet<string> | null = new Set();

  add(text: string): void {
    this.times++;
    this.lengthMax = Math.max(this.lengthMax, [...text].length);
    this.distinct = withOne(this.distinct, text);
    this.origins = withOne(this.origins, originOf(text));
    this.statements = withOne(this.statements, statementOf(text));
    const directory = normalPath(text);
    const found = directory === undefined ? null : [withoutFile(directory)];
    this.directories = joinDirectories(this.directories, found);
    this.isRelative &&= isRelativePath(text);
  }

  /** Both together; neither changes. */
  with(other: TextValues): TextValues {
    const both = new TextValues();
    both.times = this.times + other.times;
    both.lengthMax = Math.max(this.lengthMax, other.lengthMax);
    both.distinct = [...(other.distinct ?? [undefined])].reduce(withOne, this.distinct);
    both.origins = [...(other.origins ?? [undefined])].reduce(withOne, this.origins);
    both.statements = [...(other.statements ?? [undefined])].reduce(withOne, this.statements);
    both.directories = joinDirectories(this.directories, other.directories);
    both.isRelative = this.isRelative && other.isRelative;
    return both;
  }
}

function withOne(
  all: ReadonlySet<string> | null,
  one: string | undefined,
): ReadonlySet<string> | null {
  if (!all || one === undefined) return null;
  if (all.has(one)) return all;
  return all.size < distinctMax ? new Set([...all, one]) : null;
}

/** Compared as text, so an address with a user name or odd characters has no origin. */
function originOf(text: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*:\/\/[A-Za-z0-9.:[\]-]+)(?:[/?#]|$)/.exec(text)?.[1];
}

/**
 * Words that begin a statement of SQL; `WITH` is none of them, since anything may follow it. Blanks
 * are those that RE2 knows.
 */
const sqlWords =
  /^[\t\n\f\r ]*(select|insert|update|delete|create|alter|drop|truncate|explain|pragma|show|describe)[\t\n\f\r ][^;]*;?[\t\n\f\r ]*$/i;

function statementOf(text: string): string | undefined {
  return sqlWords.exec(text)?.[1]?.toUpperCase();
}

function isRelativePath(text: string): boolean {
  if (/^[/~]|^[A-Za-z][A-Za-z0-9+.-]*:|[\\\0]/.test(text)) return false;
  const path = normalPath(`${escapeBase}/${text}`) ?? '';
  return path === escapeBase || path.startsWith(`${escapeBase}/`);
}

/** The directory of a path whose last name has an extension, as names of files mostly have. */
function withoutFile(path: string): string {
  return /[^/]\.[A-Za-z0-9]{1,8}$/.test(path) ? path.slice(0, path.lastIndexOf('/')) || '/' : path;
}

/** One directory for each pair of first names: `/srv/a` and `/opt/b` have nothing in common. */
function joinDirectories(
  some: readonly string[] | null,
  more: readonly string[] | null,
): readonly string[] | null {
  if (!some || !more) return null;
  const joined = new Map<string, string>();
  for (const directory of [...some, ...more]) {
    const place = directory.split('/').slice(0, 3).join('/');
    const known = joined.get(place);
    joined.set(place, known === undefined ? directory : commonDirectory(known, directory));
  }
  return joined.size <= directoriesMax ? [...joined.values()].sort() : null;
}

function commonDirectory(one: string, other: string): string {
  const [left, right] = [one.split('/'), other.split('/')];
  const end = left.findIndex((name, index) => name !== right[index]);
  return end < 0 ? one : left.slice(0, end).join('/') || '/';
}
