import { type ExpandedWord, exact, pattern, unknown } from '../shell/field.ts';
import { nameList, sortArguments } from './options.ts';
import type { ProgramCall, ShellPort } from './program.ts';
import { below } from './readers.ts';

/** `find`: what it prints is below its places, and `-exec` runs something on each of them. */
export function find({ args, shell }: ProgramCall): ExpandedWord {
  const start = args.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-[HLPO]/.test(text));
  const places = (start < 0 ? args : args.slice(0, start)).filter(
    ({ text }) => !/^-[HLPO]/.test(text),
  );
  const roots = places.length > 0 ? places : [exact('.')];
  const terms = start < 0 ? [] : args.slice(start);
  const found = roots.map((root) => foundBelow(root, terms));
  checkTerms(terms, shell);
  for (let index = 0; index < terms.length; index++) {
    const { text } = terms[index] as ExpandedWord;
    if (text === '-delete') for (const file of found) shell.deletes(file);
    if (/^-f(?:printf|print0?|ls)$/.test(text) && terms[index + 1])
      shell.writes(terms[index + 1] as ExpandedWord);
    if (text === '-files0-from' && terms[index + 1]) shell.reads(terms[index + 1] as ExpandedWord);
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(text)) continue;
    const rest = terms.slice(index + 1);
    const end = rest.findIndex(
      (field, at) => field.text === ';' || (field.text === '+' && rest[at - 1]?.text === '{}'),
    );
    const words = end < 0 ? rest : rest.slice(0, end);
    for (const file of found) shell.run(words.map((word) => putIn(word, file)));
    index += words.length + 1;
  }
  const [only] = found;
  return found.length === 1 && only ? only : unknown();
}

/** A term that is not known could be `-delete` or `-exec`. */
function checkTerms(terms: readonly ExpandedWord[], shell: ShellPort): undefined {
  const isOdd = terms.some(
    ({ kind, text }, at) =>
      kind === 'unknown' && !/^\w/.test(text) && !valueTerm.test(terms[at - 1]?.text ?? ''),
  );
  if (isOdd) shell.unresolved('find has a term that is not known');
}

const valueTerm =
  /^-(?:i?name|i?path|i?regex|newer\w*|[amc]time|[amc]min|size|type|user|group|perm|maxdepth|mindepth)$/;

function foundBelow(root: ExpandedWord, terms: readonly ExpandedWord[]): ExpandedWord {
  if (root.kind === 'unknown') return unknown(root.text);
  const base = root.text.replace(/\/+$/, '');
  const name = terms[terms.findIndex(({ text }) => text === '-name' || text === '-iname') + 1];
  const isNamed =
    terms.some(({ text }) => text === '-name' || text === '-iname') &&
    !terms.some(
      ({ text }, at) =>
        /^(?:-o|-or|,)$/.test(text) ||
        (/^(?:!|-not)$/.test(text) && !/^-i?path$/.test(terms[at + 1]?.text ?? '')),
    );
  const hasFilter = terms.some(({ text }) =>
    /^-(?:i?name|i?path|i?regex|type|mtime|mmin|size|empty|maxdepth|mindepth|newer|perm|user|inum|samefile|links|group|uid|x?dev)/.test(
      text,
    ),
  );
  const ignoresCase = terms.some(({ text }) => text === '-iname');
  if (isNamed && !ignoresCase && name && name.kind !== 'unknown' && !name.text.includes('/'))
    return pattern(`${base}/**/${name.text.replace(/[?[\]]/g, '*')}`);
  return hasFilter ? pattern(`${base}/**`) : pattern(`${base || '/'}`);
}

/** `{}` is replaced wherever it stands in a word. */
export function putIn(word: ExpandedWord, value: ExpandedWord, mark = '{}'): ExpandedWord {
  if (!word.text.includes(mark)) return word;
  if (word.text === mark) return value;
  const text = word.text.split(mark).join(value.text);
  if (word.kind === 'unknown' || value.kind === 'unknown') return unknown(text);
  return value.kind === 'exact' && word.kind === 'exact' ? exact(text) : pattern(text);
}

export function fd({ args, shell }: ProgramCall): ExpandedWord {
  const { operands, has } = sortArguments(
    args,
    nameList(`
    e extension t type d max-depth E exclude x exec X exec-batch c color S size j
    threads base-directory search-path
  `),
  );
  const at = args.findIndex(({ text }) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text));
  const place = below([operands[1] ?? exact('.')], has('H', 'hidden', 'u', 'unrestricted'));
  if (args.some(({ text }) => /^(?:-[xX].|--exec(?:-batch)?=)/.test(text)))
    shell.unresolved('fd runs another program');
  if (at >= 0) {
    const words = args.slice(at + 1);
    const named = words.some(({ text }) => text.includes('{}'))
      ? words.map((word) => putIn(word, place))
      : [...words, place];
    shell.run(named);
  }
  return place;
}
