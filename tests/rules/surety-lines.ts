/** A call of `surety` in a text: the words after `surety`, as a shell would split them. */
export interface SuretyLine {
  readonly text: string;
  readonly words: readonly string[];
  /** A block of commands is meant to be typed; a command within a sentence may lack arguments. */
  readonly isWhole: boolean;
}

/** Every call of `surety` in the code of a Markdown page: in blocks and in spans. */
export function findSuretyLines(markdown: string): SuretyLine[] {
  const blocks = [...markdown.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)];
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  return [
    ...blocks.flatMap(([, language = '', text = '']) => findInBlock(language, text)),
    ...[...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => findInSpan(code)),
  ];
}

function findInBlock(language: string, text: string): SuretyLine[] {
  if (!['sh', 'console', 'yaml'].includes(language)) return [];
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  const typed = lines.filter((line) => language !== 'console' || line.startsWith('$ '));
  return typed.flatMap((line) => findCalls(line.replace(/^\$ /, ''), true));
}

/** A span is a command only if it begins with `surety`; otherwise the word is part of a text. */
function findInSpan(code: string): SuretyLine[] {
  return /^(?:npx )?surety [a-z]/.test(code) ? findCalls(code, false) : [];
}

const call =
  /(?:^\s*|[|;&(]\s*|-- |(?:run|script|command): |- )(?:[A-Z_]+=\S+ )*(?:npx )?surety(?= )/g;

function findCalls(line: string, isWhole: boolean): SuretyLine[] {
  return [...line.matchAll(call)]
    .map(({ index, 0: start }) => splitWords(line.slice(index + start.length)))
    .filter((words) => words.length > 0)
    .map((words) => ({ text: `surety ${words.join(' ')}`, words, isWhole }));
}

/** Up to the end of the command: a comment, a pipe, a redirection or the next command. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/(?:"[^"]*"|'[^']*'|[^"'\s])+/g)) {
    if (/^(?:[#|;<>]|&&|\d?>)/.test(word) && !/^<[^>]+>/.test(word)) break;
    const isLast = /[;)]$/.test(word) && !word.includes('(');
    words.push(word.replace(/[;)]$/, isLast ? '' : '$&').replaceAll(/["']/g, ''));
    if (isLast) break;
  }
  return words;
}
