import { type FileDiff, parseDiff } from '../../lanes/index.ts';
import type { ChangedPlace, Hypothesis, SuspectChange } from '../api-schema.ts';
import { classOf } from './classes.ts';

/** One hypothesis for each place at which a suspect may show. Pure. */
export function hypothesesOf(
  { commit, services }: SuspectChange,
  diff: string,
  places: readonly ChangedPlace[],
): Hypothesis[] {
  const files = parseDiff(diff);
  return places.map((place, index) => {
    const found = classOf(`${changedText(place, files)}\n${place.text}`);
    return {
      id: `${commit.slice(0, 8)}-${index + 1}`,
      class: found.name,
      statement: `${services.join(', ')}: ${found.mechanism}, at ${place.file}:${place.line} (${place.names.join(', ')})`,
      mechanism: found.mechanism,
      confirms: found.confirms,
      refutes: found.refutes,
      cost: 'three lanes, one probe in each of three processes, four runs of the suites',
      suspect: commit,
      place,
      status: 'open',
      evidence: [],
    };
  });
}

/** What was added and removed near the place: it says what kind of change this is. */
function changedText({ file, line }: ChangedPlace, files: readonly FileDiff[]): string {
  const hunks = files.find(({ to }) => to === file)?.hunks ?? [];
  const near = hunks.find(({ lines }) => lines.some(({ lineAfter }) => lineAfter === line));
  const lines = near?.lines ?? hunks.flatMap((hunk) => hunk.lines);
  return lines
    .filter(({ kind }) => kind !== 'context')
    .map(({ text }) => text)
    .join('\n');
}
