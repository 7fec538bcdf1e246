import { hookLimits } from '../limits.ts';
import type { CodeJudge, CodePort } from './code-port.ts';
import { isHarmlessGo } from './go.ts';
import { isHarmlessJavaScript } from './javascript.ts';
import { isHarmlessPerl } from './perl.ts';
import { isHarmlessPython } from './python.ts';

const judges: Readonly<Record<string, CodeJudge>> = {
  go: isHarmlessGo,
  javascript: isHarmlessJavaScript,
  perl: isHarmlessPerl,
  python: isHarmlessPython,
};

/**
 * Whether code only computes, prints, and opens files that it names as literal text. Code that
 * is written in a command was reviewed by nobody, so anything else in it is held.
 */
export function isHarmlessCode(language: string, code: string, port: CodePort): boolean {
  if (code.length > hookLimits.inlineCodeCharsMax) return false;
  const judge = Object.hasOwn(judges, language) ? judges[language] : undefined;
  return judge?.(code, port) === true;
}

/** The language of a file with code, by its name. */
export function languageOfFile(path: string): string {
  if (/\.py$/.test(path)) return 'python';
  if (/\.go$/.test(path)) return 'go';
  return /\.[cm]?[jt]sx?$/.test(path) ? 'javascript' : 'unknown';
}

export type { CodePort } from './code-port.ts';
