import type { Hop } from '../../lanes/index.ts';
import type { Difference } from '../compare/index.ts';
import type { AtOnce, Prepared } from './at-once.ts';
import { type Clash, findClashes } from './judge-at-once.ts';
import { tellRequest } from './judge-load.ts';
import type { Stage } from './stage.ts';

/** What clashed, and the request that did. */
export interface Clashed {
  readonly steps: Prepared;
  readonly clashes: readonly Clash[];
}

/** What a change does otherwise as soon as the same is asked for several times at once. */
export async function lookAtOnce(stage: Stage, services: readonly string[]): Promise<Clashed[]> {
  return clashedIn(await stage.sendAtOnce(), services);
}

/** The same requests on another start; what clashes there, too, is told. */
export async function findAgain(
  stage: Stage,
  before: readonly Clashed[],
  services: readonly string[],
): Promise<{ readonly differences: Difference[]; readonly shown: Hop[] }> {
  const sent = await stage.sendAtOnce(before.map(({ steps }) => steps));
  const known = new Set(before.flatMap(namesOf));
  const again = clashedIn(sent, services).flatMap(({ steps, clashes }) =>
    clashes.filter((clash) => known.has(nameOf(steps, clash))).map((clash) => ({ steps, clash })),
  );
  return {
    differences: again.map(({ steps, clash }) => tellClash(steps, clash, services)),
    shown: again.flatMap(({ clash }) => clash.burst.hops),
  };
}

function clashedIn(sent: readonly AtOnce[], services: readonly string[]): Clashed[] {
  const reaches = ({ candidate }: AtOnce): boolean =>
    candidate.some(({ hops }) => hops.some(({ to }) => services.includes(to)));
  return sent
    .filter(reaches)
    .map((atOnce) => ({ steps: atOnce.steps, clashes: findClashes(atOnce) }))
    .filter(({ clashes }) => clashes.length > 0);
}

function namesOf({ steps, clashes }: Clashed): string[] {
  return clashes.map((clash) => nameOf(steps, clash));
}

function nameOf(steps: Prepared, { what, place }: Clash): string {
  return `${requestOf(steps)} ${what} ${place ?? ''}`;
}

function requestOf(steps: Prepared): string {
  const last = steps.at(-1);
  return last ? tellRequest(last.request) : '';
}

/** Whose doing it is: of the changed services the last that the requests came to. */
function tellClash(steps: Prepared, clash: Clash, services: readonly string[]): Difference {
  const { what, place, before, after, burst } = clash;
  const service = burst.hops.findLast(({ to }) => services.includes(to))?.to ?? services[0] ?? '';
  const [example] = burst.answers;
  return {
    class: 'load',
    what,
    service,
    hop: null,
    place: place === null ? requestOf(steps) : `${requestOf(steps)} ${place}`,
    before,
    after,
    examples: { before: null, after: { request: example?.id ?? null } },
    severity: 'fail',
    confidence: 0.99,
  };
}
