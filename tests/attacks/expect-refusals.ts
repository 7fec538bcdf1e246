import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from '../harness/deep.ts';
import type { Surfaces } from './attempt.ts';

/** What attempts are made against. */
export interface AttackedScene extends AsyncDisposable {
  /** The kinds of the entries after this number. */
  readKinds(after: number): Promise<string[]>;
  newestEntry(): Promise<number>;
}

/** Makes each attempt against the same scene, and expects its refusal and its entry. */
export function expectRefusals<Scene extends AttackedScene>(
  open: () => Promise<Scene>,
  surfaces: Surfaces<Scene>,
): void {
  let scene: Scene;
  beforeAll(async () => {
    scene = await open();
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  describe.each(Object.entries(surfaces))('%s', (_, attempts) => {
    test.each(attempts.filter(({ slow }) => isDeep || !slow))(
      '$attacker: $tries',
      async ({ attack, refusal, entry }) => {
        let newest = await scene.newestEntry();
        const begin = async (): Promise<void> => {
          newest = await scene.newestEntry();
        };
        expect(await attack(scene, begin)).toBe(refusal);
        const kinds = await scene.readKinds(newest);
        if (entry === undefined) expect(kinds).toEqual([]);
        else expect(kinds).toContain(entry);
      },
    );
  });
}
