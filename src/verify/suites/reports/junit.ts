import sax from 'sax';
import { redactText } from '../../../kernel/index.ts';
import type { Check } from '../../api-schema.ts';
import { cut, type ReportedChecks, type SuiteOutput } from './check.ts';

interface Case {
  readonly name: string;
  failure: string | null;
  isSkipped: boolean;
  requestId: string | null;
}

/** JUnit XML files, as pytest, Playwright, k6, Maven and many others write them. */
export function readJunit({ files }: SuiteOutput): ReportedChecks {
  if (files.length === 0) return { checks: [], broken: 'it left no .xml file in SURETY_REPORTS' };
  const checks: Check[] = [];
  for (const text of files) {
    const { cases, mistake } = parse(text);
    checks.push(...cases.filter(({ isSkipped }) => !isSkipped).map(toCheck));
    if (mistake) return { checks, broken: `its report can't be read: ${mistake}` };
  }
  return { checks, broken: null };
}

/**
 * Strict, because a truncated report says nothing about the missing tests. Entities that a document
 * defines itself are not expanded.
 */
function parse(text: string): { cases: Case[]; mistake: string | null } {
  const cases: Case[] = [];
  let current: Case | undefined;
  let isFailure = false;
  let isReport = false;
  const parser = sax.parser(true, { trim: false });
  parser.onopentag = ({ name, attributes }) => {
    isReport ||= name === 'testsuites' || name === 'testsuite';
    if (name === 'testcase') {
      current = caseOf(attributes);
      cases.push(current);
    } else if (current) isFailure = note(current, name, attributes);
  };
  const addText = (more: string): void => {
    if (isFailure && current) current.failure = cut(`${current.failure}${more}`);
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onclosetag = (name) => {
    isFailure = false;
    if (name === 'testcase') current = undefined;
  };
  let mistake: string | null = null;
  parser.onerror = ({ message }) => {
    mistake ??= cut(oneLine(message));
  };
  feed(parser, text);
  return { cases, mistake: mistake ?? (isReport ? null : 'it has no <testsuite>') };
}

/** After an error the parser throws what it has already reported. */
function feed(parser: sax.SAXParser, text: string): void {
  try {
    parser.write(text.replace(/^\uFEFF/, '')).close();
  } catch {
    // Reported by onerror.
  }
}

type Attributes = Readonly<Record<string, unknown>>;

function caseOf(attributes: Attributes): Case {
  const words = [attributes.classname, attributes.name].filter((word) => word);
  const name = cut(words.join(' › ')) || 'a test without a name';
  return { name, failure: null, isSkipped: false, requestId: null };
}

/** Returns whether the following text is the reason of a failure. */
function note(current: Case, name: string, attributes: Attributes): boolean {
  if (name === 'skipped') current.isSkipped = true;
  if (name === 'property' && attributes.name === 'requestId') {
    current.requestId = String(attributes.value ?? '') || null;
  }
  if (name !== 'failure' && name !== 'error') return false;
  const message = String(attributes.message ?? attributes.type ?? '');
  current.failure = message === '' ? '' : `${message}\n`;
  return true;
}

function oneLine(text: string): string {
  return text.split('\n').slice(0, 3).join(', ');
}

function toCheck({ name, failure, requestId }: Case): Check {
  const passed = failure === null;
  const actual = passed ? 'passed' : redactText(failure.trim() || 'failed');
  return { check: name, passed, expected: 'passed', actual, requestId };
}
