import { describe, expect, test } from 'vitest';
import type { CoverageRecords } from '../../lanes/index.ts';
import { readChangedCode, watchedLines } from './changed-code.ts';
import { coverageNotices, formatCoverage } from './format-coverage.ts';
import { judgeCoverage } from './judge-coverage.ts';

/** A diff of one file with all of its lines, as git prints it with much context. */
function diffOf(file: string, lines: readonly string[]): string {
  const head = `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n`;
  return `${head}@@ -1,9 +1,9 @@\n${lines.join('\n')}\n`;
}

const charge = [
  ' function charge(amount) {',
  '-  return amount;',
  '+  if (amount > 10) {',
  '+    return amount + 1;',
  '+  }',
  '+  // No fee.',
  '+  return amount;',
  ' }',
];

type Point = readonly [line: number, column: number];

/** What a process of the service `till` recorded about `till.js`. */
function recordsOf(points: readonly Point[], executed: readonly Point[] = []): CoverageRecords {
  const at = ([line, column]: Point) => ({ file: 'till.js', line, column });
  return {
    recorders: new Set(['node till']),
    points: points.map(at),
    executed: executed.map((point) => ({ ...at(point), request: 'POST /till', traceId: null })),
  };
}

function judgeLines(
  lines: readonly string[],
  { candidate, control = recordsOf([]) }: { candidate: CoverageRecords; control?: CoverageRecords },
  file = 'till.js',
) {
  const files = readChangedCode(diffOf(file, lines));
  return judgeCoverage({ files, candidate, control, servicesOf: () => ['till'] });
}

const points: readonly Point[] = [
  [2, 2],
  [3, 4],
  [6, 2],
];

describe('the coverage of a change', () => {
  test('is complete if every changed line with code ran', () => {
    const candidate = recordsOf(points, points);
    const control = recordsOf([[2, 2]], [[2, 2]]);
    const judged = judgeLines(charge, { candidate, control });
    expect(judged).toMatchObject({ status: 'executed', lines: 3, ran: 3, unexecuted: [] });
    expect(judged.places).toEqual(['till.js:2-6']);
    expect(formatCoverage(judged)).toBe('3 of 3 changed lines ran');
  });

  test('names a line that no request ran, its condition and a request to start from', () => {
    const candidate = recordsOf(points, [points[0] as Point, points[2] as Point]);
    const judged = judgeLines(charge, { candidate, control: recordsOf([[2, 2]], [[2, 2]]) });
    expect(judged).toMatchObject({ status: 'partial', lines: 3, ran: 2, places: [] });
    expect(coverageNotices(judged)).toEqual([
      'till.js:3 was run by no request: return amount + 1; (in charge; needs if (amount > 10); ' +
        'start from POST /till, which runs charge)',
    ]);
  });

  test('is unknown for TypeScript of which a process loads only what was made from it', () => {
    const candidate = recordsOf([]);
    expect(judgeLines(charge, { candidate }, 'till.ts').status).toBe('unknown');
    const recorders = new Set([...candidate.recorders, 'typescript till']);
    const mapped = { ...candidate, recorders };
    expect(judgeLines(charge, { candidate: mapped }, 'till.ts').status).toBe('none');
  });

  test('is none if nothing of the change ran, also if nobody loaded the file', () => {
    expect(judgeLines(charge, { candidate: recordsOf(points) }).status).toBe('none');
    const judged = judgeLines(charge, { candidate: recordsOf([]) });
    expect(judged).toMatchObject({ status: 'none', lines: 3, ran: 0 });
    expect(judged.unexecuted[0]).toMatchObject({ line: 2, end: 3, isLoaded: false });
  });

  test('asks the control about removed lines', () => {
    const removal = [' open();', "-if (!admin) throw new Error('no');", ' close();'];
    const refusal: readonly Point[] = [
      [2, 0],
      [2, 12],
    ];
    const control = (executed: readonly Point[]) => ({
      candidate: recordsOf([], []),
      control: recordsOf(refusal, executed),
    });
    expect(judgeLines(removal, control(refusal)).status).toBe('executed');
    const judged = judgeLines(removal, control([[2, 0]]));
    expect(judged.unexecuted).toMatchObject([
      { line: 2, change: 'removed', text: "throw new Error('no');", condition: 'if (!admin)' },
    ]);
  });

  test('has no code to run if only comments, types or layout changed', () => {
    const comments = [' go();', '-// old', '+// new'];
    expect(judgeLines(comments, { candidate: recordsOf([]) }).status).toBe('no-code');
    const types = ['-const a = 1;', '+const a: number =', '+  1;'];
    const judged = judgeLines(types, { candidate: recordsOf([]) }, 'till.ts');
    expect(judged).toMatchObject({ status: 'no-code', lines: 0, data: [] });
    expect(formatCoverage(judged)).toBe('only comments, types or tests changed');
  });

  test('does not count files that are no program, but names them', () => {
    const judged = judgeLines(['-a: 1', '+a: 2'], { candidate: recordsOf([]) }, 'limits.yaml');
    expect(judged).toMatchObject({ status: 'no-code', data: ['limits.yaml'] });
    expect(formatCoverage(judged)).toBe('no program code changed');
  });

  test('is unknown for languages and services that record nothing', () => {
    const go = judgeLines(['+go()'], { candidate: recordsOf([]) }, 'main.go');
    expect(go).toMatchObject({ status: 'unknown', unknown: ['main.go'] });
    const silent = { recorders: new Set<string>(), points: [], executed: [] };
    const judged = judgeLines(charge, { candidate: silent, control: silent });
    expect(judged.status).toBe('unknown');
    expect(formatCoverage(judged)).toBe('which changed lines ran is unknown (till.js)');
  });

  test('judges a file without an outline by its lines', () => {
    const page = ['+const page = <p>{name}</p>;', '+const other = <p/>;', '+// comment'];
    const files = readChangedCode(diffOf('page.jsx', page));
    const at = (line: number) => ({ file: 'page.jsx', line, column: 0 });
    const candidate = {
      recorders: new Set(['node till']),
      points: [at(1), at(2)],
      executed: [{ ...at(1), request: null, traceId: null }],
    };
    const servicesOf = () => ['till'];
    const judged = judgeCoverage({ files, candidate, control: candidate, servicesOf });
    expect(judged).toMatchObject({ lines: 2, ran: 1, unexecuted: [{ line: 2 }] });
  });
});

test('watches changed lines, their statement and the beginning of their function', () => {
  const files = readChangedCode(
    diffOf('till.js', [
      ' function f() {',
      '   start();',
      '   const a = {',
      '+    b: 1,',
      '   };',
      ' }',
    ]),
  );
  const { candidate, control } = watchedLines(files);
  expect(candidate['till.js']).toEqual(expect.arrayContaining([1, 2, 3, 4]));
  expect(control).toEqual({});
});
