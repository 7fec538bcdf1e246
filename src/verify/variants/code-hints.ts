import type { ChangedFile, CodeVersion } from '../line-coverage/changed-code.ts';

/** What the changed code, and the code beside it, mentions. What changed itself comes first. */
export interface CodeHints {
  readonly numbers: readonly number[];
  /** Shares and rates such as `0.001`, also where a text holds them: `Decimal("0.001")`. */
  readonly rates: readonly number[];
  /** The changed lines round, or compute with parts of numbers. */
  readonly isRounding: boolean;
  /** Quoted words of enumerations, codes, names of fields; only those that the baseline knows. */
  readonly texts: readonly string[];
  /** Names of variables and fields in the changed lines, and beside them, in lower case. */
  readonly names: ReadonlySet<string>;
  readonly namesBeside: ReadonlySet<string>;
  /** What the changed lines themselves read from something: perhaps fields of a request. */
  readonly fields: readonly string[];
  /** Quoted words anywhere in the changed files, as they were. */
  readonly quoted: readonly string[];
  /** Paths in the changed files, as they were: `/flags/:name`. */
  readonly paths: readonly string[];
}

/** Of a long function, and around a line that is in no function. */
const linesAroundMax = 12;

/** Pure, by regular expressions: the hints of a language that nobody parses are as good. */
export function hintsOf(files: readonly ChangedFile[]): CodeHints {
  const code = files.filter(({ language, blocks }) => language !== 'data' && blocks.length > 0);
  const regions = code.flatMap((file) => {
    const lines = (pick: 'added' | 'removed'): number[] => file.blocks.flatMap((one) => one[pick]);
    return [...regionsOf(file.after, lines('added')), ...regionsOf(file.before, lines('removed'))];
  });
  const ordered = [
    ...regions.map(({ changed }) => changed),
    ...regions.map(({ around }) => around),
  ];
  // What the baseline never heard of it can't answer: a new word, field or path is meant to be new.
  const old = code.map(({ before }) => before?.text ?? '').join('\n');
  const known = (names: readonly string[]): string[] =>
    distinct(names).filter((name) => old.includes(name));
  return {
    numbers: distinct(ordered.flatMap(numbersIn)),
    rates: distinct(ordered.flatMap(ratesIn)),
    isRounding: regions.some(({ changed }) => ofRounding.test(changed)),
    texts: known(ordered.flatMap(textsIn)),
    names: new Set(regions.flatMap(({ changed }) => namesIn(changed))),
    namesBeside: new Set(regions.flatMap(({ around }) => namesIn(around))),
    fields: known(regions.flatMap(({ changed }) => fieldsIn(changed))).slice(0, fieldsMax),
    quoted: distinct(textsIn(old)).slice(0, quotedMax),
    paths: distinct(pathsIn(old)),
  };
}

interface CodeRegion {
  readonly changed: string;
  readonly around: string;
}

/** The changed lines, and the function around them with the constants that it names. */
function regionsOf(version: CodeVersion | null, changed: readonly number[]): CodeRegion[] {
  if (version === null || changed.length === 0) return [];
  const lines = version.text.split('\n');
  const textOf = (numbers: Iterable<number>): string =>
    [...numbers].map((line) => lines[line - 1] ?? '').join('\n');
  const near = new Set(changed.flatMap((line) => linesAround(line, version)));
  const own = textOf(changed);
  const around = textOf(near);
  return [
    { changed: withConstants(own, version.text), around: withConstants(around, version.text) },
  ];
}

function linesAround(line: number, { outline }: CodeVersion): number[] {
  const bodies = outline?.unitsOn(line).flatMap(({ body }) => body ?? []) ?? [];
  const [first, last] = bodies
    .map(
      ({ start, end }) => [outline?.lineAt(start) ?? line, outline?.lineAt(end) ?? line] as const,
    )
    .at(0) ?? [line - linesAroundMax, line + linesAroundMax];
  const start = Math.max(1, first, line - linesAroundMax);
  const end = Math.min(last, line + linesAroundMax);
  return Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => start + index);
}

/** `ITEMS_MAX` means its value: the definition of a constant is part of what names it. */
function withConstants(code: string, whole: string): string {
  const named = distinct(code.match(/\b[A-Z][A-Z0-9_]{2,}\b/g) ?? []);
  const defined = named.flatMap((name) => {
    const definition = new RegExp(`\\b${name}\\b[^\\n=]{0,40}=[^=>\\n][^\\n]{0,80}`);
    return definition.exec(whole)?.[0] ?? [];
  });
  return [code, ...defined].join('\n');
}

const numberPattern = /(?<![\w.$])\d[\d_]*(?:\.\d+)?(?:e\d+)?(?![\w.])/g;
/** Larger ones are moments and ids. */
const numberMax = 1e12;

function numbersIn(code: string): number[] {
  const found = withoutTexts(code).match(numberPattern) ?? [];
  return found
    .map((text) => Number(text.replaceAll('_', '')))
    .filter((value) => Number.isFinite(value) && value <= numberMax);
}

/** Decimal numbers, floats, columns of them, and what turns one into the other. */
const ofRounding =
  /round|quantize|toFixed|floor|ceil|trunc|decimal|numeric|float|double|\breal\b|cents?\b|parseInt|Number\(|\bint\(|[*/] ?1_?0{2,}\b/i;

function ratesIn(code: string): number[] {
  return [...code.matchAll(/(?<![\w.])0?\.\d{1,12}(?![\w.])/g)]
    .map(([text]) => Number(text))
    .filter((rate) => rate > 0);
}

function withoutTexts(code: string): string {
  return code.replace(/'[^'\n]{0,200}'|"[^"\n]{0,200}"/g, "''");
}

const textPattern = /(['"`])([^'"`\s${}\\/]{1,40})\1/g;

function textsIn(code: string): string[] {
  return [...code.matchAll(textPattern)].map(([, , text]) => text ?? '');
}

const quotedMax = 500;
const fieldsMax = 4;
const fieldPattern = /\??\.([a-z_]\w{0,39})\b(?!\s*\()/gi;
/** Members of everything. */
const usualMembers =
  /^(?:length|headers?|body|url|method|status|message|name|value|size|data|json|params|query)$/i;

/** `body.currency`, `body['currency']`, `body.get("currency")`. */
function fieldsIn(code: string): string[] {
  const members = [...code.matchAll(fieldPattern)].map(([, name]) => name ?? '');
  const quoted = textsIn(code).filter((text) => /^[a-z_]\w*$/i.test(text));
  return [...quoted, ...members].filter((name) => !usualMembers.test(name));
}

const pathPattern = /["'`](\/[A-Za-z][\w\-./:{}<>*$]{0,99})["'`]/g;

function pathsIn(code: string): string[] {
  return [...code.matchAll(pathPattern)].map(([, path]) => path ?? '');
}

function namesIn(code: string): string[] {
  return (code.match(/[a-z_]\w*/gi) ?? []).map((name) => name.toLowerCase());
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}
